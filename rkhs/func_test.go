package rkhs

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

type vec = kernel.Vec

func random(n, d int, seed uint64) *mat.Dense {
	r := rand.New(rand.NewPCG(seed, 9))
	m := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			m.Set(i, j, r.NormFloat64())
		}
	}
	return m
}

func points(n, d int, seed uint64) data.DenseRows { return data.Rows(random(n, d, seed)) }

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*(1+math.Abs(want))) {
		t.Errorf("%s: %.12g, want %.12g", what, got, want)
	}
}

func kernels() map[string]kernel.Kernel[vec] {
	return map[string]kernel.Kernel[vec]{
		"gaussian": kernel.Gaussian{Lengthscale: 1.3},
		"matern":   kernel.Matern{Nu: 2.5, Lengthscale: 2},
		"poly":     kernel.Polynomial{Gamma: 0.5, Offset: 1, Degree: 3},
		"sum":      kernel.Sum[vec](kernel.Gaussian{Lengthscale: 0.7}, kernel.Scale[vec](0.3, kernel.Linear{})),
	}
}

func TestEvaluationIsTheSum(t *testing.T) {
	for name, k := range kernels() {
		f, err := New(k, points(300, 3, 1), random(300, 2, 2), []float64{0.5, -1})
		if err != nil {
			t.Fatal(err)
		}
		x := points(700, 3, 3)
		for _, o := range []EvalOptions{{}, {Threads: 1}, {Bytes: 1}, {Single: true}} {
			got, err := f.Evaluate(context.Background(), x, o)
			if err != nil {
				t.Fatal(err)
			}
			tol := 1e-10
			if o.Single {
				tol = 2e-4
			}
			for _, i := range []int{0, 255, 256, 511, 699} {
				want := f.At(x.At(i))
				for j := range want {
					near(t, name, got.At(i, j), want[j], tol)
				}
			}
		}
	}
}

func TestEvaluationSameBitsAtAnyThreadCount(t *testing.T) {
	f := &Func[vec]{Kernel: kernel.Gaussian{Lengthscale: 2}, Centers: points(500, 4, 1), Coef: random(500, 3, 2)}
	x := points(1500, 4, 3)
	for _, single := range []bool{false, true} {
		var first *mat.Dense
		for _, threads := range datatest.Threads() {
			dst := mat.NewDense(1500, 3, nil)
			mustEvaluate(t, f, dst, x, EvalOptions{Threads: threads, Single: single})
			if first == nil {
				first = dst
			} else if !mat.Equal(first, dst) {
				t.Errorf("single=%v: bits differ at %d threads", single, threads)
			}
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	f := &Func[vec]{Kernel: kernel.Gaussian{}, Centers: points(100, 2, 1), Coef: random(100, 1, 2)}
	x := points(300, 2, 3)
	want := mat.NewDense(300, 1, nil)
	mustEvaluate(t, f, want, x)
	var wg sync.WaitGroup
	for range 6 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			got := mat.NewDense(300, 1, nil)
			mustEvaluate(t, f, got, x)
			if !mat.Equal(got, want) {
				t.Error("concurrent evaluations differ")
			}
			f.Norm()
		}()
	}
	wg.Wait()
}

// ⟨f, k(x, ·)⟩ = f(x), and from it |f(x)| ≤ ‖f‖·√k(x, x).
func TestReproducingProperty(t *testing.T) {
	for name, k := range kernels() {
		f := &Func[vec]{Kernel: k, Centers: points(40, 3, 1), Coef: random(40, 1, 2)}
		norm := f.Norm()
		for i := range 20 {
			x := points(20, 3, 4).At(i)
			kx := &Func[vec]{Kernel: k, Centers: data.Slice[vec]{x}, Coef: mat.NewDense(1, 1, []float64{1})}
			inner, err := f.Inner(kx)
			if err != nil {
				t.Fatal(err)
			}
			fx := f.At(x)[0]
			near(t, name+": ⟨f, k(x, ·)⟩", inner, fx, 1e-11)
			if bound := norm * math.Sqrt(k.Eval(x, x)); math.Abs(fx) > bound*(1+1e-12) {
				t.Errorf("%s: |f(x)| = %g above ‖f‖√k(x,x) = %g", name, fx, bound)
			}
			near(t, name+": ‖k(x, ·)‖²", kx.Norm()*kx.Norm(), k.Eval(x, x), 1e-12)
		}
	}
}

