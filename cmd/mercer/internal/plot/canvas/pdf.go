package canvas

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"
)

// PDF is a page as a document for print: vectors, and text in a typeface that the file has with it,
// as journals ask for (ISO 32000-1:2008, the numbers of sections below).
type PDF struct {
	width, height float64
	content       bytes.Buffer
	images        []image.Image
	alphas        []uint8 // how opaque something is that is not wholly so
	used          map[uint16]rune
}

// NewPDF is an empty page.
func NewPDF(width, height float64) *PDF {
	return &PDF{width: width, height: height, used: map[uint16]rune{}}
}

// Canvas is the whole page.
func (p *PDF) Canvas() Canvas { return Canvas{p, Rectangle{Max: Point{p.width, p.height}}} }

func (p *PDF) add(format string, args ...any) { fmt.Fprintf(&p.content, format+"\n", args...) }

// paint sets the colour of what follows (8.6.8), and how opaque it is (11.6.4.4). Everything is
// drawn between q and Q, which bring back what was.
func (p *PDF) paint(operator string, c color.Color) {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	if n.A < 255 {
		k := slices.Index(p.alphas, n.A)
		if k < 0 {
			k, p.alphas = len(p.alphas), append(p.alphas, n.A)
		}
		p.add("/A%d gs", k)
	}
	p.add("%s %s %s %s", decimal(float64(n.R)/255), decimal(float64(n.G)/255), decimal(float64(n.B)/255), operator)
}

func (p *PDF) path(points []Point) {
	for i, at := range points {
		p.add("%s %s %c", decimal(at.X), decimal(at.Y), "ml"[min(i, 1)])
	}
}

// Area fills a polygon.
func (p *PDF) Area(c color.Color, outline []Point) {
	p.add("q")
	p.paint("rg", c)
	p.path(outline)
	p.add("h f Q")
}

func (p *PDF) line(l Line) {
	p.paint("RG", l.Color)
	text := make([]string, len(l.Dashes))
	for i, d := range l.Dashes {
		text[i] = decimal(d)
	}
	p.add("%s w 1 j [%s] 0 d", decimal(l.Width), strings.Join(text, " "))
}

// Path draws a line.
func (p *PDF) Path(l Line, points []Point, closed bool) {
	p.add("q")
	p.line(l)
	p.path(points)
	if closed {
		p.add("h")
	}
	p.add("S Q")
}

// circle is four Bézier curves, whose handles are 4/3 (√2 - 1) of the radius: the error is under
// 0.03 % of it.
func (p *PDF) circle(center Point, r float64) {
	k := 4.0 / 3 * (math.Sqrt2 - 1) * r
	x, y := center.X, center.Y
	p.add("%s %s m", decimal(x+r), decimal(y))
	for _, c := range [4][6]float64{
		{x + r, y + k, x + k, y + r, x, y + r}, {x - k, y + r, x - r, y + k, x - r, y},
		{x - r, y - k, x - k, y - r, x, y - r}, {x + k, y - r, x + r, y - k, x + r, y},
	} {
		for _, v := range c {
			p.content.WriteString(decimal(v) + " ")
		}
		p.add("c")
	}
}

// Disc fills a circle.
func (p *PDF) Disc(c color.Color, center Point, radius float64) {
	p.add("q")
	p.paint("rg", c)
	p.circle(center, radius)
	p.add("h f Q")
}

// Ring draws a circle.
func (p *PDF) Ring(l Line, center Point, radius float64) {
	p.add("q")
	p.line(l)
	p.circle(center, radius)
	p.add("h S Q")
}

// Image fills a rectangle: an image is drawn into the unit square (8.9.5).
func (p *PDF) Image(r Rectangle, picture image.Image) {
	p.add("q %s 0 0 %s %s %s cm /I%d Do Q", decimal(r.Max.X-r.Min.X), decimal(r.Max.Y-r.Min.Y), decimal(r.Min.X),
		decimal(r.Min.Y), len(p.images))
	p.images = append(p.images, picture)
}

