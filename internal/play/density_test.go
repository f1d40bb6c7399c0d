package play

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/density"
)

func peaks(n int) PlanePoints {
	s, _ := drawnSet("peaks")
	return PlanePoints{XY: s.draw(n, 0.5, 1).XY}
}

func askDensity(t *testing.T, p PlanePoints, more map[string]any) (*Estimated, *Curve, *Fault) {
	t.Helper()
	q := map[string]any{"points": p, "method": "parzen", "smoother": "epanechnikov", "bandwidth": 0.6,
		"window": Window{-5, 5, 0, 1}}
	for name, v := range more {
		q[name] = v
	}
	got, fault := asking(t, &Player{}, "density", q)
	out, _ := got["density"].(*Estimated)
	if c, ok := got["curve"].(Curve); ok {
		return out, &c, fault
	}
	return out, nil, fault
}

// The estimates are the mean of windows, by a double loop, and the windows listed add up to them.
func TestWindowsAddUp(t *testing.T) {
	p := peaks(30)
	out, _, fault := askDensity(t, p, nil)
	if fault != nil {
		t.Fatal(fault)
	}
	for e, h := range []float64{0.15, 0.6, 2.4} {
		for i, x := range out.X {
			loop, sum := 0.0, 0.0
			for j := range p.Len() {
				if u := (x - p.XY[2*j]) / h; math.Abs(u) <= 1 {
					loop += 0.75 * (1 - u*u) / (h * float64(p.Len()))
				}
				sum += out.Estimates[e].Windows[j][i]
			}
			if got := out.Estimates[e].P[i]; !near(got, loop) || !near(sum, loop) {
				t.Fatalf("h = %g: p(%g) is %g, its windows add up to %g, the loop has %g", h, x, got, sum, loop)
			}
		}
	}
}

// The curve is that of fits without each point.
func TestLikelihoodLeavesOneOut(t *testing.T) {
	p := peaks(12)
	_, c, fault := askDensity(t, p, map[string]any{"smoother": "gaussian"})
	if fault != nil {
		t.Fatal(fault)
	}
	for i, h := range c.Values {
		mean := 0.0
		for left := range p.Len() {
			others := append(append([]float64(nil), p.XY[:2*left]...), p.XY[2*left+2:]...)
			m, err := density.KDE{Bandwidth: h}.Fit(context.Background(), PlanePoints{XY: others}.column(0))
			if err != nil {
				t.Fatal(err)
			}
			v, err := m.LogDensity(context.Background(), line([]float64{p.XY[2*left]}))
			if err != nil {
				t.Fatal(err)
			}
			mean += v[0] / float64(p.Len())
		}
		// n·p − k(0)/h loses the digits of what is far below k(0)/h, which is far below what is
		// drawn.
		if got := c.Errors[i]; mean > -8 && math.Abs(got-mean) > 1e-6*(1+math.Abs(mean)) {
			t.Errorf("h = %g: %g, refits have %g", h, got, mean)
		}
	}
	if best := float64(c.Best); !(best > 0.05 && best < 3) {
		t.Errorf("the likeliest bandwidth is %g", best)
	}
}

// By neighbours the density is k/(n·V), V twice the distance of the k-th.
func TestDensityByNeighbours(t *testing.T) {
	p := peaks(20)
	out, c, fault := askDensity(t, p, map[string]any{"method": "neighbours", "neighbours": 4})
	if fault != nil || c != nil {
		t.Fatal(fault, c)
	}
	for e, k := range []int{1, 4, 16} {
		for i, x := range out.X {
			far := make([]float64, p.Len())
			for j := range far {
				far[j] = math.Abs(x - p.XY[2*j])
			}
			at := largest(far, p.Len()-k+1) // all but the k − 1 nearest
			radius := math.Inf(1)
			for _, j := range at {
				radius = min(radius, far[j])
			}
			if want := float64(k) / (float64(p.Len()) * 2 * radius); !near(out.Estimates[e].P[i], want) {
				t.Fatalf("k = %d at %g: %g, the loop has %g", k, x, out.Estimates[e].P[i], want)
			}
		}
	}
}

func TestDensityRefuses(t *testing.T) {
	for field, more := range map[string]map[string]any{
		"points": {"points": PlanePoints{XY: []float64{1, 0}}}, "smoother": {"smoother": "triangle"},
		"bandwidth": {"bandwidth": 0}, "method": {"method": "guess"},
		"neighbours": {"method": "neighbours", "neighbours": 31}, "window": {"window": Window{1, 1, 0, 1}},
	} {
		if _, _, fault := askDensity(t, peaks(30), more); fault == nil || fault.Field != field {
			t.Errorf("%s: %v", field, fault)
		}
	}
	// Points that are all the same have a density at a given width, and no rule.
	same := PlanePoints{XY: make([]float64, 10)}
	out, _, fault := askDensity(t, same, nil)
	if fault != nil {
		t.Fatal(fault)
	}
	for _, r := range out.Readings {
		if r.Text != "none" || r.Note == "" {
			t.Errorf("%s of equal points: %v", r.Name, r)
		}
	}
}
