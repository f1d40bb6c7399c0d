package worker

import (
	"fmt"
	"unsafe"

	"gonum.org/v1/gonum/mat"
)

// arrayHead says where an array lies in the body of a message, and what it is.
type arrayHead struct {
	Type  string `json:"type"` // f8, i8, i4, u1
	Shape []int  `json:"shape"`
	At    int    `json:"at"`
}

// element is the numbers that an array may hold.
type element interface {
	~float64 | ~int64 | ~int32 | ~byte
}

func typeName[E element]() string {
	var e E
	switch any(e).(type) {
	case float64:
		return "f8"
	case int64:
		return "i8"
	case int32:
		return "i4"
	}
	return "u1"
}

// arrays is what came with a request.
type arrays struct {
	heads map[string]arrayHead
	body  []byte
}

func (a arrays) has(name string) bool { _, ok := a.heads[name]; return ok }

// view is an array where it lies, without a copy: it must not be kept after the request.
func view[E element](a arrays, name string, dims int) ([]E, []int, error) {
	h, ok := a.heads[name]
	if !ok {
		return nil, nil, fmt.Errorf("no array %q", name)
	}
	if want := typeName[E](); h.Type != want || len(h.Shape) != dims {
		return nil, nil, fmt.Errorf("array %q is of type %s and shape %v, not %s of %d dimensions", name, h.Type, h.Shape,
			want, dims)
	}
	var e E
	size := int(unsafe.Sizeof(e))
	n := 1
	for _, d := range h.Shape {
		if d < 0 || d > 0 && n > len(a.body)/d+1 {
			return nil, nil, fmt.Errorf("array %q has the shape %v", name, h.Shape)
		}
		n *= d
	}
	if h.At < 0 || h.At%8 != 0 || h.At > len(a.body) || n > (len(a.body)-h.At)/size {
		return nil, nil, fmt.Errorf("array %q of shape %v lies outside of its message", name, h.Shape)
	}
	if n == 0 {
		return nil, h.Shape, nil
	}
	return unsafe.Slice((*E)(unsafe.Pointer(&a.body[h.At])), n), h.Shape, nil
}

// vector is an array of one dimension, nil where there is none.
func vector[E element](a arrays, name string) ([]E, error) {
	if !a.has(name) {
		return nil, nil
	}
	v, _, err := view[E](a, name, 1)
	return v, err
}

// dense is a matrix where it lies.
func dense(a arrays, name string) (*mat.Dense, error) {
	v, shape, err := view[float64](a, name, 2)
	if err != nil {
		return nil, err
	}
	if len(v) == 0 {
		return nil, fmt.Errorf("found array with %d sample(s) and %d feature(s)", shape[0], shape[1])
	}
	return mat.NewDense(shape[0], shape[1], v), nil
}

// answer is the result of a request.
type answer struct {
	result map[string]any
	heads  map[string]arrayHead
	placed []placed
	size   int
}

func newAnswer() *answer {
	return &answer{result: map[string]any{}, heads: map[string]arrayHead{}}
}

// put adds an array to an answer; v must not change any more.
func put[E element](a *answer, name string, v []E, shape ...int) {
	var e E
	if shape == nil {
		shape = []int{len(v)}
	}
	a.heads[name] = arrayHead{Type: typeName[E](), Shape: shape, At: a.size}
	if len(v) > 0 {
		bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(e)))
		a.placed = append(a.placed, placed{a.size, bytes})
		a.size += (len(bytes) + 63) / 64 * 64
	}
}

// putCoef adds coefficients, by rows as sparse rows come where most of many are 0: those of
// machines of two classes each.
func (a *answer) putCoef(m *mat.Dense) {
	if m == nil || m.IsEmpty() {
		return
	}
	rows, columns := m.Dims()
	ptr, index, value := make([]int64, 1, rows+1), []int32{}, []float64{}
	for i := range rows {
		for j, v := range m.RawRowView(i) {
			if v != 0 {
				index, value = append(index, int32(j)), append(value, v)
			}
		}
		ptr = append(ptr, int64(len(value)))
	}
	if columns < 3 || 3*len(value) > rows*columns {
		a.putMatrix("coef", m)
		return
	}
	put(a, "coef.ptr", ptr)
	put(a, "coef.index", index)
	put(a, "coef.value", value)
	put(a, "coef.columns", []int64{int64(columns)})
}

// putMatrix adds a matrix.
func (a *answer) putMatrix(name string, m *mat.Dense) {
	if m == nil || m.IsEmpty() {
		return
	}
	r, c := m.Dims()
	raw := m.RawMatrix()
	if raw.Stride == c {
		put(a, name, raw.Data[:r*c], r, c)
		return
	}
	put(a, name, mat.DenseCopyOf(m).RawMatrix().Data, r, c)
}

// putInts adds whole numbers.
func (a *answer) putInts(name string, v []int) {
	out := make([]int64, len(v))
	for i, x := range v {
		out[i] = int64(x)
	}
	put(a, name, out)
}
