package linalg

// Triangle names a part of a matrix.
type Triangle int

// The parts of a matrix. Lower and Upper include the diagonal.
const (
	Full Triangle = iota
	Lower
	Upper
)

// outside says whether no element of rows [i, i+m), columns [j, j+n) is in u.
func (u Triangle) outside(i, m, j, n int) bool {
	return u == Lower && j > i+m-1 || u == Upper && i > j+n-1
}

// inside says whether every element of rows [i, i+m), columns [j, j+n) is in u.
func (u Triangle) inside(i, m, j, n int) bool {
	return u == Full || u == Lower && j+n-1 <= i || u == Upper && i+m-1 <= j
}

// columns gives the range, within [j, j+n) and counted from j, of the columns of row i in u.
func (u Triangle) columns(i, j, n int) (lo, hi int) {
	switch u {
	case Lower:
		return 0, min(max(i+1-j, 0), n)
	case Upper:
		return min(max(i-j, 0), n), n
	}
	return 0, n
}

// scale does c = beta·c on the part u of c; with beta = 0, c is not read.
func scale[F Float](u Triangle, beta F, c Matrix[F]) {
	if beta == 1 {
		return
	}
	for i := range c.Rows {
		lo, hi := u.columns(i, 0, c.Cols)
		row := c.Row(i)[lo:max(lo, hi)]
		if beta == 0 {
			clear(row)
			continue
		}
		for j := range row {
			row[j] *= beta
		}
	}
}
