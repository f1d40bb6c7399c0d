package learn

import (
	"fmt"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Saved is a fitted model as plain data: what a model file holds. It has no
// labels, only their number: class c is the c-th label in increasing order.
type Saved[T any] struct {
	Learner string // under which its family restores it: "svc", "svr", "ridge" …
	Func    *rkhs.Func[T]
	Classes int // 0 for a model that predicts numbers
	Numbers map[string]float64
	Arrays  map[string]*mat.Dense
	Report  Report
}

// Saver is a model that can be written down.
type Saver[T any] interface {
	Model[T]
	// Saved returns the model as plain data, which shares its storage.
	Saved() Saved[T]
}

// Restorer makes a model of plain data: a Regressor, or a Classifier whose labels are the class
// codes 0, 1, … Its predictions have the bits of the model that was saved. Data that do not fit
// together are refused, whatever they hold.
type Restorer[T any] func(Saved[T]) (Model[T], error)

// Number reads a number that must be there and finite.
func (s Saved[T]) Number(name string) (float64, error) { return savedNumber(s.Numbers, name) }

func savedNumber(numbers map[string]float64, name string) (float64, error) {
	v, ok := numbers[name]
	if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("number %q is %g or missing", name, v)
	}
	return v, nil
}

// Array reads an array that must be there with these dimensions.
func (s Saved[T]) Array(name string, rows, cols int) (*mat.Dense, error) {
	return savedArray(s.Arrays, name, rows, cols)
}

func savedArray(arrays map[string]*mat.Dense, name string, rows, cols int) (*mat.Dense, error) {
	a := arrays[name]
	if a == nil || a.IsEmpty() {
		return nil, fmt.Errorf("array %q is missing", name)
	}
	if r, c := a.Dims(); r != rows || c != cols {
		return nil, fmt.Errorf("array %q is %d×%d, want %d×%d", name, r, c, rows, cols)
	}
	for i := range rows {
		for j, v := range a.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("array %q: entry (%d, %d) is %g", name, i, j, v)
			}
		}
	}
	return a, nil
}

// Indices reads n increasing whole numbers from 0 to below limit.
func (s Saved[T]) Indices(name string, n int, limit float64) ([]int, error) {
	return savedIndices(s.Arrays, name, n, limit)
}

func savedIndices(arrays map[string]*mat.Dense, name string, n int, limit float64) ([]int, error) {
	a, err := savedArray(arrays, name, 1, n)
	if err != nil {
		return nil, err
	}
	out := make([]int, n)
	for i, v := range a.RawRowView(0) {
		if v != math.Trunc(v) || !(v >= 0 && v < limit) || i > 0 && int(v) <= out[i-1] {
			return nil, fmt.Errorf("array %q: entry %d is %g, which is no increasing index", name, i, v)
		}
		out[i] = int(v)
	}
	return out, nil
}

// IndexArray is whole numbers as an array; nil where there are none.
func IndexArray(index []int) *mat.Dense {
	if len(index) == 0 {
		return nil
	}
	a := mat.NewDense(1, len(index), nil)
	for i, v := range index {
		a.Set(0, i, float64(v))
	}
	return a
}

// CheckOutputs refuses a function with another number of outputs.
func (s Saved[T]) CheckOutputs(want int) error {
	if got := s.Func.Outputs(); got != want {
		return fmt.Errorf("%d outputs for %d classes, want %d", got, s.Classes, want)
	}
	return nil
}

// CheckValues refuses classes where numbers are predicted.
func (s Saved[T]) CheckValues() error {
	if s.Classes != 0 {
		return fmt.Errorf("%d classes in a model that predicts numbers", s.Classes)
	}
	return nil
}

// CheckCount refuses a number of classes that nobody can have fitted.
func (s Saved[T]) CheckCount() error {
	if s.Classes < 2 || s.Classes > 1<<20 {
		return fmt.Errorf("%d classes", s.Classes)
	}
	return nil
}

// CheckClasses refuses all but one output for two classes, else one for each.
func (s Saved[T]) CheckClasses() error {
	if err := s.CheckCount(); err != nil {
		return err
	}
	if s.Classes == 2 {
		return s.CheckOutputs(1)
	}
	return s.CheckOutputs(s.Classes)
}

// Codes is the labels 0, 1, …, k-1 of a restored classifier.
func (s Saved[T]) Codes() []int {
	c := par.Indices(0, s.Classes)
	return c
}

// savedName is the name of a learner in a file, from that in its report:
// "norma (hinge)" is "norma", "rbf network" is "rbf-network".
func savedName(report string) string {
	name, _, _ := strings.Cut(report, " (")
	return strings.ReplaceAll(name, " ", "-")
}
