package linalg

import "math"

// WithRows is the metric between the rows of x and the rows of y that p prepared: only x is made
// ready. What it gives for a row of x does not depend on the other rows, nor on how many there are,
// nor on the shape of the tiles, to the last bit. p is from NewPairs, or from WithRows.
func (p *Pairs[F]) WithRows(x Matrix[float64]) *Pairs[F] {
	if x.Cols != p.dim {
		panic("linalg: pairs of rows of other lengths")
	}
	q := *p
	q.rows, q.symmetric, q.rowwise = x.Rows, false, true
	if p.shift != nil {
		q.x = shiftRows[F](x, p.shift, 1)
	} else {
		q.x = convertRows[F](x)
	}
	if p.metric == SquaredDistance {
		q.x64, q.xNorm = x, squaredNorms(q.x)
		q.extreme = p.extremeRows(x)
	}
	return &q
}

// extremeRows marks the rows whose squares leave the range of F, and all of them where those of y
// do; nil where there are none. One scale for all rows would make the bits of one depend on the
// others.
func (p *Pairs[F]) extremeRows(x Matrix[float64]) []bool {
	most := 1e140
	if !isFloat64[F]() {
		most = 1e15
	}
	var marks []bool
	for i := range x.Rows {
		far := p.unscale != 1
		for _, v := range x.Row(i) {
			far = far || math.Abs(v) > most
		}
		if far && marks == nil {
			marks = make([]bool, x.Rows)
		}
		if far {
			marks[i] = true
		}
	}
	return marks
}

// RenewRows reads the rows of x again, whose numbers have changed since WithRows, in the memory
// that p has for them. It is false where p cannot take them, or was not made for as many; then
// WithRows can.
func (p *Pairs[F]) RenewRows(x Matrix[float64]) bool {
	if x.Rows != p.rows || x.Cols != p.dim || p.metric == SquaredDistance &&
		(p.unscale != 1 || p.extreme != nil || p.extremeRows(x) != nil) {
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
		p.x64 = x
		squaredNormsInto(p.xNorm, p.x)
	}
	return true
}
