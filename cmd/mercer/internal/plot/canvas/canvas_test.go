package canvas

import (
	"encoding/xml"
	"image"
	"image/color"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
)

// inked is how much of a page is black, in square points.
func inked(p *PNG) float64 {
	sum := 0.0
	for _, v := range p.image.Pix {
		sum += 255 - float64(v)
	}
	return sum / 255 / 3 / (p.scale * p.scale)
}

// What is painted has the area that geometry gives it.
func TestAreas(t *testing.T) {
	black := Line{Color: color.Black, Width: 2}
	dashed := black
	dashed.Dashes = []float64{6, 4}
	for name, c := range map[string]struct {
		draw func(c Canvas)
		want float64
		tol  float64
	}{
		"rectangle": {func(c Canvas) {
			c.Fill(color.Black, Point{10, 10}, Point{50.5, 10}, Point{50.5, 30},
				Point{10, 30})
		}, 40.5 * 20, 0.5},
		"triangle": {func(c Canvas) { c.Fill(color.Black, Point{10, 10}, Point{60, 10}, Point{10, 50}) }, 1000, 2},
		"disc":     {func(c Canvas) { c.Mark(Mark{color.Black, 20, Circle}, Point{50, 50}) }, math.Pi * 400, 2},
		"ring":     {func(c Canvas) { c.Page.Ring(black, Point{50, 50}, 20) }, 2 * math.Pi * 20 * 2, 2},
		"point":    {func(c Canvas) { c.Page.Ring(black, Point{50, 50}, 0) }, math.Pi, 0.1},
		"line":     {func(c Canvas) { c.Segment(black, 10, 20, 70, 65) }, 75 * 2, 1},
		"dashes":   {func(c Canvas) { c.Segment(dashed, 10, 20, 70, 20) }, 36 * 2, 1}, // six strokes
		"square": {func(c Canvas) { c.Page.Path(black, []Point{{20, 20}, {60, 20}, {60, 60}, {20, 60}}, true) },
			160*2 + math.Pi - 4, 1.5},
		"corner": {func(c Canvas) { c.Stroke(black, Point{20, 20}, Point{60, 20}, Point{60, 60}) },
			80*2 - 1 + math.Pi/4, 1},
		"other corner": {func(c Canvas) { c.Stroke(black, Point{20, 60}, Point{60, 60}, Point{60, 20}) },
			80*2 - 1 + math.Pi/4, 1},
		"curve": {func(c Canvas) { // of many short parts it is as wide as of few
			var arc []Point
			for i := range 401 {
				sin, cos := math.Sincos(float64(i) / 400 * math.Pi)
				arc = append(arc, Point{50 + 30*cos, 40 + 30*sin})
			}
			c.Stroke(black, arc...)
		}, math.Pi * 30 * 2, 4},
		"no line": {func(c Canvas) { c.Stroke(Line{Color: color.Black}, Point{10, 10}, Point{50, 50}) }, 0, 0},
		"off the page": {func(c Canvas) {
			c.Fill(color.Black, Point{-1e9, 10}, Point{1e9, 10}, Point{1e9, 20},
				Point{-1e9, 20})
		}, 0, 0},
		"half off": {func(c Canvas) {
			c.FillInside(color.Black, Point{-1e9, 10}, Point{1e9, 10}, Point{1e9, 20}, Point{-1e9, 20})
		}, 1000, 1},
		"no number": {func(c Canvas) {
			c.Fill(color.Black, Point{math.NaN(), 1}, Point{math.NaN(), 2},
				Point{math.NaN(), 3})
		}, 0, 0},
		"mark outside": {func(c Canvas) { c.Mark(Mark{color.Black, 3, Box}, Point{50, 100.5}) }, 0, 0},
		"box": {func(c Canvas) { c.Mark(Mark{color.Black, 10, Box}, Point{50, 50}) },
			math.Pow(10*(1+math.Sqrt2/2), 2), 1},
	} {
		p := NewPNG(100, 100, 300)
		c.draw(p.Canvas())
		if got := inked(p); math.Abs(got-c.want) > c.tol {
			t.Errorf("%s: %.2f square points, want %.2f", name, got, c.want)
		}
	}
}

