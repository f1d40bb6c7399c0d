package canvas

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"
	"unicode/utf8"
)

// A cell of a terminal, in points: text of 8 points has about its width, and its 2 by 4 dots of
// Braille are squares.
const (
	CellWidth  = 5.0
	CellHeight = 10.0
	dot        = CellWidth / 2
)

// Terminal is a page of characters: lines and marks are dots of Braille, areas the ground of cells
// (shades of grey where there is no colour), text is text.
type Terminal struct {
	columns, rows int
	colour        bool
	cells         []cell
}

type cell struct {
	dots   uint8
	letter rune
	front  color.RGBA
	covers [8]color.RGBA // what fills each dot; nothing where it is not opaque
}

// NewTerminal is an empty page. Without colour, marks of different shapes are different characters.
func NewTerminal(columns, rows int, colour bool) *Terminal {
	return &Terminal{columns: columns, rows: rows, colour: colour, cells: make([]cell, columns*rows)}
}

// Canvas is the whole page.
func (t *Terminal) Canvas() Canvas {
	return Canvas{t, Rectangle{Max: Point{CellWidth * float64(t.columns), CellHeight * float64(t.rows)}}}
}

// dotAt is the cell and the number of the dot at a place, nil outside of the page.
func (t *Terminal) dotAt(x, y int) (*cell, int) {
	if x < 0 || y < 0 || x >= 2*t.columns || y >= 4*t.rows {
		return nil, 0
	}
	return &t.cells[y/4*t.columns+x/2], 4*(x%2) + y%4
}

// place is a point in dots, whose y grows downwards.
func (t *Terminal) place(at Point) (x, y float64) {
	return at.X / dot, (CellHeight*float64(t.rows) - at.Y) / dot
}

func (t *Terminal) set(x, y float64, c color.RGBA) {
	if !(math.Abs(x) < 1e6 && math.Abs(y) < 1e6) {
		return
	}
	if cell, k := t.dotAt(int(math.Floor(x)), int(math.Floor(y))); cell != nil {
		cell.dots |= 1 << k
		cell.front = c
	}
}

// opaque is a colour on white.
func opaque(c color.Color) color.RGBA {
	r, g, b, a := c.RGBA()
	white := 0xffff - a
	return color.RGBA{uint8((r + white) >> 8), uint8((g + white) >> 8), uint8((b + white) >> 8), 255}
}

// faint says that a line is a ruling of the ground or the edge of a patch, which dots would make as
// loud as the data.
func faint(l Line, c color.RGBA) bool {
	return l.Width < 0.33 || c.R > 200 && c.G > 200 && c.B > 200
}

// Area fills a polygon. What is white is the ground itself.
func (t *Terminal) Area(c color.Color, outline []Point) {
	paint := opaque(c)
	if paint == (color.RGBA{255, 255, 255, 255}) {
		return
	}
	xs, ys := make([]float64, len(outline)), make([]float64, len(outline))
	low, high := math.Inf(1), math.Inf(-1)
	for i, p := range outline {
		xs[i], ys[i] = t.place(p)
		low, high = min(low, ys[i]), max(high, ys[i])
	}
	for y := max(0, int(low)); y < 4*t.rows && float64(y) <= high; y++ {
		for x := range 2 * t.columns {
			if inside(xs, ys, float64(x)+0.5, float64(y)+0.5) {
				cell, k := t.dotAt(x, y)
				cell.covers[k] = paint
			}
		}
	}
}

// inside says whether a place is in a polygon, by counting the sides to its left.
func inside(xs, ys []float64, x, y float64) bool {
	in := false
	for i, j := 0, len(xs)-1; i < len(xs); j, i = i, i+1 {
		if (ys[i] > y) != (ys[j] > y) && x > xs[i]+(y-ys[i])/(ys[j]-ys[i])*(xs[j]-xs[i]) {
			in = !in
		}
	}
	return in
}

// Path draws a line, dot by dot; of a dashed one the gaps are left out.
func (t *Terminal) Path(l Line, points []Point, closed bool) {
	c := opaque(l.Color)
	if faint(l, c) {
		return
	}
	if closed && len(points) > 0 {
		points = append(points[:len(points):len(points)], points[0])
	}
	dashes := make([]float64, len(l.Dashes))
	for i, d := range l.Dashes {
		dashes[i] = max(d, dot) * 2 // gaps of less than a dot are none
	}
	for _, piece := range cutDashes(points, dashes) {
		for i := 1; i < len(piece); i++ {
			x0, y0 := t.place(piece[i-1])
			x1, y1 := t.place(piece[i])
			steps := int(min(math.Ceil(2*max(math.Abs(x1-x0), math.Abs(y1-y0))), 1e5))
			for k := range steps + 1 {
				share := float64(k) / float64(max(steps, 1))
				t.set(x0+share*(x1-x0), y0+share*(y1-y0), c)
			}
		}
	}
}

// Disc is a dot where it is small.
func (t *Terminal) Disc(c color.Color, center Point, radius float64) {
	if radius <= 2*dot {
		x, y := t.place(center)
		t.set(x, y, opaque(c))
		return
	}
	t.Area(c, around(center, radius))
}

// Ring is a dot where it is small.
func (t *Terminal) Ring(l Line, center Point, radius float64) {
	if radius <= 2*dot {
		t.Disc(l.Color, center, radius)
		return
	}
	t.Path(l, around(center, radius), true)
}

