package plot

import (
	"image"
	"image/color"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot/canvas"
)

// Field is a function over a plane with the points it is about.
type Field struct {
	XName, YName, Alt string
	Xs, Ys            []float64   // equally spaced
	Values            [][]float64 // [y][x]
	// Signed shades from blue (positive) through white at zero to orange
	// (negative); otherwise shades darken from the least to the greatest value.
	Signed bool
	// what the ends of the scale mean, which of a signed field have their numbers beside; empty:
	// the values
	Low, High string
	Of        string // what is shaded, unless Signed: the scale then has numbers
	// Levels are drawn as lines: solid, below zero dashed. Of a signed field the legend has their
	// numbers.
	Levels []float64
	Groups []Group
	far    func(x, y float64) bool // where nothing is known; nil: nowhere
}

// signedShade maps [-1, 1] to orange, white and blue.
func signedShade(t float64) color.RGBA {
	t = math.Min(math.Max(t, -1), 1)
	if t < 0 {
		return tint(okabeIto[1], -t)
	}
	return tint(okabeIto[0], 0.9*t)
}

// Figure draws the field.
func (v Field) Figure() (*Figure, error) {
	f := newFigure(v.XName, v.YName, v.Alt)
	low, high := math.Inf(1), math.Inf(-1)
	for j, row := range v.Values {
		for i, z := range row {
			if !bad(z) && (v.far == nil || !v.far(v.Xs[i], v.Ys[j])) {
				low, high = min(low, z), max(high, z)
			}
		}
	}
	size := max(math.Abs(low), math.Abs(high))
	paint := func(z float64) color.RGBA {
		switch {
		case bad(z):
			return color.RGBA{255, 255, 255, 255}
		case v.Signed && size > 0:
			return signedShade(0.85 * z / size)
		case v.Signed || high == low:
			return shade(0)
		}
		return shade(0.85 * (z - low) / (high - low))
	}
	f.p.Add(raster{v, paint})
	lowText, highText := v.Low, v.High
	if v.Signed {
		f.signedScale(highText, lowText, low, high, paint)
	} else if v.Of != "" {
		f.scale(v.Of, low, high, paint)
		if lowText != "" {
			f.legend(lowText)
		}
	} else {
		if lowText == "" {
			lowText, highText = short(low), short(high)
		}
		f.legend(lowText, swatch{paint(low)})
		f.legend(highText, swatch{paint(high)})
	}
	if err := f.addGroups(v.Groups, true); err != nil {
		return nil, err
	}
	f.contours(v)
	if v.Signed && len(v.Levels) > 0 {
		names := make([]string, len(v.Levels))
		for i, level := range v.Levels {
			names[i] = signed(level)
		}
		f.legend("lines: " + strings.Join(names, ", "))
	}
	f.p.X.Min, f.p.X.Max = v.Xs[0], v.Xs[len(v.Xs)-1]
	f.p.Y.Min, f.p.Y.Max = v.Ys[0], v.Ys[len(v.Ys)-1]
	f.p.X.Padding, f.p.Y.Padding = 0, 0
	return f, nil
}

// signedScale says which colour is which side of 0, and how far the values go there.
func (f *Figure) signedScale(positive, negative string, low, high float64, paint func(float64) color.RGBA) {
	for _, end := range []struct {
		name string
		at   float64
	}{{positive, high}, {negative, low}} {
		if bad(end.at) {
			continue
		}
		name := signed(end.at)
		if end.name != "" {
			name = end.name + ", up to " + name
		}
		f.legend(name, swatch{paint(end.at)})
	}
}

// signed is a number with its sign.
func signed(v float64) string {
	if v > 0 {
		return "+" + short(v)
	}
	return short(v)
}

// raster fills the plane with an image, which both formats keep small.
type raster struct {
	Field
	paint func(float64) color.RGBA
}

// Plot draws the image over the whole canvas; values are joined linearly.
func (r raster) Plot(c canvas.Canvas, p *chart) {
	tx, ty := p.Transforms(c)
	const w, h = 360, 270
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for py := range h {
		for px := range w {
			u, t := float64(px)/(w-1), float64(h-1-py)/(h-1)
			z := r.at(u*float64(len(r.Xs)-1), t*float64(len(r.Ys)-1))
			if r.far != nil && r.far(r.Xs[0]+u*(r.Xs[len(r.Xs)-1]-r.Xs[0]), r.Ys[0]+t*(r.Ys[len(r.Ys)-1]-r.Ys[0])) {
				z = math.NaN()
			}
			img.SetRGBA(px, py, r.paint(z))
		}
	}
	c.Picture(canvas.Rectangle{
		Min: canvas.Point{X: tx(r.Xs[0]), Y: ty(r.Ys[0])},
		Max: canvas.Point{X: tx(r.Xs[len(r.Xs)-1]), Y: ty(r.Ys[len(r.Ys)-1])},
	}, img)
}

// at is the value at a place counted in steps of the grid.
func (r raster) at(x, y float64) float64 {
	i, j := min(int(x), len(r.Xs)-2), min(int(y), len(r.Ys)-2)
	u, t := x-float64(i), y-float64(j)
	v := r.Values
	return (1-t)*((1-u)*v[j][i]+u*v[j][i+1]) + t*((1-u)*v[j+1][i]+u*v[j+1][i+1])
}

