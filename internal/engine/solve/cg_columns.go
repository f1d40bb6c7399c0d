package solve

import "github.com/mercer-ml/mercer/internal/engine/linalg"

// column is the numbers of a matrix of one column; nil where there are more, or where they do not
// lie next to one another. One column is the common case, and row by row each number costs a dozen
// times what it costs in a loop over all of them.
func column(m linalg.Matrix[float64]) []float64 {
	if m.Cols != 1 || m.Stride != 1 {
		return nil
	}
	return m.Data[:m.Rows]
}

// columnDots sets dst[j] = Σᵢ a[i,j]·b[i,j].
func columnDots(dst []float64, a, b linalg.Matrix[float64]) {
	if x, y := column(a), column(b); x != nil && y != nil {
		sum := 0.0
		for i, v := range x {
			sum += v * y[i]
		}
		dst[0] = sum
		return
	}
	clear(dst)
	for i := range a.Rows {
		x, y := a.Row(i), b.Row(i)
		for j, v := range x {
			dst[j] += v * y[j]
		}
	}
}

// addColumns adds c[j] times column j of a to that of dst.
func addColumns(dst, a linalg.Matrix[float64], c []float64) {
	if x, y := column(dst), column(a); x != nil && y != nil {
		for i, v := range y {
			x[i] += c[0] * v
		}
		return
	}
	for i := range dst.Rows {
		x, y := dst.Row(i), a.Row(i)
		for j, v := range y {
			x[j] += c[j] * v
		}
	}
}

// turn sets the columns of directions to z[:, j] + beta[j]·p[:, j], and to 0 where they are not
// active.
func turn(p, z linalg.Matrix[float64], beta []float64, active []bool) {
	if x, y := column(p), column(z); x != nil && y != nil && active[0] {
		for i, v := range y {
			x[i] = v + beta[0]*x[i]
		}
		return
	}
	for i := range p.Rows {
		x, y := p.Row(i), z.Row(i)
		for j := range x {
			if active[j] {
				x[j] = y[j] + beta[j]*x[j]
			} else {
				x[j] = 0
			}
		}
	}
}
