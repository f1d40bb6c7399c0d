package kerneltest

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// evalGram is the meaning: a call for each pair. It also returns the largest
// absolute value.
func evalGram[T any](k kernel.Kernel[T], x, y data.Points[T]) (*mat.Dense, float64) {
	m := mat.NewDense(x.Len(), y.Len(), nil)
	big := 0.0
	for i := range x.Len() {
		for j := range y.Len() {
			v := k.Eval(x.At(i), y.At(j))
			m.Set(i, j, v)
			big = max(big, math.Abs(v))
		}
	}
	return m, big
}

func symmetric[T any](k kernel.Kernel[T], o Options[T]) error {
	m, big := o.gram(k)
	n := o.Points.Len()
	for i := range n {
		for j := range i {
			a, b := m.At(i, j), m.At(j, i)
			if math.IsNaN(a) || math.Abs(a-b) > 1e-14*big {
				return fmt.Errorf("k(x%d, x%d) = %v but k(x%d, x%d) = %v", i, j, a, j, i, b)
			}
		}
	}
	return nil
}

// positive asks for Gram matrices without negative eigenvalues beyond rounding. A
// kernel whose properties say it is not positive definite is let off.
func positive[T any](k kernel.Kernel[T], o Options[T]) error {
	if kernel.PropertiesOf(k).PSD == kernel.No {
		return nil
	}
	samples := append([]data.Points[T]{o.Points, repeatedPoints(o.Points)}, o.Adversarial...)
	for s, x := range samples {
		if err := kernel.Check(k, x); err != nil {
			continue // outside the domain of the kernel: it has nothing to say there
		}
		m, big := o.gram(k)
		if s > 0 {
			m, big = evalGram(k, x, x)
		}
		if math.IsInf(big, 0) {
			continue // the values overflow there
		}
		if err := positiveMatrix(m); err != nil {
			return fmt.Errorf("sample %d: %w", s, err)
		}
	}
	return nil
}

func positiveMatrix(m *mat.Dense) error {
	n, _ := m.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			s.SetSym(i, j, (m.At(i, j)+m.At(j, i))/2)
		}
		if s.At(i, i) < 0 {
			return fmt.Errorf("k(x%d, x%d) = %g < 0", i, i, s.At(i, i))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, false) {
		return fmt.Errorf("the eigenvalues of the %d×%d Gram matrix did not converge", n, n)
	}
	v := e.Values(nil)
	if low, high := v[0], v[n-1]; low < -1e-11*float64(n)*math.Abs(high) {
		return fmt.Errorf("the Gram matrix has the eigenvalue %g (largest %g)", low, high)
	}
	return nil
}

// repeatedPoints is the first half of the points, twice.
func repeatedPoints[T any](x data.Points[T]) data.Points[T] {
	half := x.Len() / 2
	var out data.Slice[T]
	for range 2 {
		for i := range half {
			out = append(out, x.At(i))
		}
	}
	return out
}

// blocks compares whole, rectangular and partial Gram blocks with Eval, also a
// single row and a block that starts in the middle.
func blocks[T any](k kernel.Kernel[T], o Options[T]) error {
	x := o.Points
	n := x.Len()
	y := data.Points[T](firstOf(x, n-1))
	whole := mat.NewDense(n, n, nil)
	kernel.Block(context.Background(), k, whole, x, x)
	want, big := o.gram(k)
	if err := near("Block(x, x)", whole, want, 0, 0, o.tolerance()*big); err != nil {
		return err
	}
	rect := mat.NewDense(n-1, n, nil)
	kernel.Block(context.Background(), k, rect, y, x)
	if err := near("Block(y, x)", rect, want, 0, 0, o.tolerance()*big); err != nil {
		return err
	}
	t := kernel.Prepare(context.Background(), k, x, y)
	if r, c := t.Dims(); r != n || c != n-1 {
		return fmt.Errorf("Prepare of %d and %d points has dimensions %d×%d", n, n-1, r, c)
	}
	part := linalg.New[float64](n-2, n-2)
	t.Tile(blas64.General(part), 2, 1)
	if err := near("Tile at (2, 1)", linalg.Dense(part), want, 2, 1, o.tolerance()*big); err != nil {
		return err
	}
	row := linalg.New[float64](1, n-1)
	t.Tile(blas64.General(row), n-1, 0)
	return near("one row", linalg.Dense(row), want, n-1, 0, o.tolerance()*big)
}

// single compares single-precision tiles with Eval, to the digits they have.
func single[T any](k kernel.Kernel[T], o Options[T]) error {
	n := o.Points.Len()
	want, big := o.gram(k)
	got := linalg.New[float32](n, n)
	kernel.Prepare(context.Background(), k, o.Points, o.Points).Tile32(linalg.General32(got), 0, 0)
	for i := range n {
		for j, v := range got.Row(i) {
			if d := math.Abs(float64(v) - want.At(i, j)); !(d <= 1e-3*big) {
				return fmt.Errorf("single precision: k(x%d, x%d) = %v, want %v", i, j, v, want.At(i, j))
			}
		}
	}
	return nil
}

func near(what string, got, want *mat.Dense, i0, j0 int, tol float64) error {
	r, c := got.Dims()
	for i := range r {
		for j := range c {
			a, b := got.At(i, j), want.At(i0+i, j0+j)
			if !(math.Abs(a-b) <= tol) {
				return fmt.Errorf("%s: entry (%d, %d) is %v, Eval gives %v (tolerance %g)", what, i, j, a, b, tol)
			}
		}
	}
	return nil
}

func firstOf[T any](x data.Points[T], n int) data.Slice[T] {
	out := make(data.Slice[T], n)
	for i := range out {
		out[i] = x.At(i)
	}
	return out
}

func diagonal[T any](k kernel.Kernel[T], o Options[T]) error {
	d := make([]float64, o.Points.Len())
	kernel.Diag(context.Background(), k, d, o.Points)
	for i, v := range d {
		if w := k.Eval(o.Points.At(i), o.Points.At(i)); v != w {
			return fmt.Errorf("Diag: entry %d is %v, Eval gives %v", i, v, w)
		}
	}
	return nil
}

// concurrent asks for the same values from several goroutines at once, each of which begins at
// another row and the second time at the row of its neighbour; the race detector sees the rest.
func concurrent[T any](k kernel.Kernel[T], o Options[T]) error {
	n := o.Points.Len()
	want, _ := o.gram(k)
	t := kernel.Prepare(context.Background(), k, o.Points, o.Points)
	first := linalg.New[float64](n, n)
	t.Tile(blas64.General(first), 0, 0)
	errs := make([]error, 4)
	var wg sync.WaitGroup
	for g := range errs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			own := linalg.New[float64](n, n)
			for turn := range 2 {
				t.Tile(blas64.General(own), 0, 0)
				for row := range n {
					i := (row + (g+turn)*n/len(errs)) % n
					for j := range n {
						if v := k.Eval(o.Points.At(i), o.Points.At(j)); v != want.At(i, j) {
							errs[g] = fmt.Errorf("Eval(x%d, x%d) is %v alone and %v in company", i, j, want.At(i, j), v)
							return
						}
						if own.At(i, j) != first.At(i, j) {
							errs[g] = fmt.Errorf("Tile entry (%d, %d) is %v alone and %v in company", i, j, first.At(i, j), own.At(i, j))
							return
						}
					}
				}
			}
		}()
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
