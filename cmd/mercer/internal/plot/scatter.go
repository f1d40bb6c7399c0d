package plot

import (
	"image/color"
	"math"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot/canvas"
)

// Group is points that belong together.
type Group struct {
	Name string
	X, Y []float64
}

// Scatter draws groups of points, each with a colour and a mark of its own.
func Scatter(x, y, alt string, groups ...Group) (*Figure, error) {
	f := newFigure(x, y, alt)
	f.grid()
	if err := f.addGroups(groups, false); err != nil {
		return nil, err
	}
	f.roomForMarks()
	return f, nil
}

// roomForMarks widens both axes a little.
func (f *Figure) roomForMarks() {
	f.p.X.Min, f.p.X.Max = margin(f.p.X.Min, f.p.X.Max)
	f.p.Y.Min, f.p.Y.Max = margin(f.p.Y.Min, f.p.Y.Max)
}

// margin makes room for the marks of the outermost points.
func margin(low, high float64) (float64, float64) {
	if !(high > low) || bad(high-low) {
		return low, high
	}
	return low - 0.02*(high-low), high + 0.02*(high-low)
}

// addGroups draws points with the marks of their groups; over a shaded field
// they are darker.
func (f *Figure) addGroups(groups []Group, dark bool) error {
	total := 0
	for _, g := range groups {
		total += len(g.X)
	}
	radius := float64(1.7)
	if total > 600 {
		radius = 1.2
	}
	for i, g := range groups {
		xy := thin(g.X, g.Y)
		if len(xy) == 0 {
			continue
		}
		c := colour(i)
		if dark {
			c = darker(c)
		}
		s := dots{xys: xy, style: canvas.Mark{Color: c, Radius: radius, Shape: shape(i)}}
		if len(groups) == 1 {
			s.style.Shape = canvas.Ring
		}
		f.p.Add(s)
		if g.Name != "" {
			f.legend(shortName(g.Name), s)
		}
	}
	return nil
}

// shortName keeps a name in the legend from filling it.
func shortName(s string) string {
	if r := []rune(s); len(r) > 24 {
		return string(r[:23]) + "…"
	}
	return s
}

// rug marks values by short strokes along the lower or the upper edge.
type rug struct {
	x     []float64
	color color.Color
	top   bool
}

// DataRange leaves the value axis alone.
func (r rug) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, _, _ = onLine(r.x).DataRange()
	return xmin, xmax, 0, 0
}

func onLine(x []float64) xys {
	out := make(xys, len(x))
	for i := range x {
		out[i].X = x[i]
	}
	return out
}

// Plot draws the strokes.
func (r rug) Plot(c canvas.Canvas, p *chart) {
	tx, _ := p.Transforms(c)
	y0, y1 := c.Min.Y, c.Min.Y+5
	if r.top {
		y0, y1 = c.Max.Y-5, c.Max.Y
	}
	step := max(1, (len(r.x)+most-1)/most)
	for i := 0; i < len(r.x); i += step {
		x := tx(r.x[i])
		c.Segment(canvas.Line{Color: r.color, Width: 0.35}, x, y0, x, y1)
	}
}

// Curves draws functions of one number, with the observations as strokes along
// the lower edge (the first sample) and the upper edge (the second).
func Curves(x, y, alt string, samples [][]float64, series ...Series) (*Figure, error) {
	f := newFigure(x, y, alt)
	f.grid()
	for i, s := range samples {
		c := color.Color(axis)
		if len(samples) > 1 {
			c = colour(i + 1)
		}
		f.p.Add(rug{x: s, color: c, top: i == 1})
	}
	return f, f.addSeries(series)
}

// SampleCurves is Curves for two named samples, whose strokes the legend
// explains, and which of them is denser where the curve is above 0: the first.
func SampleCurves(x, y, alt string, names [2]string, samples [2][]float64, series ...Series) (*Figure, error) {
	f, err := Curves(x, y, alt, samples[:], series...)
	if err != nil {
		return nil, err
	}
	for i, place := range []string{" (below)", " (above)"} {
		f.legend(shortName(names[i])+place, swatch{colour(i + 1)})
	}
	f.legend("above 0 " + shortName(names[0]) + " is denser, below 0 the other")
	return f, nil
}

// ringMark is a ring in the legend.
type ringMark struct{ color color.Color }

// Thumbnail draws the ring.
func (r ringMark) Thumbnail(c canvas.Canvas) {
	c.Mark(canvas.Mark{Color: r.color, Radius: 1.8, Shape: canvas.Ring}, canvas.Point{X: (c.Min.X + c.Max.X) / 2, Y: (c.Min.Y + c.Max.Y) / 2})
}

// Shaded is points whose colour is a number, with a scale of these.
func Shaded(x, y, alt, of string, px, py, values []float64) (*Figure, error) {
	f := newFigure(x, y, alt)
	f.grid()
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if !bad(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	if low > high {
		low, high = 0, 1
	}
	paint := func(v float64) color.RGBA {
		if bad(v) || high == low {
			return shade(0.5)
		}
		return shade(0.25 + 0.75*(v-low)/(high-low)) // the lightest are lost on white
	}
	var xy xys
	var at []float64
	step := max(1, (len(px)+2*most-1)/(2*most))
	for i := 0; i < len(px); i += step {
		if !bad(px[i]) && !bad(py[i]) {
			xy, at = append(xy, canvas.Point{X: px[i], Y: py[i]}), append(at, values[i])
		}
	}
	if len(xy) > 0 {
		f.p.Add(dots{xys: xy, each: func(i int) canvas.Mark {
			return canvas.Mark{Color: paint(at[i]), Radius: 1.7, Shape: canvas.Circle}
		}})
	}
	f.scale(of, low, high, paint)
	f.roomForMarks()
	return f, nil
}

// scale is a bar of colours in the legend, with numbers.
func (f *Figure) scale(of string, low, high float64, paint func(float64) color.RGBA) {
	steps := 4
	if high == low {
		steps = 1
	}
	for i := range steps {
		v := low
		if steps > 1 {
			v = low + (high-low)*float64(i)/float64(steps-1)
		}
		name := short(v)
		if math.Abs(v) < 1e-6*math.Abs(high) {
			name = "0"
		}
		if i == 0 && of != "" {
			name = shortName(of) + " " + name
		}
		f.legend(name, swatch{paint(v)})
	}
}

// swatch is a patch of colour in the legend.
type swatch struct{ color color.Color }

// Thumbnail draws the patch.
func (s swatch) Thumbnail(c canvas.Canvas) {
	y := (c.Min.Y + c.Max.Y) / 2
	c.Fill(s.color, []canvas.Point{{X: c.Min.X + 2, Y: y - 3}, {X: c.Max.X - 2, Y: y - 3}, {X: c.Max.X - 2, Y: y + 3}, {X: c.Min.X + 2, Y: y + 3}}...)
	c.Stroke(canvas.Line{Color: axis, Width: 0.3}, []canvas.Point{{X: c.Min.X + 2, Y: y - 3}, {X: c.Max.X - 2, Y: y - 3}, {X: c.Max.X - 2, Y: y + 3}, {X: c.Min.X + 2, Y: y + 3}, {X: c.Min.X + 2, Y: y - 3}}...)
}
