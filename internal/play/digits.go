package play

import (
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// The digits of the scene are strokes with a pen of random width, moved, turned, slanted and
// stretched at random: no data of anybody's, and the same on every machine.
const (
	digitSide      = 16
	trainingDigits = 300
)

// strokes of the ten digits in the square from (0, 0) to (1, 1), y down: each is a line of points.
var strokes = [10][][][2]float64{
	{ring(0.5, 0.5, 0.26, 0.38)},
	{{{0.36, 0.26}, {0.54, 0.12}, {0.54, 0.88}}},
	{{{0.26, 0.28}, {0.36, 0.14}, {0.56, 0.11}, {0.72, 0.24}, {0.68, 0.44}, {0.26, 0.87}, {0.76, 0.87}}},
	{{{0.26, 0.16}, {0.52, 0.11}, {0.7, 0.26}, {0.6, 0.44}, {0.44, 0.48}, {0.64, 0.54}, {0.73, 0.7}, {0.56, 0.88},
		{0.26, 0.84}}},
	{{{0.6, 0.88}, {0.6, 0.12}, {0.22, 0.64}, {0.78, 0.64}}},
	{{{0.7, 0.13}, {0.34, 0.13}, {0.3, 0.46}, {0.54, 0.42}, {0.72, 0.58}, {0.66, 0.8}, {0.46, 0.88}, {0.26, 0.8}}},
	{{{0.64, 0.12}, {0.4, 0.32}, {0.29, 0.62}}, ring(0.5, 0.67, 0.21, 0.21)},
	{{{0.24, 0.13}, {0.75, 0.13}, {0.44, 0.88}}},
	{ring(0.5, 0.3, 0.19, 0.18), ring(0.5, 0.68, 0.24, 0.21)},
	{ring(0.5, 0.33, 0.21, 0.21), {{0.71, 0.33}, {0.66, 0.64}, {0.48, 0.88}}},
}

func ring(cx, cy, rx, ry float64) [][2]float64 {
	var out [][2]float64
	for i := range 25 {
		s, c := math.Sincos(2 * math.Pi * float64(i) / 24)
		out = append(out, [2]float64{cx + rx*c, cy + ry*s})
	}
	return out
}

// Digits draws n images of 16 × 16 numbers from 0 to 1, the digits 0 to 9 in turn.
func Digits(n int, seed uint64) data.Points[kernel.Vec] {
	rng := rand.New(rand.NewPCG(seed, 0x6469676974))
	m := mat.NewDense(n, digitSide*digitSide, nil)
	for i := range n {
		drawDigit(m.RawRowView(i), i%10, rng)
	}
	return data.Rows(m)
}

// drawDigit moves the strokes by a random affine map near the identity and inks every pixel by its
// distance from them.
func drawDigit(image []float64, digit int, rng *rand.Rand) {
	near := func(middle, spread float64) float64 { return middle + spread*(2*rng.Float64()-1) }
	sin, cos := math.Sincos(near(0, 0.12))
	slant, wide, high := near(0, 0.2), near(1, 0.12), near(1, 0.08)
	dx, dy, pen := near(0, 0.04), near(0, 0.04), near(0.075, 0.02)
	place := func(p [2]float64) [2]float64 {
		x, y := (p[0]-0.5)*wide+slant*(0.5-p[1]), (p[1]-0.5)*high
		return [2]float64{cos*x - sin*y + 0.5 + dx, sin*x + cos*y + 0.5 + dy}
	}
	for r := range digitSide {
		for c := range digitSide {
			p := [2]float64{(float64(c) + 0.5) / digitSide, (float64(r) + 0.5) / digitSide}
			far := math.Inf(1)
			for _, stroke := range strokes[digit] {
				for s := 1; s < len(stroke); s++ {
					far = min(far, fromSegment(p, place(stroke[s-1]), place(stroke[s])))
				}
			}
			// Ink fades over a pixel's width at the edge of the pen.
			image[r*digitSide+c] = min(max((pen-far)*digitSide+0.5, 0), 1)
		}
	}
}

// fromSegment is the distance of p from the segment between a and b.
func fromSegment(p, a, b [2]float64) float64 {
	ux, uy, vx, vy := b[0]-a[0], b[1]-a[1], p[0]-a[0], p[1]-a[1]
	t := 0.0
	if length := ux*ux + uy*uy; length > 0 {
		t = min(max((ux*vx+uy*vy)/length, 0), 1)
	}
	return math.Hypot(vx-t*ux, vy-t*uy)
}
