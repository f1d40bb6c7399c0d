package canvas

import (
	"image/color"
	"math"
	"sync"
	"unicode/utf8"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// Text is how text looks, and which of its places is put where it is drawn: AlignX is 0 for its
// left side, -1/2 for its middle and -1 for its right side; AlignY 0 for its lower side and -1 for
// its upper one.
type Text struct {
	Color          color.Color
	Size           float64
	Rotation       float64
	AlignX, AlignY float64
	Advance        float64 // width of each letter on a page of characters; zero: as the typeface has it
}

// Where text is put.
const (
	Left, Bottom = 0.0, 0.0
	Middle       = -0.5
	Right, Top   = -1.0, -1.0
)

// face is the one typeface of figures: Liberation Sans, whose letters are as wide as those of Arial
// and Helvetica. Its buffer is for one at a time.
var face = struct {
	sync.Mutex
	buffer sfnt.Buffer
	font   func() *sfnt.Font
}{font: sync.OnceValue(func() *sfnt.Font {
	f, err := sfnt.Parse(liberationsansregular.TTF)
	if err != nil {
		panic(err) // it is part of the program
	}
	return f
})}

// ascent, descent and lineHeight are those of Liberation Sans as shares of the size; a test holds
// them to the font's own.
const (
	ascent     = 1854.0 / 2048
	descent    = 434.0 / 2048
	lineHeight = (1854.0 + 434 + 67) / 2048
)

// letters calls draw for each glyph of a text with how far it is from the first, in units of the
// font, and returns the width of all. Pairs of letters are moved together as the font says.
func letters(text string, draw func(f *sfnt.Font, g sfnt.GlyphIndex, x float64)) (width float64) {
	face.Lock()
	defer face.Unlock()
	f := face.font()
	em := fixed.Int26_6(f.UnitsPerEm())
	var last sfnt.GlyphIndex
	for i, r := range text {
		g, err := f.GlyphIndex(&face.buffer, r)
		if err != nil {
			g = 0 // the glyph for what is missing
		}
		if i > 0 {
			if kern, err := f.Kern(&face.buffer, last, g, em, font.HintingNone); err == nil {
				width += float64(kern)
			}
		}
		if draw != nil {
			draw(f, g, width)
		}
		if advance, err := f.GlyphAdvance(&face.buffer, g, em, font.HintingNone); err == nil {
			width += float64(advance)
		}
		last = g
	}
	return width
}

// unitsPerEm is the size of the font in its own units.
const unitsPerEm = 2048

// Width is that of a text before it is turned.
func (t Text) Width(text string) float64 {
	if t.Advance > 0 {
		return t.Advance * float64(utf8.RuneCountInString(text))
	}
	return letters(text, nil) * t.Size / unitsPerEm
}

// Height is that of any text before it is turned.
func (t Text) Height() float64 { return (ascent + descent) * t.Size }

// Descent is how far letters go below the line.
func (t Text) Descent() float64 { return descent * t.Size }

// Below is Descent with the gap between lines.
func (t Text) Below() float64 { return (lineHeight - ascent) * t.Size }

// Box is the room that a text takes which is drawn at 0.
func (t Text) Box(text string) Rectangle {
	w, h := t.Width(text), t.Height()
	x, y := t.AlignX*w, t.AlignY*h-t.Below()
	sin, cos := math.Sincos(t.Rotation)
	low, high := Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for _, p := range []Point{{x, y}, {x, y + h}, {x + w, y}, {x + w, y + h}} {
		q := Point{p.X*cos - p.Y*sin, p.Y*cos + p.X*sin}
		low, high = Point{min(low.X, q.X), min(low.Y, q.Y)}, Point{max(high.X, q.X), max(high.Y, q.Y)}
	}
	return Rectangle{low, high}
}

// Write draws a text.
func (c Canvas) Write(t Text, at Point, text string) {
	if text == "" {
		return
	}
	// From the place to the beginning of the baseline, along and across the text.
	along, across := t.AlignX*t.Width(text), t.AlignY*t.Height()+(1-ascent)*t.Size
	sin, cos := math.Sincos(t.Rotation)
	at = Point{at.X + along*cos - across*sin, at.Y + along*sin + across*cos}
	c.Page.Write(t.Color, at, text, t.Size, t.Rotation)
}
