package play

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

func TestEveryLearnerOfTheLine(t *testing.T) {
	s, _ := drawnSet("sinc")
	p := s.draw(40, 0.1, 1)
	p.Class = nil
	for _, l := range lineLearners() {
		got, fault := asking(t, &Player{}, "regress", map[string]any{"points": p,
			"kernel": KernelText{Text: "gaussian(lengthscale=1)"}, "learner": l.Name, "bumps": true, "samples": 2,
			"window": Window{-6, 6, -1, 2}})
		if fault != nil {
			t.Errorf("%s: %s", l.Name, fault.Message)
			continue
		}
		// of a learner with nothing to set
		fit, curve := got["fit"].(*Regressed), &Curve{Errors: make(Drawn, judgedValues), Best: 1}
		if len(l.Settings) > 0 {
			curve = got["curve"].(*Curve)
		}
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
	for _, l := range []string{"ridge", "svr", "gp", "rvm", "l1vm", "l2vm", "basis"} {
		got, fault := asking(t, &Player{}, "regress", map[string]any{"points": PlanePoints{XY: p.XY},
			"kernel": KernelText{Text: "gaussian(lengthscale=1)"}, "learner": l, "bumps": true, "window": Window{-6, 6, -1, 2}})
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

// The errors of ten folds along a path are those of refits.
func TestPathsAreRefits(t *testing.T) {
	s, _ := drawnSet("sinc")
	p := s.draw(30, 0.1, 1)
	x, y := p.column(0), targets(p)
	for _, l := range lineLearners() {
		if l.folds == nil {
			continue
		}
		settings := lineSettings{kernel: kernel.Gaussian{Lengthscale: 1}, params: map[string]float64{}}
		values := []float64{0.01, 0.3, 10}
		fast, err := l.folds(context.Background(), settings, x, y, values)
		if err != nil {
			t.Fatal(err)
		}
		slow, err := l.tenFold(context.Background(), settings, x, y, values)
		if err != nil {
			t.Fatal(err)
		}
		for i := range values {
			if math.Abs(fast[i]-slow[i]) > 1e-3*slow[i] {
				t.Errorf("%s, λ = %g: %g along the path, %g by refits", l.Name, values[i], fast[i], slow[i])
			}
		}
	}
}

// The design matrix is kernel values at even centres, and basis functions that are normalised add
// up to one.
func TestDesignMatrix(t *testing.T) {
	s, _ := drawnSet("sine")
	p := s.draw(25, 0.1, 1)
	ask := func(normalised float64) *Regressed {
		got, fault := asking(t, &Player{}, "regress", map[string]any{"points": PlanePoints{XY: p.XY},
			"kernel": KernelText{Text: "gaussian(lengthscale=0.5)"}, "learner": "basis",
			"params": map[string]float64{"centres": 6, "normalised": normalised}, "window": Window{-4, 4, -2, 2}})
		if fault != nil {
			t.Fatal(fault)
		}
		return got["fit"].(*Regressed)
	}
	x := make([]float64, p.Len())
	for i := range x {
		x[i] = p.XY[2*i]
	}
	slices.Sort(x)
	plain := ask(0)
	for i, v := range x {
		for j := range 6 {
			far := (v - (x[0] + float64(j)*(x[len(x)-1]-x[0])/5)) / 0.5
			if got, want := plain.Design.Values[6*i+j], math.Exp(-far*far/2); !near(got, want) {
				t.Fatalf("φ(%g) at centre %d is %g, want %g", v, j, got, want)
			}
		}
	}
	whole := ask(1)
	for i := range whole.X {
		sum := 0.0
		for _, b := range whole.Basis {
			sum += b[i]
		}
		if !near(sum, 1) {
			t.Fatalf("at %g they add up to %g", whole.X[i], sum)
		}
	}
	for _, params := range []map[string]float64{{"centres": 0}, {"centres": 1000}, {"centres": 2.5}} {
		if _, fault := asking(t, &Player{}, "regress", map[string]any{"points": PlanePoints{XY: p.XY},
			"kernel": KernelText{Text: "gaussian()"}, "learner": "basis", "params": params,
			"window": Window{-4, 4, -2, 2}}); fault == nil || fault.Field != "params.centres" {
			t.Errorf("%v: %v", params, fault)
		}
	}
	if _, fault := asking(t, &Player{}, "regress", map[string]any{"points": PlanePoints{},
		"kernel": KernelText{Text: "gaussian()"}, "learner": "basis", "window": Window{-4, 4, -2, 2}}); fault == nil {
		t.Error("no points are no fault")
	}
}
