package play

import (
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
)

// SetFact is a set of a scene's menu.
type SetFact struct {
	Name  string   `json:"name"`
	Label string   `json:"label"`
	For   []string `json:"for"` // scenes whose menu has it
	Drawn bool     `json:"drawn"`
	N     int      `json:"n,omitempty"`
	Noise float64  `json:"noise,omitempty"`
}

// drawing is a set that is drawn from a seed.
type drawing struct {
	SetFact
	n    int
	draw func(n int, noise float64, seed uint64) PlanePoints
}

// planar makes points one by one.
func planar(
	point func(i int, rng *rand.Rand, noise float64) (x, y float64, class int),
) func(int, float64, uint64) PlanePoints {
	return func(n int, noise float64, seed uint64) PlanePoints {
		rng := rand.New(rand.NewPCG(seed, 0x706c6179))
		var p PlanePoints
		for i := range n {
			x, y, c := point(i, rng, noise)
			p.XY, p.Class = append(p.XY, x, y), append(p.Class, c)
		}
		return p
	}
}

// library takes a set of package data.
func library(draw func(int, float64, uint64) *data.Dataset) func(int, float64, uint64) PlanePoints {
	return func(n int, noise float64, seed uint64) PlanePoints {
		d := draw(n, noise, seed)
		var p PlanePoints
		for i := range d.Len() {
			p.XY = append(p.XY, d.Columns[0].Numbers[i], d.Columns[1].Numbers[i])
			c := 0
			if len(d.Columns) > 2 {
				c = int(d.Columns[2].String(i)[0] - 'a')
			}
			p.Class = append(p.Class, c)
		}
		return p
	}
}

