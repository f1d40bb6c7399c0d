package all

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/internal/learntest"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/svm"
	"gonum.org/v1/gonum/mat"
)

// The slope of values drawn from the model itself is found again.
func TestFitSlopeFindsTheTruth(t *testing.T) {
	for _, k := range []int{2, 3, 5} {
		for _, truth := range []float64{0.3, 2, 40} {
			rng := rand.New(rand.NewPCG(uint64(k), 1))
			const n = 20000
			scores, code, p := make([]float64, n*k), make([]int, n), make([]float64, k)
			for i := range n {
				row := scores[i*k : (i+1)*k]
				for c := range row {
					row[c] = rng.NormFloat64() / truth
				}
				learn.softmaxOf(p, row, truth)
				u := rng.Float64()
				for code[i] = 0; code[i] < k-1 && u > p[code[i]]; code[i]++ {
					u -= p[code[i]]
				}
			}
			// The information in n draws: the relative error of a is a few times 1/√n.
			if got := learn.FitSlope(scores, code, k); math.Abs(got/truth-1) > 6/math.Sqrt(n) {
				t.Errorf("%d classes: slope %g, want %g", k, got, truth)
			}
		}
	}
	// Two points told apart by 2 and half a point the other way: 2·2/(1+e²ᵃ) = ½·2·e²ᵃ/(1+e²ᵃ).
	if a := learn.FitSlope([]float64{-1, 1, 1, -1}, []int{1, 0}, 2); math.Abs(a-math.Log(4)/2) > 1e-9 {
		t.Errorf("separable values: slope %g", a)
	}
	if a := learn.FitSlope([]float64{0, 0}, []int{1}, 2); a != 1 {
		t.Errorf("values all alike: slope %g", a)
	}
	if a := learn.FitSlope([]float64{1e308, -1e308, -1e308, 1e308}, []int{0, 1}, 2); !(a > 0) || math.IsInf(a, 0) {
		t.Errorf("huge values: slope %g", a)
	}
}

func calibratedRidge(ctx context.Context, x data.Points[kernel.Vec], y []int) (*learn.Calibrated[kernel.Vec, int], error) {
	fit := func(ctx context.Context, rows []int) (learn.Classifier[kernel.Vec, int], error) {
		labels := make([]int, len(rows))
		for r, i := range rows {
			labels[r] = y[i]
		}
		c := ridge.Classification[kernel.Vec, int]{Regression: ridge.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Lambda: 1, Intercept: true}}
		return c.Fit(ctx, data.Gather(x, rows), labels)
	}
	all := make([]int, len(y))
	for i := range all {
		all[i] = i
	}
	m, err := fit(ctx, all)
	if err != nil {
		return nil, err
	}
	return learn.Calibrate(ctx, m, fit, x, y, 1)
}

// Probabilities sum to 1, are largest at the predicted class, come back from
// plain data bit for bit, and say how often the class is right.
func TestCalibratedRidge(t *testing.T) {
	for _, k := range []int{2, 3} {
		x, y := learntest.NoisyCorners(600, k, 1)
		m, err := calibratedRidge(context.Background(), x, y)
		if err != nil {
			t.Fatal(err)
		}
		test, truth := learntest.NoisyCorners(4000, k, 9)
		p, label := m.Proba(nil, test), m.Predict(nil, test)
		back, err := learn.Restore(m.Saved())
		if err != nil {
			t.Fatal(err)
		}
		again := back.(learn.ProbaPredictor[kernel.Vec]).Proba(nil, test)
		if !mat.Equal(p, again) {
			t.Errorf("%d classes: other probabilities after a round trip", k)
		}
		sure, right := 0.0, 0.0
		for i := range label {
			row := p.RawRowView(i)
			if sum := mat.Sum(p.RowView(i)); math.Abs(sum-1) > 1e-12 {
				t.Fatalf("row %d sums to %g", i, sum)
			}
			if learn.ArgMax(row) != label[i] {
				t.Fatalf("row %d is %d, but has %v", i, label[i], row)
			}
			sure += row[label[i]]
			if label[i] == truth[i] {
				right++
			}
		}
		// 4000 outcomes: the mean is known to 0.8 %, the slope to a few per cent.
		if sure, right = sure/4000, right/4000; math.Abs(sure-right) > 0.03 {
			t.Errorf("%d classes: %.3f sure on average, right in %.3f", k, sure, right)
		}
	}
}

func TestCalibrateRefuses(t *testing.T) {
	x, y := learntest.NoisyCorners(60, 3, 1)
	svm := func(ctx context.Context, rows []int) (learn.Classifier[kernel.Vec, int], error) {
		labels := make([]int, len(rows))
		for r, i := range rows {
			labels[r] = y[i]
		}
		return svm.Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 1}, C: 1}.Fit(ctx, data.Gather(x, rows), labels)
	}
	rows := make([]int, 60)
	for i := range rows {
		rows[i] = i
	}
	m, err := svm(context.Background(), rows)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := learn.Calibrate(context.Background(), m, svm, x, y, 1); err == nil {
		t.Error("values of pairs were taken for values of classes")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := calibratedRidge(ctx, x, y); err == nil {
		t.Error("cancelled, and no error")
	}
	// A class of one point is missing in the fold that tests it; the others count.
	y[0] = 7
	if c, err := calibratedRidge(context.Background(), x, y); err != nil || !(c.Slope() > 0) {
		t.Errorf("a class of one point: %v", err)
	}
	s := mustRidge(t).Saved()
	s.Numbers = map[string]float64{learn.slopeNumber: -1}
	if _, err := learn.Restore(s); err == nil {
		t.Error("a negative slope was taken")
	}
}

func mustRidge(t *testing.T) *learn.Calibrated[kernel.Vec, int] {
	t.Helper()
	x, y := learntest.NoisyCorners(40, 2, 3)
	m, err := calibratedRidge(context.Background(), x, y)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A ridge classifier says how sure it is.
func ExampleCalibrate() {
	x, y := learntest.NoisyCorners(300, 2, 1)
	fit := func(ctx context.Context, rows []int) (learn.Classifier[kernel.Vec, int], error) {
		labels := make([]int, len(rows))
		for r, i := range rows {
			labels[r] = y[i]
		}
		return ridge.Classification[kernel.Vec, int]{Regression: ridge.Regression[kernel.Vec]{Kernel: kernel.Linear{}, Lambda: 1}}.Fit(ctx, data.Gather(x, rows), labels)
	}
	everything := make([]int, len(y))
	for i := range everything {
		everything[i] = i
	}
	m, _ := fit(context.Background(), everything)
	c, _ := learn.Calibrate(context.Background(), m, fit, x, y, 1)
	far := data.Rows(mat.NewDense(1, 2, []float64{-3, 0}))
	fmt.Printf("class %d with probability %.2f\n", c.Predict(nil, far)[0], c.Proba(nil, far).At(0, 1))
	// Output: class 1 with probability 1.00
}
