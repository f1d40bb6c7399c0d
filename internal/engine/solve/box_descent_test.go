package solve

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// randomKernel is a Gaussian kernel matrix of random points, and their signs.
func randomKernel(n int, seed uint64) (linalg.Matrix[float64], []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x, y, k := make([][2]float64, n), make([]float64, n), linalg.New[float64](n, n)
	for i := range x {
		x[i] = [2]float64{rng.NormFloat64(), rng.NormFloat64()}
		y[i] = math.Copysign(1, x[i][0]+0.7*rng.NormFloat64())
	}
	for i := range n {
		for j := range n {
			a, b := x[i][0]-x[j][0], x[i][1]-x[j][1]
			k.Set(i, j, math.Exp(-(a*a+b*b)/2))
		}
	}
	return k, y
}

// The optimum within bounds is a fixed point of the projected gradient, and no feasible change
// improves it.
func TestBoxDescent(t *testing.T) {
	const n = 40
	k, y := randomKernel(n, 3)
	q := BoxQP{Linear: y, Lower: make([]float64, n), Upper: make([]float64, n)}
	diag := make([]float64, n)
	for i, v := range y {
		diag[i] = 1
		if v > 0 {
			q.Upper[i] = 2
		} else {
			q.Lower[i] = -2
		}
	}
	column := func(dst []float64, j int) { copy(dst, k.Row(j)) }
	r, err := BoxDescent(context.Background(), q, diag, column, SMOOptions{Tol: 1e-9})
	if err != nil || !r.Converged {
		t.Fatal(r, err)
	}
	for i := range n {
		f := 0.0
		for j, b := range r.Beta {
			f += k.At(i, j) * b
		}
		step := min(max(r.Beta[i]+(y[i]-f), q.Lower[i]), q.Upper[i]) - r.Beta[i]
		if math.Abs(step) > 1e-8 {
			t.Errorf("variable %d at %g moves by %g", i, r.Beta[i], step)
		}
	}
	if r.Objective >= 0 || r.RowsComputed == 0 {
		t.Errorf("objective %g after %d rows", r.Objective, r.RowsComputed)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := BoxDescent(ctx, q, diag, column, SMOOptions{}); err == nil {
		t.Error("a cancelled context was not heeded")
	}
	q.Upper[0], diag[0] = math.Inf(1), 0
	q.Linear[0] = 1
	if _, err := BoxDescent(context.Background(), q, diag, column, SMOOptions{}); err == nil {
		t.Error("a programme without a minimum was solved")
	}
}

// Both penalties: the optimality conditions hold coordinate by coordinate, the gap bounds the
// distance to the optimum, and the limits are those of one penalty.
func TestElasticLogistic(t *testing.T) {
	const n = 50
	k, y := randomKernel(n, 5)
	w := make([]float64, n)
	for i := range w {
		w[i] = 0.5 + float64(i%3)
	}
	p := &L1Logistic{Columns: k, Sign: y, Weight: w, Intercept: true, Tol: 1e-10}
	const ridge, lambda = 0.3, 0.2
	s, err := p.SolveElastic(ridge)(context.Background(), lambda, nil)
	if err != nil || !s.Converged {
		t.Fatal(s, err)
	}
	theta, sum := make([]float64, n), 0.0
	value := 0.0
	kb := make([]float64, n)
	for i := range n {
		for j, b := range s.Beta {
			kb[i] += k.At(i, j) * b
		}
		m := y[i] * (kb[i] + s.Bias)
		theta[i] = -w[i] * y[i] / (1 + math.Exp(m))
		sum += theta[i]
		value += w[i]*math.Log1p(math.Exp(-m)) + ridge/2*s.Beta[i]*kb[i] + lambda*math.Abs(s.Beta[i])
	}
	if math.Abs(sum) > 1e-9 || math.Abs(value-s.Value) > 1e-9*value {
		t.Errorf("slope of the bias %g, value %.12g, said %.12g", sum, value, s.Value)
	}
	zeros := 0
	for j := range n {
		g := 0.0
		for i := range n {
			g += k.At(j, i) * (theta[i] + ridge*s.Beta[i])
		}
		switch {
		case s.Beta[j] == 0:
			zeros++
			if math.Abs(g) > lambda+1e-4 {
				t.Errorf("coefficient %d is 0 with a gradient of %g", j, g)
			}
		case math.Abs(g+math.Copysign(lambda, s.Beta[j])) > 1e-4:
			t.Errorf("coefficient %d is %g with a gradient of %g", j, s.Beta[j], g)
		}
	}
	if zeros == 0 || zeros == n {
		t.Errorf("%d of %d coefficients are 0", zeros, n)
	}
	// Nearly without ‖f‖² it is the problem of ‖α‖₁ alone.
	tiny, err := p.SolveElastic(1e-9)(context.Background(), lambda, nil)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := p.Solve(context.Background(), lambda, nil)
	if err != nil || math.Abs(tiny.Value-alone.Value) > 1e-5*alone.Value {
		t.Errorf("value %.9g, of one penalty %.9g (%v)", tiny.Value, alone.Value, err)
	}
	// All coefficients are 0 where λ is as large as the gradient there.
	if zero, err := p.SolveElastic(ridge)(context.Background(), p.LambdaMax()*1.01, nil); err != nil ||
		zero.NonZero() != 0 {
		t.Errorf("%d coefficients beyond the largest λ (%v)", zero.NonZero(), err)
	}
}
