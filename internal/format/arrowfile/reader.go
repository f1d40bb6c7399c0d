package arrowfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/format/decompress"
)

// Reader gives the batches of a file or stream in order.
type Reader struct {
	schema       *schema
	most         int64 // decompressed bytes of a batch, or of all dictionaries together
	dictionaries map[int64][]*Array
	zstd         decompress.Zstd
	kept         decompress.Allowance // by dictionaries
	// message is the next message; io.EOF after the last.
	message func() (*metadata, []byte, error)
}

// The kinds of message.
const (
	messageSchema     = 1
	messageDictionary = 2
	messageBatch      = 3
)

// maxMetadata bounds the metadata of one message.
const maxMetadata = 256 << 20

// metadataTimes is about how much more memory what is made of metadata takes than its bytes.
const metadataTimes = 8

// fits refuses bytes that there is no room for, before they are read.
func fits(bytes, most int64) error {
	return (&decompress.Allowance{Most: most}).Take(bytes)
}

// OpenStream reads the schema of an IPC stream. most bounds the bytes of a batch, as stored and
// decompressed, those of all dictionaries together, and what is made of the names of columns; 0:
// there is no bound.
func OpenStream(src io.Reader, most int64) (*Reader, error) {
	r := &Reader{dictionaries: map[int64][]*Array{}, most: most}
	r.message = func() (*metadata, []byte, error) { return readMessage(src, most) }
	m, _, err := r.message()
	if err == io.EOF {
		err = errors.New("no schema")
	}
	if err != nil {
		return nil, err
	}
	root := m.root()
	if kind := root.byte(1, 0); kind != messageSchema || m.bad {
		return nil, fmt.Errorf("%w: the first message is of kind %d, not a schema", errMetadata, kind)
	}
	r.schema, err = parseSchema(root.table(2), most)
	return r, err
}

// readMessage reads a message of a stream: a mark of continuation (absent in
// files from before 2019), the size of the metadata, the metadata, the body.
func readMessage(src io.Reader, most int64) (*metadata, []byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(src, head[:]); err == io.EOF {
		return nil, nil, io.EOF // the end mark is optional
	} else if err != nil {
		return nil, nil, fmt.Errorf("the size of a message: %w", err)
	}
	size := binary.LittleEndian.Uint32(head[:])
	if size == 0xFFFFFFFF {
		if _, err := io.ReadFull(src, head[:]); err != nil {
			return nil, nil, fmt.Errorf("the size of a message: %w", err)
		}
		size = binary.LittleEndian.Uint32(head[:])
	}
	if size == 0 {
		return nil, nil, io.EOF
	}
	if size > maxMetadata {
		return nil, nil, fmt.Errorf("%w: %d bytes of it", errMetadata, size)
	}
	if err := fits(metadataTimes*int64(size), most); err != nil {
		return nil, nil, err
	}
	buf, err := decompress.ReadFull(src, int64(size))
	if err != nil {
		return nil, nil, fmt.Errorf("metadata: %w", err)
	}
	m := &metadata{buf: buf}
	length := m.root().int64(3)
	if m.bad || length < 0 {
		return nil, nil, errMetadata
	}
	if err := fits(length, most); err != nil {
		return nil, nil, err
	}
	body, err := decompress.ReadFull(src, length)
	if err != nil {
		return nil, nil, fmt.Errorf("body: %w", err)
	}
	return m, body, nil
}

var magic = []byte("ARROW1")