// drawings are the sets that are drawn, in the order of menus.
func drawings() []drawing {
	plane := []string{"classify", "search", "cluster", "components"}
	set := func(name, label string, on []string, n int, noise float64,
		draw func(int, float64, uint64) PlanePoints) drawing {
		return drawing{SetFact{Name: name, Label: label, For: on, Drawn: true, N: n, Noise: noise}, n, draw}
	}
	return []drawing{
		set("spirals", "spirals", plane, 200, 0.02, library(data.Spirals)),
		set("moons", "moons", plane, 160, 0.1, library(data.Moons)),
		set("circles", "circles", plane, 160, 0.05, library(data.Circles)),
		set("xor", "exclusive or", plane, 120, 0.35,
			planar(func(i int, rng *rand.Rand, noise float64) (float64, float64, int) {
				x, y := float64(i%2*2-1), float64(i/2%2*2-1)
				return x + noise*rng.NormFloat64(), y + noise*rng.NormFloat64(), (i + i/2) % 2
			})),
		set("banana", "banana", plane, 160, 0.35, planar(func(i int, rng *rand.Rand, noise float64) (float64, float64, int) {
			// One class along the parabola y = x² − 2, the other in the hollow above it.
			if i%2 == 0 {
				x := 4*rng.Float64() - 2
				return x + noise*rng.NormFloat64(), x*x - 2 + noise*rng.NormFloat64(), 0
			}
			return 0.7*rng.NormFloat64() + 0.3*noise*rng.NormFloat64(), 1.2 + 0.8*rng.NormFloat64(), 1
		})),
		set("blobs", "three clouds", plane, 150, 1, library(data.Blobs)),
		set("checkerboard", "checkerboard", plane, 300, 0, library(data.Checkerboard)),
		set("sinc", "sin(πx)/(πx)", []string{"regress", "search-line"}, 60, 0.1, library(data.Sinc)),
		set("sine", "sin x", []string{"regress", "search-line"}, 100, 0.2,
			planar(func(_ int, rng *rand.Rand, noise float64) (float64, float64, int) {
				x := 2 * math.Pi * (rng.Float64() - 0.5)
				return x, math.Sin(x) + noise*rng.NormFloat64(), 0
			})),
		set("tophat", "a top hat", []string{"regress"}, 200, 0, func(n int, noise float64, seed uint64) PlanePoints {
			rng := rand.New(rand.NewPCG(seed, 0x706c6179))
			var p PlanePoints
			for i := range n { // even around the circle from −π to π
				x, y := math.Pi*((2*float64(i)+1)/float64(n)-1), 0.0
				if math.Abs(x) < math.Pi/2 {
					y = 1
				}
				p.XY, p.Class = append(p.XY, x, y+noise*rng.NormFloat64()), append(p.Class, 0)
			}
			return p
		}),
		set("peaks", "two peaks", []string{"density"}, 50, 0.5,
			planar(func(i int, rng *rand.Rand, noise float64) (float64, float64, int) {
				if i%3 == 0 {
					return 2 + noise*rng.NormFloat64(), 0, 0
				}
				return -1 + 2*noise*rng.NormFloat64(), 0, 0
			})),
		set("claw", "a claw", []string{"density"}, 200, 0.1,
			planar(func(i int, rng *rand.Rand, noise float64) (float64, float64, int) {
				// Half a standard normal, half five narrow ones at −1, −½, 0, ½, 1 (Marron and Wand
				// 1992, no. 10, where the noise is 0.1).
				if i%2 == 0 {
					return rng.NormFloat64(), 0, 0
				}
				return float64(rng.IntN(5))/2 - 1 + noise*rng.NormFloat64(), 0, 0
			})),
		set("bumps", "two scales", []string{"regress", "search-line"}, 80, 0.15,
			planar(func(_ int, rng *rand.Rand, noise float64) (float64, float64, int) {
				x := 10 * rng.Float64()
				return x, math.Sin(x) + 0.4*math.Sin(5*x)*x/10 + noise*rng.NormFloat64(), 0
			})),
		set("branches", "two branches", []string{"regress"}, 120, 0.1,
			planar(func(i int, rng *rand.Rand, noise float64) (float64, float64, int) {
				x := 4*rng.Float64() - 2
				return x, float64(i%2*2-1)*math.Sqrt(max(x+1, 0)) + noise*rng.NormFloat64(), 0
			})),
		set("shift", "clouds apart", []string{"two-sample"}, 120, 0.6,
			planar(func(i int, rng *rand.Rand, noise float64) (float64, float64, int) {
				return rng.NormFloat64() + noise*float64(i%2), rng.NormFloat64(), i % 2
			})),
		set("spread", "one wider", []string{"two-sample"}, 120, 1,
			planar(func(i int, rng *rand.Rand, noise float64) (float64, float64, int) {
				s := 1 + noise*float64(i%2)
				return s * rng.NormFloat64(), s * rng.NormFloat64(), i % 2
			})),
		set("same", "no difference", []string{"two-sample"}, 120, 0,
			planar(func(i int, rng *rand.Rand, _ float64) (float64, float64, int) {
				return rng.NormFloat64(), rng.NormFloat64(), i % 2
			})),
		set("ring", "on a ring", []string{"independence", "correlate"}, 120, 0.15,
			planar(func(_ int, rng *rand.Rand, noise float64) (float64, float64, int) {
				sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
				return cos + noise*rng.NormFloat64(), sin + noise*rng.NormFloat64(), 0
			})),
		set("wave", "a wave", []string{"independence", "correlate"}, 120, 0.3,
			planar(func(_ int, rng *rand.Rand, noise float64) (float64, float64, int) {
				x := 6*rng.Float64() - 3
				return x, math.Sin(2*x) + noise*rng.NormFloat64(), 0
			})),
		set("apart", "independent", []string{"independence", "correlate"}, 120, 0,
			planar(func(_ int, rng *rand.Rand, _ float64) (float64, float64, int) {
				return 2*rng.Float64() - 1, 2*rng.Float64() - 1, 0
			})),
	}
}

func drawnSet(name string) (drawing, bool) {
	for _, d := range drawings() {
		if d.Name == name {
			return d, true
		}
	}
	return drawing{}, false
}
