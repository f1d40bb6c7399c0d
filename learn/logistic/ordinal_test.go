package logistic

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// graded is the sixty rows of bench/fixtures/ordinal_statsmodels.py.
func graded() (data.Slice[kernel.Vec], []int) {
	var x data.Slice[kernel.Vec]
	for i := range 60 {
		x = append(x, kernel.Vec{float64(i*37%60)/20 - 1.5, float64(i*23%60)/30 - 1})
	}
	return x, []int{1, 3, 0, 3, 0, 1, 2, 1, 3, 1, 1, 1, 2, 0, 2, 1, 2, 3, 0, 3, 0, 3, 2, 0, 3, 0, 1, 1, 1, 3, 1, 1, 1, 2,
		3, 2, 0, 2, 2, 0, 3, 0, 3, 2, 0, 3, 0, 3, 1, 1, 3, 1, 1, 1, 2, 2, 2, 0, 2, 2}
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s: %.10g, want %.10g", what, got, want)
	}
}

// With a linear kernel and hardly a penalty it is the proportional odds model, as statsmodels'
// OrderedModel fits it: coefficients, thresholds, likelihood and probabilities.
func TestOrdinalIsStatsmodels(t *testing.T) {
	x, y := graded()
	m, err := Ordinal[kernel.Vec, int]{Kernel: kernel.Linear{}, Lambda: 1e-9}.Fit(t.Context(), x, y)
	if err != nil {
		t.Fatal(err)
	}
	if !m.Report().Converged {
		t.Errorf("%+v", m.Report())
	}
	near(t, "log likelihood", -m.Report().Objective, -60.789366386589194, 1e-6)
	at, err := m.Decision(t.Context(), data.Slice[kernel.Vec]{{0, 0}, {1, 0}, {0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "first coefficient", at.At(1, 0)-at.At(0, 0), 1.5145806287404724, 2e-5)
	near(t, "second coefficient", at.At(2, 0)-at.At(0, 0), -1.171284938112344, 2e-5)
	theta := []float64{-2.2326739423221627, 0.03150192927710416, 1.9760847239084358}
	near(t, "first threshold", -at.At(0, 0), theta[0], 2e-5)
	for k, cut := range m.Thresholds() {
		near(t, "threshold", cut, theta[k]-theta[0], 4e-5)
	}
	p, err := m.Proba(t.Context(), x[:3])
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range [][]float64{{0.24377598532742387, 0.5124480287831952, 0.19969609823520995, 0.044079887654171035},
		{0.045822390461557116, 0.27024561115767887, 0.44756139916200854, 0.23637059921875547},
		{0.4021958244918297, 0.4640136847922018, 0.11217377328454481, 0.021616717431423682}} {
		for k, want := range row {
			near(t, "probability", p.At(i, k), want, 1e-5)
		}
	}
}

// The derivatives are those of finite differences, and the end of the fit is a minimum: no step in
// any direction lowers the objective.
func TestOrdinalDerivativesAndMinimum(t *testing.T) {
	x, y := graded()
	k := kernel.Gaussian{Lengthscale: 0.8}
	n := len(x)
	g := linalg.New[float64](n, n)
	weight := make([]float64, n)
	for i := range n {
		weight[i] = 1 + float64(i%3)/2
		for j := range n {
			g.Set(i, j, k.Eval(x[i], x[j]))
		}
	}
	r := &ordinalRisk{k: g, lambda: 0.3, code: y, weight: weight, grades: 4, threads: 1}
	rng := rand.New(rand.NewPCG(1, 1))
	state := ordinalState{make([]float64, n), make([]float64, n), []float64{-0.7, 0.2, 1.1}}
	for i := range state.f {
		state.f[i] = rng.NormFloat64()
	}
	at := r.slope(state)
	value := func(change func(s *ordinalState)) float64 {
		s := ordinalState{slices.Clone(state.alpha), slices.Clone(state.f), slices.Clone(state.theta)}
		change(&s)
		return r.value(s)
	}
	const h = 1e-5
	for _, i := range []int{0, 7, 31} {
		d := (value(func(s *ordinalState) { s.f[i] += h }) - value(func(s *ordinalState) { s.f[i] -= h })) / (2 * h)
		near(t, "slope by f", at.byF[i], d, 1e-6)
	}
	for j := range state.theta {
		d := (value(func(s *ordinalState) { s.theta[j] += h }) - value(func(s *ordinalState) { s.theta[j] -= h })) / (2 * h)
		near(t, "slope by a threshold", at.byTheta[j], d, 1e-6)
		for l := range state.theta {
			both := func(a, b float64) float64 {
				return value(func(s *ordinalState) { s.theta[j] += a; s.theta[l] += b })
			}
			const h = 1e-4
			d := (both(h, h) - both(h, -h) - both(-h, h) + both(-h, -h)) / (4 * h * h)
			near(t, "curvature of thresholds", at.second.At(j, l), d, 1e-4)
		}
	}
	end, err := r.newton(t.Context(), 1e-9, 100, nil)
	if err != nil || end.certificate > 1e-9 {
		t.Fatalf("%v, certificate %g", err, end.certificate)
	}
	image := func(a []float64) []float64 {
		f := make([]float64, n)
		for i := range f {
			for j := range a {
				f[i] += g.At(i, j) * a[j]
			}
		}
		return f
	}
	best := r.value(ordinalState{end.alpha, image(end.alpha), end.theta})
	near(t, "objective", end.value, best, 1e-9)
	for range 200 {
		a, th := slices.Clone(end.alpha), slices.Clone(end.theta)
		for i := range a {
			a[i] += 0.01 * rng.NormFloat64()
		}
		for i := range th {
			th[i] += 0.01 * rng.NormFloat64()
		}
		if v := r.value(ordinalState{a, image(a), th}); v < best-1e-10 {
			t.Fatalf("%g is below the minimum %g", v, best)
		}
	}
}

// Of two grades it is logistic regression with an intercept.
func TestOrdinalOfTwoIsLogistic(t *testing.T) {
	x, y := graded()
	for i := range y {
		y[i] /= 2
	}
	k := kernel.Gaussian{Lengthscale: 1}
	o, err := Ordinal[kernel.Vec, int]{Kernel: k, Lambda: 0.2}.Fit(t.Context(), x, y)
	if err != nil {
		t.Fatal(err)
	}
	l, err := Regression[kernel.Vec, int]{Kernel: k, Lambda: 0.2, Intercept: true}.Fit(t.Context(), x, y)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := o.Decision(t.Context(), x)
	b, _ := l.Decision(t.Context(), x)
	for i := range x {
		near(t, "log odds", a.At(i, 0), b.At(i, 0), 1e-6)
	}
}

// The grade is the median of its probabilities, which sum to 1; far out nothing is lost; a file
// gives the same back; labels are any that have an order.
func TestOrdinalPredicts(t *testing.T) {
	x, y := graded()
	names := make([]string, len(y))
	for i, c := range y {
		names[i] = []string{"a", "b", "c", "d"}[c]
	}
	m, err := Ordinal[kernel.Vec, string]{Kernel: kernel.Gaussian{Lengthscale: 1}, Lambda: 0.1,
		PerPoint: false}.Fit(t.Context(), x, names)
	if err != nil {
		t.Fatal(err)
	}
	said, _ := m.Predict(t.Context(), x)
	p, _ := m.Proba(t.Context(), x)
	right := 0
	for i := range x {
		sum, median := 0.0, -1
		for k := range 4 {
			if sum += p.At(i, k); median < 0 && sum >= 0.5 {
				median = k
			}
		}
		near(t, "sum", sum, 1, 1e-12)
		if said[i] != []string{"a", "b", "c", "d"}[median] {
			t.Errorf("row %d is %s, its median %d of %v", i, said[i], median, p.RawRowView(i))
		}
		if said[i] == names[i] {
			right++
		}
	}
	if right < 30 {
		t.Errorf("%d of 60 right", right)
	}
	var far [4]float64
	gradeChances(far[:], []float64{0, 1, 2}, 60)
	if !(far[0] > 0 && far[1] > far[0] && far[3] > 0.999) {
		t.Errorf("far out: %v", far)
	}
	saved := m.Saved()
	again, err := restoreOrdinal(saved)
	if err != nil {
		t.Fatal(err)
	}
	q, _ := again.(learn.Probabilistic[kernel.Vec]).Proba(t.Context(), x)
	for i := range x {
		for k := range 4 {
			if p.At(i, k) != q.At(i, k) {
				t.Fatalf("row %d: %g, then %g", i, p.At(i, k), q.At(i, k))
			}
		}
	}
	saved.Arrays["thresholds"].Set(0, 1, -3)
	if _, err := restoreOrdinal(saved); err == nil || !strings.Contains(err.Error(), "do not increase") {
		t.Errorf("%v", err)
	}
}

func TestOrdinalRefuses(t *testing.T) {
	x, y := graded()
	k := kernel.Gaussian{Lengthscale: 1}
	weights := make([]float64, len(y))
	for i, c := range y {
		weights[i] = float64(min(c, 1)) // the lowest grade counts for nothing
	}
	if _, err := (Ordinal[kernel.Vec, int]{Kernel: k, Weights: weights}).Fit(t.Context(), x, y); err == nil ||
		!strings.Contains(err.Error(), "all weight of class 0 is 0") {
		t.Errorf("a grade without weight: %v", err)
	}
	if _, err := (Ordinal[kernel.Vec, int]{Kernel: k, Resources: learn.Resources{Bytes: 1000}}).Fit(t.Context(), x,
		y); err == nil {
		t.Error("a budget that is too small is taken")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Ordinal[kernel.Vec, int]{Kernel: k}).Fit(ctx, x, y); err == nil {
		t.Error("a context that has ended is not obeyed")
	}
	if _, err := (Ordinal[kernel.Vec, int]{Kernel: k, Lambda: -1}).Fit(t.Context(), x, y); err == nil {
		t.Error("a negative penalty is taken")
	}
}
