package linalg

// Gather is the metric between some rows of x and some rows of y (nil means
// all), cut out of what p prepared: the price is copying those rows alone.
func (p *Pairs[F]) Gather(rows, cols []int) *Pairs[F] {
	return instance[gatherBody[F]](gatherPairs64, gatherPairs32)(p, rows, cols)
}

func gatherPairs[F Float](p *Pairs[F], rows, cols []int) *Pairs[F] {
	g := *p
	g.symmetric = p.symmetric && rows == nil && cols == nil
	if rows != nil {
		g.rows, g.x, g.x64 = len(rows), gatherRows(p.x, rows), gatherRows(p.x64, rows)
		g.xNorm = gatherVector(p.xNorm, rows)
		if p.extreme != nil {
			g.extreme = make([]bool, len(rows))
			for a, i := range rows {
				g.extreme[a] = p.extreme[i]
			}
		}
	}
	if cols != nil {
		g.packed = nil
		g.cols, g.y, g.y64 = len(cols), gatherRows(p.y, cols), gatherRows(p.y64, cols)
		g.yNorm = gatherVector(p.yNorm, cols)
	}
	return &g
}

func gatherRows[F Float](m Matrix[F], index []int) Matrix[F] {
	if m.Data == nil {
		return m
	}
	out := New[F](len(index), m.Cols)
	for a, i := range index {
		copy(out.Row(a), m.Row(i))
	}
	return out
}

func gatherVector[F Float](v []F, index []int) []F {
	if v == nil {
		return nil
	}
	out := make([]F, len(index))
	for a, i := range index {
		out[a] = v[i]
	}
	return out
}
