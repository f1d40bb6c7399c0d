// Package plot draws mercer's figures: one house style on gonum/plot, written
// as SVG or PNG. A figure is made to be read at 80 mm: labels of 8 points, thin
// grey axes, no frame. Colours are those of Okabe and Ito (2008), which
// colour-blind readers tell apart, and every colour comes with its own dash or
// mark, so that figures survive a black-and-white printer; shades of a surface
// grow darker in one direction only.
package plot

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Figure is a plot in the house style.
type Figure struct {
	p             *plot.Plot
	Width, Height vg.Length // zero: 80 mm by 60 mm
	entries       []entry
	Alt           string // what it shows, in a sentence, for those who cannot see it
}

// SpanY widens the axis of values about its middle until it goes over so much: a line that hardly moves beside others is not to look as if it did.
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

// okabeIto is the palette; the order puts dark and light next to each other.
var okabeIto = []color.RGBA{
	{0, 114, 178, 255},   // blue
	{230, 159, 0, 255},   // orange
	{0, 158, 115, 255},   // green
	{204, 121, 167, 255}, // pink
	{213, 94, 0, 255},    // vermillion
	{86, 180, 233, 255},  // sky
	{240, 228, 66, 255},  // yellow
	{0, 0, 0, 255},
}

var dashes = [][]vg.Length{nil, {4, 2}, {1, 2}, {6, 2, 1, 2}, {2, 2}, {8, 3}, {3, 1, 1, 1}, {1, 1}}

var shapes = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.SquareGlyph{}, draw.PlusGlyph{},
	draw.CrossGlyph{}, draw.RingGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{},
}

func colour(i int) color.RGBA      { return okabeIto[i%len(okabeIto)] }
func dash(i int) []vg.Length       { return dashes[i%len(dashes)] }
func shape(i int) draw.GlyphDrawer { return shapes[i%len(shapes)] }
func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}
func tint(c color.RGBA, share float64) color.RGBA {
	mix := func(v uint8) uint8 { return uint8(255 - share*(255-float64(v))) }
	return color.RGBA{mix(c.R), mix(c.G), mix(c.B), 255}
}

// newFigure makes an empty figure with axis labels.
func newFigure(x, y, alt string) *Figure {
	p := plot.New()
	p.BackgroundColor = color.White
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font = sans(labelSize)
		a.Label.TextStyle.Color = ink
		a.Label.Padding = 2
		a.Tick.Label.Font = sans(tickSize)
		a.Tick.Label.Color = ink
		a.Tick.Length = 3
		a.Tick.LineStyle.Width, a.Tick.LineStyle.Color = 0.5, axis
		a.LineStyle.Width, a.LineStyle.Color = 0.5, axis
		a.Padding = 3
		a.Tick.Marker = roundTicks{}
	}
	return &Figure{p: p, Alt: alt}
}

// grid rules lines across the figure, beneath everything added later.
func (f *Figure) grid() { f.p.Add(ruling{}) }

type ruling struct{}

// Plot draws a line at each labelled tick of the value axis.
func (ruling) Plot(c draw.Canvas, p *plot.Plot) {
	style := draw.LineStyle{Color: rule, Width: 0.4}
	_, y := p.Transforms(&c)
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if !t.IsMinor() && t.Value >= p.Y.Min && t.Value <= p.Y.Max {
			c.StrokeLine2(style, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
		}
	}
}

func (f *Figure) size() (w, h vg.Length) {
	w, h = f.Width, f.Height
	if w == 0 {
		w = 80 * vg.Millimeter
	}
	if h == 0 {
		h = 60 * vg.Millimeter
	}
	return w, h
}

// WritePNG writes the figure as a PNG at 300 dots per inch.
func (f *Figure) WritePNG(w io.Writer) error {
	width, height := f.size()
	c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(300), vgimg.UseBackgroundColor(color.White))
	f.draw(draw.New(c))
	_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
	return err
}

// WriteSVG writes the figure as a document of its own.
func (f *Figure) WriteSVG(w io.Writer) error {
	text, err := f.svg()
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text)
	return err
}

// Write chooses the format by the file's name.
func (f *Figure) Write(w io.Writer, name string) error {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".svg":
		return f.WriteSVG(w)
	case ".png":
		return f.WritePNG(w)
	}
	return fmt.Errorf("%s: a plot is written as .svg or .png", name)
}

var (
	fontFamily = regexp.MustCompile(`font-family:[^;"]*`)
	svgOpening = regexp.MustCompile(`(?s)^.*?<svg [^>]*?viewBox="([^"]*)"[^>]*>`)
)

func (f *Figure) svg() (string, error) {
	width, height := f.size()
	c := vgsvg.NewWith(vgsvg.UseWH(width, height))
	f.draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return "", err
	}
	// The reader's own sans-serif face stands in for the one that measured the
	// text: its widths are the same as those of Arial and Helvetica.
	return fontFamily.ReplaceAllString(b.String(), "font-family:'Liberation Sans',Arial,Helvetica,sans-serif"), nil
}

// Inline is the figure as an <svg> element for a page, as wide as its place,
// with its description for readers that speak.
func (f *Figure) Inline() (string, error) {
	text, err := f.svg()
	if err != nil {
		return "", err
	}
	m := svgOpening.FindStringSubmatchIndex(text)
	if m == nil {
		return "", fmt.Errorf("plot: no <svg> with a viewBox in the drawing")
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="%s" role="img" aria-label=%q>`, text[m[2]:m[3]], strings.ReplaceAll(f.Alt, `"`, "'"))
	b.WriteString(text[m[1]:])
	return b.String(), nil
}
