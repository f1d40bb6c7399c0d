package rkhs

import (
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
)

// ridgePath is the risk and the norm of the minimiser of (1/2n)·Σ(y - f)² + (λ/2)·‖f‖² in closed
// form: with K = UDUᵀ, c = Uᵀy and m = nλ, f has ‖f‖² = Σ d·c²/(d + m)² and the residuals m·c/(d +
// m).
func ridgePath(t *testing.T, k kernel.Kernel[vec], n int, y []float64) func(lambda float64) (risk, norm float64) {
	t.Helper()
	x := points(n, 2, 1)
	m := linalg.New[float64](n, n)
	kernel.Fill(0, blas64.General(m), kernel.Prepare(ctx, k, x, x))
	d, u, err := linalg.SymEigen(1, m)
	if err != nil {
		t.Fatal(err)
	}
	c := make([]float64, n)
	for i := range n {
		for j, v := range u.Row(i) {
			c[j] += v * y[i]
		}
	}
	return func(lambda float64) (risk, norm float64) {
		for i, v := range c {
			v /= d[i] + float64(n)*lambda
			risk += math.Pow(float64(n)*lambda*v, 2) / float64(2*n)
			norm += max(d[i], 0) * v * v
		}
		return risk, math.Sqrt(norm)
	}
}

func curve(n int) []float64 {
	x := points(n, 2, 1)
	y := make([]float64, n)
	for i := range y {
		y[i] = math.Sin(2*x.At(i)[0]) + 0.2*math.Cos(9*x.At(i)[1])
	}
	return y
}

// A convex penalty of any power: the gap holds beside the least of a fine grid along the closed
// form of the path, the objective is what it says, and with power 2 the function is that of λ.
func TestRepresenterPowers(t *testing.T) {
	const n = 40
	k := kernel.Kernel[vec](kernel.Gaussian{Lengthscale: 0.8})
	x, y := points(n, 2, 1), curve(n)
	path := ridgePath(t, k, n, y)
	for _, c := range []PowerPenalty{{}, {0.01, 2}, {0.02, 1}, {1e-3, 1}, {0.01, 1.5}, {0.003, 3}, {1e-6, 8}} {
		f, cert, err := Representer[vec]{Kernel: k, Loss: SquaredLoss{}, Penalty: c}.Solve(ctx, x, y)
		if err != nil || !cert.Converged {
			t.Fatalf("%+v: %+v %v", c, cert, err)
		}
		r, _ := c.Value(f.Norm())
		for i := range n {
			e := f.At(x.At(i))[0] - y[i]
			r += e * e / (2 * n)
		}
		near(t, "J", cert.Objective, r, 1e-9)
		least := math.Inf(1)
		for e := -12.0; e < 4; e += 0.002 {
			risk, norm := path(math.Pow(10, e))
			r, _ := c.Value(norm)
			least = min(least, risk+r)
		}
		if cert.Objective > least+cert.Gap+1e-12 || cert.Objective < least-1e-6*least {
			t.Errorf("%+v: %g with the gap %g, the grid has %g", c, cert.Objective, cert.Gap, least)
		}
		if c.Power == 2 {
			same, _, err := Representer[vec]{Kernel: k, Loss: SquaredLoss{}, Lambda: c.Weight, Tol: 1e-12}.Solve(ctx, x, y)
			if d, _ := f.Distance(same); err != nil || d > 1e-2*same.Norm() {
				t.Errorf("%g from the function of λ (%v)", d, err)
			}
		}
	}
}

// Beyond the norm of the risk's gradient at 0 the penalty w·‖f‖ leaves nothing of f.
func TestRepresenterNormLeavesNothing(t *testing.T) {
	const n = 30
	k := kernel.Kernel[vec](kernel.Gaussian{Lengthscale: 0.8})
	x, y := points(n, 2, 1), curve(n)
	size := 0.0
	for i := range n {
		for j := range n {
			size += y[i] * y[j] * k.Eval(x.At(i), x.At(j)) / (n * n)
		}
	}
	at := func(share float64) float64 {
		f, cert, err := Representer[vec]{Kernel: k, Loss: SquaredLoss{},
			Penalty: PowerPenalty{share * math.Sqrt(size), 1}}.Solve(ctx, x, y)
		if err != nil || !cert.Converged {
			t.Fatalf("%g: %+v %v", share, cert, err)
		}
		return f.Norm()
	}
	if above, below := at(1.01), at(0.9); above > 1e-3 || below < 0.1 {
		t.Errorf("‖f‖ = %g above the gradient's norm, %g below", above, below)
	}
}

