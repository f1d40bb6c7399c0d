package rkhs

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

func signs(n int) []float64 {
	y := make([]float64, n)
	x := points(n, 2, 1)
	for i := range y {
		y[i] = 1
		if x.At(i)[0]*x.At(i)[1]+0.3*random(n, 1, 5).At(i, 0) < 0 {
			y[i] = -1
		}
	}
	return y
}

// With the squared loss the answer is (K + nλI)⁻¹y.
func TestRepresenterIsRidge(t *testing.T) {
	x := points(80, 2, 1)
	y := make([]float64, 80)
	for i := range y {
		y[i] = math.Sin(2 * x.At(i)[0])
	}
	k := kernel.Kernel[vec](kernel.Gaussian{Lengthscale: 1})
	const lambda = 1e-3
	m := linalg.New[float64](80, 80)
	kernel.Fill(0, blas64.General(m), kernel.Prepare(context.Background(), k, x, x))
	for i := range 80 {
		m.Row(i)[i] += 80 * lambda
	}
	c, err := linalg.NewCholesky(0, m)
	if err != nil {
		t.Fatal(err)
	}
	want := mat.NewDense(80, 1, append([]float64(nil), y...))
	c.Solve(0, linalg.Of(want))
	exact := &Func[vec]{Kernel: k, Centers: x, Coef: want}
	squared := LossFunc(func(y, z float64) (float64, float64) { return 0.5 * (z - y) * (z - y), z - y })
	for name, loss := range map[string]Loss{"newton": SquaredLoss{}, "lbfgs": squared} {
		for _, layout := range []gram.Layout{gram.Auto, gram.Half, gram.Lazy} {
			f, cert, err := Representer[vec]{Kernel: k, Loss: loss, Lambda: lambda, Tol: 1e-13,
				Gram: gram.Options{Layout: layout}}.Solve(ctx, x, y)
			if err != nil {
				t.Fatal(err)
			}
			d, _ := f.Distance(exact)
			if !cert.Converged || d > 1e-4*exact.Norm() {
				t.Errorf("%s %v: distance %g of %g, %+v", name, layout, d, exact.Norm(), cert)
			}
		}
	}
}

// The certificate holds: J(f) - J(f*) ≤ Gap, with f* from a much finer run.
func TestRepresenterCertificate(t *testing.T) {
	x, y := points(60, 2, 1), signs(60)
	k := kernel.Kernel[vec](kernel.Gaussian{Lengthscale: 0.8})
	counts := make([]float64, 60)
	for i := range counts {
		counts[i] = math.Floor(3 * math.Abs(x.At(i)[0]))
	}
	for name, c := range map[string]struct {
		loss Loss
		y    []float64
	}{
		"logistic": {LogisticLoss{}, y}, "huber": {HuberLoss{Delta: 0.5}, y},
		"squared hinge": {SquaredHingeLoss{}, y}, "poisson": {PoissonLoss{}, counts},
		"logistic by value and derivative": {LossFunc(LogisticLoss{}.Value), y},
	} {
		r := Representer[vec]{Kernel: k, Loss: c.loss, Lambda: 0.01}
		r.Tol = 1e-13
		_, best, err := r.Solve(ctx, x, c.y)
		if err != nil || !best.Converged {
			t.Fatalf("%s: %+v %v", name, best, err)
		}
		for _, tol := range []float64{1e-2, 1e-4, 1e-6} {
			r.Tol = tol
			f, cert, err := r.Solve(ctx, x, c.y)
			if err != nil {
				t.Fatal(err)
			}
			excess := cert.Objective - best.Objective
			if excess > cert.Gap+1e-12 || excess < -1e-10 {
				t.Errorf("%s tol %g: excess %g, certified %g", name, tol, excess, cert.Gap)
			}
			// The objective is what it says.
			j := 0.5 * r.Lambda * f.Norm() * f.Norm()
			for i := range 60 {
				v, _ := c.loss.Value(c.y[i], f.At(x.At(i))[0])
				j += v / 60
			}
			near(t, name+": J", cert.Objective, j, 1e-10)
		}
	}
}

// At the minimum αᵢ = -ℓ'ᵢ/(nλ), and with a bias Σ ℓ'ᵢ = 0.
func TestRepresenterBias(t *testing.T) {
	x, y := points(70, 2, 1), signs(70)
	for i := range y {
		if i%3 > 0 {
			y[i] = 1 // unbalanced, so that the bias matters
		}
	}
	for name, loss := range map[string]Loss{"newton": LogisticLoss{}, "lbfgs": LossFunc(LogisticLoss{}.Value)} {
		f, cert, err := Representer[vec]{Kernel: kernel.Gaussian{}, Loss: loss, Lambda: 0.05, WithBias: true,
			Tol: 1e-14}.Solve(ctx, x, y)
		if err != nil || !cert.Converged {
			t.Fatalf("%s: %+v %v", name, cert, err)
		}
		sum := 0.0
		for i := range y {
			_, d := loss.Value(y[i], f.At(x.At(i))[0])
			sum += d
			near(t, name+": α", f.Coef.At(i, 0), -d/(70*0.05), 1e-4)
		}
		near(t, name+": Σℓ'", sum/70, 0, 1e-6)
		if math.Abs(f.Bias[0]) < 0.05 {
			t.Errorf("%s: bias %g", name, f.Bias[0])
		}
	}
}

func TestRepresenterRefusesAndStops(t *testing.T) {
	x, y := points(20, 2, 1), signs(20)
	k := kernel.Kernel[vec](kernel.Gaussian{})
	good := Representer[vec]{Kernel: k, Loss: LogisticLoss{}, Lambda: 1}
	for want, f := range map[string]func() error{
		"19 targets": func() error { _, _, err := good.Solve(ctx, x, y[:19]); return err },
		"no loss":    func() error { _, _, err := Representer[vec]{Kernel: k, Lambda: 1}.Solve(ctx, x, y); return err },
		"lambda is 0": func() error {
			_, _, err := Representer[vec]{Kernel: k, Loss: LogisticLoss{}}.Solve(ctx, x, y)
			return err
		},
		"target 3": func() error {
			z := append([]float64(nil), y...)
			z[3] = math.Inf(1)
			_, _, err := good.Solve(ctx, x, z)
			return err
		},
		"no points": func() error { _, _, err := good.Solve(ctx, nil, nil); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
	c, cancel := context.WithCancel(ctx)
	r := Representer[vec]{Kernel: k, Loss: LogisticLoss{}, Lambda: 1e-6, Tol: 1e-14, Trace: func(trace.Step) { cancel() }}
	if _, _, err := r.Solve(c, x, y); !errors.Is(err, context.Canceled) {
		t.Errorf("cancel: %v", err)
	}
	// One point, and points all the same.
	if f, cert, err := good.Solve(ctx, points(1, 2, 1), []float64{1}); err != nil || !cert.Converged ||
		f.At(points(1, 2, 1).At(0))[0] <= 0 {
		t.Errorf("one point: %+v %v", cert, err)
	}
}
