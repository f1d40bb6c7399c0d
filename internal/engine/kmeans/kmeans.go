// Package kmeans is plain k-means on the rows of a matrix: centres that make
//
//	Σᵢ wᵢ·min_c ‖xᵢ − μ_c‖²
//
// small, by S. Lloyd's iteration (Least squares quantization in PCM, 1982) from a
// k-means++ start (D. Arthur and S. Vassilvitskii, SODA 2007).
package kmeans

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
)

// Options bound the work; the zero value has equal weights.
type Options struct {
	Weights []float64 // nil means equal
	Sweeps  int       // at most; 0 means 300, which few samples reach
	Threads int
}

// Result is where the iteration ended.
type Result struct {
	Labels  []int
	Centers linalg.Matrix[float64] // fewer than asked for where fewer rows differ
	Cost    float64                // Σ wᵢ‖xᵢ − μ‖²
	Settled bool                   // no row moved in the last sweep
}

// Best is the cheapest of several starts, start r drawing from the stream r of
// the seed; the starts run side by side.
func Best(ctx context.Context, x linalg.Matrix[float64], k, starts int, seed uint64, o Options) (Result, error) {
	results := make([]Result, starts)
	one := o
	one.Threads = 1
	par.For(o.Threads, starts, 1, func(r, _ int) {
		results[r], _ = Run(ctx, x, k, rand.New(rand.NewPCG(seed, uint64(r)+0x110d)), one)
	})
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	best := results[0]
	for _, r := range results[1:] {
		if r.Cost < best.Cost {
			best = r
		}
	}
	return best, nil
}

// Run goes from one start until no row moves.
func Run(ctx context.Context, x linalg.Matrix[float64], k int, rng *rand.Rand, o Options) (Result, error) {
	if o.Sweeps == 0 {
		o.Sweeps = 300
	}
	s := &search{x: x, o: o, near: make([]float64, x.Rows), moved: make([]bool, x.Rows)}
	s.labels = make([]int, x.Rows)
	for i := range s.labels {
		s.labels[i] = -1
	}
	s.plusPlus(ctx, k, rng)
	r := Result{Labels: s.labels}
	for sweep := range o.Sweeps {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		if r.Settled = !s.assign(ctx); r.Settled {
			break
		}
		if sweep+1 < o.Sweeps {
			s.move()
		}
	}
	r.Centers = s.centers
	for i, v := range s.near {
		r.Cost += s.weight(i) * v
	}
	return r, ctx.Err()
}

// search is one start on its way.
type search struct {
	x       linalg.Matrix[float64]
	o       Options
	centers linalg.Matrix[float64]
	labels  []int
	near    []float64 // squared distance of a row to its centre
	moved   []bool
}

func (s *search) weight(i int) float64 {
	if s.o.Weights == nil {
		return 1
	}
	return s.o.Weights[i]
}

// grain is the number of rows that go together.
const grain = 256

// plusPlus draws rows of x, each with probability proportional to its weight
// times the squared distance from those drawn.
func (s *search) plusPlus(ctx context.Context, k int, rng *rand.Rand) {
	n := s.x.Rows
	all := linalg.New[float64](k, s.x.Cols)
	chance := make([]float64, n)
	for i := range s.near {
		s.near[i], chance[i] = math.Inf(1), s.weight(i)
	}
	at := 0
	if s.o.Weights == nil {
		at = rng.IntN(n)
	} else {
		at = draw(rng, chance)
	}
	count := 0
	for count < k && at >= 0 && ctx.Err() == nil {
		c := all.Row(count)
		copy(c, s.x.Row(at))
		par.For(s.o.Threads, n, grain, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				s.near[i] = math.Min(s.near[i], Squared(s.x.Row(i), c))
				chance[i] = s.weight(i) * s.near[i]
			}
		})
		if count++; count < k {
			at = draw(rng, chance)
		}
	}
	s.centers = all.Slice(0, count, 0, s.x.Cols)
}

// draw returns i with probability proportional to weight[i], -1 when all are 0.
func draw(rng *rand.Rand, weight []float64) int {
	total := 0.0
	for _, w := range weight {
		total += w
	}
	u, last := rng.Float64()*total, -1
	for i, w := range weight {
		if w > 0 {
			last = i
			if u -= w; u < 0 {
				break
			}
		}
	}
	return last
}

// assign gives every row to its nearest centre, the first of equals, and says
// whether any moved.
func (s *search) assign(ctx context.Context) bool {
	par.For(s.o.Threads, s.x.Rows, grain, func(lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		for i := lo; i < hi; i++ {
			best, at := math.Inf(1), 0
			for c := range s.centers.Rows {
				if d := Squared(s.x.Row(i), s.centers.Row(c)); d < best {
					best, at = d, c
				}
			}
			s.moved[i] = s.labels[i] != at
			s.labels[i], s.near[i] = at, best
		}
	})
	for _, m := range s.moved {
		if m {
			return true
		}
	}
	return false
}

// move puts every centre in the middle of its rows, added in order; one without
// rows goes to the row farthest from its own centre.
func (s *search) move() {
	k := s.centers.Rows
	members, total := make([][]int, k), make([]float64, k)
	for i, c := range s.labels {
		members[c] = append(members[c], i)
		total[c] += s.weight(i)
	}
	par.For(s.o.Threads, k, 1, func(c, _ int) {
		if total[c] == 0 {
			return
		}
		row := s.centers.Row(c)
		clear(row)
		for _, i := range members[c] {
			w := s.weight(i) / total[c]
			for j, v := range s.x.Row(i) {
				row[j] += w * v
			}
		}
	})
	for c, w := range total {
		if w > 0 {
			continue
		}
		far := -1
		for i, d := range s.near {
			if s.weight(i) > 0 && d > 0 && (far < 0 || d > s.near[far]) {
				far = i
			}
		}
		if far >= 0 {
			copy(s.centers.Row(c), s.x.Row(far))
			s.near[far] = 0 // the next empty centre goes elsewhere
		}
	}
}

// Squared is ‖a − b‖².
func Squared(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += (v - b[i]) * (v - b[i])
	}
	return s
}
