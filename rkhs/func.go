package rkhs

import (
	"context"
	"math"
	"reflect"

	"github.com/mercer-ml/mercer/internal/fault"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Func is f(x) = Σᵢ αᵢ k(cᵢ, x) + b, with one or several outputs: row i of
// Coef holds the coefficients of centre i, column j those of output j.
//
// The bias b is no part of the element of H: inner products, norms and
// projections leave it out.
//
// Evaluate and EvaluateTo check their points and take a context; At, Norm and Inner are short forms
// for points and functions known to be good.
type Func[T any] struct {
	Kernel  kernel.Kernel[T]
	Centers data.Points[T]
	Coef    *mat.Dense
	Bias    []float64 // one for each output; nil means none

	base   *kernel.Base[T] // the prepared centres, see Prepare
	device *gram.Device    // see OnDevice
}

// New returns Σ αᵢ k(cᵢ, ·) after checking that the pieces fit.
func New[T any](k kernel.Kernel[T], centers data.Points[T], coef *mat.Dense, bias []float64) (*Func[T], error) {
	f := &Func[T]{Kernel: k, Centers: centers, Coef: coef, Bias: bias}
	return f, f.Check()
}

// Check says what, if anything, is wrong with f.
func (f *Func[T]) Check() error { return check(f.open()) }

// open is f for the bodies behind its methods, which are compiled once, for erased points. It
// shares all that f holds.
func (f *Func[T]) open() *Func[any] {
	if same, ok := any(f).(*Func[any]); ok || f == nil {
		return same
	}
	return &Func[any]{
		Kernel: kernel.Erase(f.Kernel), Centers: data.Erase(f.Centers), Coef: f.Coef, Bias: f.Bias,
		base: f.base.Erase(), device: f.device,
	}
}

func check(f *Func[any]) error {
	if f.Kernel == nil || f.Centers == nil || f.Coef == nil || f.Coef.IsEmpty() {
		return fault.Errorf("rkhs", "a function needs a kernel, centres and coefficients")
	}
	r, c := f.Coef.Dims()
	if r != f.Centers.Len() {
		return fault.Errorf("rkhs", "%d centres but %d rows of coefficients", f.Centers.Len(), r)
	}
	if f.Bias != nil && len(f.Bias) != c {
		return fault.Errorf("rkhs", "%d outputs but %d biases", c, len(f.Bias))
	}
	for i := range r {
		for j := range c {
			if v := f.Coef.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
				return fault.Errorf("rkhs", "coefficient of centre %d, output %d is %g", i, j, v)
			}
		}
	}
	for j, v := range f.Bias {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fault.Errorf("rkhs", "bias of output %d is %g", j, v)
		}
	}
	if err := kernel.Check(f.Kernel, f.Centers); err != nil {
		return fault.Errorf("rkhs", "centres: %w", err)
	}
	return nil
}

// Outputs is the number of columns of Coef.
func (f *Func[T]) Outputs() int {
	_, c := f.Coef.Dims()
	return c
}

// First is the first n outputs of f. It shares the coefficients and the prepared centres of f.
func (f *Func[T]) First(n int) *Func[T] {
	r, _ := f.Coef.Dims()
	g := &Func[T]{Kernel: f.Kernel, Centers: f.Centers, Coef: f.Coef.Slice(0, r, 0, n).(*mat.Dense), base: f.base}
	if f.Bias != nil {
		g.Bias = f.Bias[:n]
	}
	return g
}

// Output is output j of f alone. It shares the prepared centres of f.
func (f *Func[T]) Output(j int) *Func[T] {
	r, _ := f.Coef.Dims()
	g := &Func[T]{Kernel: f.Kernel, Centers: f.Centers, Coef: mat.NewDense(r, 1, mat.Col(nil, j, f.Coef)), base: f.base,
		device: f.device}
	if f.Bias != nil {
		g.Bias = f.Bias[j : j+1]
	}
	return g
}

// sameSpace refuses two functions of different kernels, as far as that can be
// seen: by type and by parameters.
func sameSpace(k, l kernel.Kernel[any]) error {
	if a, b := kernel.Concrete(k), kernel.Concrete(l); reflect.TypeOf(a) != reflect.TypeOf(b) {
		return fault.Errorf("rkhs", "functions of different spaces: kernels %s and %s", kernel.NameOf(k), kernel.NameOf(l))
	}
	p, q := kernel.Params(k), kernel.Params(l)
	if len(p) != len(q) {
		return fault.Errorf("rkhs", "functions of different spaces: kernels with %d and %d parameters", len(p), len(q))
	}
	for i := range p {
		if p[i].Value != q[i].Value {
			return fault.Errorf("rkhs", "functions of different spaces: %s is %g in one kernel and %g in the other",
				p[i].Name, p[i].Value, q[i].Value)
		}
	}
	return nil
}

