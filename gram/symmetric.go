package gram

import (
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
)

// symMul computes dst = K·v from the tiles on and below the diagonal, each
// taken once: tile (I, J) gives K_IJ·v_J to the rows of I and K_IJᵀ·v_I to the
// rows of J.
//
// Rows of tiles are dealt to groups, by position only; a group adds up what it
// finds in a float64 accumulator of its own, and the accumulators are added in
// order. So the bits do not depend on the number of threads.
type symMul[F linalg.Float] struct {
	n, tile int
	// get returns tile (I, J), J ≤ I, in scratch or elsewhere.
	get func(scratch linalg.Matrix[F], i0, j0 int) linalg.Matrix[F]
	// scratch says that get needs scratch.
	scratch bool
}

const (
	// maxGroups bounds the accumulators; with more threads than groups the
	// rest stay idle.
	maxGroups = 32
	// minGroups is where symmetry stops to pay: with fewer groups too few
	// threads have work.
	minGroups = 8
	// groupBytes bounds the memory of all accumulators.
	groupBytes = 256 << 20
)

// groups is how many accumulators a product with m columns may use: a function
// of shape and budget alone. Zero means that the rows should be done one by one.
func (s symMul[F]) groups(m int, budget int64) int {
	blocks := (s.n + s.tile - 1) / s.tile
	limit := min(int64(groupBytes), budget/4)
	fit := int(min(limit/(8*int64(s.n)*int64(m)+1), maxGroups))
	g := min(fit, (blocks+1)/2)
	if fit < minGroups || g < 1 {
		return 0
	}
	return g
}

func (s symMul[F]) run(threads int, groups int, dst, v linalg.Matrix[float64]) {
	m := v.Cols
	w := newOperand[F](v)
	acc := make([]linalg.Matrix[float64], groups)
	blocks := (s.n + s.tile - 1) / s.tile
	par.For(threads, groups, 1, func(g, _ int) {
		acc[g] = linalg.New[float64](s.n, m)
		part := w.scratch(s.tile)
		var scratch linalg.Matrix[F]
		if s.scratch {
			scratch = linalg.New[F](s.tile, s.tile)
		}
		for b := blocks - 1; b >= 0; b-- {
			if dealt(b, groups) != g {
				continue
			}
			i0, i1 := b*s.tile, min((b+1)*s.tile, s.n)
			for j0 := 0; j0 <= i0; j0 += s.tile {
				j1 := min(j0+s.tile, s.n)
				buffer := scratch
				if s.scratch {
					buffer = scratch.Slice(0, i1-i0, 0, j1-j0)
				}
				k := s.get(buffer, i0, j0)
				w.addTile(acc[g].Slice(i0, i1, 0, m), linalg.NoTrans, k, j0, part)
				if j0 < i0 {
					w.addTile(acc[g].Slice(j0, j1, 0, m), linalg.Trans, k, i0, part)
				}
			}
		}
	})
	par.For(threads, s.n, 1024, func(lo, hi int) {
		piece := dst.Slice(lo, hi, 0, m)
		piece.CopyFrom(acc[0].Slice(lo, hi, 0, m))
		for _, a := range acc[1:] {
			accumulate(piece, a.Slice(lo, hi, 0, m))
		}
	})
}

// dealt is the group of row of tiles b: out and back like a snake, so that the
// groups get equally many tiles although row b has b+1 of them.
func dealt(b, groups int) int {
	p := b % (2 * groups)
	if p < groups {
		return p
	}
	return 2*groups - 1 - p
}
