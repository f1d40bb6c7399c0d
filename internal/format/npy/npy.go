// Package npy reads and writes NumPy's array files: NPY, one array, and NPZ, a
// zip of several (numpy.lib.format, versions 1.0 to 3.0). Booleans, integers
// and floats of any width come as float64, in C or Fortran order; nothing else,
// and in particular no pickled objects, is read.
//
// Names to know: [Read] and [Write] are for one array, [ReadAll] for a zip of several; an [Array]
// has shape and values. [NewReader] and [NewWriter] go through a file in parts.
package npy

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/celltext"
	"github.com/mercer-ml/mercer/internal/format/float16"
	"github.com/mercer-ml/mercer/internal/format/room"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// Array is an array in row-major order.
type Array struct {
	Shape  []int
	Values []float64

	digits map[int]string // of whole numbers that float64 does not keep, by their place among Values
}

// MaxBytes bounds the decoded size of one array: 64 GiB, or what a 32-bit system can count.
const MaxBytes = min(64<<30, math.MaxInt)

const magic = "\x93NUMPY"

// header is the parsed header of an NPY file.
type header struct {
	order   binary.ByteOrder
	kind    byte // b, i, u, f
	width   int
	fortran bool
	shape   []int
	count   int
}

// Read reads one array; name is how messages call the file. It never reserves
// memory for more than has been read.
func Read(src io.Reader, name string) (*Array, error) { return ReadWithin(src, name, 0) }

// ReadWithin is Read in so many bytes of memory; 0 means half of the machine's.
func ReadWithin(src io.Reader, name string, bytes int64) (*Array, error) {
	return read(src, name, room.New(name, bytes))
}

// valueBytes is what a value takes: in the array, and once more where its order is changed or it
// becomes one of a column.
const valueBytes = 16

func read(src io.Reader, name string, left *room.Room) (*Array, error) {
	r := bufio.NewReaderSize(src, 1<<18)
	h, err := readHeader(r, name)
	if err != nil {
		return nil, err
	}
	if err := left.Fits(int64(h.count), valueBytes); err != nil {
		return nil, err
	}
	if err := left.Take(int64(h.count) * valueBytes); err != nil {
		return nil, err
	}
	a := &Array{Shape: h.shape, Values: make([]float64, 0, min(h.count, 1<<20))}
	buf := make([]byte, h.width*4096)
	for done := 0; done < h.count; {
		n := min(4096, h.count-done)
		if _, err := io.ReadFull(r, buf[:n*h.width]); err != nil {
			return nil, &data.Error{File: name, Kind: data.ErrDamaged,
				Reason: fmt.Sprintf("the file ends after about %d of %d values", done, h.count),
				Advice: "it was cut short: copy or write it again", Err: err}
		}
		for i := range n {
			x := h.decode(buf[i*h.width:])
			if digits := h.digits(buf[i*h.width:]); digits != "" {
				if a.digits == nil {
					a.digits = map[int]string{}
				}
				a.digits[done+i] = digits
				if err := left.Take(64); err != nil {
					return nil, err
				}
			}
			if math.IsInf(x, 0) {
				return nil, &data.Error{File: name, Value: phrase.Number(x), Kind: data.ErrNotFinite,
					Reason: fmt.Sprintf("value %s is %v; numbers must be finite", h.place(done+i), x),
					Advice: "replace it before saving (NaN counts as missing)"}
			}
			a.Values = append(a.Values, x)
		}
		done += n
	}
	if h.fortran && len(h.shape) > 1 {
		a.Values = fromFortran(a.Values, h.shape)
		a.digits = digitsFromFortran(a.digits, h.shape)
	}
	return a, nil
}

// place names element i in the order stored.
func (h *header) place(i int) string {
	at := make([]string, len(h.shape))
	if h.fortran {
		for k, n := range h.shape {
			at[k] = strconv.Itoa(i % n)
			i /= n
		}
	} else {
		for k := len(h.shape) - 1; k >= 0; k-- {
			at[k] = strconv.Itoa(i % h.shape[k])
			i /= h.shape[k]
		}
	}
	return "[" + strings.Join(at, ", ") + "]"
}

func fromFortran(v []float64, shape []int) []float64 {
	out := make([]float64, len(v))
	at := make([]int, len(shape))
	for _, x := range v {
		k := 0
		for i, n := range shape {
			k = k*n + at[i]
		}
		out[k] = x
		for i := range at {
			if at[i]++; at[i] < shape[i] {
				break
			}
			at[i] = 0
		}
	}
	return out
}

