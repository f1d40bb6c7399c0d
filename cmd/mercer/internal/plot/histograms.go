package plot

import (
	"fmt"
	"image/color"
	"math"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot/canvas"
)

// Sample is numbers with a name.
type Sample struct {
	Name   string
	Values []float64
}

// Histograms draws how samples are spread, in bins that they share, over each other, and a line at
// a number that divides them.
func Histograms(x, y, alt, line string, at float64, samples ...Sample) (*Figure, error) {
	f := newFigure(x, y, alt)
	f.grid()
	var all []float64
	for _, s := range samples {
		for _, v := range s.Values {
			if bad(v) {
				return nil, fmt.Errorf("plot: %g among the values of %q", v, s.Name)
			}
		}
		all = append(all, s.Values...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("plot: there are no values of %s", x)
	}
	shared := newHistogram(all, min(40, max(8, int(2*math.Cbrt(float64(len(all)))))))
	shared.alignTo(at)
	top := 0.0
	for i, s := range samples {
		if len(s.Values) == 0 {
			continue
		}
		h := shared.of(s.Values)
		c := colour(i)
		h.fill, h.line = color.NRGBA{c.R, c.G, c.B, 110}, canvas.Line{Color: darker(c), Width: 0.4}
		f.p.Add(h)
		f.legend(s.Name, swatch{h.fill})
		top = max(top, h.top())
	}
	border := curve{xys{{X: at, Y: 0}, {X: at, Y: 1.05 * top}}, canvas.Line{Color: ink, Width: 1, Dashes: dash(1)}}
	f.p.Add(border)
	f.legend(line, border)
	f.p.Y.Min = 0
	f.p.X.Min, f.p.X.Max = margin(f.p.X.Min, f.p.X.Max)
	return f, nil
}

// alignTo moves the bins by less than one so that a number lies between two of them: no bin holds
// values of both sides.
func (h *histogram) alignTo(at float64) {
	if shift := math.Mod(at-h.low, h.width); shift > 0 {
		h.low += shift - h.width
		h.counts = append(h.counts, 0)
	} else if shift < 0 {
		h.low += shift
		h.counts = append(h.counts, 0)
	}
}

// of is the same bins with other values, all of which lie in them. A value on an edge belongs to
// the bin above it, but for the greatest.
func (h histogram) of(values []float64) histogram {
	h.counts = make([]int, len(h.counts))
	for _, v := range values {
		h.counts[max(0, min(int(math.Floor((v-h.low)/h.width)), len(h.counts)-1))]++
	}
	return h
}