func (f *Figure) contours(v Field) {
	for _, level := range v.Levels {
		style := canvas.Line{Color: color.Gray{70}, Width: 0.5}
		if level < 0 {
			style.Dashes = dash(4)
		}
		f.p.Add(contour{v, level, style})
	}
}

// Coloured is points shaded by a signed value: blue where positive, orange
// where negative, with the mark of their group.
func Coloured(x, y, alt, positive, negative string, groups []Group, values [][]float64) (*Figure, error) {
	f := newFigure(x, y, alt)
	f.grid()
	low, high := 0.0, 0.0
	for _, v := range values {
		for _, z := range v {
			low, high = min(low, z), max(high, z)
		}
	}
	size := max(high, -low)
	if size == 0 {
		size = 1
	}
	f.signedScale(positive, negative, low, high, func(v float64) color.RGBA { return signedShade(v / size) })
	total := 0
	var names []string
	for _, g := range groups {
		total, names = total+len(g.X), append(names, g.Name)
	}
	if total > crowd {
		// Means are far from the largest value: by their roots they are told from white.
		f.colouredCells(groups, values,
			func(v float64) color.RGBA { return signedShade(math.Copysign(math.Sqrt(math.Abs(v)/size), v)) })
		return f, nil
	}
	names = NamesApart(names, longestName)
	outlines := []canvas.Shape{canvas.Ring, canvas.Triangle}
	for i, g := range groups {
		xy := make(xys, len(g.X))
		for k := range xy {
			xy[k] = canvas.Point{X: g.X[k], Y: g.Y[k]}
		}
		filled := shapes[[]int{0, 6}[i%2]]
		f.p.Add(dots{xys: xy, each: func(k int) canvas.Mark {
			return canvas.Mark{Color: faded(signedShade(values[i][k]/size), total/2), Radius: 1.9, Shape: filled}
		}})
		edge := dots{xys: xy, style: canvas.Mark{Color: faded(axisInk, total), Radius: 1.9, Shape: outlines[i%2]}}
		f.p.Add(edge)
		thumb := edge
		thumb.style.Color = axis
		f.legend(names[i], thumb)
	}
	return f, nil
}

// axisInk is the grey of axes as a colour that can be made transparent.
var axisInk = color.RGBA{110, 110, 110, 255}

// colouredCells is Coloured of a crowd: hexagons with the mean of the values of both samples.
func (f *Figure) colouredCells(groups []Group, values [][]float64, paint func(float64) color.RGBA) {
	var xy xys
	var all []float64
	for i, g := range groups {
		for k := range g.X {
			if !bad(g.X[k]) && !bad(g.Y[k]) {
				xy, all = append(xy, canvas.Point{X: g.X[k], Y: g.Y[k]}), append(all, values[i][k])
			}
		}
	}
	f.p.Add(extent{xy}.roomy(acrossOf(xy)), hexagons{xys: xy, across: acrossOf(xy),
		paint: func(cell []int) color.Color { return paint(mean(all, cell)) }})
	f.legend("cells: the mean over their rows")
}

// BlankFar makes what lies far from every point unknown: farther than 6 % of the plane, or
// three times as far as points are from the next one, whichever is more. A surface says nothing
// there, whatever its formula gives.
func (v *Field) BlankFar(px, py []float64) {
	if len(v.Xs) < 2 || len(v.Ys) < 2 || len(px) == 0 {
		return
	}
	wide, high := v.Xs[len(v.Xs)-1]-v.Xs[0], v.Ys[len(v.Ys)-1]-v.Ys[0]
	step := max(1, len(px)/400) // of many points some tell where they are
	var x, y []float64
	for i := 0; i < len(px); i += step {
		if !bad(px[i]) && !bad(py[i]) {
			x, y = append(x, px[i]/wide), append(y, py[i]/high)
		}
	}
	nearest := func(a, b float64, except int) float64 { // squared
		least := math.Inf(1)
		for i := range x {
			if i != except {
				u, t := x[i]-a, y[i]-b
				least = min(least, u*u+t*t)
			}
		}
		return least
	}
	var gaps []float64
	for i := range x {
		if d := nearest(x[i], y[i], i); !bad(d) {
			gaps = append(gaps, d)
		}
	}
	reach := 0.06
	if len(gaps) > 0 {
		slices.Sort(gaps)
		reach = max(reach, 3*math.Sqrt(gaps[len(gaps)/2]))
	}
	v.far = func(a, b float64) bool { return nearest(a/wide, b/high, -1) > reach*reach }
	// Beyond the border one step of the grid has values still, which those within are joined to.
	edge := reach + 1.5*math.Hypot(1/float64(len(v.Xs)-1), 1/float64(len(v.Ys)-1))
	for j, b := range v.Ys {
		for i, a := range v.Xs {
			if nearest(a/wide, b/high, -1) > edge*edge {
				v.Values[j][i] = math.NaN()
			}
		}
	}
}
