package plot

import (
	"strings"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot/canvas"
)

// entry is a name in the legend with what it stands for.
type entry struct {
	name   string
	thumbs []thumbnailer
}

// legend adds a name. The legend stands in lines of its own above the drawing,
// where it hides nothing.
func (f *Figure) legend(name string, thumbs ...thumbnailer) {
	f.entries = append(f.entries, entry{name, thumbs})
}

// draw leaves a margin, so that marks and labels at the edge are whole, and
// puts the legend above.
func (f *Figure) draw(c canvas.Canvas) {
	c = c.Crop(3, -9, 3, -6)
	if len(f.entries) > 0 {
		const line = 11
		rows := f.layOut(c, false, 0)
		f.layOut(c, true, line)
		c = c.Crop(0, 0, 0, -float64(rows)*line)
	}
	fitLabel(&f.p.X, c.Max.X-c.Min.X)
	fitLabel(&f.p.Y, c.Max.Y-c.Min.Y-belowAxis)
	f.p.Draw(c)
}

// belowAxis is the room that the horizontal axis takes with its numbers and its label.
const belowAxis = 24

// fitLabel shortens the label of an axis until it has room: a name is longer than the figure is
// high at times, and would be cut on both sides.
func fitLabel(a *chartAxis, room float64) {
	for name := []rune(strings.TrimSuffix(a.Label, "…")); len(name) > 1 && a.text.Width(a.Label) > room; {
		name = name[:len(name)-1]
		a.Label = string(name) + "…"
	}
}

// layOut runs through the entries from left to right, a new row where one is
// full, draws them if asked, and returns the number of rows.
func (f *Figure) layOut(c canvas.Canvas, show bool, line float64) int {
	const thumb, gap, indent = 14, 10, 26
	style := canvas.Text{Color: ink, Size: tickSize, AlignY: canvas.Middle}
	x, row := c.Min.X+indent, 1
	for _, e := range f.entries {
		width := thumb + 3 + style.Width(e.name) + gap
		if x+width-gap > c.Max.X && x > c.Min.X+indent {
			x = c.Min.X + indent
			row++
		}
		if show {
			top := c.Max.Y - float64(row-1)*line
			box := canvas.Canvas{Page: c.Page, Rectangle: canvas.Rectangle{Min: canvas.Point{X: x, Y: top - line}, Max: canvas.Point{X: x + thumb, Y: top}}}
			for _, t := range e.thumbs {
				t.Thumbnail(box)
			}
			c.Write(style, canvas.Point{X: x + thumb + 3, Y: top - line/2}, e.name)
		}
		x += width
	}
	return row
}
