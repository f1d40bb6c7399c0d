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

// addGroups draws points with the marks of their groups; over a shaded field they are darker. Many
// are transparent, and drawn in turn, so that no group hides another; a crowd of one kind is
// counted in hexagons, unless a field lies beneath.
func (f *Figure) addGroups(groups []Group, dark bool) error {
	var all []xys
	var names []string
	total := 0
	for _, g := range groups {
		most := most
		if !dark {
			most = len(g.X)
		}
		all, names = append(all, thinTo(g.X, g.Y, most)), append(names, g.Name)
		total += len(all[len(all)-1])
	}
	if len(groups) == 1 && !dark && total > crowd {
		f.addCounts(all[0])
		return nil
	}
	radius := 1.7
	if total > 600 {
		radius = 1.2
	}
	names = NamesApart(names, longestName)
	var mixed crowdOf
	for i := range groups {
		if len(all[i]) == 0 {
			continue
		}
		c := colour(i)
		if dark {
			c = darker(c)
		}
		s := dots{xys: all[i], style: canvas.Mark{Color: faded(c, total), Radius: radius, Shape: shape(i)}}
		if dark && len(groups) == 1 && total > few { // the field beneath says more than the marks
			s.style = canvas.Mark{Color: faded(c, 6*total), Radius: 0.7, Shape: canvas.Circle}
		}
		if len(groups) == 1 && s.style.Radius > 1 {
			s.style.Shape = canvas.Ring
		}
		mixed = append(mixed, s)
		if names[i] != "" {
			thumb := s
			thumb.style.Color, thumb.style.Radius = c, 1.7 // the legend is opaque
			f.legend(names[i], thumb)
		}
	}
	if len(mixed) > 0 {
		f.p.Add(mixed)
	}
	return nil
}

// crowdOf are groups of marks that are drawn in turn.
type crowdOf []dots

// DataRange is what they all go over.
func (d crowdOf) DataRange() (xmin, xmax, ymin, ymax float64) {
	var all xys
	for _, g := range d {
		all = append(all, g.xys...)
	}
	return all.DataRange()
}

func (d crowdOf) marks(p *chart) (all []room) {
	for _, g := range d {
		all = append(all, g.marks(p)...)
	}
	return all
}

// Plot draws the marks: few group by group, many as if they were shuffled, each group as far along
// as the others.
func (d crowdOf) Plot(c canvas.Canvas, p *chart) {
	total, longest := 0, 0
	for _, g := range d {
		total, longest = total+len(g.xys), max(longest, len(g.xys))
	}
	if total <= few {
		for _, g := range d {
			g.Plot(c, p)
		}
		return
	}
	done := make([]int, len(d))
	for step := 1; step <= longest; step++ {
		for i, g := range d {
			for ; done[i] < len(g.xys)*step/longest; done[i]++ {
				g.piece(done[i]).Plot(c, p)
			}
		}
	}
}

// piece is one of the marks.
func (d dots) piece(i int) dots {
	return dots{xys: d.xys[i : i+1], style: d.mark(i)}
}

// longestName is how many letters a name in the legend has.
const longestName = 24

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
	short := NamesApart(names[:], longestName)
	for i, place := range []string{" (below)", " (above)"} {
		f.legend(short[i]+place, swatch{colour(i + 1)})
	}
	f.legend("above 0 " + short[0] + " is denser, below 0 the other")
	return f, nil
}

// ringMark is a ring in the legend.
type ringMark struct{ color color.Color }

// Thumbnail draws the ring.
func (r ringMark) Thumbnail(c canvas.Canvas) {
	c.Mark(canvas.Mark{Color: r.color, Radius: 1.8, Shape: canvas.Ring},
		canvas.Point{X: (c.Min.X + c.Max.X) / 2, Y: (c.Min.Y + c.Max.Y) / 2})
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
	for i := range px {
		if !bad(px[i]) && !bad(py[i]) && (len(px) <= crowd || !bad(values[i])) {
			xy, at = append(xy, canvas.Point{X: px[i], Y: py[i]}), append(at, values[i])
		}
	}
	switch {
	case len(xy) > crowd:
		of = "mean " + of
		f.p.Add(extent{xy}.roomy(acrossOf(xy)), hexagons{xys: xy, across: acrossOf(xy),
			paint: func(cell []int) color.Color { return paint(mean(at, cell)) }})
	case len(xy) > 0:
		f.p.Add(dots{xys: xy, each: func(i int) canvas.Mark {
			return canvas.Mark{Color: faded(paint(at[i]), len(xy)/3), Radius: 1.7, Shape: canvas.Circle}
		}})
	}
	f.scale(of, low, high, paint)
	f.roomForMarks()
	return f, nil
}

// scale is a bar of colours in the legend: what it is of, and round numbers.
func (f *Figure) scale(of string, low, high float64, paint func(float64) color.RGBA) {
	if of != "" {
		f.entries = append(f.entries, entry{name: AxisName(of), heading: true})
	}
	marks := 0
	for _, t := range (roundTicks{}).Ticks(low, high) {
		if !t.IsMinor() && t.Value >= low && t.Value <= high {
			f.legend(t.Label, swatch{paint(t.Value)})
			marks++
		}
	}
	if marks == 0 {
		f.legend(short(low), swatch{paint(low)})
	}
}

// swatch is a patch of colour in the legend.
type swatch struct{ color color.Color }

// Thumbnail draws the patch.
func (s swatch) Thumbnail(c canvas.Canvas) {
	y := (c.Min.Y + c.Max.Y) / 2
	c.Fill(s.color, []canvas.Point{{X: c.Min.X + 2, Y: y - 3}, {X: c.Max.X - 2, Y: y - 3}, {X: c.Max.X - 2, Y: y + 3},
		{X: c.Min.X + 2, Y: y + 3}}...)
	c.Stroke(canvas.Line{Color: axis, Width: 0.3}, []canvas.Point{{X: c.Min.X + 2, Y: y - 3}, {X: c.Max.X - 2, Y: y - 3},
		{X: c.Max.X - 2, Y: y + 3}, {X: c.Min.X + 2, Y: y + 3}, {X: c.Min.X + 2, Y: y - 3}}...)
}
