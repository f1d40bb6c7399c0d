package plot

import (
	"fmt"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot/canvas"
)

// mostSpans is how many times further out than chance goes an observed value may lie on the axis.
const mostSpans = 12.0

// Null draws how a statistic is spread when there is nothing to find, and
// where the observed one lies.
func Null(measure string, draws []float64, observed, threshold float64) (*Figure, error) {
	f := newFigure(measure, "permutations", "distribution of "+measure+" under permutation, with the observed value")
	f.grid()
	for _, v := range draws {
		if bad(v) {
			return nil, fmt.Errorf("plot: %g among the values of %s under permutation", v, measure)
		}
	}
	if len(draws) == 0 {
		return nil, fmt.Errorf("plot: there are no values of %s under permutation", measure)
	}
	h := newHistogram(draws, min(40, max(8, len(draws)/25)))
	h.fill, h.line = tint(colour(5), 0.6), canvas.Line{Color: axis, Width: 0.3}
	f.p.Add(h)
	top := h.top()
	f.legend("by chance", swatch{h.fill})
	// An observed value far from all that chance does would leave a bar of no width: it stands at the
	// edge, and the legend has its number.
	name := "observed"
	low, high, _, _ := h.DataRange()
	if span := max(high, threshold) - low; !bad(observed) && span > 0 && observed > low+mostSpans*span {
		name = "observed, off the axis: " + short(observed)
		observed = low + mostSpans/3*span
	}
	lines := []struct {
		name  string
		at    float64
		style canvas.Line
	}{
		{name, observed, canvas.Line{Color: colour(4), Width: 1.4}},
		{"rejected beyond", threshold, canvas.Line{Color: ink, Width: 0.8, Dashes: dash(1)}},
	}
	for _, l := range lines {
		if bad(l.at) {
			continue
		}
		line := curve{xys{{X: l.at, Y: 0}, {X: l.at, Y: top * 1.05}}, l.style}
		f.p.Add(line)
		f.legend(l.name, line)
	}
	f.p.Y.Min = 0
	return f, nil
}
