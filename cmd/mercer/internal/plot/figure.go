// Package plot draws mercer's figures: one house style, written as SVG, PNG or PDF, or in the
// characters of a terminal. A figure is made to be read at 80 mm: labels of 8 points, thin grey
// axes, no frame. Colours are those of Okabe and Ito (2008), which colour-blind readers tell apart,
// and every colour comes with its own dash or mark, so that figures survive a black-and-white
// printer; shades of a surface grow darker in one direction only.
package plot

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot/canvas"
)

// Figure is a plot in the house style.
type Figure struct {
	p             *chart
	Width, Height float64 // zero: 80 mm by 60 mm
	entries       []entry
	Alt           string // what it shows, in a sentence, for those who cannot see it
	Title         string // a line above it; empty: none
	beside        bool   // the legend is to the right
	cells         bool   // it is drawn in the characters of a terminal
}

// LegendBeside puts the legend to the right, where it has room there.
func (f *Figure) LegendBeside() { f.beside = true }

// SpanY widens the axis of values about its middle until it goes over so much: a line that hardly
// moves beside others is not to look as if it did.
func (f *Figure) SpanY(least float64) {
	if y := &f.p.Y; y.Max-y.Min < least {
		middle := (y.Max + y.Min) / 2
		y.Min, y.Max = middle-least/2, middle+least/2
	}
}

const (
	labelSize = 8 // points
	tickSize  = 7
)

var (
	ink  = color.Gray{40}
	axis = color.Gray{110}
	rule = color.Gray{228}
)

// okabeIto is the palette; the order puts dark and light next to each other. Its yellow is darker
// than theirs, to be seen on white, and two more make ten.
var okabeIto = []color.RGBA{
	{0, 114, 178, 255},   // blue
	{230, 159, 0, 255},   // orange
	{0, 158, 115, 255},   // green
	{204, 121, 167, 255}, // pink
	{213, 94, 0, 255},    // vermillion
	{86, 180, 233, 255},  // sky
	{196, 178, 0, 255},   // yellow
	{0, 0, 0, 255},
	{117, 60, 167, 255},  // purple
	{145, 145, 145, 255}, // grey
}

// MostGroups is how many groups have a colour each; more are no groups to the eye.
const MostGroups = 10

var dashes = [][]float64{nil, {4, 2}, {1, 2}, {6, 2, 1, 2}, {2, 2}, {8, 3}, {3, 1, 1, 1}, {1, 1}}

var shapes = []canvas.Shape{
	canvas.Circle, canvas.Triangle, canvas.Square, canvas.Plus,
	canvas.Cross, canvas.Ring, canvas.Pyramid, canvas.Box,
}

func colour(i int) color.RGBA  { return okabeIto[i%len(okabeIto)] }
func dash(i int) []float64     { return dashes[i%len(dashes)] }
func shape(i int) canvas.Shape { return shapes[i%len(shapes)] }
func tint(c color.RGBA, share float64) color.RGBA {
	mix := func(v uint8) uint8 { return uint8(255 - share*(255-float64(v))) }
	return color.RGBA{mix(c.R), mix(c.G), mix(c.B), 255}
}

// newFigure makes an empty figure with axis labels.
func newFigure(x, y, alt string) *Figure {
	p := &chart{}
	for _, a := range []*chartAxis{&p.X, &p.Y} {
		*a = chartAxis{Min: math.Inf(1), Max: math.Inf(-1), Padding: 3, Ticks: roundTicks{}, tickLength: 3}
		a.line = canvas.Line{Color: axis, Width: 0.5}
		a.tickLine = a.line
		a.text = canvas.Text{Color: ink, Size: labelSize, AlignX: canvas.Middle}
		a.tickLabel = canvas.Text{Color: ink, Size: tickSize}
	}
	p.X.Label, p.Y.Label = AxisName(x), AxisName(y)
	p.X.tickLabel.AlignX, p.X.tickLabel.AlignY = canvas.Middle, canvas.Top
	p.Y.tickLabel.AlignX, p.Y.tickLabel.AlignY = canvas.Right, canvas.Middle
	return &Figure{p: p, Alt: alt}
}

