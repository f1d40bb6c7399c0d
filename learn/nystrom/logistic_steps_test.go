package nystrom

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// riskInParts is the sums of the risk at a place, made in parts.
func riskInParts(
	t *testing.T, e *Equations[kernel.Vec], at []float64, x data.Points[kernel.Vec], codes, w []float64,
) []float64 {
	t.Helper()
	sums := make([]float64, e.RiskLen())
	for lo := 0; lo < x.Len(); lo += 31 {
		hi := min(lo+31, x.Len())
		if err := e.AddRisk(context.Background(), [][]float64{sums}, [][]float64{at},
			data.NewInMemory(data.Span(x, lo, hi), codes[lo:hi], 1, w[lo:hi])); err != nil {
			t.Fatal(err)
		}
	}
	return sums
}

func logisticProblem(
	t *testing.T, classes, n int, intercept bool,
) (*Equations[kernel.Vec], data.Points[kernel.Vec], []int, []float64, []float64) {
	t.Helper()
	x, _, _, centers := scattered(n, 1, false)
	codes, floats, w, shares := make([]int, n), make([]float64, n), learntest.WeightsWith(n, 5, 2),
		make([]float64, classes)
	for i := range codes {
		codes[i] = min(int(math.Abs(x.At(i)[0]+0.7*math.Sin(float64(17*i)))*1.5), classes-1)
		if i < classes {
			codes[i] = i
		}
		floats[i] = float64(codes[i])
		shares[codes[i]] += 1 / float64(n)
	}
	e, err := NewEquations[kernel.Vec](context.Background(), kernel.Gaussian{Lengthscale: 1}, centers, classes, shares,
		intercept, 1)
	if err != nil {
		t.Fatal(err)
	}
	return e, x, codes, floats, w
}

// TestNewtonStepsAreLogistic: passes over parts of the rows arrive where Logistic does on the same
// centres, for two classes and more.
func TestNewtonStepsAreLogistic(t *testing.T) {
	for _, classes := range []int{2, 3, 5} {
		for _, intercept := range []bool{true, false} {
			if testing.Short() && classes == 5 && !intercept {
				continue
			}
			e, x, codes, floats, w := logisticProblem(t, classes, 120, intercept)
			for _, lambda := range []float64{1e-1, 1e-4} {
				s, err := NewLogisticSteps(e, lambda)
				if err != nil {
					t.Fatal(err)
				}
				for !s.Done {
					if err := s.Next(context.Background(), riskInParts(t, e, s.At, x, floats, w)); err != nil {
						t.Fatal(err)
					}
				}
				m, err := s.Model()
				if err != nil {
					t.Fatal(err)
				}
				want, err := Logistic[kernel.Vec, int]{Kernel: e.Kernel, Lambda: lambda, PerPoint: true, Intercept: intercept,
					Weights: w, Given: e.Centers, Options: Options{Tol: 1e-12}}.Fit(context.Background(), x, codes)
				if err != nil {
					t.Fatal(err)
				}
				a, _ := m.Decision(context.Background(), x)
				b, _ := want.Decision(context.Background(), x)
				if !mat.EqualApprox(a, b, 1e-9) {
					var d mat.Dense
					d.Sub(a, b)
					t.Errorf("%d classes, intercept %v, λ = %g: scores differ by up to %g", classes, intercept, lambda,
						math.Max(mat.Max(&d), -mat.Min(&d)))
				}
				if got, want := m.Report(), want.Report(); !got.Converged || !want.Converged ||
					math.Abs(got.Objective-want.Objective) > 1e-10*want.Objective || got.Iterations > 15 {
					t.Errorf("%d classes, intercept %v, λ = %g: %+v, want %+v", classes, intercept, lambda, got, want)
				}
			}
		}
	}
}

