package plot

import (
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// Null draws how a statistic is spread when there is nothing to find, and
// where the observed one lies.
func Null(measure string, draws []float64, observed, threshold float64) (*Figure, error) {
	f := newFigure(measure, "permutations", "distribution of "+measure+" under permutation, with the observed value")
	f.grid()
	h, err := plotter.NewHist(plotter.Values(draws), min(40, max(8, len(draws)/25)))
	if err != nil {
		return nil, err
	}
	h.FillColor = tint(colour(5), 0.6)
	h.LineStyle.Width, h.LineStyle.Color = 0.3, axis
	f.p.Add(h)
	top := 0.0
	for _, b := range h.Bins {
		top = max(top, b.Weight)
	}
	f.legend("by chance", swatch{h.FillColor})
	lines := []struct {
		name  string
		at    float64
		style draw.LineStyle
	}{
		{"observed", observed, draw.LineStyle{Color: colour(4), Width: 1.4}},
		{"rejected beyond", threshold, draw.LineStyle{Color: ink, Width: 0.8, Dashes: dash(1)}},
	}
	for _, l := range lines {
		if bad(l.at) {
			continue
		}
		line, err := plotter.NewLine(plotter.XYs{{X: l.at, Y: 0}, {X: l.at, Y: top * 1.05}})
		if err != nil {
			return nil, err
		}
		line.LineStyle = l.style
		f.p.Add(line)
		f.legend(l.name, line)
	}
	f.p.Y.Min = 0
	return f, nil
}