// A pixel that is whole inside has the colour, one outside has not, one cut in half has the mean.
func TestEdges(t *testing.T) {
	p := NewPNG(10, 10, 72)
	p.Canvas().Fill(color.RGBA{255, 0, 0, 255}, Point{2, 3}, Point{5.5, 3}, Point{5.5, 6}, Point{2, 6})
	for x, want := range map[int]uint8{1: 255, 2: 0, 4: 0, 5: 127, 6: 255} {
		// 4 to 5 points above the lower side
		if got := p.image.RGBAAt(x, 5); got.R != 255 || math.Abs(float64(got.G)-float64(want)) > 1 {
			t.Errorf("pixel %d is %v, want green %d", x, got, want)
		}
	}
	if above := p.image.RGBAAt(3, 3); above.G != 255 {
		t.Errorf("above it is %v", above)
	}
}

// Widths are those of Adobe's metrics of Helvetica, which Liberation Sans has by design; heights
// are the font's own.
func TestMetrics(t *testing.T) {
	text := Text{Size: 1000}
	for s, want := range map[string]float64{"A": 667, "0": 556, " ": 278, "W": 944, "i": 222,
		"Hello": 722 + 556 + 222 + 222 + 556, "": 0, "%": 889} {
		if got := text.Width(s); math.Abs(got-want) > 1 {
			t.Errorf("%q is %g wide, want %g", s, got, want)
		}
	}
	if together := text.Width("AV"); !(together < text.Width("A")+text.Width("V")) {
		t.Errorf("AV is %g wide", together)
	}
	f := face.font()
	if f.UnitsPerEm() != unitsPerEm {
		t.Fatal(f.UnitsPerEm())
	}
	m, err := f.Metrics(&face.buffer, fixed.Int26_6(unitsPerEm), font.HintingNone)
	if err != nil || float64(m.Ascent) != ascent*unitsPerEm || float64(m.Descent) != descent*unitsPerEm ||
		float64(m.Height) != lineHeight*unitsPerEm {
		t.Errorf("%v, %v", m, err)
	}
}

// Text is where its box is, at any turn and alignment, and as much of it.
func TestText(t *testing.T) {
	var upright float64
	for _, turn := range []float64{0, math.Pi / 2, math.Pi / 4, -1} {
		for _, align := range []Point{{Left, Bottom}, {Middle, Middle}, {Right, Top}} {
			p := NewPNG(200, 200, 144)
			text := Text{Color: color.Black, Size: 20, Rotation: turn, AlignX: align.X, AlignY: align.Y}
			at := Point{100, 100}
			p.Canvas().Write(text, at, "Hxg8")
			ink := inked(p)
			if upright == 0 {
				upright = ink
			}
			if ink < 50 || math.Abs(ink-upright) > 0.02*upright {
				t.Errorf("turned by %g: %g square points, upright %g", turn, ink, upright)
			}
			box := text.Box("Hxg8")
			for y := range p.image.Rect.Dy() {
				for x := range p.image.Rect.Dx() {
					if p.image.RGBAAt(x, y).R < 200 {
						q := Point{float64(x)/2 - at.X, 200 - float64(y)/2 - at.Y}
						if q.X < box.Min.X-4 || q.X > box.Max.X+4 || q.Y < box.Min.Y-5 || q.Y > box.Max.Y+5 {
							t.Fatalf("turned by %g, aligned %v: ink at %v outside of %v", turn, align, q, box)
						}
					}
				}
			}
		}
	}
}

// Colours of a picture are joined linearly, and it stands upright.
func TestPicture(t *testing.T) {
	picture := image.NewRGBA(image.Rect(0, 0, 2, 2))
	for i, v := range []uint8{0, 100, 0, 200} {
		picture.SetRGBA(i%2, i/2, color.RGBA{v, v, v, 255})
	}
	p := NewPNG(40, 40, 72)
	p.Canvas().Picture(Rectangle{Point{0, 0}, Point{40, 40}}, picture)
	for _, c := range []struct {
		x, y int
		want float64
	}{{0, 0, 0}, {39, 0, 100}, {39, 39, 200}, {0, 39, 0}, {20, 0, 52.5}, {39, 20, 152.5}} {
		if got := float64(p.image.RGBAAt(c.x, c.y).R); math.Abs(got-c.want) > 1 {
			t.Errorf("at %d, %d: %g, want %g", c.x, c.y, got, c.want)
		}
	}
}

