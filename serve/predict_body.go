package serve

import (
	"io"
	"net/http"
	"time"
)

// gathers says that the rows of an example may stand anywhere in a table, which is held whole then.
func (v *served) gathers() bool {
	for _, c := range v.schema.columns {
		if c.joined != nil && c.joined.By != "" {
			return true
		}
	}
	return false
}

// bounded is a body of at most so many bytes.
type bounded struct {
	r           io.Reader
	left, limit int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n, &http.MaxBytesError{Limit: b.limit}
	}
	return n, err
}

// bodyOr says that the client stopped sending, or was too slow, where that is what a reader stumbled over.
func bodyOr(r *http.Request, err error) error {
	if err == nil {
		return nil
	}
	for e := err; e != nil; {
		if t, ok := e.(interface{ Timeout() bool }); ok && t.Timeout() {
			return bodyFault(r, e)
		}
		if e == io.ErrUnexpectedEOF {
			return bodyFault(r, e)
		}
		u, ok := e.(interface{ Unwrap() error })
		if !ok {
			return err
		}
		e = u.Unwrap()
	}
	return err
}

// patience moves the deadline of a connection on as chunks go through it.
type patience struct {
	each   time.Duration
	limits *http.ResponseController
}

func newPatience(each time.Duration, limits *http.ResponseController) patience {
	return patience{each, limits}
}

func (p patience) more() {
	var read, write time.Time // none, in the place of what an earlier request on the connection left
	if p.each > 0 {
		read = time.Now().Add(p.each)
		write = read.Add(time.Second) // in which a late sender is told
	}
	_ = p.limits.SetReadDeadline(read)
	_ = p.limits.SetWriteDeadline(write)
}

// tableBytes is the memory for a chunk of a table: what a format that has to be read whole may have, too.
const tableBytes = 64 << 20

// tableMemory is about what a table takes while it goes through: some blocks of text, their rows, features and answers; less where it is small.
func tableMemory(length int64) int64 {
	const blocks = 16 << 20
	if length < 0 {
		return blocks
	}
	return min(blocks, 64<<10+8*length)
}
