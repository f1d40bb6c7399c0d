package ridge

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// calibrated is a ridge classifier with probabilities by learn.Calibrate.
func calibrated(ctx context.Context, x data.Points[kernel.Vec], y []int) (*learn.Calibrated[kernel.Vec, int], error) {
	fit := func(ctx context.Context, rows []int) (learn.Classifier[kernel.Vec, int], error) {
		labels := make([]int, len(rows))
		for r, i := range rows {
			labels[r] = y[i]
		}
		c := Classification[kernel.Vec, int]{Regression: Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1},
			Lambda: 1, Intercept: true}}
		return c.Fit(ctx, data.Gather(x, rows), labels)
	}
	m, err := fit(ctx, par.Indices(0, len(y)))
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
		m := modeltest.Must(calibrated(t.Context(), x, y))(t)
		test, truth := learntest.NoisyCorners(4000, k, 9)
		p, label := modeltest.Proba(t, m, test), modeltest.Predict(t, m, test)
		back := modeltest.Must(restoreClassifier(m.Saved()))(t).(learn.Probabilistic[kernel.Vec])
		if !mat.Equal(p, modeltest.Proba(t, back, test)) {
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

func TestCalibrateTakesAClassOfOnePointAndRefusesABadSlope(t *testing.T) {
	x, y := learntest.NoisyCorners(60, 3, 1)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := calibrated(gone, x, y); err == nil {
		t.Error("cancelled, and no error")
	}
	// A class of one point is missing in the fold that tests it; the others count.
	y[0] = 7
	if c, err := calibrated(t.Context(), x, y); err != nil || !(c.Slope() > 0) {
		t.Errorf("a class of one point: %v", err)
	}
	x, y = learntest.NoisyCorners(40, 2, 3)
	s := modeltest.Must(calibrated(t.Context(), x, y))(t).Saved()
	for _, bad := range []float64{-1, 0, math.NaN(), math.Inf(1)} {
		s.Numbers = map[string]float64{"slope": bad}
		if _, err := restoreClassifier(s); err == nil {
			t.Errorf("a slope of %g was taken", bad)
		}
	}
}
