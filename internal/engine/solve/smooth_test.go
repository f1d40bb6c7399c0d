package solve

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/trace"
)

// weighted is ½(x-c)ᵀD(x-c) + Σ softplus(x), in the geometry ⟨a,b⟩ = Σ wᵢaᵢbᵢ.
type weighted struct{ c, d, w []float64 }

func (q weighted) Dot(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += q.w[i] * v * b[i]
	}
	return s
}

func (q weighted) Eval(x, grad []float64) float64 {
	s := 0.0
	for i, v := range x {
		e := v - q.c[i]
		s += 0.5*q.d[i]*e*e + math.Log1p(math.Exp(-math.Abs(v))) + math.Max(v, 0)
		grad[i] = (q.d[i]*e + 1/(1+math.Exp(-v))) / q.w[i]
	}
	return s
}

func (q weighted) Hessian(x []float64) func(dst, v []float64) {
	return func(dst, v []float64) {
		for i, u := range x {
			p := 1 / (1 + math.Exp(-u))
			dst[i] = (q.d[i] + p*(1-p)) * v[i] / q.w[i]
		}
	}
}

func problem(n int, seed uint64) weighted {
	r := rand.New(rand.NewPCG(seed, 1))
	q := weighted{make([]float64, n), make([]float64, n), make([]float64, n)}
	for i := range n {
		q.c[i] = 5 * r.NormFloat64()
		q.d[i] = math.Exp(r.NormFloat64())
		q.w[i] = math.Exp(r.NormFloat64())
	}
	return q
}

// root solves d(x-c) + σ(x) = 0 by bisection: the oracle of weighted.
func root(d, c float64) float64 {
	lo, hi := c-2/d-1, c+1
	for range 200 {
		m := 0.5 * (lo + hi)
		if d*(m-c)+1/(1+math.Exp(-m)) > 0 {
			hi = m
		} else {
			lo = m
		}
	}
	return 0.5 * (lo + hi)
}

func TestMinimisersFindTheRoot(t *testing.T) {
	for _, n := range []int{1, 2, 30, 200} {
		q := problem(n, uint64(n))
		for name, minimise := range map[string]func(x []float64) (Minimum, error){
			"lbfgs": func(x []float64) (Minimum, error) {
				return LBFGS(context.Background(), q, x, Settings{Tol: 1e-11})
			},
			"newton": func(x []float64) (Minimum, error) {
				return Newton(context.Background(), q, x, Settings{Tol: 1e-11})
			},
		} {
			x := make([]float64, n)
			m, err := minimise(x)
			if err != nil {
				t.Fatal(err)
			}
			if !m.Converged {
				t.Errorf("%s n=%d: %+v", name, n, m)
			}
			if name == "newton" && m.Iterations > 30 {
				t.Errorf("newton n=%d took %d iterations", n, m.Iterations)
			}
			for i := range x {
				if want := root(q.d[i], q.c[i]); math.Abs(x[i]-want) > 1e-7*(1+math.Abs(want)) {
					t.Fatalf("%s n=%d: x[%d] = %.12g, want %.12g", name, n, i, x[i], want)
				}
			}
		}
	}
}

// rosenbrock is not convex: a hard test of the line search.
type rosenbrock struct{}

func (rosenbrock) Dot(a, b []float64) float64 { return a[0]*b[0] + a[1]*b[1] }
func (rosenbrock) Eval(x, g []float64) float64 {
	u, v := 1-x[0], x[1]-x[0]*x[0]
	g[0], g[1] = -2*u-400*x[0]*v, 200*v
	return u*u + 100*v*v
}

func TestLBFGSRosenbrock(t *testing.T) {
	x := []float64{-1.2, 1}
	m, err := LBFGS(context.Background(), rosenbrock{}, x, Settings{Tol: 1e-10})
	if err != nil || !m.Converged || math.Abs(x[0]-1) > 1e-8 || math.Abs(x[1]-1) > 1e-8 {
		t.Fatalf("x = %v, %+v, %v", x, m, err)
	}
	if m.Iterations > 80 {
		t.Errorf("%d iterations, expected about 40", m.Iterations)
	}
}

func TestMinimisersStopOnCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	s := Settings{Tol: 1e-300, Trace: func(trace.Step) {
		if calls++; calls == 2 {
			cancel()
		}
	}}
	if _, err := LBFGS(ctx, problem(50, 3), make([]float64, 50), s); !errors.Is(err, context.Canceled) {
		t.Fatalf("err = %v", err)
	}
	if calls != 2 {
		t.Fatalf("%d steps reported", calls)
	}
}