func TestHilbertSpace(t *testing.T) {
	for name, k := range kernels() {
		f := &Func[vec]{Kernel: k, Centers: points(30, 2, 1), Coef: random(30, 2, 2), Bias: []float64{1, 2}}
		g := &Func[vec]{Kernel: k, Centers: points(20, 2, 3), Coef: random(20, 2, 4)}
		fg, err := f.Inner(g)
		if err != nil {
			t.Fatal(err)
		}
		gf, _ := g.Inner(f)
		near(t, name+": symmetry", fg, gf, 1e-11)
		if math.Abs(fg) > f.Norm()*g.Norm()*(1+1e-12) {
			t.Errorf("%s: Cauchy–Schwarz fails: %g > %g·%g", name, fg, f.Norm(), g.Norm())
		}
		sum, err := f.Add(g)
		if err != nil {
			t.Fatal(err)
		}
		near(t, name+": ‖f+g‖²", sum.Norm()*sum.Norm(), f.Norm()*f.Norm()+2*fg+g.Norm()*g.Norm(), 1e-10)
		d, err := f.Distance(g)
		if err != nil {
			t.Fatal(err)
		}
		near(t, name+": ‖f-g‖²", d*d, f.Norm()*f.Norm()-2*fg+g.Norm()*g.Norm(), 1e-10)
		if d, _ := f.Distance(f); d != 0 {
			t.Errorf("%s: distance to itself is %g", name, d)
		}
		near(t, name+": ‖-2f‖", f.Scale(-2).Norm(), 2*f.Norm(), 1e-13)
		x := points(1, 2, 9).At(0)
		for j, v := range sum.At(x) {
			near(t, name+": (f+g)(x)", v, f.At(x)[j]+g.At(x)[j], 1e-12)
			near(t, name+": (3f)(x)", f.Scale(3).At(x)[j], 3*f.At(x)[j], 1e-12)
		}
	}
}

func TestProjectionIsOrthogonal(t *testing.T) {
	for name, k := range kernels() {
		f := &Func[vec]{Kernel: k, Centers: points(40, 2, 1), Coef: random(40, 2, 2)}
		span := data.Rows(random(15, 2, 3))
		doubled := data.Gather[vec](span, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 3, 3, 7})
		p, err := f.Project(context.Background(), doubled)
		if err != nil {
			t.Fatal(err)
		}
		if p.Centers.Len() > 15 {
			t.Errorf("%s: %d centres of which 15 are different", name, p.Centers.Len())
		}
		scale := f.Norm()
		for i := range span.Len() { // ⟨f-Pf, k(c, ·)⟩ = 0
			c := span.At(i)
			for j, v := range p.At(c) {
				if r := math.Abs(v - f.At(c)[j]); r > 1e-6*scale*math.Sqrt(k.Eval(c, c)) {
					t.Errorf("%s: residual is not orthogonal to centre %d: %g", name, i, r)
				}
			}
		}
		d, _ := f.Distance(p)
		near(t, name+": Pythagoras", d*d+p.Norm()*p.Norm(), scale*scale, 1e-6)
		again, err := p.Project(context.Background(), doubled)
		if err != nil {
			t.Fatal(err)
		}
		if d, _ := again.Distance(p); d > 1e-5*scale {
			t.Errorf("%s: projecting twice moves by %g", name, d)
		}
		own, err := f.Project(context.Background(), f.Centers)
		if err != nil {
			t.Fatal(err)
		}
		if d, _ := own.Distance(f); d > 1e-5*scale {
			t.Errorf("%s: f is not its own projection: %g", name, d)
		}
	}
}

