package kernel

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// Summer is an optional interface of Tiles that may multiply K(X, Y) by a vector faster than tile
// by tile: those of a (scaled) Gaussian kernel on dense points do.
type Summer interface {
	Tiles
	// Sums is the product with one vector, in single precision when single; nil where tiles are as
	// fast.
	Sums(single bool) Sums
}

// Sums sets dst = K·v without making tiles; sums are carried in float64. Of the same points on both
// sides it uses the symmetry of K when groups > 0, with that many accumulators of len(dst) numbers.
// The result depends on groups, not on threads. When the context of the tiles ends, dst is left
// unfinished.
type Sums func(threads, groups int, dst, v []float64)

// Sums takes the pairs of a Gaussian. Those of a Base sum row by row, so that the points have no
// say in each other's bits.
func (p *plan) Sums(single bool) Sums {
	root, factor := p.root, 1.0
	for {
		s, ok := root.(scaleNode)
		if !ok {
			break
		}
		root, factor = s.in, factor*s.c
	}
	n, ok := root.(profileNode)
	if !ok || n.src.sparse != nil {
		return nil
	}
	k, ok := n.k.(Gaussian)
	switch {
	case !ok:
		return nil
	case n.src.base != nil && single:
		return rowSums(p, n.src, func() *linalg.Pairs[float32] { return pairs32(n.src) }, -k.scale(), factor)
	case n.src.base != nil:
		return rowSums(p, n.src, func() *linalg.Pairs[float64] { return pairs64(n.src) }, -k.scale(), factor)
	case single:
		return gaussSums(p, pairs32(n.src), -k.scale(), factor)
	}
	return gaussSums(p, pairs64(n.src), -k.scale(), factor)
}

// rowSums takes the columns as the base has kept them, and the rows as they are when it is called:
// a plan of one point gets others.
func rowSums[F linalg.Float](p *plan, s *source, pairs func() *linalg.Pairs[F], gamma, factor float64) Sums {
	key := fmt.Sprintf("gauss %T %v %s", *new(F), gamma, s.view)
	kept, ok := s.base.get(key)
	if !ok {
		kept = linalg.NewGaussColumns(pairs(), gamma)
		s.base.put(key, kept)
	}
	columns := kept.(*linalg.GaussColumns[F])
	if columns == nil {
		return nil
	}
	return func(threads, _ int, dst, v []float64) {
		columns.SumsTo(p.ctx, threads, pairs(), dst, v)
		if factor != 1 {
			scaleBy(dst, factor)
		}
	}
}

func gaussSums[F linalg.Float](p *plan, pairs *linalg.Pairs[F], gamma, factor float64) Sums {
	sums := linalg.NewGaussSums(pairs, gamma)
	if sums == nil {
		return nil
	}
	sums.StopWith(p.ctx)
	return func(threads, groups int, dst, v []float64) {
		if groups > 0 && sums.Symmetric() {
			sums.MulSym(threads, groups, dst, v)
		} else {
			sums.MulTo(threads, dst, v)
		}
		if factor != 1 {
			scaleBy(dst, factor)
		}
	}
}