// Losses with kinks, and a bias, go along the same path.
func TestRepresenterPenaltyThroughKinks(t *testing.T) {
	x, y := points(24, 2, 1), signs(24)
	k := kernel.Kernel[vec](kernel.Gaussian{Lengthscale: 0.8})
	for _, bias := range []bool{false, true} {
		penalty := PowerPenalty{0.05, 1}
		f, cert, err := Representer[vec]{Kernel: k, Loss: HingeLoss{}, Penalty: penalty, WithBias: bias, Tol: 1e-5}.Solve(ctx,
			x, y)
		if err != nil || !cert.Converged {
			t.Fatalf("bias %v: %+v %v", bias, cert, err)
		}
		if f.Norm() < 0.1 {
			t.Errorf("bias %v: nothing was learned, ‖f‖ = %g", bias, f.Norm())
		}
		for _, lambda := range []float64{0.01, 0.1} {
			other, _, err := Representer[vec]{Kernel: k, Loss: HingeLoss{}, Lambda: lambda, WithBias: bias, Tol: 1e-6}.Solve(ctx,
				x, y)
			if err != nil {
				t.Fatal(err)
			}
			r := penalty.Weight * other.Norm()
			for i := range y {
				v, _ := HingeLoss{}.Value(y[i], other.At(x.At(i))[0])
				r += v / 24
			}
			if r < cert.Objective-cert.Gap-1e-9 {
				t.Errorf("bias %v: λ = %g has %g, below %g - %g", bias, lambda, r, cert.Objective, cert.Gap)
			}
		}
	}
}

// A penalty that is not convex, with two minima along the path: the one that is lower wins,
// whichever that is, with a gap that holds.
func TestRepresenterAnyIncreasingPenalty(t *testing.T) {
	const n = 40
	k := kernel.Kernel[vec](kernel.Gaussian{Lengthscale: 0.8})
	x, y := points(n, 2, 1), curve(n)
	path := ridgePath(t, k, n, y)
	norms := map[bool]int{}
	for _, w := range []float64{0.02, 0.06, 0.1, 0.2, 0.4} {
		step := func(s float64) (float64, float64) { // flat, a rise about 1, and slow growth
			e := math.Exp(-20 * (s - 1))
			return w/(1+e) + 1e-3*s, w*20*e/((1+e)*(1+e)) + 1e-3
		}
		f, cert, err := Representer[vec]{Kernel: k, Loss: SquaredLoss{}, Penalty: PenaltyFunc(step)}.Solve(ctx, x, y)
		if err != nil || !cert.Converged {
			t.Fatalf("w = %g: %+v %v", w, cert, err)
		}
		least, at := math.Inf(1), 0.0
		for e := -12.0; e < 4; e += 0.001 {
			risk, norm := path(math.Pow(10, e))
			if r, _ := step(norm); risk+r < least {
				least, at = risk+r, norm
			}
		}
		if cert.Objective > least+cert.Gap+1e-12 || cert.Objective < least-1e-5 || cert.Gap <= 0 {
			t.Errorf("w = %g: %g with the gap %g at ‖f‖ = %g, the grid has %g at %g", w, cert.Objective, cert.Gap, f.Norm(),
				least, at)
		}
		norms[f.Norm() > 1.2]++
	}
	if len(norms) != 2 {
		t.Errorf("the step was always on one side: %v", norms)
	}
}

func TestPenaltiesAreConjugate(t *testing.T) {
	for _, p := range []PowerPenalty{{}, {0.3, 1}, {2, 1.5}, {0.7, 4}} {
		for _, q := range []float64{0, 0.1, 0.29, 1, 3} {
			best := math.Inf(-1)
			for s := 0.0; s < 60; s += 1e-3 {
				v, _ := p.Value(s)
				best = max(best, q*s-v)
			}
			if want := p.Conjugate(q); math.IsInf(want, 1) {
				if best < 1 {
					t.Errorf("%+v: conjugate at %g is bounded by %g", p, q, best)
				}
			} else {
				near(t, "conjugate", best, want, 1e-5*(1+want))
			}
		}
		v, slope := p.Value(0.8)
		up, _ := p.Value(0.8 + 1e-6)
		near(t, "slope", (up-v)/1e-6, slope, 1e-4*(1+slope))
	}
}

func TestRepresenterRefusesPenalties(t *testing.T) {
	x, y := points(10, 2, 1), signs(10)
	for want, p := range map[string]Penalty{
		"weight = -1": PowerPenalty{Weight: -1}, "power = 0.5": PowerPenalty{Power: 0.5},
		"penalty of f = 0": PenaltyFunc(func(s float64) (float64, float64) { return math.Log(s), 1 / s }),
	} {
		if _, _, err := (Representer[vec]{Kernel: kernel.Gaussian{}, Loss: SquaredLoss{}, Penalty: p}).Solve(ctx, x,
			y); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
	if _, _, err := (Representer[vec]{Kernel: kernel.Gaussian{}, Loss: SquaredLoss{}, Lambda: 1,
		Penalty: PowerPenalty{}}).Solve(ctx, x, y); err == nil || !strings.Contains(err.Error(), "beside a penalty") {
		t.Errorf("both: %v", err)
	}
}
