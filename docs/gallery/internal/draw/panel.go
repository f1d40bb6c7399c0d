package draw

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// Panel is one pair of axes.
type Panel struct {
	plot    *plot.Plot
	entries []entry
}

// New is a panel with a heading and names of its axes.
func New(title, x, y string) *Panel {
	p := plot.New()
	p.BackgroundColor = color.White
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.TextStyle.Font, p.Title.TextStyle.Color, p.Title.Padding = sans(8), ink, 3
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font, a.Label.TextStyle.Color, a.Label.Padding = sans(8), ink, 1
		a.Tick.Label.Font, a.Tick.Label.Color, a.Tick.Length = sans(7), ink, 3
		a.Tick.LineStyle.Width, a.Tick.LineStyle.Color = 0.5, grey
		a.LineStyle.Width, a.LineStyle.Color, a.Padding = 0.5, grey, 2
		a.Tick.Marker = roundTicks{}
	}
	return &Panel{plot: p}
}

func (p *Panel) name(name string, thumb plot.Thumbnailer) {
	p.entries = append(p.entries, entry{name, thumb})
}

func xys(x, y []float64) plotter.XYs {
	out := make(plotter.XYs, len(x))
	for i := range x {
		out[i] = plotter.XY{X: x[i], Y: y[i]}
	}
	return out
}

// Curve joins points by a line in the i-th colour and dash.
func (p *Panel) Curve(name string, i int, x, y []float64) {
	l := Must(plotter.NewLine(xys(x, y)))
	l.LineStyle = vgdraw.LineStyle{Color: palette[i], Width: 1.3, Dashes: dashes[i]}
	p.plot.Add(l)
	p.name(name, l)
}

// Thin is a thin grey line: one of many, or something to compare with.
func (p *Panel) Thin(name string, x, y []float64) {
	l := Must(plotter.NewLine(xys(x, y)))
	l.LineStyle = vgdraw.LineStyle{Color: grey, Width: 0.7}
	p.plot.Add(l)
	p.name(name, l)
}

// Dots are points with the i-th colour and mark.
func (p *Panel) Dots(name string, i int, x, y []float64) {
	s := Must(plotter.NewScatter(xys(x, y)))
	s.GlyphStyle = vgdraw.GlyphStyle{Color: palette[i], Radius: 1.8, Shape: shapes[i]}
	p.plot.Add(s)
	p.name(name, s)
}

// Grains are observations that a curve is drawn over: small and grey.
func (p *Panel) Grains(name string, x, y []float64) {
	s := Must(plotter.NewScatter(xys(x, y)))
	s.GlyphStyle = vgdraw.GlyphStyle{Color: grey, Radius: 1.4, Shape: vgdraw.CircleGlyph{}}
	p.plot.Add(s)
	p.name(name, s)
}

// Rings go around points that matter.
func (p *Panel) Rings(name string, x, y []float64) {
	s := Must(plotter.NewScatter(xys(x, y)))
	s.GlyphStyle = vgdraw.GlyphStyle{Color: color.Black, Radius: 3.4, Shape: vgdraw.RingGlyph{}}
	p.plot.Add(s)
	p.name(name, s)
}

// Stems are values as strokes from 0, each with a dot.
func (p *Panel) Stems(name string, i int, x, y []float64) {
	for j := range x {
		l := Must(plotter.NewLine(plotter.XYs{{X: x[j]}, {X: x[j], Y: y[j]}}))
		l.LineStyle = vgdraw.LineStyle{Color: palette[i], Width: 0.8}
		p.plot.Add(l)
	}
	p.Dots(name, i, x, y)
}

// Across are values as strokes to the right of 0, each with a dot.
func (p *Panel) Across(name string, i int, x, y []float64) {
	for j := range x {
		l := Must(plotter.NewLine(plotter.XYs{{Y: y[j]}, {X: x[j], Y: y[j]}}))
		l.LineStyle = vgdraw.LineStyle{Color: palette[i], Width: 0.8}
		p.plot.Add(l)
	}
	p.Dots(name, i, x, y)
}

// Histogram counts values in bins, scaled to an area of 1.
func (p *Panel) Histogram(name string, i int, values []float64, bins int) {
	h := Must(plotter.NewHist(plotter.Values(values), bins))
	h.Normalize(1)
	h.FillColor, h.LineStyle = tint(palette[i], 0.4), vgdraw.LineStyle{Color: palette[i], Width: 0.5}
	p.plot.Add(h)
	p.name(name, swatch{tint(palette[i], 0.4)})
}

// Range sets where the axes begin and end.
func (p *Panel) Range(x0, x1, y0, y1 float64) {
	p.plot.X.Min, p.plot.X.Max, p.plot.Y.Min, p.plot.Y.Max = x0, x1, y0, y1
}

// Wide sets where the horizontal axis begins and ends.
func (p *Panel) Wide(x0, x1 float64) { p.plot.X.Min, p.plot.X.Max = x0, x1 }

// Mark is a line from the bottom to the top at x.
func (p *Panel) Mark(name string, i int, x float64) {
	m := upright{x, vgdraw.LineStyle{Color: palette[i], Width: 1.3, Dashes: dashes[i]}}
	p.plot.Add(m)
	p.name(name, stroke{m.style})
}

type upright struct {
	x     float64
	style vgdraw.LineStyle
}

// Plot draws the line.
func (u upright) Plot(c vgdraw.Canvas, p *plot.Plot) {
	tx, _ := p.Transforms(&c)
	c.StrokeLine2(u.style, tx(u.x), c.Min.Y, tx(u.x), c.Max.Y)
}

// DataRange makes room for it, and a little beside it, so that it does not run into the edge.
func (u upright) DataRange() (xmin, xmax, ymin, ymax float64) {
	beside := 0.05 * math.Abs(u.x)
	return u.x - beside, u.x + beside, 0, 0
}

// Bare takes the numbers off the axes, where only the shape matters.
func (p *Panel) Bare() {
	p.plot.X.Tick.Marker, p.plot.Y.Tick.Marker = plot.ConstantTicks{}, plot.ConstantTicks{}
}

// Labels names places of the value axis.
func (p *Panel) Labels(at []float64, names []string) {
	var ticks plot.ConstantTicks
	for i, v := range at {
		ticks = append(ticks, plot.Tick{Value: v, Label: names[i]})
	}
	p.plot.Y.Tick.Marker, p.plot.Y.Tick.Length, p.plot.Y.LineStyle.Width = ticks, 0, 0
}

type stroke struct{ style vgdraw.LineStyle }

// Thumbnail draws the stroke.
func (s stroke) Thumbnail(c *vgdraw.Canvas) {
	y := (c.Min.Y + c.Max.Y) / 2
	c.StrokeLine2(s.style, c.Min.X, y, c.Max.X, y)
}

// swatch is a patch of colour beside a name.
type swatch struct{ color color.Color }

// Thumbnail draws the patch.
func (s swatch) Thumbnail(c *vgdraw.Canvas) {
	y := (c.Min.Y + c.Max.Y) / 2
	c.FillPolygon(s.color, []vg.Point{{X: c.Min.X + 2, Y: y - 3}, {X: c.Max.X - 2, Y: y - 3}, {X: c.Max.X - 2, Y: y + 3},
		{X: c.Min.X + 2, Y: y + 3}})
}
