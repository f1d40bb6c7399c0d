package canvas

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"slices"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// PNG is a page as pixels.
type PNG struct {
	width, height float64 // in points
	scale         float64 // pixels in a point
	image         *image.RGBA
	pen           vector.Rasterizer
}

// NewPNG is a white page with so many pixels to the inch.
func NewPNG(width, height, dpi float64) *PNG {
	scale := dpi / 72
	p := &PNG{width: width, height: height, scale: scale}
	p.image = image.NewRGBA(image.Rect(0, 0, int(math.Round(width*scale)), int(math.Round(height*scale))))
	draw.Draw(p.image, p.image.Bounds(), image.White, image.Point{}, draw.Src)
	return p
}

// Canvas is the whole page.
func (p *PNG) Canvas() Canvas { return Canvas{p, Rectangle{Max: Point{p.width, p.height}}} }

// Encode writes the file.
func (p *PNG) Encode(w io.Writer) error { return png.Encode(w, p.image) }

// pixel is a place in pixels, whose y grows downwards.
func (p *PNG) pixel(at Point) Point { return Point{at.X * p.scale, (p.height - at.Y) * p.scale} }

// stroke is a part of an outline: a line where through is nil, and else a curve (a quadratic Bézier
// one).
type stroke struct {
	to      Point
	through *Point
}

// fill paints outlines, each of which begins where its last stroke ends. The rasteriser adds what
// outlines cover with the sign of their turn and cuts the sum at 1, so that outlines of one turn
// are joined and a hole is one of the other turn. Only the pixels about them are looked at.
func (p *PNG) fill(c color.Color, outlines [][]stroke) {
	box := image.Rectangle{}
	for _, o := range outlines {
		for _, s := range o {
			box = box.Union(about(s.to))
			if s.through != nil {
				box = box.Union(about(*s.through))
			}
		}
	}
	if box = box.Intersect(p.image.Bounds()); box.Empty() {
		return
	}
	// The rasteriser counts in numbers that a place far outside would be too large for.
	place := func(at Point) (x, y float32) {
		const far = 1 << 12
		return float32(min(max(at.X-float64(box.Min.X), -far), far)), float32(min(max(at.Y-float64(box.Min.Y), -far), far))
	}
	p.pen.Reset(box.Dx(), box.Dy())
	for _, o := range outlines {
		if len(o) == 0 {
			continue
		}
		p.pen.MoveTo(place(o[len(o)-1].to))
		for _, s := range o {
			x, y := place(s.to)
			if s.through == nil {
				p.pen.LineTo(x, y)
				continue
			}
			u, v := place(*s.through)
			p.pen.QuadTo(u, v, x, y)
		}
		p.pen.ClosePath()
	}
	p.pen.Draw(p.image, box, image.NewUniform(c), image.Point{})
}

// about is the pixel of a place and those beside it; none where the place is no number or too far.
func about(at Point) image.Rectangle {
	const far = 1 << 20
	if !(math.Abs(at.X) < far && math.Abs(at.Y) < far) {
		return image.Rectangle{}
	}
	x, y := int(math.Floor(at.X)), int(math.Floor(at.Y))
	return image.Rect(x-1, y-1, x+2, y+2)
}

// Area fills a polygon.
func (p *PNG) Area(c color.Color, outline []Point) {
	p.fill(c, [][]stroke{p.lines(outline)})
}

// Path draws a line.
func (p *PNG) Path(l Line, points []Point, closed bool) {
	pixels := make([]Point, len(points), len(points)+1)
	for i, at := range points {
		pixels[i] = p.pixel(at)
	}
	if closed {
		pixels = append(pixels, pixels[0])
	}
	dashes := make([]float64, len(l.Dashes))
	for i, d := range l.Dashes {
		dashes[i] = d * p.scale
	}
	var outlines [][]stroke
	for _, piece := range cutDashes(pixels, dashes) {
		outlines = appendStroked(outlines, piece, l.Width*p.scale/2, closed && len(dashes) == 0)
	}
	p.fill(l.Color, outlines)
}

