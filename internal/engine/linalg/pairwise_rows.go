package linalg

// WithRows is the metric between the rows of x and the rows of y that p prepared: only x is made ready. What it
// gives for a row of x does not depend on the other rows. p is from NewPairs, or from WithRows.
func (p *Pairs[F]) WithRows(x Matrix[float64]) *Pairs[F] {
	if p.metric == SquaredDistance && (p.unscale != 1 || powerOfTwoFor[F](x, x) != 1) {
		return NewPairs[F](p.metric, x, p.y64) // both sides need one scale
	}
	if x.Cols != p.dim {
		panic("linalg: pairs of rows of other lengths")
	}
	q := *p
	q.rows, q.symmetric = x.Rows, false
	if p.shift != nil {
		q.x = shiftRows[F](x, p.shift, 1)
	} else {
		q.x = convertRows[F](x)
	}
	if p.metric == SquaredDistance {
		q.x64, q.xNorm = x, squaredNorms(q.x)
	}
	return &q
}

// RenewRows reads the rows of x again, whose numbers have changed since WithRows, in the memory that p has for them. It is
// false where p cannot take them, or was not made for as many; then WithRows can.
func (p *Pairs[F]) RenewRows(x Matrix[float64]) bool {
	if x.Rows != p.rows || x.Cols != p.dim || p.metric == SquaredDistance && (p.unscale != 1 || powerOfTwoFor[F](x, x) != 1) {
		return false
	}
	switch {
	case p.shift != nil:
		shiftRowsInto(p.x, x, p.shift, 1)
	case isFloat64[F](): // p.x is x
	default:
		convertRowsInto(p.x, x)
	}
	if p.metric == SquaredDistance {
		squaredNormsInto(p.xNorm, p.x)
	}
	return true
}
