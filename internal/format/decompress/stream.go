package decompress

import (
	"bytes"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// maxWindow bounds the memory that a zstd frame can ask for to look back into.
const maxWindow = 128 << 20

// Zstd undoes zstd, one block of data after another. It keeps its tables between
// calls; the zero value is ready, and is for one goroutine at a time.
type Zstd struct{ decoder *zstd.Decoder }

// Decode undoes zstd of the given plain size.
func (z *Zstd) Decode(src []byte, size int) ([]byte, error) {
	if z.decoder == nil {
		d, err := zstd.NewReader(nil, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, err
		}
		z.decoder = d
	}
	if err := z.decoder.Reset(bytes.NewReader(src)); err != nil {
		return nil, fmt.Errorf("damaged zstd data: %v", err)
	}
	return exactly(z.decoder, size, "zstd")
}

// Gzip undoes gzip of the given plain size.
func Gzip(src []byte, size int) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(src))
	if err != nil {
		return nil, fmt.Errorf("damaged gzip data: %v", err)
	}
	return exactly(z, size, "gzip")
}

func exactly(r io.Reader, size int, kind string) ([]byte, error) {
	dst, err := ReadFull(r, int64(size))
	if err != nil {
		return nil, fmt.Errorf("damaged %s data: %v", kind, err)
	}
	var one [1]byte
	if n, err := io.ReadFull(r, one[:]); n > 0 || err != io.EOF {
		return nil, fmt.Errorf("damaged %s data: more than the %d bytes announced, or a bad end (%v)", kind, size, err)
	}
	return dst, nil
}

// firstStep is how much ReadFull takes on trust.
const firstStep = 1 << 20

// ReadFull reads exactly size bytes, in memory that grows with what is really
// there: at most twice the bytes read, whatever size claims.
func ReadFull(r io.Reader, size int64) ([]byte, error) {
	if size < 0 {
		return nil, fmt.Errorf("a size of %d bytes", size)
	}
	dst := make([]byte, min(size, firstStep))
	for read := 0; ; {
		n, err := io.ReadFull(r, dst[read:])
		if read += n; err != nil {
			return nil, fmt.Errorf("%d bytes where %d are announced: %w", read, size, err)
		}
		if int64(read) == size {
			return dst, nil
		}
		grown := make([]byte, min(size, 2*int64(len(dst))))
		copy(grown, dst)
		dst = grown
	}
}
