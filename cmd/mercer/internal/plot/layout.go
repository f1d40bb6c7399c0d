package plot

import (
	"strings"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot/canvas"
)

// titleSize is that of the line above a figure, in points.
const titleSize = 9

// draw leaves a margin, so that marks and labels at the edge are whole, and puts the title and the
// legend where they hide nothing.
func (f *Figure) draw(c canvas.Canvas) {
	c = c.Crop(3, -9, 3, -6)
	if f.cells {
		c = c.Crop(2, 4, -3, 6) // of a terminal every row counts, and the last column is not cut
	}
	c = f.drawTitle(c)
	f.nameAbove(&c)
	if len(f.entries) > 0 {
		c = f.drawLegend(c)
	}
	fitLabel(&f.p.X, c.Max.X-c.Min.X)
	fitLabel(&f.p.Y, c.Max.Y-c.Min.Y-belowAxis)
	f.p.Draw(c)
}

// text is how words beside the axes look, of a size in points.
func (f *Figure) text(size float64) canvas.Text {
	t := canvas.Text{Color: ink, Size: size}
	if f.cells {
		t.Advance = canvas.CellWidth
	}
	return t
}

// drawTitle puts the title on top, in as many lines as it needs.
func (f *Figure) drawTitle(c canvas.Canvas) canvas.Canvas {
	if f.Title == "" {
		return c
	}
	style := f.text(titleSize)
	height := float64(13)
	if f.cells {
		height = canvas.CellHeight
	}
	style.AlignY = canvas.Middle
	for _, line := range broken(f.Title, style, c.Max.X-c.Min.X) {
		c.Write(style, canvas.Point{X: c.Min.X, Y: c.Max.Y - height/2}, line)
		c = c.Crop(0, 0, 0, -height)
	}
	return c.Crop(0, 0, 0, -3)
}

// broken is a text in lines that have room, between its words; a word that has none is cut.
func broken(text string, style canvas.Text, room float64) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		next := strings.TrimPrefix(line+" "+word, " ")
		if line != "" && style.Width(next) > room {
			lines, next = append(lines, line), word
		}
		line = cut(next, style, room)
	}
	return append(lines, line)
}

// cut is a text without what has no room.
func cut(text string, style canvas.Text, room float64) string {
	for name := []rune(text); len(name) > 1 && style.Width(text) > room; {
		name = name[:len(name)-1]
		text = string(name) + "…"
	}
	return text
}

// nameAbove puts the name of the vertical axis above it where letters cannot be turned.
func (f *Figure) nameAbove(c *canvas.Canvas) {
	if !f.cells || f.p.Y.Label == "" {
		return
	}
	style := f.text(tickSize)
	style.AlignY = canvas.Middle
	c.Write(style, canvas.Point{X: c.Min.X, Y: c.Max.Y - canvas.CellHeight/2}, cut(f.p.Y.Label, style, c.Max.X-c.Min.X))
	f.p.Y.Label = ""
	*c = c.Crop(0, 0, 0, -canvas.CellHeight)
}

// belowAxis is the room that the horizontal axis takes with its numbers and its label.
const belowAxis = 24

// fitLabel shortens the label of an axis until it has room: a name is longer than the figure is
// high at times, and would be cut on both sides.
func fitLabel(a *chartAxis, room float64) {
	if a.text.Width(a.Label) > room {
		a.Label = cut(strings.TrimSuffix(a.Label, "…"), a.text, room)
	}
}
