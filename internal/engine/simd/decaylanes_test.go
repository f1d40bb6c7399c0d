package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Every lane is the run along the levels of one pair.
func TestDecayLanesEqualDecayRows(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(11, 3))
		const lambda = 0.6
		for levels := 1; levels <= MostLaneLevels; levels++ {
			for rows := 1; rows <= 3; rows++ {
				for n := range 40 {
					codes := make([]byte, (n+1)*Lanes)
					for i := range codes {
						codes[i] = byte(r.IntN(4))
					}
					x, first := make([]byte, rows*Lanes), make([]float64, rows)
					for i := range x {
						x[i] = byte(r.IntN(5)) // 4 matches nothing
					}
					for i := range first {
						first[i] = 1 + r.Float64()
					}
					w, v := guard[float64](r, n*levels*Lanes, 1), guard[float64](r, rows*(levels+1)*Lanes, 1)
					for i := range w.x {
						w.x[i] = r.Float64()
					}
					for i := range v.x {
						v.x[i] = r.Float64()
					}
					before := append([]float64(nil), w.x...)
					from := append([]float64(nil), v.x...)
					DecayLanes(levels, codes, w.x, lambda, first, x, v.x)
					w.intact(t)
					v.intact(t)
					for lane := range Lanes {
						checkLane(t, lane, levels, n, lambda, codes, before, w.x, first, x, from, v.x)
					}
				}
			}
		}
	})
}

// checkLane walks one lane by the definition, column by column.
func checkLane(
	t *testing.T, lane, levels, n int, lambda float64, codes []byte, before, after, first []float64, x []byte,
	from, to []float64,
) {
	t.Helper()
	at := func(j, l int) int { return (j*levels+l)*Lanes + lane }
	w := append([]float64(nil), before...)
	near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-13*(1+math.Abs(want)) }
	for r := range first {
		v := make([]float64, levels+1)
		for l := range v {
			v[l] = from[(r*(levels+1)+l)*Lanes+lane]
		}
		for j := range n {
			next := make([]float64, levels)
			for l := range next {
				next[l] = lambda*v[l] + w[at(j, l)]
			}
			if codes[j*Lanes+lane] == x[r*Lanes+lane] {
				v[levels] += v[levels-1]
				w[at(j, 0)] += first[r]
				for l := 1; l < levels; l++ {
					w[at(j, l)] += lambda * v[l-1]
				}
			}
			copy(v, next)
		}
		for l := range v {
			if got := to[(r*(levels+1)+l)*Lanes+lane]; !near(got, v[l]) {
				t.Fatalf("%d levels, row %d of %d, %d columns, lane %d: state %d is %g, want %g", levels, r, len(first), n, lane, l,
					got, v[l])
			}
		}
	}
	for i := lane; i < len(w); i += Lanes {
		if !near(after[i], w[i]) {
			t.Fatalf("%d levels, %d rows, %d columns, lane %d: element %d is %g, want %g", levels, len(first), n, lane, i,
				after[i], w[i])
		}
	}
}
