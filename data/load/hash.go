package load

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/mercer-ml/mercer/data"
)

// readAndHash reads the data set and takes the SHA-256 of the file as stored.
func (s *source) readAndHash(format Format, o Options) (*data.Dataset, string, error) {
	if (format == formatCSV || format == formatTSV) && s.plain() {
		// This reader goes through every byte in order, to the last.
		sum := sha256.New()
		s.sum = sum
		set, err := s.read(format, o)
		return set, hex.EncodeToString(sum.Sum(nil)), err
	}
	// Readers that seek do not see all of it in order, and decompressors may stop
	// before the last byte: the file is hashed by itself, beside the reading.
	type hashed struct {
		sum string
		err error
	}
	sum := make(chan hashed, 1)
	go func() {
		h, err := s.hash()
		sum <- hashed{h, err}
	}()
	set, err := s.read(format, o)
	h := <-sum
	return set, h.sum, cmp.Or(err, h.err)
}

// plain says whether the file is stored without a wrapping.
func (s *source) plain() bool {
	f, err := s.raw()
	if err != nil {
		return false
	}
	defer f.Close()
	var head [4]byte
	n, _ := io.ReadFull(f, head[:])
	return wrapping(head[:n]) == ""
}

// seen passes what is read on to the hash that waits for it. A second reading
// of the same file is not hashed again, unless the first was given up before the end.
func (s *source) seen(f io.Reader) io.Reader {
	if s.sum == nil || s.summed {
		return f
	}
	s.sum.Reset()
	return summing{f, s}
}

// summing hashes what is read.
type summing struct {
	io.Reader
	s *source
}

func (h summing) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	h.s.sum.Write(p[:n])
	h.s.summed = h.s.summed || err == io.EOF
	return n, err
}

func (s *source) hash() (string, error) {
	f, err := s.raw()
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, cancellable{s.ctx, f}); err != nil {
		return "", &data.Error{File: s.name, Err: err}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
