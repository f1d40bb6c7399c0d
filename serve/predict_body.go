package serve

import (
	"bytes"
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

// heard is a body that remembers why it ended early, and says so again: who looks ahead for a
// format does not look at errors, and a decompressor takes them for damage.
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

// or is an error, or that the client stopped sending, or was too slow, where that is what a reader
// stumbled over.
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

// The most memory for a table: of one that is compressed, or is read whole by its format, nobody
// knows before how much it is; one that is streamed as plain text needs some blocks, its rows,
// features and answers.
const (
	wholeBytes  = 64 << 20
	streamBytes = 32 << 20
	textCost    = 16 // bytes for each byte of a plain text, up to that
)

// memory is what a table may take, and is counted against the memory of all requests: the reader
// keeps to it, whatever the body says.
func (t *table) memory(r *http.Request, head []byte, all int64) int64 {
	plain := r.Header.Get("Content-Encoding") == "" && !wrapped(head)
	switch t.format {
	case "csv", "tsv", "jsonl", "libsvm":
	default:
		plain = false
	}
	switch {
	case !plain:
		return min(wholeBytes, max(all/2, 1))
	case r.ContentLength < 0:
		return min(streamBytes, max(all/2, 1))
	}
	return min(streamBytes, 256<<10+textCost*r.ContentLength)
}

// wrapped says that bytes are the beginning of something compressed: gzip, zstd, bzip2, xz, zlib or
// LZ4, which a reader may unwrap.
func wrapped(head []byte) bool {
	for _, magic := range []string{"\x1f\x8b", "\x28\xb5\x2f\xfd", "BZh", "\xfd7zXZ", "\x78\x9c", "\x04\x22\x4d\x18"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	return false
}
