package play

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

func TestEveryLearnerOfTheLine(t *testing.T) {
	s, _ := drawnSet("sinc")
	p := s.draw(40, 0.1, 1)
	p.Class = nil
	for _, l := range lineLearners() {
		got, fault := asking(t, &Player{}, "regress", map[string]any{"points": p, "kernel": KernelText{Text: "gaussian(lengthscale=1)"}, "learner": l.Name, "bumps": true, "samples": 2, "window": Window{-6, 6, -1, 2}})
		if fault != nil {
			t.Errorf("%s: %s", l.Name, fault.Message)
			continue
		}
		fit, curve := got["fit"].(*Regressed), got["curve"].(*Curve)
		if len(fit.F) != curvePoints || len(curve.Errors) != judgedValues {
			t.Errorf("%s: a curve of %d points, errors of %d", l.Name, len(fit.F), len(curve.Errors))
		}
		if best := float64(curve.Best); !(best > 0) {
			t.Errorf("%s: the best setting is %g", l.Name, best)
		}
		if l.Name == "gp" && (len(fit.Prior) != 2 || len(fit.Posterior[1]) != curvePoints) {
			t.Errorf("gp: %d and %d samples", len(fit.Prior), len(fit.Posterior))
		}
		if l.Kernel && len(fit.Bumps) == 0 {
			t.Errorf("%s: no bumps", l.Name)
		}
	}
}

// The bumps and the bias add up to f.
func TestBumpsAddUp(t *testing.T) {
	s, _ := drawnSet("sinc")
	p := s.draw(30, 0.1, 2)
	for _, l := range []string{"ridge", "svr", "gp"} {
		got, fault := asking(t, &Player{}, "regress", map[string]any{"points": PlanePoints{XY: p.XY}, "kernel": KernelText{Text: "gaussian(lengthscale=1)"}, "learner": l, "bumps": true, "window": Window{-6, 6, -1, 2}})
		if fault != nil {
			t.Fatal(fault)
		}
		fit := got["fit"].(*Regressed)
		for i, f := range fit.F {
			sum := 0.0
			if b := float64(fit.Bias); !math.IsNaN(b) {
				sum = b
			}
			for _, b := range fit.Bumps {
				sum += b[i]
			}
			if math.Abs(sum-f) > 1e-8 {
				t.Fatalf("%s: the bumps add up to %g at %g, f is %g", l, sum, fit.X[i], f)
			}
		}
	}
}

// The curve of a process is that of refits without each point.
func TestLeaveOneOutOfAProcessIsRefitting(t *testing.T) {
	s, _ := drawnSet("sinc")
	p := s.draw(12, 0.1, 3)
	x, y := p.column(0), targets(p)
	l, params, err := lineLearnerOf("gp", map[string]float64{"noise": 0.3})
	if err != nil {
		t.Fatal(err)
	}
	st := lineSettings{kernel: kernel.Gaussian{Lengthscale: 1}, params: params}
	got, err := l.leaveOut(context.Background(), st, x, y, []float64{0.3})
	if err != nil {
		t.Fatal(err)
	}
	folds, _ := data.LeaveOneOut(len(y))
	sum := 0.0
	for i, f := range folds {
		m, err := l.fit(context.Background(), st, data.Gather(x, f.Train), data.Take(y, f.Train))
		if err != nil {
			t.Fatal(err)
		}
		at, _ := m.predict(context.Background(), data.Gather(x, []int{i}))
		sum += (y[i] - at[0]) * (y[i] - at[0])
	}
	if want := math.Sqrt(sum / float64(len(y))); math.Abs(got[0]-want) > 1e-8 {
		t.Errorf("by formula %g, by refits %g", got[0], want)
	}
}
