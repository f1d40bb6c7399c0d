package smoothing

import (
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"gonum.org/v1/gonum/mat"
)

// Metric divides points by the bandwidth: u ↦ L⁻¹u with H = L·Lᵀ, L
// diagonal for a bandwidth per coordinate.
type Metric struct {
	Widths []float64        // diagonal L
	chol   *linalg.Cholesky // full L, nil for a diagonal one
}

// GivenBandwidth reads the three ways of saying a bandwidth; ok is false when none is
// used.
func GivenBandwidth(one float64, each []float64, full *mat.SymDense, d int) (m Metric, ok bool, err error) {
	used := 0
	if one != 0 {
		used++
		if !(one > 0) || math.IsInf(one, 1) {
			return m, false, fmt.Errorf("Bandwidth is %g; give a positive number", one)
		}
		m.Widths = make([]float64, d)
		for j := range m.Widths {
			m.Widths[j] = one
		}
	}
	if each != nil {
		used++
		if len(each) != d {
			return m, false, fmt.Errorf("%d Bandwidths for %d columns", len(each), d)
		}
		for j, h := range each {
			if !(h > 0) || math.IsInf(h, 1) {
				return m, false, fmt.Errorf("Bandwidths[%d] is %g; give positive numbers", j, h)
			}
		}
		m.Widths = append([]float64(nil), each...)
	}
	if full != nil {
		used++
		if full.SymmetricDim() != d {
			return m, false, fmt.Errorf("BandwidthMatrix is of order %d for %d columns", full.SymmetricDim(), d)
		}
		l := linalg.New[float64](d, d)
		for i := range d {
			for j := range d {
				if l.Row(i)[j] = full.At(i, j); math.IsNaN(full.At(i, j)) || math.IsInf(full.At(i, j), 0) {
					return m, false, fmt.Errorf("BandwidthMatrix[%d, %d] is %g", i, j, full.At(i, j))
				}
			}
		}
		c, err := linalg.NewCholesky(1, l)
		if err != nil {
			return m, false, fmt.Errorf("BandwidthMatrix: %w", err)
		}
		m.chol = c
	}
	if used > 1 {
		return m, false, errors.New("give one of Bandwidth, Bandwidths and BandwidthMatrix")
	}
	return m, used == 1, nil
}

// Divide overwrites the rows of x with L⁻¹x; the zero Metric leaves them alone.
func (m Metric) Divide(x linalg.Matrix[float64]) {
	if m.chol == nil && m.Widths == nil {
		return
	}
	par.For(0, x.Rows, divideRows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			m.divideRow(x.Row(i))
		}
	})
}

// divideRows is how many rows a goroutine divides.
const divideRows = 1 << 12

func (m Metric) divideRow(row []float64) {
	if m.chol == nil {
		for j := range row {
			row[j] /= m.Widths[j]
		}
		return
	}
	for j := range row {
		s := row[j]
		l := m.chol.L.Row(j)
		for k := range j {
			s -= l[k] * row[k]
		}
		row[j] = s / l[j]
	}
}

// Times overwrites u with L·u.
func (m Metric) Times(u []float64) {
	if m.chol == nil {
		for j := range u {
			u[j] *= m.Widths[j]
		}
		return
	}
	for j := len(u) - 1; j >= 0; j-- {
		s := 0.0
		for k, v := range m.chol.L.Row(j)[:j+1] {
			s += v * u[k]
		}
		u[j] = s
	}
}

// LogDet is log det L.
func (m Metric) LogDet() float64 {
	s := 0.0
	if m.chol != nil {
		return m.chol.LogDet() / 2
	}
	for _, h := range m.Widths {
		s += math.Log(h)
	}
	return s
}

// Matrix is H = L·Lᵀ.
func (m Metric) Matrix() *mat.SymDense {
	d := len(m.Widths)
	if m.chol != nil {
		d = m.chol.L.Rows
	}
	h := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			s := 0.0
			if m.chol != nil {
				for k := range j + 1 {
					s += m.chol.L.At(i, k) * m.chol.L.At(j, k)
				}
			} else if i == j {
				s = m.Widths[i] * m.Widths[i]
			}
			h.SetSym(i, j, s)
		}
	}
	return h
}
