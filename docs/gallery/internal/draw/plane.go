package draw

import (
	"image"
	"image/color"
	"math"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// Plane is a window of the plane with a grid of points, at which a function is known.
type Plane struct{ X0, X1, Y0, Y1 float64 }

const across, up = 120, 120 // points of the grid

func (w Plane) at(k, r int) (x, y float64) {
	return w.X0 + (w.X1-w.X0)*float64(k)/(across-1), w.Y0 + (w.Y1-w.Y0)*float64(r)/(up-1)
}

// Points are those of the grid, row by row from below.
func (w Plane) Points() data.DenseRows {
	m := mat.NewDense(across*up, 2, nil)
	for i := range across * up {
		x, y := w.at(i%across, i/across)
		m.SetRow(i, []float64{x, y})
	}
	return data.Rows(m)
}

// Around is the window of points, with a margin.
func Around(x data.Points[[]float64]) Plane {
	w := Plane{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)}
	for i := range x.Len() {
		at := x.At(i)
		w.X0, w.X1, w.Y0, w.Y1 = min(w.X0, at[0]), max(w.X1, at[0]), min(w.Y0, at[1]), max(w.Y1, at[1])
	}
	dx, dy := 0.08*(w.X1-w.X0), 0.08*(w.Y1-w.Y0)
	return Plane{w.X0 - dx, w.X1 + dx, w.Y0 - dy, w.Y1 + dy}
}

// grid is a function on a Plane, for plotter.
type grid struct {
	Plane
	values []float64
}

// Dims, X, Y and Z are a plotter.GridXYZ.
func (g grid) Dims() (c, r int)   { return across, up }
func (g grid) X(k int) float64    { x, _ := g.at(k, 0); return x }
func (g grid) Y(r int) float64    { _, y := g.at(0, r); return y }
func (g grid) Z(k, r int) float64 { return g.values[r*across+k] }

// Shade colours a decision as Groups colours the classes: blue where it is negative, the first
// class, vermillion where it is positive, in five steps up to largest, or where that is 0 to the
// largest of its own.
func (p *Panel) Shade(w Plane, values []float64, largest float64) {
	if largest == 0 {
		low, high := Bounds(values)
		largest = max(high, -low)
	}
	p.paint(w, values, func(v float64) color.RGBA {
		step := math.Round(5*v/largest) / 5
		if step < 0 {
			return tint(palette[0], -0.5*step)
		}
		return tint(palette[1], 0.5*step)
	})
}

// Darken colours a function that is not negative, the darker the larger, in eight steps.
func (p *Panel) Darken(w Plane, values []float64) {
	_, largest := Bounds(values)
	p.paint(w, values, func(v float64) color.RGBA { return tint(palette[0], 0.7*math.Round(8*v/largest)/8) })
}

func (p *Panel) paint(w Plane, values []float64, shade func(float64) color.RGBA) {
	p.plot.Add(raster{grid{w, values}, shade})
	p.plot.X.Padding, p.plot.Y.Padding = 0, 0
	p.Range(w.X0, w.X1, w.Y0, w.Y1)
}

// raster fills the window; values are joined linearly.
type raster struct {
	grid
	shade func(float64) color.RGBA
}

// Plot draws the picture.
func (r raster) Plot(c vgdraw.Canvas, p *plot.Plot) {
	fill(c, p, r.X0, r.X1, r.Y0, r.Y1, func(across01, up01 float64) color.RGBA {
		x, y := across01*(across-1), up01*(up-1)
		k, row := min(int(x), across-2), min(int(y), up-2)
		u, t := x-float64(k), y-float64(row)
		return r.shade((1-t)*((1-u)*r.Z(k, row)+u*r.Z(k+1, row)) + t*((1-u)*r.Z(k, row+1)+u*r.Z(k+1, row+1)))
	})
}

// fill paints a rectangle, a dot for each of the picture's own, so that edges stay sharp: at gives
// the colour of a place between 0 and 1 from the left and from below.
func fill(c vgdraw.Canvas, p *plot.Plot, x0, x1, y0, y1 float64, at func(x, y float64) color.RGBA) {
	tx, ty := p.Transforms(&c)
	box := vg.Rectangle{Min: vg.Point{X: tx(x0), Y: ty(y0)}, Max: vg.Point{X: tx(x1), Y: ty(y1)}}
	dots := func(length vg.Length) int { return max(2, int(math.Round(float64(length/vg.Inch*dpi)))) }
	wide, high := dots(box.Max.X-box.Min.X), dots(box.Max.Y-box.Min.Y)
	img := image.NewRGBA(image.Rect(0, 0, wide, high))
	for py := range high {
		for px := range wide {
			img.SetRGBA(px, py, at((float64(px)+0.5)/float64(wide), 1-(float64(py)+0.5)/float64(high)))
		}
	}
	c.DrawImage(box, img)
}

// Levels are the lines along which a function has given values; dashed where i is 1 or more.
func (p *Panel) Levels(name string, i int, w Plane, values []float64, levels ...float64) {
	style := vgdraw.LineStyle{Color: color.Black, Width: 1, Dashes: dashes[i]}
	for _, level := range levels {
		c := plotter.NewContour(grid{w, values}, []float64{level}, nil)
		c.LineStyles = []vgdraw.LineStyle{style}
		p.plot.Add(c)
	}
	p.Range(w.X0, w.X1, w.Y0, w.Y1)
	p.name(name, stroke{style})
}

// Matrix shows a matrix as grey cells, its first row on top: white is low, black is high.
func (p *Panel) Matrix(m mat.Matrix, low, high float64) {
	rows, columns := m.Dims()
	p.plot.Add(cells{m, low, high})
	p.Range(0, float64(columns), 0, float64(rows))
	p.plot.X.Padding, p.plot.Y.Padding = 0, 0
}

type cells struct {
	mat.Matrix
	low, high float64
}

// Plot draws the cells.
func (m cells) Plot(c vgdraw.Canvas, p *plot.Plot) {
	rows, columns := m.Dims()
	fill(c, p, 0, float64(columns), 0, float64(rows), func(x, y float64) color.RGBA {
		share := (m.At(rows-1-int(y*float64(rows)), int(x*float64(columns))) - m.low) / (m.high - m.low)
		v := uint8(255 - 15*math.Round(17*min(max(share, 0), 1)))
		return color.RGBA{v, v, v, 255}
	})
}
