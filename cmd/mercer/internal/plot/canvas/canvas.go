// Package canvas draws lines, areas, marks, images and text on a page, which is written as SVG, PNG
// or PDF, or in the characters of a terminal. It has what figures need and no more. Lengths are
// points (1/72 inch), and y grows upwards.
package canvas

import (
	"image"
	"image/color"
)

// Millimeter is a length.
const Millimeter = 72 / 25.4

// Point is a place on the page.
type Point struct{ X, Y float64 }

// Rectangle is a part of the page.
type Rectangle struct{ Min, Max Point }

// Line is how a line looks. Dashes are the lengths of strokes and gaps in turn; none: it is solid.
type Line struct {
	Color  color.Color
	Width  float64
	Dashes []float64
}

// Page takes what is drawn. Places and lengths are those of the package.
type Page interface {
	// Area fills a polygon.
	Area(c color.Color, outline []Point)
	// Path draws a line through points, and back to the first where it is closed.
	Path(l Line, points []Point, closed bool)
	// Disc fills a circle, Ring draws its line.
	Disc(c color.Color, center Point, radius float64)
	Ring(l Line, center Point, radius float64)
	// Image fills a rectangle with a picture.
	Image(r Rectangle, picture image.Image)
	// Write puts text with its baseline from a place on, turned about it.
	Write(c color.Color, at Point, text string, size, rotation float64)
}

// Canvas is a part of a page to draw on.
type Canvas struct {
	Page Page
	Rectangle
}

// Crop is a canvas with these lengths added to its sides: what makes it smaller on the right and on
// top is negative.
func (c Canvas) Crop(left, right, bottom, top float64) Canvas {
	c.Min.X, c.Max.X = c.Min.X+left, c.Max.X+right
	c.Min.Y, c.Max.Y = c.Min.Y+bottom, c.Max.Y+top
	return c
}

// Center is the middle.
func (r Rectangle) Center() Point { return Point{(r.Min.X + r.Max.X) / 2, (r.Min.Y + r.Max.Y) / 2} }

// slack is what rounding may move a place that lies on a side.
const slack = 3e-8

// ContainsX says whether a place is between the left and the right side, ContainsY whether it is
// between the lower and the upper one.
func (r Rectangle) ContainsX(x float64) bool { return x <= r.Max.X+slack && x >= r.Min.X-slack }

// ContainsY is ContainsX of the other axis.
func (r Rectangle) ContainsY(y float64) bool { return y <= r.Max.Y+slack && y >= r.Min.Y-slack }

// X is a share of the width as a place; 0 is the left side.
func (r Rectangle) X(share float64) float64 { return share*(r.Max.X-r.Min.X) + r.Min.X }

// Y is a share of the height as a place; 0 is the lower side.
func (r Rectangle) Y(share float64) float64 { return share*(r.Max.Y-r.Min.Y) + r.Min.Y }

// Stroke draws a line through points.
func (c Canvas) Stroke(l Line, points ...Point) {
	if l.Width > 0 && len(points) > 1 {
		c.Page.Path(l, points, false)
	}
}

// Segment draws a line between two points.
func (c Canvas) Segment(l Line, x0, y0, x1, y1 float64) { c.Stroke(l, Point{x0, y0}, Point{x1, y1}) }

// StrokeInside draws what lies on the canvas of a line through points.
func (c Canvas) StrokeInside(l Line, points ...Point) {
	for _, piece := range c.clipLine(points) {
		c.Stroke(l, piece...)
	}
}

// Fill fills a polygon.
func (c Canvas) Fill(colour color.Color, outline ...Point) {
	if len(outline) > 2 {
		c.Page.Area(colour, outline)
	}
}

// FillInside fills what lies on the canvas of a polygon.
func (c Canvas) FillInside(colour color.Color, outline ...Point) {
	c.Fill(colour, c.clipPolygon(outline)...)
}

// Picture fills a rectangle with an image.
func (c Canvas) Picture(r Rectangle, picture image.Image) { c.Page.Image(r, picture) }
