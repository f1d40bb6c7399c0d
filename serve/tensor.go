package serve

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
)

// tensor is an input or an output: elements in row-major order, as numbers or as texts.
type tensor struct {
	name    string
	of      string // what it is of one of several targets; empty: what its name says
	target  int    // which of them
	kind    string // the protocol's datatype
	shape   []int64
	numbers []float64
	texts   []string // of BYTES, and of whole numbers that float64 does not keep
	params  parameters
	binary  bool // an output that goes out as bytes
}

// parameters are those of a request, an input or an output, as text.
type parameters map[string]string

func (p parameters) truth(name string) bool { return p[name] == "true" || p[name] == "1" }

// widths are the bytes of an element; -1: each says its own.
var widths = map[string]int{"BOOL": 1, "UINT8": 1, "UINT16": 2, "UINT32": 4, "UINT64": 8, "INT8": 1, "INT16": 2,
	"INT32": 4, "INT64": 8, "FP32": 4, "FP64": 8, "BYTES": -1}

// refuse is a fault of the tensor.
func (t *tensor) refuse(format string, args ...any) error {
	return refused("tensor %q: "+format, append([]any{clip(t.name)}, args...)...)
}

// count is the number of elements that the shape says, and checks the datatype.
func (t *tensor) count() (int, error) {
	if _, ok := widths[t.kind]; !ok {
		return 0, t.refuse("datatype %q is not taken; send FP64, FP32, INT64, BYTES, BOOL or another whole number",
			clip(t.kind))
	}
	if len(t.shape) == 0 {
		return 0, t.refuse("no shape; send [rows] or [rows, columns]")
	}
	if len(t.shape) > 8 {
		return 0, t.refuse("%d dimensions", len(t.shape))
	}
	n := int64(1)
	for _, d := range t.shape {
		if d < 0 {
			return 0, t.refuse("shape %v has a negative size", t.shape)
		}
		if d > 0 && n > math.MaxInt32/d {
			return 0, t.refuse("shape %v has more elements than a request can hold", t.shape)
		}
		n *= d
	}
	return int(n), nil
}

// exactWhole is the largest whole number below which float64 has all.
const exactWhole = 1 << 53

// put adds a whole number; digits beyond those of float64 are kept as text, since labels may differ
// in them.
func (t *tensor) put(x int64) {
	if t.texts == nil && (x > exactWhole || x < -exactWhole) {
		t.spell()
	}
	if t.texts != nil {
		t.texts = append(t.texts, strconv.FormatInt(x, 10))
		return
	}
	t.numbers = append(t.numbers, float64(x))
}

// putUnsigned is put of a number that may be beyond those of int64.
func (t *tensor) putUnsigned(x uint64) {
	if x <= exactWhole {
		t.put(int64(x))
		return
	}
	if t.texts == nil {
		t.spell()
	}
	t.texts = append(t.texts, strconv.FormatUint(x, 10))
}

// spell turns the whole numbers so far into texts.
func (t *tensor) spell() {
	t.texts = make([]string, len(t.numbers))
	for i, x := range t.numbers {
		t.texts[i] = strconv.FormatFloat(x, 'f', -1, 64)
	}
	t.numbers = nil
}

// raw takes the elements from bytes: little-endian, BYTES each with its length in four bytes before
// it.
func (t *tensor) raw(b []byte) error {
	n, err := t.count()
	if err != nil {
		return err
	}
	if t.kind == "BYTES" {
		return t.rawTexts(b, n)
	}
	w := widths[t.kind]
	if want := int64(n) * int64(w); int64(len(b)) != want {
		return t.refuse("%d bytes for shape %v of %s, which takes %d", len(b), t.shape, t.kind, want)
	}
	t.numbers = make([]float64, 0, n)
	le := binary.LittleEndian
	for i := range n {
		e := b[i*w : (i+1)*w]
		switch t.kind {
		case "FP64":
			t.numbers = append(t.numbers, math.Float64frombits(le.Uint64(e)))
		case "FP32":
			t.numbers = append(t.numbers, float64(math.Float32frombits(le.Uint32(e))))
		case "INT64":
			t.put(int64(le.Uint64(e)))
		case "INT32":
			t.put(int64(int32(le.Uint32(e))))
		case "INT16":
			t.put(int64(int16(le.Uint16(e))))
		case "INT8":
			t.put(int64(int8(e[0])))
		case "UINT64":
			t.putUnsigned(le.Uint64(e))
		case "UINT32":
			t.put(int64(le.Uint32(e)))
		case "UINT16":
			t.put(int64(le.Uint16(e)))
		case "UINT8":
			t.put(int64(e[0]))
		case "BOOL":
			t.put(int64(min(e[0], 1)))
		}
	}
	return nil
}

// rawTexts reads n texts that take all of b.
func (t *tensor) rawTexts(b []byte, n int) error {
	if n > len(b)/4 {
		return t.refuse("%d bytes hold no %d texts, which have four bytes of length each", len(b), n)
	}
	t.texts = make([]string, 0, n)
	all := string(b) // once, and cut
	at := 0
	for i := range n {
		if len(b)-at < 4 {
			return t.refuse("the bytes end before text %d of %d", i+1, n)
		}
		size := int64(binary.LittleEndian.Uint32(b[at:]))
		at += 4
		if size > int64(len(b)-at) {
			return t.refuse("text %d says that it has %d bytes, where %d are left", i+1, size, len(b)-at)
		}
		t.texts = append(t.texts, all[at:at+int(size)])
		at += int(size)
	}
	if at != len(b) {
		return t.refuse("%d bytes after the last text", len(b)-at)
	}
	return nil
}

// rawSize is the bytes that appendRaw adds.
func (t *tensor) rawSize() int {
	if t.kind != "BYTES" {
		return len(t.numbers) * widths[t.kind]
	}
	n := 4 * len(t.texts)
	for _, s := range t.texts {
		n += len(s)
	}
	return n
}

// appendRaw writes the elements of an output, which is FP64, INT64 or BYTES.
func (t *tensor) appendRaw(b []byte) []byte {
	le := binary.LittleEndian
	switch t.kind {
	case "BYTES":
		for _, s := range t.texts {
			b = append(le.AppendUint32(b, uint32(len(s))), s...)
		}
	case "INT64":
		for _, x := range t.numbers {
			b = le.AppendUint64(b, uint64(int64(x)))
		}
	case "FP32":
		for _, x := range t.numbers {
			b = le.AppendUint32(b, math.Float32bits(float32(x)))
		}
	default:
		for _, x := range t.numbers {
			b = le.AppendUint64(b, math.Float64bits(x))
		}
	}
	return b
}

// shapeText is a shape as JSON.
func appendShape(b []byte, shape []int64) []byte {
	b = append(b, '[')
	for i, d := range shape {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, d, 10)
	}
	return append(b, ']')
}

// appendNumber writes a number with the fewest digits that read back as the same float64.
func appendNumber(b []byte, x float64) []byte {
	if x == math.Trunc(x) && math.Abs(x) <= exactWhole {
		return strconv.AppendFloat(b, x, 'f', -1, 64)
	}
	return strconv.AppendFloat(b, x, 'g', -1, 64)
}

// String is for messages.
func (t *tensor) String() string { return fmt.Sprintf("%s %s%v", t.name, t.kind, t.shape) }
