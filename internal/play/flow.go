package play

import (
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// A pipe of radius 1 with oil, water and gas in it, seen by three beams from above and three from
// the side: each says how far it went through oil and how far through water, twelve numbers in all.
// The three flow in layers, in rings, or mixed. (The set of Bishop and James, Nucl. Instr. Meth. A
// 327, 1993, is simulated in this way; these are our own beams and our own draws.)

// flowColumns are the numbers of one look at the pipe.
const flowColumns = 12

var beams = [3]float64{-0.5, 0, 0.5}

// Flow is n looks at a pipe, a row of twelve numbers each, and how it flowed: 0 in layers, 1 in
// rings, 2 mixed.
func Flow(n int, seed uint64) (data.Points[kernel.Vec], []int) {
	rows, class := drawFlow(n, 0.02, seed)
	m := mat.NewDense(n, flowColumns, nil)
	for i, r := range rows {
		m.SetRow(i, r)
	}
	return data.Rows(m), class
}

// drawFlow draws n looks, a third of each way to flow.
func drawFlow(n int, noise float64, seed uint64) (rows [][]float64, class []int) {
	rng := rand.New(rand.NewPCG(seed, 0x666c6f77))
	for i := range n {
		// Shares that add up to 1, all equally likely: the gaps between two numbers in [0, 1].
		a, b := rng.Float64(), rng.Float64()
		oil, water := min(a, b), math.Abs(a-b)
		row := make([]float64, 0, flowColumns)
		for _, upright := range []bool{true, false} {
			for _, at := range beams {
				o, w := 0.0, 0.0
				switch i % 3 {
				case 0:
					o, w = layers(oil, water, at, upright)
				case 1:
					o, w = rings(oil, water, at)
				default:
					chord := 2 * math.Sqrt(1-at*at)
					o, w = oil*chord, water*chord
				}
				row = append(row, o+noise*rng.NormFloat64(), w+noise*rng.NormFloat64())
			}
		}
		rows, class = append(rows, row), append(class, i%3)
	}
	return rows, class
}

// layers has water below, oil on it and gas above: the ways of a beam at some distance from the
// middle.
func layers(oil, water, at float64, upright bool) (o, w float64) {
	low, high := level(water), level(water+oil)
	half := math.Sqrt(1 - at*at)
	if upright {
		between := func(a, b float64) float64 { return max(0, min(b, half)-max(a, -half)) }
		return between(low, high), between(-1, low)
	}
	switch { // a beam from the side stays in one layer
	case at < low:
		return 0, 2 * half
	case at < high:
		return 2 * half, 0
	}
	return 0, 0
}

// level is the height below which a share of a circle's area lies, by bisection.
func level(share float64) float64 {
	low, high := -1.0, 1.0
	for range 50 {
		middle := (low + high) / 2
		if (math.Pi/2+middle*math.Sqrt(1-middle*middle)+math.Asin(middle))/math.Pi < share {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// rings has gas in the middle, oil around it and water outside.
func rings(oil, water, at float64) (o, w float64) {
	inside := func(r float64) float64 { return 2 * math.Sqrt(max(r*r-at*at, 0)) } // the way through a disc
	gas, both := math.Sqrt(1-oil-water), math.Sqrt(1-water)
	return inside(both) - inside(gas), inside(1) - inside(both)
}
