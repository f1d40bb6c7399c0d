package kernel

import "github.com/mercer-ml/mercer/internal/engine/linalg"

// GaussSums is the product of K(X, Y) with a vector without tiles, and the factor
// to multiply it by, for tiles of a (scaled) Gaussian kernel on dense points; nil
// for any other, and where tiles are faster.
func GaussSums[F linalg.Float](t Tiles) (sums *linalg.GaussSums[F], factor float64) {
	p, ok := t.(*plan)
	if !ok {
		return nil, 0
	}
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
		return nil, 0
	}
	k, ok := n.k.(Gaussian)
	if !ok {
		return nil, 0
	}
	var pairs any
	if _, single := any(*new(F)).(float32); single {
		pairs = n.src.pairs32()
	} else {
		pairs = n.src.pairs64()
	}
	if sums = linalg.NewGaussSums(pairs.(*linalg.Pairs[F]), -k.scale()); sums != nil && p.ctx != nil {
		sums.StopWith(p.ctx)
	}
	return sums, factor
}
