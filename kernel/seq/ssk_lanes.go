package seq

import (
	"context"
	"slices"
	"sync"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// The dense form for many pairs of strings: eight pairs side by side, each in a lane of the
// vectors. A lane that comes to the end of the columns of its pair goes on with the next one,
// whatever the other lanes are at; pairs come by the length of their rows, so that lanes have about
// as many rows at any time. Columns are worked on in stretches that end where a lane does, all rows
// of a stretch before the next one, so that w stays in the first-level cache; what runs along a row
// is kept for each row from stretch to stretch. No operation of a lane depends on the others: a
// value has the same bits in any company.

// stretch is the most columns of a stretch: 3 levels are then 24 kB.
const stretch = 128

// Codes that match nothing: of rows and of columns that a lane does not have.
const (
	noRow    = 0xfe
	noColumn = 0xff
)

// lanePair is a pair of strings, the longer as rows, and where its value goes.
type lanePair struct {
	x, y *letters
	to   int
}

// inLanes says whether the values of k can be computed in lanes. It depends on the kernel and the
// pair alone.
func (k Subsequences) inLanes(x *letters) bool {
	return simd.HasLanes() && k.Weights == nil && k.length() > 1 && k.length()-1 <= simd.MostLaneLevels &&
		len(x.runes) < noRow
}

// laneRows is what the rows of all pairs have in common: row i is in the scale λ^{-(i-base)}.
type laneRows struct {
	first  []float64 // λ²·scale
	factor []float64 // λ/scale: of the sums of a row
	again  []float64 // where not 0, w is multiplied by it before the row: a new base
}

func newLaneRows(n int, lambda float64) laneRows {
	r := laneRows{make([]float64, n), make([]float64, n), make([]float64, n)}
	scale := 1.0
	for i := range n {
		r.first[i], r.factor[i] = lambda*lambda*scale, lambda/scale
		if scale /= lambda; scale > largestScale && i+1 < n {
			r.again[i+1] = 1 / scale
			scale = 1
		}
	}
	return r
}

// lane is what is left of the columns of a pair.
type lane struct {
	lanePair
	match []int32
	at    int
}

type laneScratch struct {
	w, v    []float64
	x, code []byte
}

var lanePool = sync.Pool{New: func() any { return new(laneScratch) }}

// inStreams computes all pairs; what is left when ctx ends stays as it is.
func (k Subsequences) inStreams(ctx context.Context, pairs []lanePair, out []float64) {
	if len(pairs) == 0 {
		return
	}
	slices.SortStableFunc(pairs, func(a, b lanePair) int { return len(b.x.code) - len(a.x.code) })
	levels, most := k.length()-1, len(pairs[0].x.code)
	rows := newLaneRows(most, k.decay())
	s := lanePool.Get().(*laneScratch)
	defer lanePool.Put(s)
	s.v = zeroed(s.v, most*(levels+1)*simd.Lanes)
	s.x = slices.Grow(s.x[:0], most*simd.Lanes)[:most*simd.Lanes]
	for i := range s.x {
		s.x[i] = noRow
	}
	var lanes [simd.Lanes]lane
	for next := 0; ctx.Err() == nil; {
		for l := range lanes {
			for lanes[l].x == nil && next < len(pairs) {
				p := pairs[next]
				next++
				if len(p.y.code) == 0 {
					out[p.to] = 0
					continue
				}
				lanes[l] = lane{lanePair: p, match: p.y.match(p.x)}
				for i, c := range p.x.code {
					s.x[i*simd.Lanes+l] = byte(c)
				}
			}
		}
		n, longest := stretch, 0
		for _, l := range lanes {
			if l.x != nil {
				n, longest = min(n, len(l.y.code)-l.at), max(longest, len(l.x.code))
			}
		}
		if longest == 0 {
			return
		}
		s.columns(&lanes, n)
		s.run(levels, n, longest, k.decay(), rows)
		for l := range lanes {
			if p := &lanes[l]; p.x != nil {
				if p.at += n; p.at == len(p.y.code) {
					out[p.to] = s.finish(l, levels, rows.factor[:len(p.x.code)])
					*p = lane{}
				}
			}
		}
	}
}

// columns lays out the next n columns of all lanes, in the numbers that the letters have in the
// rows.
func (s *laneScratch) columns(lanes *[simd.Lanes]lane, n int) {
	s.code = slices.Grow(s.code[:0], (n+1)*simd.Lanes)[:(n+1)*simd.Lanes]
	for i := range s.code {
		s.code[i] = noColumn
	}
	for l, p := range lanes {
		if p.x == nil {
			continue
		}
		for j, c := range p.y.code[p.at : p.at+n] {
			if m := p.match[c]; m >= 0 {
				s.code[j*simd.Lanes+l] = byte(m)
			}
		}
	}
}

// run takes all rows along a stretch, two at a time where they are in one scale.
func (s *laneScratch) run(levels, n, count int, lambda float64, rows laneRows) {
	s.w = zeroed(s.w, n*levels*simd.Lanes)
	for i := 0; i < count; {
		if again := rows.again[i]; again != 0 {
			for j := range s.w {
				s.w[j] *= again
			}
		}
		two := 1
		if i+1 < count && rows.again[i+1] == 0 {
			two = 2
		}
		simd.DecayLanes(levels, s.code, s.w, lambda, rows.first[i:i+two], s.x[i*simd.Lanes:], s.v[i*(levels+1)*simd.Lanes:])
		i += two
	}
}

// finish adds up the rows of a lane and leaves it empty.
func (s *laneScratch) finish(l, levels int, factor []float64) float64 {
	value := 0.0
	for i, f := range factor {
		state := s.v[i*(levels+1)*simd.Lanes : (i+1)*(levels+1)*simd.Lanes]
		value += f * state[levels*simd.Lanes+l]
		for at := l; at < len(state); at += simd.Lanes {
			state[at] = 0
		}
		s.x[i*simd.Lanes+l] = noRow
	}
	return value
}