// Pieces of a clipped line are on it and on the canvas, and of what is on the canvas none is lost.
func TestClip(t *testing.T) {
	r := Rectangle{Point{0, 0}, Point{10, 5}}
	random := rand.New(rand.NewPCG(1, 2))
	length := func(points []Point) (sum float64) {
		for i := 1; i < len(points); i++ {
			sum += math.Hypot(points[i].X-points[i-1].X, points[i].Y-points[i-1].Y)
		}
		return sum
	}
	for range 200 {
		line := make([]Point, 2+random.IntN(6))
		for i := range line {
			line[i] = Point{random.Float64()*20 - 5, random.Float64()*15 - 5}
		}
		got := 0.0
		for _, piece := range r.clipLine(line) {
			got += length(piece)
			for _, p := range piece {
				if p.X < -1e-6 || p.X > 10+1e-6 || p.Y < -1e-6 || p.Y > 5+1e-6 {
					t.Fatalf("%v is not in %v", p, r)
				}
			}
		}
		want := 0.0
		const steps = 4000
		for i := 1; i < len(line); i++ {
			part := length(line[i-1 : i+1])
			for k := range steps {
				s := (float64(k) + 0.5) / steps
				p := Point{line[i-1].X + s*(line[i].X-line[i-1].X), line[i-1].Y + s*(line[i].Y-line[i-1].Y)}
				if r.ContainsX(p.X) && r.ContainsY(p.Y) {
					want += part / steps
				}
			}
		}
		if math.Abs(got-want) > 0.05 {
			t.Fatalf("%v: %g on the canvas, want %g", line, got, want)
		}
	}
	area := func(outline []Point) (sum float64) {
		for i, p := range outline {
			q := outline[(i+1)%len(outline)]
			sum += (p.X*q.Y - p.Y*q.X) / 2
		}
		return math.Abs(sum)
	}
	for want, outline := range map[float64][]Point{
		50:   {{-1, -1}, {11, -1}, {11, 6}, {-1, 6}},
		0:    {{20, 20}, {30, 20}, {30, 30}},
		12.5: {{0, 0}, {5, 0}, {0, 5}},
		25:   {{-10, -10}, {5, -10}, {5, 20}, {-10, 20}},
	} {
		if got := area(r.clipPolygon(outline)); math.Abs(got-want) > 1e-5 {
			t.Errorf("%v: area %g, want %g", outline, got, want)
		}
	}
}

// The drawing is well-formed whatever a text holds, and says what was drawn, upside up.
func TestSVG(t *testing.T) {
	s := NewSVG(100, 50)
	c := s.Canvas()
	c.Write(Text{Color: color.Gray{40}, Size: 8, Rotation: math.Pi / 2}, Point{10, 20}, "a<b&\"c\x01\xff")
	c.Stroke(Line{Color: color.RGBA{0, 114, 178, 255}, Width: 1.25, Dashes: []float64{4, 2}}, Point{0, 0},
		Point{1.23456, 50})
	c.Page.Disc(color.NRGBA{255, 0, 0, 51}, Point{5, 5}, 2)
	c.Picture(Rectangle{Point{1, 2}, Point{3, 6}}, image.NewRGBA(image.Rect(0, 0, 1, 1)))
	document, err := s.Document()
	if err != nil {
		t.Fatal(err)
	}
	inline, err := s.Inline(`a "b" <c>`)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(document), inline} {
		for d := xml.NewDecoder(strings.NewReader(text)); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%v: %s", err, text)
			}
		}
		for _, want := range []string{`viewBox="0 0 100 50"`,
			`stroke="#0072b2" stroke-width="1.25" stroke-dasharray="4,2" d="M0,50L1.235,0"`,
			`fill="#ff0000" fill-opacity="0.2" cx="5" cy="45" r="2"`,
			`<image x="1" y="44" width="2" height="4"`, "rotate(-90 ", "a&lt;b&amp;&#34;c\uFFFD\uFFFD</text>"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %s in %s", want, text)
			}
		}
	}
	if !strings.HasPrefix(inline, "<svg ") || !strings.Contains(inline, `aria-label="a &#34;b&#34; &lt;c&gt;"`) ||
		strings.Contains(inline, `width="100pt"`) || !strings.Contains(string(document), `width="100pt" height="50pt"`) {
		t.Errorf("%s\n%s", inline, document)
	}
}