// circle is a polygon with sides of a pixel.
func (p *PNG) circle(center Point, radius float64) []Point {
	n := max(16, int(math.Ceil(2*math.Pi*radius*p.scale)))
	out := make([]Point, n)
	for i := range out {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		out[i] = Point{center.X + radius*cos, center.Y + radius*sin}
	}
	return out
}

// Disc fills a circle.
func (p *PNG) Disc(c color.Color, center Point, radius float64) { p.Area(c, p.circle(center, radius)) }

// Ring draws a circle: a disc with a hole.
func (p *PNG) Ring(l Line, center Point, radius float64) {
	var outlines [][]stroke
	for _, r := range []float64{radius + l.Width/2, max(radius-l.Width/2, 0)} {
		outline := p.circle(center, r)
		if len(outlines) == 1 {
			slices.Reverse(outline)
		}
		outlines = append(outlines, p.lines(outline))
	}
	p.fill(l.Color, outlines)
}

// lines is an outline of straight lines.
func (p *PNG) lines(outline []Point) []stroke {
	out := make([]stroke, len(outline))
	for i, at := range outline {
		out[i].to = p.pixel(at)
	}
	return out
}

// Image fills a rectangle. Between the middles of the picture's pixels colours are joined linearly.
func (p *PNG) Image(r Rectangle, picture image.Image) {
	low, high := p.pixel(Point{r.Min.X, r.Max.Y}), p.pixel(Point{r.Max.X, r.Min.Y})
	from := picture.Bounds()
	box := image.Rect(int(math.Round(low.X)), int(math.Round(low.Y)), int(math.Round(high.X)), int(math.Round(high.Y)))
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			u := (float64(x)+0.5-low.X)/(high.X-low.X)*float64(from.Dx()) - 0.5
			v := (float64(y)+0.5-low.Y)/(high.Y-low.Y)*float64(from.Dy()) - 0.5
			p.image.Set(x, y, mixed(picture, u, v))
		}
	}
}

// mixed is the colour at a place counted in pixels from the first one's middle.
func mixed(picture image.Image, u, v float64) color.Color {
	from := picture.Bounds()
	u, v = min(max(u, 0), float64(from.Dx()-1)), min(max(v, 0), float64(from.Dy()-1))
	i, j := int(u), int(v)
	u, v = u-float64(i), v-float64(j)
	var sum [4]float64
	for k, w := range [4]float64{(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v} {
		if w == 0 {
			continue
		}
		r, g, b, a := picture.At(from.Min.X+i+k%2, from.Min.Y+j+k/2).RGBA()
		for c, x := range [4]uint32{r, g, b, a} {
			sum[c] += w * float64(x)
		}
	}
	return color.RGBA64{uint16(sum[0] + 0.5), uint16(sum[1] + 0.5), uint16(sum[2] + 0.5), uint16(sum[3] + 0.5)}
}

// Write puts text by the outlines of its letters.
func (p *PNG) Write(c color.Color, at Point, text string, size, rotation float64) {
	sin, cos := math.Sincos(rotation)
	unit := size / unitsPerEm
	var outlines [][]stroke
	letters(text, func(f *sfnt.Font, g sfnt.GlyphIndex, x0 float64) {
		// Fonts of letters have lines and quadratic curves; their y grows downwards.
		segments, err := f.LoadGlyph(&face.buffer, g, fixed.I(unitsPerEm), nil)
		if err != nil {
			return
		}
		place := func(q fixed.Point26_6) Point {
			x, y := (x0+float64(q.X)/64)*unit, -float64(q.Y)/64*unit
			return p.pixel(Point{at.X + x*cos - y*sin, at.Y + x*sin + y*cos})
		}
		for _, s := range segments {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				outlines = append(outlines, []stroke{{to: place(s.Args[0])}})
			case sfnt.SegmentOpLineTo:
				outlines[len(outlines)-1] = append(outlines[len(outlines)-1], stroke{to: place(s.Args[0])})
			case sfnt.SegmentOpQuadTo:
				through := place(s.Args[0])
				outlines[len(outlines)-1] = append(outlines[len(outlines)-1], stroke{place(s.Args[1]), &through})
			}
		}
	})
	p.fill(c, outlines)
}
