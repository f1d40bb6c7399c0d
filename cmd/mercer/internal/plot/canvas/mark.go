package canvas

import (
	"image/color"
	"math"
)

// Shape is the form of a mark.
type Shape int

// The shapes are outlines, but for Circle, Pyramid and Box, which are filled.
const (
	Circle Shape = iota
	Triangle
	Square
	Plus
	Cross
	Ring
	Pyramid
	Box
)

// Mark is how a point looks.
type Mark struct {
	Color  color.Color
	Radius float64
	Shape  Shape
}

// marker is a page that draws marks in its own way.
type marker interface{ Mark(m Mark, at Point) }

// markWidth is the width of the lines of marks.
const markWidth = 0.5

// Mark draws a mark, unless its place is not on the canvas. Shapes of one radius look equally
// large: corners of squares and triangles stick out of the circle.
func (c Canvas) Mark(m Mark, at Point) {
	if !c.ContainsX(at.X) || !c.ContainsY(at.Y) {
		return
	}
	if page, ok := c.Page.(marker); ok {
		page.Mark(m, at)
		return
	}
	line := Line{Color: m.Color, Width: markWidth}
	r := m.Radius
	switch m.Shape {
	case Circle:
		c.Page.Disc(m.Color, at, r)
	case Ring:
		c.Page.Ring(line, at, r)
	case Plus:
		c.Stroke(line, Point{at.X, at.Y + r}, Point{at.X, at.Y - r})
		c.Stroke(line, Point{at.X - r, at.Y}, Point{at.X + r, at.Y})
	case Cross:
		d := r * math.Sqrt2 / 2
		c.Stroke(line, Point{at.X - d, at.Y - d}, Point{at.X + d, at.Y + d})
		c.Stroke(line, Point{at.X - d, at.Y + d}, Point{at.X + d, at.Y - d})
	case Square, Box:
		d := r * (1 + math.Sqrt2/2) / 2
		corners := []Point{{at.X - d, at.Y - d}, {at.X + d, at.Y - d}, {at.X + d, at.Y + d}, {at.X - d, at.Y + d}}
		c.outline(m.Shape == Box, line, corners)
	case Triangle, Pyramid:
		d := 1.25 * r
		w, h := d*math.Sqrt(3)/2, d/2
		c.outline(m.Shape == Pyramid, line, []Point{{at.X, at.Y + d}, {at.X - w, at.Y - h}, {at.X + w, at.Y - h}})
	}
}

func (c Canvas) outline(filled bool, line Line, corners []Point) {
	if filled {
		c.Page.Area(line.Color, corners)
	} else {
		c.Page.Path(line, corners, true)
	}
}
