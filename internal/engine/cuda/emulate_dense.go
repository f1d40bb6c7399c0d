package cuda

import (
	"cmp"
	"math"
	"slices"
)

func (l emulatedLibraries) Product(_ Stream, n, columns int, a, x, y Ptr) error {
	return l.with("cublasDgemm", func(at ...[]float64) {
		for c := range columns {
			for i := range n {
				s := 0.0
				for j, v := range at[0][i*n : (i+1)*n] {
					s += v * at[1][c*n+j]
				}
				at[2][c*n+i] = s
			}
		}
	}, []int{n * n, n * columns, n * columns}, a, x, y)
}

// jacobiSweeps is more than the sweeps that Jacobi's method takes for any matrix of double
// precision.
const jacobiSweeps = 40

// Eigen is Jacobi's method: rotations of two rows and columns until nothing is left beside the
// diagonal.
func (l emulatedLibraries) Eigen(_ Stream, n int, a, values Ptr) error {
	return l.with("cusolverDnDsyevd", func(at ...[]float64) {
		m, u := slices.Clone(at[0]), make([]float64, n*n)
		for i := range n {
			u[i*n+i] = 1
			for j := range i {
				m[j*n+i] = m[i*n+j]
			}
		}
		for range jacobiSweeps {
			for p := range n {
				for q := range p {
					if m[p*n+q] != 0 {
						rotate(m, u, n, p, q)
					}
				}
			}
		}
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int { return cmp.Compare(m[i*n+i], m[j*n+j]) })
		for to, from := range order {
			at[1][to] = m[from*n+from]
			copy(at[0][to*n:(to+1)*n], u[from*n:(from+1)*n])
		}
	}, []int{n * n, n}, a, values)
}

// rotate makes m[p, q] zero by a rotation of rows and columns p and q, and rotates the rows of u
// with them.
func rotate(m, u []float64, n, p, q int) {
	theta := (m[q*n+q] - m[p*n+p]) / (2 * m[p*n+q])
	t := 1 / (math.Abs(theta) + math.Hypot(theta, 1))
	if theta < 0 {
		t = -t
	}
	c := 1 / math.Hypot(t, 1)
	s := t * c
	for k := range n {
		x, y := m[k*n+p], m[k*n+q]
		m[k*n+p], m[k*n+q] = c*x-s*y, s*x+c*y
	}
	for _, a := range [][]float64{m, u} {
		for k := range n {
			x, y := a[p*n+k], a[q*n+k]
			a[p*n+k], a[q*n+k] = c*x-s*y, s*x+c*y
		}
	}
}
