package kerneltest

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// difference is a central difference of fourth order of f at v, and an estimate of its own error.
func difference(f func(float64) float64, v, h float64) (slope, err float64) {
	at := func(h float64) float64 {
		return (f(v-2*h) - 8*f(v-h) + 8*f(v+h) - f(v+2*h)) / (12 * h)
	}
	a, b := at(h), at(h/2)
	return b, math.Abs(a - b)
}

// paramGrads compares ParamGrads with differences of Eval, and ParamGradDot with
// the sum it stands for.
func paramGrads[T any](k kernel.Kernel[T], o Options[T]) error {
	params := kernel.Params(k)
	if len(params) == 0 {
		return nil
	}
	x := firstOf(o.Points, min(o.Points.Len(), 8))
	n := x.Len()
	dst := make([]*mat.Dense, len(params))
	for p := range dst {
		dst[p] = mat.NewDense(n, n, nil)
	}
	if err := kernel.ParamGrads(context.Background(), k, dst, data.Points[T](x), data.Points[T](x)); err != nil {
		return err
	}
	w := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			w.Set(i, j, math.Sin(float64(3*i+5*j+1)))
		}
	}
	theta := kernel.Values(k)
	for p, param := range params {
		if param.Domain.Integer {
			continue
		}
		h := 1e-3 * math.Max(math.Abs(param.Value), 0.1)
		for !param.Domain.Contains(param.Value-2*h) && h > 1e-9 {
			h /= 2
		}
		if !param.Domain.Contains(param.Value - 2*h) {
			continue // at the edge of its domain
		}
		// the kernel by the value of the parameter: all pairs of points ask for the same few
		at := map[float64]kernel.Kernel[T]{}
		for i := range n {
			for j := range n {
				slope, spread := difference(func(v float64) float64 {
					other, made := at[v]
					if !made {
						changed := append([]float64(nil), theta...)
						changed[p] = v
						other, _ = kernel.With(k, changed)
						at[v] = other
					}
					if other == nil { // With refused
						return math.NaN()
					}
					return other.Eval(x[i], x[j])
				}, param.Value, h)
				if got := dst[p].At(i, j); !(math.Abs(got-slope) <= 1e-6*(1+math.Abs(slope))+10*spread) {
					return fmt.Errorf("∂k(x%d, x%d)/∂%s = %v, differences give %v", i, j, param.Name, got, slope)
				}
			}
		}
	}
	return gradDots(k, x, w, dst)
}

// gradDots compares ParamGradDot with the sum of ParamGrads, on the symmetric block and on a
// rectangle.
func gradDots[T any](k kernel.Kernel[T], x data.Slice[T], w *mat.Dense, dst []*mat.Dense) error {
	n := x.Len()
	grad := make([]float64, len(dst))
	for _, cols := range []int{n, n - 1} {
		weights := mat.DenseCopyOf(w.Slice(0, n, 0, cols))
		if err := kernel.ParamGradDot(context.Background(), k, grad, nil, weights, data.Points[T](x),
			data.Points[T](x[:cols])); err != nil {
			return err
		}
		for p := range dst {
			want, scale := 0.0, 0.0
			for i := range n {
				for j := range cols {
					t := weights.At(i, j) * dst[p].At(i, j)
					want += t
					scale += math.Abs(t)
				}
			}
			if !(math.Abs(grad[p]-want) <= 1e-8*(1e-6+scale)) {
				return fmt.Errorf("ParamGradDot: derivative %d is %v, the sum of ParamGrads is %v", p, grad[p], want)
			}
		}
	}
	return nil
}

// inputGrads compares InputGrad with differences of Eval between distinct
// points. A kernel without such derivatives passes.
func inputGrads[T any](k kernel.Kernel[T], o Options[T]) error {
	v, ok := any(o.Points).(data.Points[kernel.Vec])
	if !ok || o.Kinks {
		return nil
	}
	kv := any(k).(kernel.Kernel[kernel.Vec])
	for i := range min(v.Len(), 6) {
		for j := range min(v.Len(), 6) {
			if i == j {
				continue
			}
			x, y := v.At(i), v.At(j)
			got := make(kernel.Vec, len(x))
			if kernel.InputGrad(kv, got, x, y) != nil {
				return nil
			}
			for c := range x {
				slope, spread := difference(func(t float64) float64 {
					moved := append(kernel.Vec(nil), x...)
					moved[c] = t
					return kv.Eval(moved, y)
				}, x[c], 1e-4*math.Max(math.Abs(x[c]), 0.1))
				if !(math.Abs(got[c]-slope) <= 1e-6*(1+math.Abs(slope))+10*spread) {
					return fmt.Errorf("∂k(x%d, x%d)/∂x[%d] = %v, differences give %v", i, j, c, got[c], slope)
				}
			}
		}
	}
	return nil
}

// parameters asks that names differ, values lie in their domains, and With changes
// a new kernel and not the old one.
func parameters[T any](k kernel.Kernel[T], o Options[T]) error {
	params := kernel.Params(k)
	seen := map[string]bool{}
	for _, p := range params {
		if p.Name == "" || seen[p.Name] {
			return fmt.Errorf("two parameters are called %q", p.Name)
		}
		seen[p.Name] = true
		if !p.Domain.Contains(p.Value) {
			return fmt.Errorf("%s = %g is outside its own domain %v", p.Name, p.Value, p.Domain)
		}
	}
	if len(params) == 0 {
		return nil
	}
	x, y := o.Points.At(0), o.Points.At(1)
	before := k.Eval(x, y)
	theta := kernel.Values(k)
	same, err := kernel.With(k, theta)
	if err != nil {
		return err
	}
	if v := same.Eval(x, y); v != before {
		return fmt.Errorf("With the same parameters k(x0, x1) is %v instead of %v", v, before)
	}
	for p, param := range params {
		changed := append([]float64(nil), theta...)
		changed[p] = param.Value*1.25 + 1e-3
		if param.Domain.Integer {
			changed[p] = param.Value + 1
		}
		other, err := kernel.With(k, changed)
		if err != nil {
			return err
		}
		if got := kernel.Values(other); got[p] != changed[p] {
			return fmt.Errorf("With(%s = %g) gives a kernel whose value is %g", param.Name, changed[p], got[p])
		}
		if v := k.Eval(x, y); v != before {
			return fmt.Errorf("With(%s) changed the kernel it was called on", param.Name)
		}
		if now := kernel.Values(k); now[p] != theta[p] {
			return fmt.Errorf("With(%s) changed the parameters of the kernel it was called on", param.Name)
		}
	}
	return nil
}