// Write puts text, by the numbers of its glyphs (9.4.3). Pairs of letters are moved together as the
// font says, which is what the numbers between them do.
func (p *PDF) Write(c color.Color, at Point, text string, size, rotation float64) {
	sin, cos := math.Sincos(rotation)
	p.add("q")
	p.paint("rg", c)
	p.add("BT /F %s Tf %s %s %s %s %s %s Tm", decimal(size), precise(cos), precise(sin), precise(-sin), precise(cos),
		decimal(at.X), decimal(at.Y))
	p.content.WriteString("[")
	expected := 0.0
	for _, g := range glyphs(text) {
		if move := expected - g.x; math.Abs(move) > 0.5 {
			p.content.WriteString(decimal(move * 1000 / unitsPerEm))
		}
		fmt.Fprintf(&p.content, "<%04x>", g.id)
		expected = g.x + g.advance
		p.used[g.id] = g.rune
	}
	p.add("] TJ ET Q")
}

// precise is a number of a matrix: a turn of a label would show at a thousandth.
func precise(v float64) string {
	s := strings.TrimRight(fmt.Sprintf("%.6f", v), "0")
	return strings.TrimSuffix(s, ".")
}

// Encode writes the document: its objects, where each begins, and what stands first (7.5).
func (p *PDF) Encode(w io.Writer) error {
	d := &document{}
	d.b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	catalog, pages, page := d.reserve(), d.reserve(), d.reserve()
	content := d.stream("", p.content.Bytes())
	resources := "/Font << " + p.font(d) + " >>"
	if len(p.images) > 0 {
		resources += " /XObject <<"
		for i, m := range p.images {
			resources += fmt.Sprintf(" /I%d %d 0 R", i, d.image(m))
		}
		resources += " >>"
	}
	if len(p.alphas) > 0 {
		resources += " /ExtGState <<"
		for i, a := range p.alphas {
			resources += fmt.Sprintf(" /A%d << /ca %[2]s /CA %[2]s >>", i, decimal(float64(a)/255))
		}
		resources += " >>"
	}
	d.put(catalog, fmt.Sprintf("<< /Type /Catalog /Pages %d 0 R >>", pages))
	d.put(pages, fmt.Sprintf("<< /Type /Pages /Kids [%d 0 R] /Count 1 >>", page))
	d.put(page, fmt.Sprintf("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %s %s] /Contents %d 0 R /Resources << %s >> >>",
		pages, decimal(p.width), decimal(p.height), content, resources))
	return d.end(w, catalog)
}

// document is objects with their places in the file.
type document struct {
	b  bytes.Buffer
	at []int
}

// reserve is the number of an object that is written later.
func (d *document) reserve() int {
	d.at = append(d.at, 0)
	return len(d.at)
}

func (d *document) put(n int, body string) {
	d.at[n-1] = d.b.Len()
	fmt.Fprintf(&d.b, "%d 0 obj\n%s\nendobj\n", n, body)
}

func (d *document) object(body string) int {
	n := d.reserve()
	d.put(n, body)
	return n
}

// stream is an object of bytes, compressed (7.4.4).
func (d *document) stream(entries string, body []byte) int {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	_, _ = w.Write(body) // memory does not fail
	_ = w.Close()
	return d.object(fmt.Sprintf("<< %s /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream", entries, z.Len(),
		z.String()))
}

// image is a picture as colours of three bytes, on white where it is not opaque.
func (d *document) image(m image.Image) int {
	b := m.Bounds()
	rows := make([]byte, 0, 3*b.Dx()*b.Dy())
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, bl, a := m.At(x, y).RGBA()
			white := 0xffff - a
			rows = append(rows, byte((r+white)>>8), byte((g+white)>>8), byte((bl+white)>>8))
		}
	}
	return d.stream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceRGB "+
		"/BitsPerComponent 8 /Interpolate true", b.Dx(), b.Dy()), rows)
}

func (d *document) end(w io.Writer, catalog int) error {
	table := d.b.Len()
	fmt.Fprintf(&d.b, "xref\n0 %d\n0000000000 65535 f \n", len(d.at)+1)
	for _, at := range d.at {
		fmt.Fprintf(&d.b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&d.b, "trailer\n<< /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(d.at)+1, catalog, table)
	_, err := w.Write(d.b.Bytes())
	return err
}