// grid rules lines across the figure, beneath everything added later.
func (f *Figure) grid() { f.p.Add(ruling{}) }

type ruling struct{}

// Plot draws a line at each labelled tick of the value axis.
func (ruling) Plot(c canvas.Canvas, p *chart) {
	style := canvas.Line{Color: rule, Width: 0.4}
	_, y := p.Transforms(c)
	for _, t := range p.Y.Ticks.Ticks(p.Y.Min, p.Y.Max) {
		if !t.IsMinor() && t.Value >= p.Y.Min && t.Value <= p.Y.Max {
			c.Segment(style, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
		}
	}
}

// Resize makes the figure so wide, and as high for its width as it was; 0: room is added for a
// legend beside it.
func (f *Figure) Resize(width float64) {
	w, h := f.size()
	if width == 0 {
		if f.beside && len(f.entries) > 0 {
			if _, legend := f.column(canvas.Canvas{Rectangle: canvas.Rectangle{Max: canvas.Point{X: w,
				Y: h}}}); legend <= 0.6*w {
				f.Width = w + legend + legendGap
			}
		}
		return
	}
	f.Width, f.Height = width, h/w*width
}

func (f *Figure) size() (w, h float64) {
	w, h = f.Width, f.Height
	if w == 0 {
		w = 80 * canvas.Millimeter
	}
	if h == 0 {
		h = 60 * canvas.Millimeter
	}
	return w, h
}

// WritePNG writes the figure as a PNG at 300 dots per inch.
func (f *Figure) WritePNG(w io.Writer) error {
	width, height := f.size()
	page := canvas.NewPNG(width, height, 300)
	f.draw(page.Canvas())
	return page.Encode(w)
}

// WritePDF writes the figure as a page for print.
func (f *Figure) WritePDF(w io.Writer) error {
	page := canvas.NewPDF(f.size())
	f.draw(page.Canvas())
	return page.Encode(w)
}

// Terminal is the figure in the characters of a terminal, so many columns wide. It is the last
// thing done with a figure: labels get the widths of cells.
func (f *Figure) Terminal(columns int, colour bool) string {
	w, h := f.size()
	// The height is that of the figure, no more than a screen has where it is as wide as usual.
	rows := int(math.Round(float64(columns) * canvas.CellWidth * min(h/w, 1) / canvas.CellHeight * 0.85))
	rows = max(rows, 14, int(h/canvas.CellHeight/2))
	f.cells = true
	for _, a := range []*chartAxis{&f.p.X, &f.p.Y} {
		a.text.Advance, a.tickLabel.Advance = canvas.CellWidth, canvas.CellWidth
		a.tickLabel.Rotation = 0
		a.tickLength = 0
	}
	f.p.X.tickLength = canvas.CellHeight / 2 // its numbers have a row of their own
	f.p.X.tickLabel.AlignX, f.p.X.tickLabel.AlignY = canvas.Middle, canvas.Top
	page := canvas.NewTerminal(columns, rows, colour)
	f.draw(page.Canvas())
	return page.String()
}

func (f *Figure) svg() *canvas.SVG {
	page := canvas.NewSVG(f.size())
	f.draw(page.Canvas())
	return page
}

// WriteSVG writes the figure as a document of its own.
func (f *Figure) WriteSVG(w io.Writer) error {
	text, err := f.svg().Document()
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// Inline is the figure as an <svg> element for a page, as wide as its place,
// with its description for readers that speak.
func (f *Figure) Inline() (string, error) { return f.svg().Inline(f.Alt) }

// Write chooses the format by the file's name.
func (f *Figure) Write(w io.Writer, name string) error {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".svg":
		return f.WriteSVG(w)
	case ".png":
		return f.WritePNG(w)
	case ".pdf":
		return f.WritePDF(w)
	}
	return fmt.Errorf("%s: a plot is written as .svg, .png or .pdf", name)
}
