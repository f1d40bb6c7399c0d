package plot

import (
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
	f.p.Draw(c)
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
