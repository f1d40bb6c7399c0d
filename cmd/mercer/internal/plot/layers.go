package plot

import (
	"image/color"
	"math"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot/canvas"
)

// xys are points by their values.
type xys []canvas.Point

// DataRange is what they go over.
func (v xys) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, p := range v {
		xmin, xmax, ymin, ymax = min(xmin, p.X), max(xmax, p.X), min(ymin, p.Y), max(ymax, p.Y)
	}
	return xmin, xmax, ymin, ymax
}

// on are the places of points on a canvas.
func (v xys) on(c canvas.Canvas, p *chart) []canvas.Point {
	tx, ty := p.Transforms(c)
	out := make([]canvas.Point, len(v))
	for i, at := range v {
		out[i] = canvas.Point{X: tx(at.X), Y: ty(at.Y)}
	}
	return out
}

// curve is a line through points.
type curve struct {
	xys
	style canvas.Line
}

// Plot draws what is between the axes.
func (l curve) Plot(c canvas.Canvas, p *chart) { c.StrokeInside(l.style, l.on(c, p)...) }

// Thumbnail draws a piece of the line.
func (l curve) Thumbnail(c canvas.Canvas) {
	y := c.Center().Y
	c.Stroke(l.style, canvas.Point{X: c.Min.X, Y: y}, canvas.Point{X: c.Max.X, Y: y})
}

// area is a filled polygon.
type area struct {
	xys
	color color.Color
}

// Plot fills what is between the axes.
func (a area) Plot(c canvas.Canvas, p *chart) { c.FillInside(a.color, a.on(c, p)...) }

// dots are points with marks.
type dots struct {
	xys
	style canvas.Mark
	each  func(i int) canvas.Mark // a mark for each; nil: style is that of all
}

func (d dots) mark(i int) canvas.Mark {
	if d.each != nil {
		return d.each(i)
	}
	return d.style
}

// Plot draws the marks.
func (d dots) Plot(c canvas.Canvas, p *chart) {
	for i, at := range d.on(c, p) {
		c.Mark(d.mark(i), at)
	}
}

// marks are the boxes of the marks.
func (d dots) marks(p *chart) []room {
	out := make([]room, len(d.xys))
	for i, at := range d.xys {
		r := d.mark(i).Radius
		out[i] = room{p.X.share(at.X), p.Y.share(at.Y), canvas.Rectangle{Min: canvas.Point{X: -r, Y: -r},
			Max: canvas.Point{X: r, Y: r}}}
	}
	return out
}

// Thumbnail draws a mark.
func (d dots) Thumbnail(c canvas.Canvas) { c.Mark(d.style, c.Center()) }

// histogram counts values in bins of one width.
type histogram struct {
	low, width float64
	counts     []int
	fill       color.Color
	line       canvas.Line
}

// newHistogram counts values that are numbers. The greatest belongs to the last bin.
func newHistogram(values []float64, bins int) histogram {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if !bad(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	if !(high > low) {
		bins = 1
	}
	h := histogram{low: low, width: (high - low) / float64(bins), counts: make([]int, bins)}
	if !(h.width > 0) {
		h.width = 1
	}
	for _, v := range values {
		if !bad(v) {
			h.counts[min(int((v-low)/h.width), bins-1)]++
		}
	}
	return h
}

// top is the greatest count.
func (h histogram) top() (most float64) {
	for _, n := range h.counts {
		most = max(most, float64(n))
	}
	return most
}

// DataRange is from the first bin to the last, from zero.
func (h histogram) DataRange() (xmin, xmax, ymin, ymax float64) {
	return h.low, h.low + h.width*float64(len(h.counts)), 0, h.top()
}

// Plot draws the bars.
func (h histogram) Plot(c canvas.Canvas, p *chart) {
	for i, n := range h.counts {
		x0, x1 := h.low+float64(i)*h.width, h.low+float64(i+1)*h.width
		bar := xys{{X: x0, Y: 0}, {X: x1, Y: 0}, {X: x1, Y: float64(n)}, {X: x0, Y: float64(n)}}.on(c, p)
		c.FillInside(h.fill, bar...)
		c.StrokeInside(h.line, append(bar, bar[0])...)
	}
}
