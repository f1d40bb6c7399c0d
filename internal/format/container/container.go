// Package container is the container of a model file: safetensors with a checksum.
package container

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sort"
)

// A container is a safetensors file: eight bytes of header length, a JSON
// header that names the tensors and carries string metadata, then the tensors'
// bytes. Nothing in it is ever executed, and every size is checked against the
// file before memory is taken.

// The limits a container must keep; they bound what a hostile file can ask for.
const (
	MaxHeader  = 64 << 20
	maxTensors = 100_000
	maxRank    = 8
)

// MetadataKey is safetensors' name for the string-to-string map in the header.
const MetadataKey = "__metadata__"

// ChecksumKey holds the SHA-256 of the metadata (without this entry) and the
// tensors.
const ChecksumKey = "mercer.sha256"

// Tensor is an array of numbers by its little-endian bytes.
type Tensor struct {
	DType string // "F64", "F32", "I64", "I32", "U8"
	Shape []int
	Bytes []byte
}

// File is a set of named tensors with string metadata.
type File struct {
	Metadata map[string]string
	Tensors  map[string]Tensor
}

type TensorHeader struct {
	DType   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

var dtypeSize = map[string]int{"F64": 8, "F32": 4, "I64": 8, "I32": 4, "U8": 1}

// ErrNone is wrapped by the error for a file that is no safetensors
// container at all.
var ErrNone = errors.New("not a model file")

// Checksum covers everything that is meant, in an order that does not depend
// on how the header happens to be written.
func (c *File) Checksum() string {
	h := sha256.New()
	part := func(s string) {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		io.WriteString(h, s)
	}
	for _, k := range SortedKeys(c.Metadata) {
		if k != ChecksumKey {
			part(k)
			part(c.Metadata[k])
		}
	}
	for _, name := range SortedKeys(c.Tensors) {
		t := c.Tensors[name]
		part(name)
		part(t.DType)
		part(fmt.Sprint(t.Shape))
		h.Write(t.Bytes)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func SortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// WriteTo writes the container with its checksum. Equal containers give equal
// bytes.
func (c *File) WriteTo(w io.Writer) (int64, error) {
	meta := map[string]string{ChecksumKey: c.Checksum()}
	for k, v := range c.Metadata {
		if k != ChecksumKey {
			meta[k] = v
		}
	}
	header := map[string]any{MetadataKey: meta}
	names := SortedKeys(c.Tensors)
	offset := int64(0)
	for _, name := range names {
		t := c.Tensors[name]
		if want, err := byteSize(t.DType, t.Shape); err != nil || want != int64(len(t.Bytes)) {
			return 0, fmt.Errorf("tensor %q: %d bytes do not fit %s%v", name, len(t.Bytes), t.DType, t.Shape)
		}
		end := offset + int64(len(t.Bytes))
		header[name] = TensorHeader{t.DType, t.Shape, [2]int64{offset, end}}
		offset = end
	}
	text, err := json.Marshal(header)
	if err != nil {
		return 0, err
	}
	for (8+len(text))%8 != 0 {
		text = append(text, ' ') // tensors start aligned, as safetensors asks
	}
	total := int64(0)
	put := func(b []byte) {
		if err == nil {
			var n int
			n, err = w.Write(b)
			total += int64(n)
		}
	}
	put(binary.LittleEndian.AppendUint64(nil, uint64(len(text))))
	put(text)
	for _, name := range names {
		put(c.Tensors[name].Bytes)
	}
	return total, err
}

// byteSize is the size of a tensor, refusing what overflows.
func byteSize(dtype string, shape []int) (int64, error) {
	unit, ok := dtypeSize[dtype]
	if !ok {
		return 0, fmt.Errorf("unknown number type %q", dtype)
	}
	if len(shape) > maxRank {
		return 0, fmt.Errorf("%d dimensions", len(shape))
	}
	n := int64(unit)
	for _, s := range shape {
		if s < 0 || s > 0 && n > math.MaxInt64/int64(s) {
			return 0, fmt.Errorf("shape %v", shape)
		}
		n *= int64(s)
	}
	return n, nil
}

// ReadHeader splits a file held in b into its header and its tensors.
func ReadHeader(b []byte) (header map[string]json.RawMessage, body []byte, err error) {
	if len(b) < 8 {
		return nil, nil, fmt.Errorf("%w: only %d bytes", ErrNone, len(b))
	}
	n := binary.LittleEndian.Uint64(b)
	if n >= 2 && n <= MaxHeader && n > uint64(len(b)-8) && len(b) > 8 && b[8] == '{' {
		return nil, nil, Damaged("its header has %d bytes and the file only %d: it was cut short; copy it again", n, len(b))
	}
	if n < 2 || n > MaxHeader || n > uint64(len(b)-8) || b[8] != '{' {
		return nil, nil, fmt.Errorf("%w: it does not start like one", ErrNone)
	}
	if err := json.Unmarshal(b[8:8+n], &header); err != nil {
		return nil, nil, fmt.Errorf("%w: %v", ErrNone, err)
	}
	return header, b[8+n:], nil
}

// Read decodes a whole file held in b; tensors are views of it. The
// checksum must be there and right.
func Read(b []byte) (*File, error) {
	raw, body, err := ReadHeader(b)
	if err != nil {
		return nil, err
	}
	if len(raw) > maxTensors {
		return nil, Damaged("%d tensors", len(raw))
	}
	c := &File{Metadata: map[string]string{}, Tensors: map[string]Tensor{}}
	used := int64(0)
	for name, text := range raw {
		if name == MetadataKey {
			if err := json.Unmarshal(text, &c.Metadata); err != nil {
				return nil, Damaged("metadata: %v", err)
			}
			continue
		}
		var h TensorHeader
		if err := json.Unmarshal(text, &h); err != nil {
			return nil, Damaged("tensor %q: %v", name, err)
		}
		size, err := byteSize(h.DType, h.Shape)
		if err != nil {
			return nil, Damaged("tensor %q: %v", name, err)
		}
		lo, hi := h.Offsets[0], h.Offsets[1]
		if lo < 0 || hi < lo || hi > int64(len(body)) || hi-lo != size {
			return nil, Damaged("tensor %q: bytes %d to %d of %d for %s%v (cut short?)", name, lo, hi, len(body), h.DType,
				h.Shape)
		}
		c.Tensors[name] = Tensor{h.DType, h.Shape, body[lo:hi:hi]}
		used += size
	}
	if used != int64(len(body)) {
		return nil, Damaged("%d bytes of tensors, %d in the file", used, len(body))
	}
	want := c.Metadata[ChecksumKey]
	delete(c.Metadata, ChecksumKey)
	if got := c.Checksum(); got != want {
		return nil, Damaged("its checksum is %.12s…, recorded %.12s…", got, want)
	}
	return c, nil
}
