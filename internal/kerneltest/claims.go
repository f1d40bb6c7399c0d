package kerneltest

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// properties holds a kernel to what it says of itself: the bound on k(x, x),
// stationarity, isotropy, strictness.
func properties[T any](k kernel.Kernel[T], o Options[T]) error {
	p := kernel.PropertiesOf(k)
	for i := range o.Points.Len() {
		x := o.Points.At(i)
		if v := k.Eval(x, x); v > p.Bound*(1+1e-12) {
			return fmt.Errorf("k(x%d, x%d) = %g is above the bound %g", i, i, v, p.Bound)
		}
	}
	if p.Strict == kernel.Yes {
		if err := strict(k, o.Points); err != nil {
			return err
		}
	}
	v, ok := any(o.Points).(data.Points[kernel.Vec])
	if !ok {
		return nil
	}
	kv := any(k).(kernel.Kernel[kernel.Vec])
	for i := range v.Len() {
		for j := range i {
			x, y := v.At(i), v.At(j)
			want := kv.Eval(x, y)
			if p.Stationary == kernel.Yes {
				if got := kv.Eval(shifted(x, 0.37), shifted(y, 0.37)); math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
					return fmt.Errorf("said to be stationary, but k(x%d, x%d) = %g becomes %g after a shift", i, j, want, got)
				}
			}
			if p.Isotropic == kernel.Yes {
				r := math.Sqrt(kernel.SqDist.Between(x, y))
				a, b := make(kernel.Vec, len(x)), make(kernel.Vec, len(x))
				a[0] = r
				if got := kv.Eval(a, b); math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
					return fmt.Errorf("said to be isotropic, but k(x%d, x%d) = %g and %g at the same distance", i, j, want, got)
				}
			}
		}
	}
	return nil
}

// strict asks for a positive definite Gram matrix of a few distinct points, few
// because smooth kernels are close to singular on many.
func strict[T any](k kernel.Kernel[T], x data.Points[T]) error {
	m, big := evalGram(k, firstOf(x, 4), firstOf(x, 4))
	s := mat.NewSymDense(4, nil)
	for i := range 4 {
		for j := range i + 1 {
			s.SetSym(i, j, m.At(i, j)/big)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, false) || e.Values(nil)[0] < -1e-14 {
		return fmt.Errorf("said to be strictly positive definite, but 4 points give the eigenvalues %v", e.Values(nil))
	}
	return nil
}

func shifted(x kernel.Vec, by float64) kernel.Vec {
	out := make(kernel.Vec, len(x))
	for i, v := range x {
		out[i] = v + by
	}
	return out
}

// sparse compares a kernel on vectors with itself on the same rows stored
// sparsely, values and blocks.
func sparse[T any](k kernel.Kernel[T], o Options[T]) error {
	v, ok := any(o.Points).(data.Points[kernel.Vec])
	if !ok {
		return nil
	}
	kv := any(k).(kernel.Kernel[kernel.Vec])
	dense, rows := thinned(v)
	if kernel.Check(kv, data.Points[kernel.Vec](dense)) != nil {
		dense, rows = dense[:0], rows[:0] // zeros are outside the domain
		for i := range v.Len() {
			dense = append(dense, v.At(i))
			rows = append(rows, sparseRow(v.At(i)))
		}
	}
	ks, err := kernel.OnSparse(kv, len(v.At(0)))
	if err != nil {
		return err
	}
	x := data.SparseOf(rows, len(v.At(0)))
	want, big := evalGram(kv, data.Points[kernel.Vec](dense), data.Points[kernel.Vec](dense))
	got, _ := evalGram(ks, data.Points[data.SparseVec](x), data.Points[data.SparseVec](x))
	if err := near("sparse Eval", got, want, 0, 0, o.tolerance()*big); err != nil {
		return err
	}
	kernel.Block(context.Background(), ks, got, data.Points[data.SparseVec](x), data.Points[data.SparseVec](x))
	return near("sparse Block", got, want, 0, 0, o.tolerance()*big)
}

// thinned drops every third entry.
func thinned(v data.Points[kernel.Vec]) (data.Slice[kernel.Vec], []data.SparseVec) {
	var dense data.Slice[kernel.Vec]
	var rows []data.SparseVec
	for i := range v.Len() {
		x := append(kernel.Vec(nil), v.At(i)...)
		for j := range x {
			if (i+2*j)%3 == 0 {
				x[j] = 0
			}
		}
		dense = append(dense, x)
		rows = append(rows, sparseRow(x))
	}
	return dense, rows
}

func sparseRow(x kernel.Vec) data.SparseVec {
	var s data.SparseVec
	for j, v := range x {
		if v != 0 {
			s.Index = append(s.Index, int32(j))
			s.Value = append(s.Value, v)
		}
	}
	return s
}
