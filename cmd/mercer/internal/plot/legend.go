package plot

import (
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// entry is a name in the legend with what it stands for.
type entry struct {
	name   string
	thumbs []plot.Thumbnailer
}

// legend adds a name. The legend stands in lines of its own above the drawing,
// where it hides nothing.
func (f *Figure) legend(name string, thumbs ...plot.Thumbnailer) {
	f.entries = append(f.entries, entry{name, thumbs})
}

// draw leaves a margin, so that marks and labels at the edge are whole, and
// puts the legend above.
func (f *Figure) draw(c draw.Canvas) {
	c = draw.Crop(c, 3, -9, 3, -6)
	if len(f.entries) > 0 {
		const line = 11
		rows := f.layOut(c, false, 0)
		f.layOut(c, true, line)
		c = draw.Crop(c, 0, 0, 0, -vg.Length(rows)*line)
	}
	fitLabel(&f.p.X, c.Max.X-c.Min.X)
	fitLabel(&f.p.Y, c.Max.Y-c.Min.Y-belowAxis)
	f.p.Draw(c)
}

// belowAxis is the room that the horizontal axis takes with its numbers and its label.
const belowAxis = 24

// fitLabel shortens the label of an axis until it has room: a name is longer than the figure is high at times, and would be cut on both sides.
func fitLabel(a *plot.Axis, room vg.Length) {
	for name := []rune(strings.TrimSuffix(a.Label.Text, "…")); len(name) > 1 && a.Label.TextStyle.Width(a.Label.Text) > room; {
		name = name[:len(name)-1]
		a.Label.Text = string(name) + "…"
	}
}

// layOut runs through the entries from left to right, a new row where one is
// full, draws them if asked, and returns the number of rows.
func (f *Figure) layOut(c draw.Canvas, show bool, line vg.Length) int {
	const thumb, gap, indent = 14, 10, 26
	style := f.p.Legend.TextStyle
	style.Font, style.Color, style.YAlign = sans(tickSize), ink, draw.YCenter
	x, row := c.Min.X+indent, 1
	for _, e := range f.entries {
		width := thumb + 3 + style.Width(e.name) + gap
		if x+width-gap > c.Max.X && x > c.Min.X+indent {
			x = c.Min.X + indent
			row++
		}
		if show {
			top := c.Max.Y - vg.Length(row-1)*line
			box := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: x, Y: top - line}, Max: vg.Point{X: x + thumb, Y: top}}}
			for _, t := range e.thumbs {
				t.Thumbnail(&box)
			}
			c.FillText(style, vg.Point{X: x + thumb + 3, Y: top - line/2}, e.name)
		}
		x += width
	}
	return row
}
