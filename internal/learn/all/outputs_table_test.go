package all

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// The kernel of the outputs is heeded or refused by every learner of the table: with B = I up to a
// factor the targets are those apart, with outputs that are one another's copies they are not.
func TestOutputsAreHeededOrRefused(t *testing.T) {
	for _, a := range everyPair() {
		if a.task != data.Regression {
			continue
		}
		p := a.contrary(once)
		second := make([]float64, p.Len())
		for i := range p.Y { // a signal, and another with little of it and much else
			v := p.Points.At(i).(kernel.Vec)[0]
			p.Y[i], second[i] = math.Sin(2*v)+0.3*float64(i%3), math.Cos(v)+0.2*float64(i%5)
		}
		p.More = [][]float64{second}
		p.Outputs = mat.NewSymDense(2, []float64{1, 0.95, 0.95, 1})
		if !a.l.Joint {
			if _, err := a.l.Fit(t.Context(), a.s, p); err == nil {
				t.Errorf("%v fits a kernel of the outputs as if it were not there", a)
			}
			continue
		}
		coupled := a.said(t, p, p.Points)
		p.Outputs = nil
		apart := a.said(t, p, p.Points)
		if distance(coupled, apart) < 1e-3 {
			t.Errorf("%v: a kernel of the outputs changes nothing", a)
		}
		bad := p
		bad.Outputs = mat.NewSymDense(2, []float64{1, 2, 2, 1})
		if _, err := a.l.Fit(t.Context(), a.s, bad); err == nil {
			t.Errorf("%v fits a kernel of the outputs that is none", a)
		}
		one := p
		one.More, one.Outputs = nil, nil
		s := a.s
		s.Params = map[string]float64{"outputs": 1, "lambda": 1}
		if _, err := a.l.Fit(t.Context(), s, one); err == nil {
			t.Errorf("%v joins one target", a)
		}
		if l, ok := Described(a.l.Name); !ok || !l.Several {
			t.Errorf("%v is joint, and not of several targets", a)
		}
	}
	var joint int
	for _, l := range Learners() {
		if l.Joint {
			joint++
		}
	}
	if joint != 2 {
		t.Errorf("%d joint learners", joint)
	}
}