// OpenFile reads the footer and the dictionaries of a file of the given size; most as in
// OpenStream.
func OpenFile(src io.ReaderAt, size, most int64) (*Reader, error) {
	var head [8]byte
	if _, err := src.ReadAt(head[:], 0); err != nil || !bytes.HasPrefix(head[:], magic) {
		if bytes.HasPrefix(head[:], []byte("FEA1")) {
			return nil, errors.New("Feather version 1, which is no longer in use: write it as version 2")
		}
		return nil, errors.New("it does not begin with ARROW1")
	}
	var tail [10]byte
	if size < 24 {
		return nil, io.ErrUnexpectedEOF
	}
	if _, err := src.ReadAt(tail[:], size-10); err != nil {
		return nil, err
	}
	if !bytes.Equal(tail[4:], magic) {
		return nil, errors.New("it does not end with ARROW1")
	}
	length := int64(int32(binary.LittleEndian.Uint32(tail[:])))
	if length <= 0 || length > size-18 || length > maxMetadata {
		return nil, fmt.Errorf("%w: a footer of %d bytes", errMetadata, length)
	}
	if err := fits(metadataTimes*length, most); err != nil {
		return nil, err
	}
	m := &metadata{buf: make([]byte, length)}
	if _, err := src.ReadAt(m.buf, size-10-length); err != nil {
		return nil, err
	}
	footer := m.root()
	s, err := parseSchema(footer.table(1), most)
	if err != nil {
		return nil, err
	}
	r := &Reader{schema: s, dictionaries: map[int64][]*Array{}, most: most}
	for _, number := range []int{2, 3} { // dictionaries, then batches
		first, n := footer.vector(number, 24)
		i := 0
		r.message = func() (*metadata, []byte, error) {
			if i == n {
				return nil, nil, io.EOF
			}
			i++
			return messageAt(src, size, m.i64(first+24*(i-1)), most)
		}
		if number == 2 {
			if _, err := r.Next(); err != io.EOF {
				if err == nil {
					err = fmt.Errorf("%w: a batch of rows where a dictionary is announced", errMetadata)
				}
				return nil, err
			}
		}
	}
	if m.bad {
		return nil, errMetadata
	}
	return r, nil
}

func messageAt(src io.ReaderAt, size, offset, most int64) (*metadata, []byte, error) {
	if offset < 0 || offset >= size {
		return nil, nil, fmt.Errorf("%w: a message at byte %d of %d", errMetadata, offset, size)
	}
	m, body, err := readMessage(io.NewSectionReader(src, offset, size-offset), most)
	if err == io.EOF {
		err = fmt.Errorf("%w: no message at byte %d", errMetadata, offset)
	}
	return m, body, err
}

// Fields lists the columns.
func (r *Reader) Fields() []Field { return r.schema.fields }

// Next returns the next batch of rows, or io.EOF.
func (r *Reader) Next() (*Batch, error) {
	for {
		m, body, err := r.message()
		if err != nil {
			return nil, err
		}
		root := m.root()
		kind, header := root.byte(1, 0), root.table(2)
		if m.bad {
			return nil, errMetadata
		}
		switch kind {
		case messageDictionary:
			if err := r.dictionary(header, body); err != nil {
				return nil, err
			}
		case messageBatch:
			return r.batch(header, body)
		default:
			return nil, fmt.Errorf("%w: a message of kind %d", errMetadata, kind)
		}
	}
}

func (r *Reader) batch(t table, body []byte) (*Batch, error) {
	u, rows, err := r.newUnpacker(t, body, &decompress.Allowance{Most: r.most})
	if err != nil {
		return nil, err
	}
	b := &Batch{Rows: rows}
	for _, f := range r.schema.fields {
		a, err := u.array(f.Type, rows)
		if err == nil && f.Kind == Dictionary {
			if a.entries = r.dictionaries[f.dictionary]; a.entries == nil {
				err = fmt.Errorf("dictionary %d is not there", f.dictionary)
			}
		}
		if err == nil && u.metadata.bad {
			err = errMetadata
		}
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", f.Name, err)
		}
		b.Columns = append(b.Columns, a)
	}
	return b, nil
}

// dictionary takes a new dictionary, or further entries of one (a delta).
func (r *Reader) dictionary(t table, body []byte) error {
	id, delta := t.int64(0), t.byte(2, 0) != 0
	ty, ok := r.schema.dictionaries[id]
	if !ok {
		return fmt.Errorf("%w: dictionary %d is of no column", errMetadata, id)
	}
	r.kept.Most = r.most
	u, rows, err := r.newUnpacker(t.table(1), body, &r.kept)
	if err != nil {
		return fmt.Errorf("dictionary %d: %w", id, err)
	}
	a, err := u.array(ty, rows)
	if err == nil && u.metadata.bad {
		err = errMetadata
	}
	if err != nil {
		return fmt.Errorf("dictionary %d: %w", id, err)
	}
	parts := []*Array{&a}
	total := a.Len
	if delta {
		parts = append(slices.Clip(r.dictionaries[id]), &a)
		for _, p := range r.dictionaries[id] {
			total += p.Len
		}
	}
	if total > math.MaxInt32 {
		return fmt.Errorf("dictionary %d has %d entries", id, total)
	}
	r.dictionaries[id] = parts
	return nil
}
