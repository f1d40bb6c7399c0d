package plot

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot/canvas"
)

// Series is one curve, with a band around it where Low and High are given.
type Series struct {
	Name      string
	X, Y      []float64
	Low, High []float64
	Band      string // what the band is, for the legend
	Marks     bool
}

func points(x, y []float64) xys {
	out := make(xys, 0, len(x))
	for i := range x {
		if !bad(x[i]) && !bad(y[i]) {
			out = append(out, canvas.Point{X: x[i], Y: y[i]})
		}
	}
	return out
}

// runs are the stretches of a curve, first and behind the last, in which all values are numbers: it
// is broken where it has no value.
func runs(x []float64, values ...[]float64) (out [][2]int) {
	from := -1
	for i := range x {
		ok := !bad(x[i])
		for _, v := range values {
			ok = ok && !bad(v[i])
		}
		switch {
		case ok && from < 0:
			from = i
		case !ok && from >= 0:
			out, from = append(out, [2]int{from, i}), -1
		}
	}
	if from >= 0 {
		out = append(out, [2]int{from, len(x)})
	}
	return out
}

func bad(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

// addSeries draws curves in order; i is the place of the first in the palette.
func (f *Figure) addSeries(series []Series) error {
	for i, s := range series {
		if len(s.Low) == len(s.X) && len(s.X) > 1 {
			drawn := false
			for _, r := range runs(s.X, s.Low, s.High) {
				outline := append(points(s.X[r[0]:r[1]], s.High[r[0]:r[1]]), reversed(points(s.X[r[0]:r[1]], s.Low[r[0]:r[1]]))...)
				if len(outline) > 2 {
					f.p.Add(area{outline, tint(colour(i), 0.22)})
					drawn = true
				}
			}
			if drawn && s.Band != "" {
				defer f.legend(s.Band, swatch{tint(colour(i), 0.22)})
			}
		}
	}
	for i, s := range series {
		xy := points(s.X, s.Y)
		if len(xy) == 0 {
			continue
		}
		line := curve{xy, canvas.Line{Color: colour(i), Width: 1.2, Dashes: dash(i)}}
		for _, r := range runs(s.X, s.Y) {
			f.p.Add(curve{points(s.X[r[0]:r[1]], s.Y[r[0]:r[1]]), line.style})
		}
		thumbs := []thumbnailer{line}
		if s.Marks {
			marks := dots{xys: xy, style: canvas.Mark{Color: colour(i), Radius: 1.8, Shape: shape(i)}}
			f.p.Add(marks)
			thumbs = append(thumbs, marks)
		}
		if s.Name != "" {
			f.legend(s.Name, thumbs...)
		}
	}
	return nil
}

func reversed(v xys) xys {
	out := make(xys, len(v))
	for i := range v {
		out[len(v)-1-i] = v[i]
	}
	return out
}

// Lines draws curves over common axes.
func Lines(x, y, alt string, logX bool, series ...Series) (*Figure, error) {
	f := newFigure(x, y, alt)
	f.grid()
	if err := f.addSeries(series); err != nil {
		return nil, err
	}
	if y := &f.p.Y; y.Max > y.Min { // a curve is not to run along the edge, but for that of 0
		low, high := margin(y.Min, y.Max)
		if y.Min < 0 || low > 0 {
			y.Min = low
		}
		if y.Max != 0 {
			y.Max = high
		}
	}
	if logX {
		f.p.X.Log = true
		f.p.X.Ticks = powerTicks{}
	}
	return f, nil
}

// LogLog draws curves with marks over two logarithmic axes: a power is a straight line. Numbers
// have to be positive.
func LogLog(x, y, alt string, series ...Series) (*Figure, error) {
	for i, s := range series {
		for _, p := range points(s.X, s.Y) {
			if !(p.X > 0 && p.Y > 0) {
				return nil, fmt.Errorf("plot: (%g, %g) of %q has no logarithm", p.X, p.Y, s.Name)
			}
		}
		series[i].Marks = true
	}
	f, err := Lines(x, y, alt, true, series...)
	if err != nil {
		return nil, err
	}
	f.p.Y.Log, f.p.Y.Ticks = true, powerTicks{}
	for _, a := range []*chartAxis{&f.p.X, &f.p.Y} {
		a.Min, a.Max = math.Inf(1), math.Inf(-1)
	}
	for _, s := range series { // the room about the marks is of the logarithms
		for _, p := range points(s.X, s.Y) {
			f.p.X.Min, f.p.X.Max, f.p.Y.Min, f.p.Y.Max = min(f.p.X.Min, p.X), max(f.p.X.Max, p.X), min(f.p.Y.Min, p.Y),
				max(f.p.Y.Max, p.Y)
		}
	}
	for _, a := range []*chartAxis{&f.p.X, &f.p.Y} {
		room := math.Pow(a.Max/a.Min, 0.04)
		a.Min, a.Max = a.Min/room, a.Max*room
		widen(a)
	}
	return f, nil
}

// LearningCurve shows a score against the number of rows learnt from, on the
// rows used and on rows held out.
func LearningCurve(metric string, series ...Series) (*Figure, error) {
	for i := range series {
		series[i].Marks = true
	}
	f, err := Lines("rows learnt from", metric, "learning curve: "+metric+" against the number of training rows", false,
		series...)
	if err != nil {
		return nil, err
	}
	f.p.X.Min = 0
	return f, nil
}

// Spectrum shows the eigenvalues of a Gram matrix, largest first, on
// logarithmic axes: how many directions the kernel uses. Those that are 0 but for rounding, n·ε of
// the largest, and those below 0 have no place there, and are counted.
func Spectrum(values []float64, lambda float64) (*Figure, error) {
	f := newFigure("index", "eigenvalue", "eigenvalues of the Gram matrix in decreasing order")
	f.grid()
	s, zero, below := Series{}, 0, 0
	for i, v := range values {
		switch rounding := float64(len(values)) * 0x1p-52 * values[0]; {
		case v > rounding:
			s.X, s.Y = append(s.X, float64(i+1)), append(s.Y, v)
		case v < -rounding:
			below++
		default:
			zero++
		}
	}
	if len(s.X) == 0 {
		s.X, s.Y = []float64{1}, []float64{1}
	}
	s.Marks = len(s.X) <= 20
	all := []Series{s}
	if lambda > 0 {
		all[0].Name = "eigenvalue"
		all = append(all, Series{Name: "regularisation λ", X: []float64{s.X[0], s.X[len(s.X)-1]},
			Y: []float64{lambda, lambda}})
	}
	if err := f.addSeries(all); err != nil {
		return nil, err
	}
	f.p.X.Log, f.p.Y.Log = true, true
	f.p.X.Ticks, f.p.Y.Ticks = powerTicks{}, powerTicks{}
	widen(&f.p.X)
	widen(&f.p.Y)
	if len(values) == 0 || values[0] <= 0 {
		return f, nil
	}
	if zero > 0 {
		f.legend(fmt.Sprintf("not shown: %d of 0, to rounding", zero))
	}
	if below > 0 {
		f.legend(fmt.Sprintf("not shown: %d below 0", below))
	}
	return f, nil
}

// FromZero begins the axis of values at 0 where they come near it.
func (f *Figure) FromZero() {
	if y := &f.p.Y; y.Min > 0 && y.Min < 0.3*y.Max {
		y.Min = 0
	}
}

// widen makes room on a logarithmic axis of one value.
func widen(a *chartAxis) {
	if a.Min == a.Max {
		a.Min, a.Max = a.Min/2, a.Max*2
	}
}
