package plot

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot/canvas"
)

func itoa(n int) string { return strconv.Itoa(n) }

// most is how many points a scatter shows; more only blacken it.
const most = 1500

// thin keeps every so-manieth point.
func thin(x, y []float64) xys { return thinTo(x, y, most) }

// thinTo is thin to another number.
func thinTo(x, y []float64, most int) xys {
	step := (len(x) + most - 1) / max(most, 1)
	var out xys
	for i := 0; i < len(x); i += max(step, 1) {
		if !bad(x[i]) && !bad(y[i]) {
			out = append(out, canvas.Point{X: x[i], Y: y[i]})
		}
	}
	return out
}

func (f *Figure) addPoints(xy xys, style int, radius float64) error {
	if len(xy) == 0 {
		return nil
	}
	f.p.Add(dots{xys: xy, style: canvas.Mark{Color: faded(colour(style), len(xy)), Radius: radius, Shape: canvas.Ring}})
	return nil
}

// addMany draws points of one kind: marks, or hexagons where they are a crowd.
func (f *Figure) addMany(x, y []float64) error {
	if len(x) > crowd {
		f.addCounts(points(x, y))
		return nil
	}
	return f.addPoints(points(x, y), 0, 1.5)
}

// reference draws a thin grey line between two points.
func (f *Figure) reference(x0, y0, x1, y1 float64) error {
	for _, v := range []float64{x0, y0, x1, y1} {
		if bad(v) {
			return fmt.Errorf("plot: a line to (%g, %g) cannot be drawn", x1, y1)
		}
	}
	f.p.Add(curve{xys{{X: x0, Y: y0}, {X: x1, Y: y1}}, canvas.Line{Color: axis, Width: 0.8, Dashes: dash(1)}})
	return nil
}

// Predicted plots predicted against true values, beside the line where they
// are equal.
func Predicted(truth, predicted []float64, unit string) (*Figure, error) {
	f := newFigure("true "+AxisName(unit), "predicted "+AxisName(unit), "predicted against true "+unit+" on held-out rows")
	f.grid()
	low, high := math.Inf(1), math.Inf(-1)
	for i := range truth {
		low, high = min(low, truth[i], predicted[i]), max(high, truth[i], predicted[i])
	}
	if err := f.addMany(truth, predicted); err != nil {
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
	f := newFigure("predicted "+AxisName(unit), "true − predicted", "residuals against predicted "+unit+
		" on held-out rows")
	f.grid()
	rest := make([]float64, len(truth))
	low, high := math.Inf(1), math.Inf(-1)
	for i := range truth {
		rest[i] = truth[i] - predicted[i]
		low, high = min(low, predicted[i]), max(high, predicted[i])
	}
	if err := f.addMany(predicted, rest); err != nil {
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
	f := newFigure("predicted probability", "observed frequency",
		"calibration of the predicted probabilities on held-out rows")
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
	tenths := constantTicks{{Value: 0, Label: "0"}, {Value: 0.25, Label: ""}, {Value: 0.5, Label: "0.5"},
		{Value: 0.75, Label: ""}, {Value: 1, Label: "1"}}
	f.p.X.Ticks, f.p.Y.Ticks = tenths, tenths
}

// FitCurve draws a regression on one column: the points and the curve through
// them, with a band where the model gives one.
func FitCurve(x, y string, px, py []float64, curve Series) (*Figure, error) {
	f := newFigure(x, y, "fitted curve of "+y+" against "+x+", with the points")
	f.grid()
	radius := 1.4
	if len(px) > few {
		radius = 1
	}
	if err := f.addSeries([]Series{curve}); err != nil {
		return nil, err
	}
	name := "rows"
	if apart, ok := besideTies(px, py); ok {
		px, name = apart, "rows, spread sideways"
	}
	if err := f.addPoints(thin(px, py), 4, radius); err != nil {
		return nil, err
	}
	f.raiseCurve()
	if curve.Name != "" {
		f.legend(name, ringMark{colour(4)})
	}
	f.roomForMarks()
	return f, nil
}

// mostPlaces is how many values a column has at most whose rows are spread about them.
const mostPlaces = 25

// besideTies are the places of marks where a column has few values, each of many rows: one mark
// would hide the next, so that they stand to both sides of their value, two fifths of the least gap
// wide, in an order that the golden ratio mixes. False: they need no such thing.
func besideTies(px, py []float64) ([]float64, bool) {
	at := map[float64][]int{}
	for i, v := range px {
		if !bad(v) {
			if at[v] = append(at[v], i); len(at) > mostPlaces {
				return nil, false
			}
		}
	}
	places := slices.Sorted(maps.Keys(at))
	if len(places) < 2 || len(px) < 5*len(places) {
		return nil, false
	}
	gap := math.Inf(1)
	for i := 1; i < len(places); i++ {
		gap = min(gap, places[i]-places[i-1])
	}
	out := slices.Clone(px)
	for _, v := range places {
		rows := at[v]
		slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(py[a], py[b]) })
		for k, i := range rows {
			_, share := math.Modf(float64(k) * (math.Sqrt(5) - 1) / 2)
			if len(rows) > 1 {
				out[i] = v + 0.4*gap*(share-0.5)
			}
		}
	}
	return out, true
}

// raiseCurve puts lines above marks: of many marks nothing else would be seen.
func (f *Figure) raiseCurve() {
	slices.SortStableFunc(f.p.layers, func(a, b layer) int {
		rank := func(l layer) int {
			if _, is := l.(curve); is {
				return 1
			}
			return 0
		}
		return rank(a) - rank(b)
	})
}

// Equal is points that ought to lie where both numbers are the same, beside the line of these.
func Equal(x, y, alt string, g Group) (*Figure, error) {
	f := newFigure(x, y, alt)
	f.grid()
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range append(g.X[:len(g.X):len(g.X)], g.Y...) {
		if !bad(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	if err := f.addMany(g.X, g.Y); err != nil {
		return nil, err
	}
	if err := f.reference(low, low, high, high); err != nil {
		return nil, err
	}
	f.roomForMarks()
	return f, nil
}
