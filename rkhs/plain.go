package rkhs

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Plain is a fitted thing as plain data, which is what a model file holds of principal components,
// groupings, densities and smoothers. What is made of it again gives the bits of what was fitted.
type Plain[T any] struct {
	Kind    string     // under which it is restored: "kernel-pca", "kde" …
	Funcs   []*Func[T] // none where it compares points by no kernel.Kernel
	Numbers map[string]float64
	Arrays  map[string]*mat.Dense
	Texts   map[string]string
}

// Plainer is a fitted thing that can be written down.
type Plainer[T any] interface {
	// Plain returns it as plain data, which shares its storage.
	Plain() (Plain[T], error)
}

// Function reads one of n functions, checked; outputs is how many values it must have, 0 for any
// number.
func (p Plain[T]) Function(at, n, outputs int) (*Func[T], error) {
	if len(p.Funcs) != n || at >= n || p.Funcs[at] == nil {
		return nil, fmt.Errorf("%d functions, want %d", len(p.Funcs), n)
	}
	f := p.Funcs[at]
	if f.Centers != nil && f.Centers.Len() == 0 {
		return nil, fmt.Errorf("function %d has no centres", at)
	}
	if err := f.Check(); err != nil {
		return nil, err
	}
	if outputs > 0 && f.Outputs() != outputs {
		return nil, fmt.Errorf("function %d has %d outputs, want %d", at, f.Outputs(), outputs)
	}
	return f.Prepare(), nil
}

// Number reads a number that must be there and finite.
func (p Plain[T]) Number(name string) (float64, error) { return number(p.Numbers, name) }

func number(numbers map[string]float64, name string) (float64, error) {
	v, ok := numbers[name]
	if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("number %q is %g or missing", name, v)
	}
	return v, nil
}

// Whole reads a whole number from low to high.
func (p Plain[T]) Whole(name string, low, high int) (int, error) {
	return whole(p.Numbers, name, low, high)
}

func whole(numbers map[string]float64, name string, low, high int) (int, error) {
	v, err := number(numbers, name)
	if err == nil && (v != math.Trunc(v) || v < float64(low) || v > float64(high)) {
		err = fmt.Errorf("number %q is %g; want a whole one from %d to %d", name, v, low, high)
	}
	return int(v), err
}

// Array reads an array that must be there with these dimensions (-1: any) and nothing but numbers
// in it.
func (p Plain[T]) Array(name string, rows, cols int) (*mat.Dense, error) {
	return array(p.Arrays, name, rows, cols)
}

func array(arrays map[string]*mat.Dense, name string, rows, cols int) (*mat.Dense, error) {
	a := arrays[name]
	if a == nil || a.IsEmpty() {
		return nil, fmt.Errorf("array %q is missing", name)
	}
	r, c := a.Dims()
	if rows >= 0 && r != rows || cols >= 0 && c != cols {
		return nil, fmt.Errorf("array %q is %d×%d, want %d×%d", name, r, c, rows, cols)
	}
	for i := range r {
		for j, v := range a.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("array %q: entry (%d, %d) is %g", name, i, j, v)
			}
		}
	}
	return a, nil
}

// List reads n numbers, which stand in one row (n is -1: any number of them).
func (p Plain[T]) List(name string, n int) ([]float64, error) { return list(p.Arrays, name, n) }

func list(arrays map[string]*mat.Dense, name string, n int) ([]float64, error) {
	a, err := array(arrays, name, 1, n)
	if err != nil {
		return nil, err
	}
	return a.RawRowView(0), nil
}

// Codes reads n whole numbers from 0 to below limit.
func (p Plain[T]) Codes(name string, n, limit int) ([]int, error) {
	return codes(p.Arrays, name, n, limit)
}

func codes(arrays map[string]*mat.Dense, name string, n, limit int) ([]int, error) {
	v, err := list(arrays, name, n)
	if err != nil {
		return nil, err
	}
	out := make([]int, len(v))
	for i, c := range v {
		if c != math.Trunc(c) || c < 0 || c >= float64(limit) {
			return nil, fmt.Errorf("array %q: entry %d is %g; want a whole number below %d", name, i, c, limit)
		}
		out[i] = int(c)
	}
	return out, nil
}

// ListArray is numbers as an array of one row; nil where there are none.
func ListArray[N int | float64](v []N) *mat.Dense {
	if len(v) == 0 {
		return nil
	}
	a := mat.NewDense(1, len(v), nil)
	for i, x := range v {
		a.Set(0, i, float64(x))
	}
	return a
}