func TestMeanEmbedding(t *testing.T) {
	k := kernel.Kernel[vec](kernel.Gaussian{Lengthscale: 2})
	x := points(50, 2, 1)
	mu, err := MeanEmbedding(k, x, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := &Func[vec]{Kernel: k, Centers: points(10, 2, 2), Coef: random(10, 1, 3)}
	mean := 0.0
	for i := range 50 {
		mean += f.At(x.At(i))[0] / 50
	}
	inner, err := f.Inner(mu)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "⟨f, μ⟩", inner, mean, 1e-12)
	if _, err := MeanEmbedding(k, x, []float64{1}); err == nil {
		t.Error("1 weight for 50 points accepted")
	}
}

func TestGradientAgainstDifferences(t *testing.T) {
	for name, k := range kernels() {
		f := &Func[vec]{Kernel: k, Centers: points(30, 3, 1), Coef: random(30, 2, 2)}
		x := append(vec(nil), points(1, 3, 5).At(0)...)
		g := mat.NewDense(2, 3, nil)
		if err := GradTo(context.Background(), g, f, x); err != nil {
			t.Fatal(err)
		}
		for p := range 3 {
			const h = 1e-5
			hi, lo := append(vec(nil), x...), append(vec(nil), x...)
			hi[p] += h
			lo[p] -= h
			a, b := f.At(hi), f.At(lo)
			for j := range 2 {
				near(t, name, g.At(j, p), (a[j]-b[j])/(2*h), 1e-6)
			}
		}
		if err := GradTo(context.Background(), mat.NewDense(1, 3, nil), f, x); err == nil {
			t.Error("wrong shape accepted")
		}
	}
}

func TestFuncRefuses(t *testing.T) {
	k := kernel.Kernel[vec](kernel.Gaussian{})
	x := points(4, 2, 1)
	f, err := New(k, x, random(4, 1, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	other := &Func[vec]{Kernel: kernel.Gaussian{Lengthscale: 3}, Centers: x, Coef: random(4, 1, 1)}
	nan := random(4, 1, 1)
	nan.Set(2, 0, math.NaN())
	badPoint := random(3, 2, 1)
	badPoint.Set(1, 1, math.Inf(1))
	for want, g := range map[string]func() error{
		"4 centres but 3":   func() error { _, err := New(k, x, random(3, 1, 1), nil); return err },
		"1 outputs but 2":   func() error { _, err := New(k, x, random(4, 1, 1), []float64{1, 2}); return err },
		"centre 2":          func() error { _, err := New(k, x, nan, nil); return err },
		"needs a kernel":    func() error { _, err := New[vec](nil, x, nil, nil); return err },
		"lengthscale is 1 ": func() error { _, err := f.Inner(other); return err },
		"different spaces": func() error {
			_, err := f.Add(&Func[vec]{Kernel: kernel.Linear{}, Centers: x, Coef: random(4, 1, 1)})
			return err
		},
		"row 1":             func() error { _, err := f.Evaluate(context.Background(), data.Rows(badPoint)); return err },
		"3 coordinates":     func() error { _, err := f.Evaluate(context.Background(), points(2, 3, 1)); return err },
		"no points":         func() error { _, err := f.Evaluate(context.Background(), data.Slice[vec]{}); return err },
		"span of no points": func() error { _, err := f.Project(context.Background(), data.Slice[vec]{}); return err },
		"1 and 2 outputs": func() error {
			_, err := f.Inner(&Func[vec]{Kernel: k, Centers: x, Coef: random(4, 2, 1)})
			return err
		},
		"sum of 1 and 2 outp": func() error {
			_, err := f.Add(&Func[vec]{Kernel: k, Centers: x, Coef: random(4, 2, 1)})
			return err
		},
	} {
		if err := g(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}
