// Package room counts the memory that a reader takes, so that a file can cost no more than it is
// allowed, whatever it says: a few bytes may stand for gigabytes, by compression, by a long line of
// keys, by an index of a billion.
package room

import (
	"bufio"
	"errors"
	"io"
	"unsafe"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/format/decompress"
)

// Room is what is left of the memory for the data set of one file. It is for one goroutine at a
// time.
type Room struct {
	file        string
	have, taken int64
}

// Default is the memory of a reader that was given no figure: half of the machine's.
func Default() int64 { return 2 * par.DefaultBytes() }

// New is room for so many bytes; 0 means Default. The file is named in refusals.
func New(file string, bytes int64) *Room {
	if bytes <= 0 {
		bytes = Default()
	}
	return &Room{file: file, have: bytes}
}

// Take counts bytes that are held from now on, or refuses them.
func (r *Room) Take(bytes int64) error { return r.TakeOf(bytes, 0) }

// TakeOf is Take where a share of the file has been read, from 0 (unknown) to 1: a refusal then
// says what all of it would need.
func (r *Room) TakeOf(bytes int64, share float64) error {
	if bytes > r.have-r.taken {
		need := float64(r.taken) + float64(bytes)
		if share > 0 && share < 1 {
			return r.refuse(need/share, "about")
		}
		return r.refuse(need, "at least")
	}
	r.taken += bytes
	return nil
}

// Give takes back bytes that are held no more.
func (r *Room) Give(bytes int64) { r.taken -= bytes }

// Left is how many bytes may still be taken.
func (r *Room) Left() int64 { return r.have - r.taken }

// Fits refuses what would need so many bytes in all, before any of them is taken: n things of some
// bytes each.
func (r *Room) Fits(n, each int64) error {
	need := float64(r.taken) + float64(n)*float64(each)
	if need > float64(r.have) {
		return r.refuse(need, "")
	}
	return nil
}

func (r *Room) refuse(need float64, about string) error {
	return data.TooLargeError(r.file, need, r.have, about)
}

// Of is about the memory that a data set takes.
func Of(d *data.Dataset) int64 {
	total := int64(len(d.Columns)) * Column
	for i := range d.Columns {
		c := &d.Columns[i]
		total += 8*int64(len(c.Numbers)+len(c.Micros)) + 4*int64(len(c.Codes)) + 16*int64(len(c.Strings)+len(c.Levels)) + 24*int64(len(c.Sequences))
		total += TextBytes(c.Strings) + TextBytes(c.Levels)
		for _, q := range c.Sequences {
			total += 8 * int64(len(q))
		}
	}
	if d.Sparse != nil {
		m := d.Sparse.CSR()
		total += 12*int64(len(m.Value)) + 8*int64(len(m.Ptr))
	}
	return total
}

// TextBytes is the memory behind strings. Those of a dictionary share it: the same place that comes
// again is not counted again, as far as a small table can tell.
func TextBytes(strings []string) (total int64) {
	var seen [256]*byte
	for _, s := range strings {
		if len(s) == 0 {
			continue
		}
		at := unsafe.StringData(s)
		slot := &seen[(uintptr(unsafe.Pointer(at))>>3)%uintptr(len(seen))]
		if *slot != at {
			*slot = at
			total += int64(len(s))
		}
	}
	return total
}

// Column is about what a column takes beside its values, while it is read.
const Column = 1200

// Decompressed is the fault of a file that has no room for them, or nil where err is another.
func (r *Room) Decompressed(err error) error {
	var size *decompress.SizeError
	if !errors.As(err, &size) {
		return nil
	}
	return r.refuse(float64(r.taken)+float64(r.have)*float64(size.Need)/float64(size.Most), "at least")
}

// Within passes on the chunks that next gives as long as all of them together have room.
func Within(r *Room, next func() (*data.Dataset, error)) func() (*data.Dataset, error) {
	return func() (*data.Dataset, error) {
		d, err := next()
		if err != nil {
			return nil, err
		}
		if err := r.Take(Of(d)); err != nil {
			return nil, err
		}
		return d, nil
	}
}

// Lines reads a text line by line.
type Lines struct {
	Src  *bufio.Reader
	long []byte
}

// Next is the next line with its end (the last one may have none), good until the next call; io.EOF
// comes after the last. A line that has no room is refused.
func (l *Lines) Next(r *Room) ([]byte, error) {
	l.long = l.long[:0]
	for {
		part, err := l.Src.ReadSlice('\n')
		if err == nil && len(l.long) == 0 {
			return part, nil
		}
		if err := r.Text(len(l.long) + len(part)); err != nil {
			return nil, err
		}
		l.long = append(l.long, part...)
		switch {
		case err == nil || err == io.EOF && len(l.long) > 0:
			return l.long, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// Text refuses a piece of text of so many bytes that has no room while it is split up: it is there
// twice while its memory grows, and its values are there beside it.
func (r *Room) Text(n int) error {
	const each = 16
	if cost := each * int64(n); cost > r.Left() {
		return r.Take(cost)
	}
	return nil
}

// ReadAll reads a stream whole, and refuses one that has no room.
func (r *Room) ReadAll(src io.Reader) ([]byte, error) {
	most := r.Left() / 2 // it is there twice while its memory grows
	all, err := io.ReadAll(io.LimitReader(src, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(all)) > most {
		return nil, r.Take(2 * int64(len(all)))
	}
	return all, r.Take(int64(len(all)))
}
