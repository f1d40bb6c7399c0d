package ridge

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Saved returns the model as plain data: the function of t = ¼ + slope·(x - lo) and, as numbers,
// that map and the values and slopes at the outermost points, where the straight lines begin.
func (m *SplineRegressor) Saved() learn.Saved[kernel.Vec] {
	return learn.Saved[kernel.Vec]{
		Learner: "smoothing-spline", Func: m.ridge.Func(), Report: m.ridge.Report(),
		Numbers: map[string]float64{
			"lo": m.lo, "hi": m.hi, "slope": m.slope, "lambda": m.lambda, "order": float64(m.order),
			"low value": m.atLow[0], "low slope": m.atLow[1], "high value": m.atHigh[0], "high slope": m.atHigh[1],
		},
	}
}

func restoreSpline(s learn.Saved[any]) (learn.Model[any], error) {
	v, ok := fitting.SavedOnVectors(s)
	if !ok {
		return nil, fmt.Errorf("a spline has points on a line, not %T", data.Concrete(s.Func.Centers))
	}
	if err := v.CheckValues(); err != nil {
		return nil, err
	}
	if err := v.CheckOutputs(1); err != nil {
		return nil, err
	}
	for i := range v.Func.Centers.Len() {
		if d := len(v.Func.Centers.At(i)); d != 1 {
			return nil, fmt.Errorf("centre %d has %d coordinates, want 1", i, d)
		}
	}
	m := &SplineRegressor{ridge: newRegressor(v.Func, v.Report)}
	order := 0.0
	for name, to := range map[string]*float64{
		"lo": &m.lo, "hi": &m.hi, "slope": &m.slope, "lambda": &m.lambda, "order": &order,
		"low value": &m.atLow[0], "low slope": &m.atLow[1], "high value": &m.atHigh[0], "high slope": &m.atHigh[1],
	} {
		var err error
		if *to, err = v.Number(name); err != nil {
			return nil, err
		}
	}
	if m.order = int(order); order != 1 && order != 2 || !(m.hi > m.lo) || !(m.slope > 0) {
		return nil, fmt.Errorf("order %g from %g to %g by %g is no spline", order, m.lo, m.hi, m.slope)
	}
	return learn.OnVectors(m), nil
}