func readHeader(r io.Reader, name string) (*header, error) {
	bad := func(reason string) error {
		return &data.Error{File: name, Kind: data.ErrFormat, Reason: reason,
			Advice: "save a numeric array with numpy.save or numpy.savez"}
	}
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil || string(head[:6]) != magic {
		return nil, bad("not an NPY file")
	}
	size := 2
	if head[6] >= 2 {
		size = 4
	}
	if head[6] < 1 || head[6] > 3 {
		return nil, bad(fmt.Sprintf("NPY version %d.%d is not known", head[6], head[7]))
	}
	var length [4]byte
	if _, err := io.ReadFull(r, length[:size]); err != nil {
		return nil, bad("the file ends within its header")
	}
	n := int(binary.LittleEndian.Uint32(length[:]))
	if n > 1<<20 {
		return nil, bad(fmt.Sprintf("a header of %d bytes", n))
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, bad("the file ends within its header")
	}
	return parseHeader(string(text), bad)
}

// parseHeader reads the Python dictionary
//
//	{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
func parseHeader(text string, bad func(string) error) (*header, error) {
	value := func(key string) (string, bool) {
		_, rest, ok := strings.Cut(text, "'"+key+"':")
		return strings.TrimSpace(rest), ok
	}
	h := &header{count: 1}
	descr, ok := value("descr")
	if !ok {
		return nil, bad("no descr in the header")
	}
	if strings.HasPrefix(descr, "[") {
		return nil, bad("a record array, which is not one matrix")
	}
	parts := strings.SplitN(descr, "'", 3)
	if len(parts) < 3 || len(parts[1]) < 3 {
		return nil, bad(fmt.Sprintf("descr %.40q is not understood", descr))
	}
	code := parts[1]
	switch code[0] {
	case '<', '|', '=':
		h.order = binary.LittleEndian
	case '>':
		h.order = binary.BigEndian
	default:
		return nil, bad(fmt.Sprintf("byte order of %q is not understood", code))
	}
	h.kind = code[1]
	width, err := strconv.Atoi(code[2:])
	if err != nil {
		return nil, bad(fmt.Sprintf("type %q is not understood", code))
	}
	h.width = width
	switch fmt.Sprintf("%c%d", h.kind, width) {
	case "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8":
	default:
		return nil, bad(fmt.Sprintf("type %q is not numeric (booleans, integers and floats up to 64 bits are)", code))
	}
	order, ok := value("fortran_order")
	switch {
	case ok && strings.HasPrefix(order, "True"):
		h.fortran = true
	case ok && strings.HasPrefix(order, "False"):
	default:
		return nil, bad("no fortran_order in the header")
	}
	shape, ok := value("shape")
	if !ok || !strings.HasPrefix(shape, "(") {
		return nil, bad("no shape in the header")
	}
	inside, _, ok := strings.Cut(shape[1:], ")")
	if !ok {
		return nil, bad("shape is not closed")
	}
	for _, f := range strings.Split(inside, ",") {
		if f = strings.TrimSpace(f); f == "" {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSuffix(f, "L"), 10, 64)
		if err != nil || n < 0 {
			return nil, bad(fmt.Sprintf("shape %q is not understood", inside))
		}
		if n > math.MaxInt || n > 0 && int64(h.count) > MaxBytes/8/n {
			return nil, bad(fmt.Sprintf("shape (%s) is larger than %d bytes", inside, MaxBytes))
		}
		h.shape = append(h.shape, int(n))
		h.count *= int(n)
	}
	if len(h.shape) > 32 {
		return nil, bad("more than 32 dimensions")
	}
	return h, nil
}

// digits are those of a whole number that float64 may not keep; empty where it does.
func (h *header) digits(b []byte) string {
	if h.width < 8 || h.kind != 'i' && h.kind != 'u' {
		return ""
	}
	u := h.order.Uint64(b)
	if h.kind == 'i' {
		return celltext.WholeDigits(strconv.FormatInt(int64(u), 10))
	}
	return celltext.WholeDigits(strconv.FormatUint(u, 10))
}

// digitsFromFortran are digits by their places after fromFortran.
func digitsFromFortran(digits map[int]string, shape []int) map[int]string {
	if digits == nil {
		return nil
	}
	out := make(map[int]string, len(digits))
	for at, text := range digits {
		k := 0
		for _, n := range shape {
			k = k*n + at%n
			at /= n
		}
		out[k] = text
	}
	return out
}

func (h *header) decode(b []byte) float64 {
	var u uint64
	switch h.width {
	case 1:
		u = uint64(b[0])
	case 2:
		u = uint64(h.order.Uint16(b))
	case 4:
		u = uint64(h.order.Uint32(b))
	default:
		u = h.order.Uint64(b)
	}
	switch h.kind {
	case 'f':
		switch h.width {
		case 2:
			return float16.Float64(uint16(u))
		case 4:
			return float64(math.Float32frombits(uint32(u)))
		}
		return math.Float64frombits(u)
	case 'i':
		shift := 64 - 8*h.width
		return float64(int64(u<<shift) >> shift)
	case 'b':
		if u != 0 {
			return 1
		}
		return 0
	}
	return float64(u)
}
