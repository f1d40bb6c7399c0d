package serve

import (
	"io"
	"net/http"
	"sync"
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

// heard is a body that remembers why it ended early, and says so again: who looks ahead for a format does not look at errors, and a decompressor takes
// them for damage.
type heard struct {
	r   io.Reader
	mu  sync.Mutex // rows are read ahead
	err error
}

func (h *heard) Read(p []byte) (int, error) {
	if err := h.fault(); err != nil {
		return 0, err
	}
	n, err := h.r.Read(p)
	if err != nil && err != io.EOF {
		h.mu.Lock()
		h.err = err
		h.mu.Unlock()
	}
	return n, err
}

func (h *heard) fault() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

// or is an error, or that the client stopped sending, or was too slow, where that is what a reader stumbled over.
func (h *heard) or(r *http.Request, err error) error {
	if fault := h.fault(); fault != nil && err != nil {
		return bodyFault(r, fault)
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