// TestOnwardArrivesAtTheSamePlaceInFewerPasses: steps of half the rows, carried on over all of
// them, end where those from f = 0 do.
func TestOnwardArrivesAtTheSamePlaceInFewerPasses(t *testing.T) {
	e, x, _, floats, w := logisticProblem(t, 3, 120, true)
	run := func(s *LogisticSteps[kernel.Vec], n int) *LogisticSteps[kernel.Vec] {
		for !s.Done {
			if err := s.Next(context.Background(), riskInParts(t, e, s.At, data.Span(x, 0, n), floats[:n], w[:n])); err != nil {
				t.Fatal(err)
			}
		}
		if s.Residual > s.Tol {
			t.Errorf("gradient %g after %d passes over %d rows", s.Residual, s.Passes, n)
		}
		return s
	}
	start := func() *LogisticSteps[kernel.Vec] {
		s, err := NewLogisticSteps(e, 1e-2)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	half := run(start(), 60)
	place := slices.Clone(half.At)
	whole, onward := run(start(), 120), run(half.Onward(2), 120)
	if onward.Passes >= whole.Passes {
		t.Errorf("%d passes onward, %d from f = 0", onward.Passes, whole.Passes)
	}
	moved := 0.0
	for i, v := range whole.At {
		moved = max(moved, math.Abs(v-place[i]))
		if math.Abs(onward.At[i]-v) > 1e-7 {
			t.Errorf("number %d is %g onward, %g from f = 0", i, onward.At[i], v)
		}
	}
	if moved < 1e-3 || !slices.Equal(place, half.At) {
		t.Errorf("the solutions of half and all rows differ by %g only, or the half's was changed", moved)
	}
}

// TestRiskSumsAreDerivatives: gradient and second derivative of the sums are the finite differences
// of value and gradient; a list of RiskHead numbers has the same value.
func TestRiskSumsAreDerivatives(t *testing.T) {
	for _, classes := range []int{2, 4} {
		e, x, _, floats, w := logisticProblem(t, classes, 60, true)
		s, err := NewLogisticSteps(e, 1)
		if err != nil {
			t.Fatal(err)
		}
		place, direction := make([]float64, len(s.At)), make([]float64, len(s.At))
		for i := range place {
			place[i], direction[i] = 0.3*math.Sin(float64(i)), math.Cos(3*float64(i))
		}
		const h = 1e-5
		at := func(step float64) []float64 {
			moved := make([]float64, len(place))
			for i := range moved {
				moved[i] = place[i] + step*direction[i]
			}
			return riskInParts(t, e, moved, x, floats, w)
		}
		low, here, high := at(-h), at(0), at(h)
		n, k := e.riskSize(), classes-1
		slope := 0.0
		for i, d := range direction {
			slope += here[RiskHead+i] * d
		}
		learntest.Near(t, "slope", slope, (high[2]-low[2])/(2*h), 1e-7)
		for i := range n { // one row of H·direction after the other
			for a := range k {
				got, offset := 0.0, RiskHead+n*k
				for p := range k {
					for q := range p + 1 {
						for j := range n {
							v := here[offset+max(i, j)*(max(i, j)+1)/2+min(i, j)]
							if p == a {
								got += v * direction[j*k+q]
							}
							if q == a && p != q {
								got += v * direction[j*k+p]
							}
						}
						offset += n * (n + 1) / 2
					}
				}
				place := RiskHead + i*k + a
				if want := (high[place] - low[place]) / (2 * h); math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
					t.Errorf("%d classes: H·d at feature %d of contrast %d is %g, by differences %g", classes, i, a, got, want)
				}
			}
		}
		alone := make([]float64, RiskHead)
		if err := e.AddRisk(context.Background(), [][]float64{alone}, [][]float64{place},
			data.NewInMemory(x, floats, 1, w)); err != nil {
			t.Fatal(err)
		}
		learntest.AllNear(t, "the value alone", alone, here[:RiskHead], 1e-12)
	}
}

// TestNewtonStepsAreHalved: where a whole step overshoots (classes that hardly overlap, next to no
// penalty), the risk still falls from each place that is taken to the next.
func TestNewtonStepsAreHalved(t *testing.T) {
	x, _, _, centers := scattered(120, 1, false)
	codes := make([]float64, x.Len())
	for i := range codes {
		if x.At(i)[0] > 0 {
			codes[i] = 1
		}
	}
	codes[5] = 1 - codes[5]
	e, err := NewEquations[kernel.Vec](context.Background(), kernel.Gaussian{Lengthscale: 0.5}, centers, 2,
		[]float64{0.5, 0.5}, true, 1)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewLogisticSteps(e, 1e-10)
	if err != nil {
		t.Fatal(err)
	}
	w := learntest.WeightsWith(x.Len(), 5, 1)
	last := math.Inf(1)
	for !s.Done {
		if err := s.Next(context.Background(), riskInParts(t, e, s.At, x, codes, w)); err != nil {
			t.Fatal(err)
		}
		if s.objective > last*(1+1e-12) {
			t.Errorf("pass %d: the objective rose from %g to %g", s.Passes, last, s.objective)
		}
		last = s.objective
	}
	if s.Residual > s.Tol {
		t.Errorf("gradient %g after %d passes", s.Residual, s.Passes)
	}
}

// TestRiskRefuses: numbers, lists of another length, sums of nothing.
func TestRiskRefuses(t *testing.T) {
	ctx := context.Background()
	e, x, _, floats, _ := logisticProblem(t, 3, 40, true)
	rows := data.NewInMemory(x, floats, 1, nil)
	s, err := NewLogisticSteps(e, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.AddRisk(ctx, [][]float64{make([]float64, 4)}, [][]float64{s.At}, rows); err == nil {
		t.Error("a sum of 4 numbers")
	}
	if err := e.AddRisk(ctx, [][]float64{make([]float64, RiskHead)}, [][]float64{s.At[1:]}, rows); err == nil {
		t.Error("a place of another length")
	}
	if err := e.AddRisk(ctx, nil, [][]float64{s.At}, rows); err == nil {
		t.Error("a place without a sum")
	}
	if err := s.Next(ctx, make([]float64, e.RiskLen())); err == nil {
		t.Error("sums of no rows")
	}
	if err := s.Next(ctx, nil); err == nil {
		t.Error("no sums")
	}
	if _, err := NewLogisticSteps(e, 0); err == nil {
		t.Error("λ = 0")
	}
	e.Classes = 0
	if _, err := NewLogisticSteps(e, 1); err == nil {
		t.Error("numbers")
	}
}