// mulKernel sets dst = K(X, Y)·v without storing K.
func mulKernel(
	ctx context.Context, threads int, k kernel.Kernel[any], x, y data.Points[any], v, dst linalg.Matrix[float64],
) {
	tiles := gram.FromTiles(kernel.Prepare(ctx, k, x, y), gram.Options{Layout: gram.Lazy, Threads: threads})
	tiles.MulTo(linalg.Dense(dst), linalg.Dense(v), false)
}

// Inner is ⟨f, g⟩ = tr(Aᵀ·K(C, D)·B), the inner product of H summed over the
// outputs. The functions must be of one kernel.
func (f *Func[T]) Inner(g *Func[T]) (float64, error) { return inner(f.open(), g.open()) }

func inner(f, g *Func[any]) (float64, error) {
	if f.Outputs() != g.Outputs() {
		return 0, fault.Errorf("rkhs", "inner product of %d and %d outputs", f.Outputs(), g.Outputs())
	}
	if err := sameSpace(f.Kernel, g.Kernel); err != nil {
		return 0, err
	}
	a, b := linalg.Of(f.Coef), linalg.Of(g.Coef)
	kb := linalg.New[float64](a.Rows, a.Cols)
	mulKernel(context.Background(), 0, f.Kernel, f.Centers, g.Centers, b, kb)
	s := 0.0
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			s += v * kb.At(i, j)
		}
	}
	return s, nil
}

// Norm is ‖f‖_H.
func (f *Func[T]) Norm() float64 { return norm(f.open()) }

func norm(f *Func[any]) float64 {
	s, err := inner(f, f)
	if err != nil {
		return math.NaN() // cannot happen: f is in its own space
	}
	return math.Sqrt(math.Max(0, s))
}

// Distance is ‖f - g‖_H, computed from the difference itself rather than from
// ‖f‖² - 2⟨f, g⟩ + ‖g‖², which cancels.
func (f *Func[T]) Distance(g *Func[T]) (float64, error) {
	d, err := add(f.open(), scale(g.open(), -1))
	if err != nil {
		return 0, err
	}
	return norm(d), nil
}

// Scale is s·f, bias included.
func (f *Func[T]) Scale(s float64) *Func[T] { return Typed(f.Kernel, scale(f.open(), s)) }

func scale(f *Func[any], s float64) *Func[any] {
	coef := mat.DenseCopyOf(f.Coef)
	coef.Scale(s, coef)
	var bias []float64
	for _, b := range f.Bias {
		bias = append(bias, s*b)
	}
	return &Func[any]{Kernel: f.Kernel, Centers: f.Centers, Coef: coef, Bias: bias}
}

// Add is f + g. On the same centres the coefficients are added; otherwise the
// sum has the centres of both.
func (f *Func[T]) Add(g *Func[T]) (*Func[T], error) {
	sum, err := add(f.open(), g.open())
	return Typed(f.Kernel, sum), err
}

func add(f, g *Func[any]) (*Func[any], error) {
	if f.Outputs() != g.Outputs() {
		return nil, fault.Errorf("rkhs", "sum of %d and %d outputs", f.Outputs(), g.Outputs())
	}
	if err := sameSpace(f.Kernel, g.Kernel); err != nil {
		return nil, err
	}
	sum := &Func[any]{Kernel: f.Kernel}
	if f.Bias != nil || g.Bias != nil {
		sum.Bias = make([]float64, f.Outputs())
		for _, b := range [][]float64{f.Bias, g.Bias} {
			for j, v := range b {
				sum.Bias[j] += v
			}
		}
	}
	if reflect.DeepEqual(f.Centers, g.Centers) {
		sum.Centers = f.Centers
		sum.Coef = mat.DenseCopyOf(f.Coef)
		sum.Coef.Add(sum.Coef, g.Coef)
		return sum, nil
	}
	sum.Centers = data.JoinPoints([]data.Points[any]{f.Centers, g.Centers})
	sum.Coef = new(mat.Dense)
	sum.Coef.Stack(f.Coef, g.Coef)
	return sum, nil
}