func around(center Point, radius float64) []Point {
	out := make([]Point, 32)
	for i := range out {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(len(out)))
		out[i] = Point{center.X + radius*cos, center.Y + radius*sin}
	}
	return out
}

// characters stand for shapes where colours do not tell groups apart.
var characters = map[Shape]rune{Triangle: '△', Square: '□', Plus: '+', Cross: '×', Pyramid: '▲', Box: '■'}

// Mark is a dot, or the character of its shape.
func (t *Terminal) Mark(m Mark, at Point) {
	x, y := t.place(at)
	letter := characters[m.Shape]
	if t.colour || letter == 0 {
		t.set(x, y, opaque(m.Color))
		return
	}
	if c, _ := t.dotAt(int(math.Floor(x)), int(math.Floor(y))); c != nil {
		c.letter, c.front = letter, opaque(m.Color)
	}
}

// Image fills a rectangle, a colour for each dot.
func (t *Terminal) Image(r Rectangle, picture image.Image) {
	x0, y0 := t.place(Point{r.Min.X, r.Max.Y})
	x1, y1 := t.place(Point{r.Max.X, r.Min.Y})
	b := picture.Bounds()
	for y := int(math.Round(y0)); y < int(math.Round(y1)); y++ {
		for x := int(math.Round(x0)); x < int(math.Round(x1)); x++ {
			if c, k := t.dotAt(x, y); c != nil {
				u, v := (float64(x)+0.5-x0)/(x1-x0), (float64(y)+0.5-y0)/(y1-y0)
				c.covers[k] = opaque(mixed(picture, u*float64(b.Dx())-0.5, v*float64(b.Dy())-0.5))
			}
		}
	}
}

// Write puts text into cells: a letter each, never turned.
func (t *Terminal) Write(c color.Color, at Point, text string, size, _ float64) {
	x, y := t.place(Point{at.X, at.Y + size/3}) // the middle of small letters says which row it is
	row, column := int(math.Floor(y/4)), int(math.Round(x/2))
	if row < 0 || row >= t.rows {
		return
	}
	column = max(0, min(column, t.columns-utf8.RuneCountInString(text)))
	for _, r := range text {
		if column < t.columns {
			t.cells[row*t.columns+column].letter, t.cells[row*t.columns+column].front = r, opaque(c)
		}
		column++
	}
}

// ground is the mean of what fills a cell, where that is a third of it or more.
func (c *cell) ground() (paint color.RGBA, filled bool) {
	var sum [3]int
	n := 0
	for _, p := range c.covers {
		if p.A > 0 {
			sum[0], sum[1], sum[2], n = sum[0]+int(p.R), sum[1]+int(p.G), sum[2]+int(p.B), n+1
		}
	}
	if n < 3 {
		return paint, false
	}
	return color.RGBA{uint8(sum[0] / n), uint8(sum[1] / n), uint8(sum[2] / n), 255}, true
}

// brightness is that of a colour to the eye, from 0 to 1.
func brightness(c color.RGBA) float64 {
	return (0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B)) / 255
}

// character is what is printed of a cell.
func (c *cell) character(colour bool) rune {
	switch ground, filled := c.ground(); {
	case c.letter != 0:
		return c.letter
	case c.dots != 0:
		bits := 0 // Unicode numbers the dots of the fourth row last
		for k, v := range [8]int{0x01, 0x02, 0x04, 0x40, 0x08, 0x10, 0x20, 0x80} {
			if c.dots>>k&1 != 0 {
				bits |= v
			}
		}
		return rune(0x2800 + bits)
	case filled && !colour:
		return []rune(" ░▒▓█")[min(int((1-brightness(ground))*5.5), 4)]
	}
	return ' '
}

// String is the page in lines. Colours are those of 256, which terminals have.
func (t *Terminal) String() string {
	var b strings.Builder
	for row := range t.rows {
		line := t.cells[row*t.columns : (row+1)*t.columns]
		end := len(line)
		for end > 0 && line[end-1].blank(t.colour) {
			end--
		}
		style := ""
		for i := range line[:end] {
			if now := line[i].style(t.colour); now != style {
				style = now
				b.WriteString("\x1b[0" + now + "m")
			}
			b.WriteRune(line[i].character(t.colour))
		}
		if style != "" {
			b.WriteString("\x1b[0m")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (c *cell) blank(colour bool) bool {
	return c.character(colour) == ' ' && c.style(colour) == ""
}

// style is the colours of a cell. Text and axes on the terminal's own ground have the terminal's
// own colour, which is seen on it.
func (c *cell) style(colour bool) (text string) {
	if !colour {
		return ""
	}
	ground, filled := c.ground()
	if filled {
		text = fmt.Sprintf(";48;5;%d", indexed(ground))
	}
	if c.letter == 0 && c.dots == 0 {
		return text
	}
	f := c.front
	grey := max(f.R, f.G, f.B)-min(f.R, f.G, f.B) < 12
	switch {
	case grey && filled && brightness(ground) > 0.5:
		return text + ";38;5;16"
	case grey && filled:
		return text + ";38;5;231"
	case grey:
		return text
	}
	return text + fmt.Sprintf(";38;5;%d", indexed(f))
}

// indexed is the nearest colour of the cube of 6 by 6 by 6, whose steps are 0, 95, 135, …, 255.
func indexed(c color.RGBA) int {
	step := func(v uint8) int {
		if v < 48 {
			return 0
		}
		return min((max(int(v), 75)-35)/40, 5)
	}
	return 16 + 36*step(c.R) + 6*step(c.G) + step(c.B)
}
