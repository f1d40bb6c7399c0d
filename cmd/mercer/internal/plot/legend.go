package plot

import (
	"slices"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot/canvas"
)

// entry is a name in the legend with what it stands for.
type entry struct {
	name   string
	thumbs []thumbnailer
	// heading stands above those after it; a name without marks that is none is a remark.
	heading bool
}

// legend adds a name.
func (f *Figure) legend(name string, thumbs ...thumbnailer) {
	f.entries = append(f.entries, entry{name: name, thumbs: thumbs})
}

// LegendTitle says what the names of the legend are of, where there are any.
func (f *Figure) LegendTitle(name string) {
	if len(f.entries) > 0 && name != "" {
		f.entries = slices.Insert(f.entries, 0, entry{name: NamesApart([]string{AxisName(name)}, longestName)[0],
			heading: true})
	}
}

// thumbWidth is the room for what a name stands for, legendGap that between names.
const thumbWidth, legendGap = 14.0, 10.0

// legendLine is the height of a line of the legend.
func (f *Figure) legendLine() float64 {
	if f.cells {
		return canvas.CellHeight
	}
	return 11
}

// drawLegend puts the names to the right of the drawing where the figure is to have them there and
// they take two fifths of it at most, and else in lines of their own above it. It returns what is
// left for the drawing.
func (f *Figure) drawLegend(c canvas.Canvas) canvas.Canvas {
	line := f.legendLine()
	if f.beside {
		if lines, width := f.column(c); width <= 0.4*(c.Max.X-c.Min.X) && float64(len(lines))*line <= c.Max.Y-c.Min.Y {
			f.drawBeside(c, lines, width)
			return c.Crop(0, -width-legendGap, 0, 0)
		}
	}
	rows := f.layOut(c, false, 0)
	f.layOut(c, true, line)
	return c.Crop(0, 0, 0, -float64(rows)*line)
}

// column are the lines of a legend to the right, and its width. What has no mark is a remark: it is
// broken between its words.
func (f *Figure) column(c canvas.Canvas) (lines []entry, width float64) {
	style := f.text(tickSize)
	for _, e := range f.entries {
		switch {
		case e.heading:
			lines = append(lines, e)
			width = max(width, style.Width(e.name))
		case len(e.thumbs) > 0:
			lines = append(lines, e)
			width = max(width, thumbWidth+3+style.Width(e.name))
		}
	}
	room := max(width, 0.22*(c.Max.X-c.Min.X))
	for _, e := range f.entries {
		if len(e.thumbs) == 0 && !e.heading {
			for _, text := range broken(e.name, style, room) {
				lines = append(lines, entry{name: text})
				width = max(width, style.Width(text))
			}
		}
	}
	return lines, width
}

// drawBeside draws the column from the top on.
func (f *Figure) drawBeside(c canvas.Canvas, lines []entry, width float64) {
	style := f.text(tickSize)
	style.AlignY = canvas.Middle
	x, y := c.Max.X-width, c.Max.Y
	if f.cells {
		x = canvas.CellWidth * float64(int(x/canvas.CellWidth))
	}
	for _, e := range lines {
		f.drawEntry(c, e, style, x, y)
		y -= f.legendLine()
	}
}

// drawEntry draws a name with its mark, from its upper left corner on.
func (f *Figure) drawEntry(c canvas.Canvas, e entry, style canvas.Text, x, top float64) {
	line := f.legendLine()
	box := canvas.Canvas{Page: c.Page, Rectangle: canvas.Rectangle{Min: canvas.Point{X: x, Y: top - line},
		Max: canvas.Point{X: x + thumbWidth, Y: top}}}
	for _, t := range e.thumbs {
		t.Thumbnail(box)
	}
	if len(e.thumbs) > 0 {
		x += thumbWidth + 3
	}
	c.Write(style, canvas.Point{X: x, Y: top - line/2}, e.name)
}

// layOut runs through the entries from left to right, a new row where one is
// full, draws them if asked, and returns the number of rows.
func (f *Figure) layOut(c canvas.Canvas, show bool, line float64) int {
	const indent = 26
	style := f.text(tickSize)
	style.AlignY = canvas.Middle
	x, row := c.Min.X+indent, 1
	for _, e := range f.entries {
		e.name = cut(e.name, style, c.Max.X-c.Min.X-indent-thumbWidth-3)
		width := thumbWidth + 3 + style.Width(e.name) + legendGap
		if x+width-legendGap > c.Max.X && x > c.Min.X+indent {
			x = c.Min.X + indent
			row++
		}
		if show {
			f.drawEntry(c, e, style, x, c.Max.Y-float64(row-1)*line)
		}
		x += width
	}
	return row
}

// NamesApart shortens names to so many letters so that they stay different: of names that begin
// alike the middle goes, and not what tells them apart.
func NamesApart(names []string, most int) []string {
	short := make([]string, len(names))
	for i, n := range names {
		short[i] = endsOf(n, most-(most-1)/3-1, (most-1)/3, most)
	}
	if distinct(short) || !distinct(names) {
		return short
	}
	// What all begin with tells nothing.
	shared := []rune(names[0])
	for _, n := range names[1:] {
		r := []rune(n)
		k := 0
		for k < len(shared) && k < len(r) && shared[k] == r[k] {
			k++
		}
		shared = shared[:k]
	}
	for i, n := range names {
		rest := []rune(n)[len(shared):]
		short[i] = "…" + string(rest)
		if len(rest)+1 > most {
			short[i] = "…" + endsOf(string(rest), most-3, 1, most-1)
		}
	}
	if distinct(short) {
		return short
	}
	for i, n := range names { // they differ far inside: numbers tell them apart
		short[i] = endsOf(n, most-5, 1, most-3) + " " + itoa(i+1)
	}
	return short
}

// endsOf is the beginning and the end of a name that is longer than most.
func endsOf(name string, first, last, most int) string {
	r := []rune(name)
	if len(r) <= most {
		return name
	}
	return string(r[:first]) + "…" + string(r[len(r)-last:])
}

func distinct(names []string) bool {
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	return len(slices.Compact(sorted)) == len(names)
}
