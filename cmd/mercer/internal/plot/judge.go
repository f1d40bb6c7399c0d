package plot

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func itoa(n int) string { return strconv.Itoa(n) }

// most is how many points a scatter shows; more only blacken it.
const most = 1500

// thin keeps every so-manieth point.
func thin(x, y []float64) plotter.XYs {
	step := (len(x) + most - 1) / most
	var out plotter.XYs
	for i := 0; i < len(x); i += max(step, 1) {
		if !bad(x[i]) && !bad(y[i]) {
			out = append(out, plotter.XY{X: x[i], Y: y[i]})
		}
	}
	return out
}

func (f *Figure) addPoints(xy plotter.XYs, style int, radius float64) error {
	if len(xy) == 0 {
		return nil
	}
	s, err := plotter.NewScatter(xy)
	if err != nil {
		return err
	}
	c := colour(style)
	c.A = 255
	s.GlyphStyle = draw.GlyphStyle{Color: c, Radius: vg.Length(radius), Shape: draw.RingGlyph{}}
	f.p.Add(s)
	return nil
}

// reference draws a thin grey line between two points.
func (f *Figure) reference(x0, y0, x1, y1 float64) error {
	l, err := plotter.NewLine(plotter.XYs{{X: x0, Y: y0}, {X: x1, Y: y1}})
	if err != nil {
		return err
	}
	l.LineStyle = draw.LineStyle{Color: axis, Width: 0.8, Dashes: dash(1)}
	f.p.Add(l)
	return nil
}

// Predicted plots predicted against true values, beside the line where they
// are equal.
func Predicted(truth, predicted []float64, unit string) (*Figure, error) {
	f := newFigure("true "+unit, "predicted "+unit, "predicted against true "+unit+" on held-out rows")
	f.grid()
	low, high := math.Inf(1), math.Inf(-1)
	for i := range truth {
		low, high = min(low, truth[i], predicted[i]), max(high, truth[i], predicted[i])
	}
	if err := f.addPoints(thin(truth, predicted), 0, 1.5); err != nil {
		return nil, err
	}
	if err := f.reference(low, low, high, high); err != nil {
		return nil, err
	}
	f.roomForMarks()
	return f, nil
}

// Residuals plots what is left over against the prediction.
func Residuals(truth, predicted []float64, unit string) (*Figure, error) {
	f := newFigure("predicted "+unit, "true − predicted", "residuals against predicted "+unit+" on held-out rows")
	f.grid()
	rest := make([]float64, len(truth))
	low, high := math.Inf(1), math.Inf(-1)
	for i := range truth {
		rest[i] = truth[i] - predicted[i]
		low, high = min(low, predicted[i]), max(high, predicted[i])
	}
	if err := f.addPoints(thin(predicted, rest), 0, 1.5); err != nil {
		return nil, err
	}
	if err := f.reference(low, 0, high, 0); err != nil {
		return nil, err
	}
	f.roomForMarks()
	return f, nil
}

// ROC draws the true against the false positive rate, a curve for each class
// of interest.
func ROC(series ...Series) (*Figure, error) {
	f := newFigure("false positive rate", "true positive rate", "receiver operating characteristic on held-out rows")
	f.grid()
	if err := f.reference(0, 0, 1, 1); err != nil {
		return nil, err
	}
	if err := f.addSeries(series); err != nil {
		return nil, err
	}
	f.unitSquare()
	return f, nil
}

// Calibration draws how often a class came true against the probability that
// was given for it.
func Calibration(series ...Series) (*Figure, error) {
	f := newFigure("predicted probability", "observed frequency", "calibration of the predicted probabilities on held-out rows")
	f.grid()
	if err := f.reference(0, 0, 1, 1); err != nil {
		return nil, err
	}
	for i := range series {
		series[i].Marks = true
	}
	if err := f.addSeries(series); err != nil {
		return nil, err
	}
	f.unitSquare()
	return f, nil
}

func (f *Figure) unitSquare() {
	f.p.X.Min, f.p.X.Max, f.p.Y.Min, f.p.Y.Max = 0, 1, 0, 1
	tenths := plot.ConstantTicks{{Value: 0, Label: "0"}, {Value: 0.25, Label: ""}, {Value: 0.5, Label: "0.5"}, {Value: 0.75, Label: ""}, {Value: 1, Label: "1"}}
	f.p.X.Tick.Marker, f.p.Y.Tick.Marker = tenths, tenths
}

// FitCurve draws a regression on one column: the points and the curve through
// them, with a band where the model gives one.
func FitCurve(x, y string, px, py []float64, curve Series) (*Figure, error) {
	f := newFigure(x, y, "fitted curve of "+y+" against "+x+", with the points")
	f.grid()
	if err := f.addSeries([]Series{curve}); err != nil {
		return nil, err
	}
	if err := f.addPoints(thin(px, py), 4, 1.4); err != nil {
		return nil, err
	}
	if curve.Name != "" {
		f.legend("rows", ringMark{colour(4)})
	}
	f.roomForMarks()
	return f, nil
}
