package canvas

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"strconv"

	"github.com/mercer-ml/mercer/internal/markup"
)

// SVG is a page as a drawing of vectors.
type SVG struct {
	width, height float64
	b             []byte
	err           error
}

// NewSVG is an empty page.
func NewSVG(width, height float64) *SVG { return &SVG{width: width, height: height} }

// Canvas is the whole page.
func (s *SVG) Canvas() Canvas { return Canvas{s, Rectangle{Max: Point{s.width, s.height}}} }

// family is what stands in for the typeface that measured the text: the reader's own, of the same
// widths.
const family = `'Liberation Sans',Arial,Helvetica,sans-serif`

// Document is the page as a file of its own.
func (s *SVG) Document() ([]byte, error) {
	size := fmt.Sprintf(`width="%spt" height="%spt"`, decimal(s.width), decimal(s.height))
	return append([]byte("<?xml version=\"1.0\"?>\n"), s.element(size)...), s.err
}

// Inline is the page as an element of a web page, as wide as its place, with a description for
// readers that speak.
func (s *SVG) Inline(description string) (string, error) {
	return string(s.element(`role="img" aria-label="` + markup.Escape(description) + `"`)), s.err
}

func (s *SVG) element(attributes string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" %s>`+"\n", decimal(s.width),
		decimal(s.height), attributes)
	b.WriteString(`<g fill="none" stroke-linejoin="round" style="font-family:` + family + `">` + "\n")
	b.Write(s.b)
	b.WriteString("</g>\n</svg>\n")
	return b.Bytes()
}

// decimal is a length to a thousandth of a point, without zeros at the end.
func decimal(x float64) string {
	x = math.Round(x*1000) / 1000
	if x == 0 {
		return "0" // and not -0
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

func (s *SVG) add(format string, args ...any) { s.b = fmt.Appendf(s.b, format+"\n", args...) }

// paint is the attributes of a colour.
func paint(attribute string, c color.Color) string {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	text := fmt.Sprintf(`%s="#%02x%02x%02x"`, attribute, n.R, n.G, n.B)
	if n.A < 255 {
		text += fmt.Sprintf(` %s-opacity="%s"`, attribute, decimal(float64(n.A)/255))
	}
	return text
}

func (l Line) attributes() string {
	text := paint("stroke", l.Color) + ` stroke-width="` + decimal(l.Width) + `"`
	for i, d := range l.Dashes {
		text += []string{` stroke-dasharray="`, ","}[min(i, 1)] + decimal(d)
	}
	if len(l.Dashes) > 0 {
		text += `"`
	}
	return text
}

// path is the data of a path. The page's y grows downwards.
func (s *SVG) path(points []Point, closed bool) string {
	b := []byte{'M'}
	for i, p := range points {
		if i > 0 {
			b = append(b, 'L')
		}
		b = append(append(append(b, decimal(p.X)...), ','), decimal(s.height-p.Y)...)
	}
	if closed {
		b = append(b, 'Z')
	}
	return string(b)
}

// Area fills a polygon.
func (s *SVG) Area(c color.Color, outline []Point) {
	s.add(`<path %s d="%s"/>`, paint("fill", c), s.path(outline, true))
}

// Path draws a line.
func (s *SVG) Path(l Line, points []Point, closed bool) {
	s.add(`<path %s d="%s"/>`, l.attributes(), s.path(points, closed))
}

func (s *SVG) circle(style string, center Point, radius float64) {
	s.add(`<circle %s cx="%s" cy="%s" r="%s"/>`, style, decimal(center.X), decimal(s.height-center.Y), decimal(radius))
}

// Disc fills a circle.
func (s *SVG) Disc(c color.Color, center Point, radius float64) {
	s.circle(paint("fill", c), center, radius)
}

// Ring draws a circle.
func (s *SVG) Ring(l Line, center Point, radius float64) { s.circle(l.attributes(), center, radius) }

// Image fills a rectangle; the picture is part of the document.
func (s *SVG) Image(r Rectangle, picture image.Image) {
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		s.err = err
		return
	}
	s.add(`<image x="%s" y="%s" width="%s" height="%s" preserveAspectRatio="none" href="data:image/png;base64,%s"/>`,
		decimal(r.Min.X), decimal(s.height-r.Max.Y), decimal(r.Max.X-r.Min.X), decimal(r.Max.Y-r.Min.Y),
		base64.StdEncoding.EncodeToString(b.Bytes()))
}

// Write puts text.
func (s *SVG) Write(c color.Color, at Point, text string, size, rotation float64) {
	turned := ""
	x, y := decimal(at.X), decimal(s.height-at.Y)
	if rotation != 0 {
		turned = fmt.Sprintf(` transform="rotate(%s %s %s)"`, decimal(-rotation*180/math.Pi), x, y)
	}
	s.add(`<text x="%s" y="%s"%s %s font-size="%s">%s</text>`, x, y, turned, paint("fill", c), decimal(size),
		markup.Escape(printable(text)))
}

// printable is a text with what XML cannot hold replaced.
func printable(text string) string {
	out := []rune(text)
	for i, r := range out {
		if r < ' ' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
			out[i] = '\uFFFD'
		}
	}
	return string(out)
}
