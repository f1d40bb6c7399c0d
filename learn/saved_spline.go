package learn

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Saved returns the model as plain data: the function of t = ¼ + slope·(x - lo) and, as
// numbers, that map and the values and slopes at the outermost points, where the straight lines begin.
func (m *SplineModel) Saved() Saved[kernel.Vec] {
	return Saved[kernel.Vec]{
		Learner: "smoothing-spline", Func: m.ridge.f, Report: m.ridge.report,
		Numbers: map[string]float64{
			"lo": m.lo, "hi": m.hi, "slope": m.slope, "lambda": m.lambda, "order": float64(m.order),
			"low value": m.atLow[0], "low slope": m.atLow[1], "high value": m.atHigh[0], "high slope": m.atHigh[1],
		},
	}
}

// splinePredictor is a restored spline, whose points are vectors of one coordinate.
type splinePredictor struct {
	m     *SplineModel
	saved Saved[kernel.Vec]
}

func restoreSpline[T any](s Saved[T]) (Predictor[T], error) {
	v, ok := any(s).(Saved[kernel.Vec])
	if !ok {
		return nil, fmt.Errorf("a spline has points on a line, not %T", *new(T))
	}
	if err := v.noClasses(); err != nil {
		return nil, err
	}
	if err := v.outputs(1); err != nil {
		return nil, err
	}
	for i := range v.Func.Centers.Len() {
		if d := len(v.Func.Centers.At(i)); d != 1 {
			return nil, fmt.Errorf("centre %d has %d coordinates, want 1", i, d)
		}
	}
	m := &SplineModel{ridge: &RidgeModel[kernel.Vec]{f: v.Func, report: v.Report}}
	order := 0.0
	for name, to := range map[string]*float64{
		"lo": &m.lo, "hi": &m.hi, "slope": &m.slope, "lambda": &m.lambda, "order": &order,
		"low value": &m.atLow[0], "low slope": &m.atLow[1], "high value": &m.atHigh[0], "high slope": &m.atHigh[1],
	} {
		var err error
		if *to, err = v.number(name); err != nil {
			return nil, err
		}
	}
	if m.order = int(order); order != 1 && order != 2 || !(m.hi > m.lo) || !(m.slope > 0) {
		return nil, fmt.Errorf("order %g from %g to %g by %g is no spline", order, m.lo, m.hi, m.slope)
	}
	p, ok := any(splinePredictor{m, v}).(Predictor[T])
	if !ok {
		return nil, fmt.Errorf("a spline has points on a line, not %T", *new(T))
	}
	return p, nil
}

func (p splinePredictor) Func() *rkhs.Func[kernel.Vec] { return p.m.Func() }
func (p splinePredictor) Report() Report               { return p.m.Report() }
func (p splinePredictor) Saved() Saved[kernel.Vec]     { return p.saved }

// CheckPoints refuses what is not one finite number: the function's own kernel
// would refuse all that is not yet mapped to [0, 1].
func (p splinePredictor) CheckPoints(x data.Points[kernel.Vec]) error {
	for i := range x.Len() {
		if v := x.At(i); len(v) != 1 || math.IsNaN(v[0]) || math.IsInf(v[0], 0) {
			return fmt.Errorf("row %d is %v; a spline takes one finite number", i, v)
		}
	}
	return nil
}

// Scores writes the values of the spline as a column.
func (p splinePredictor) Scores(dst *mat.Dense, x data.Points[kernel.Vec]) *mat.Dense {
	if x.Len() == 0 {
		return new(mat.Dense)
	}
	if dst == nil {
		dst = mat.NewDense(x.Len(), 1, nil)
	}
	line := make([]float64, x.Len())
	for i := range line {
		line[i] = x.At(i)[0]
	}
	dst.SetCol(0, p.m.Predict(nil, line))
	return dst
}

var _ PointChecker[kernel.Vec] = splinePredictor{}
