package stat

import (
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/mat"
)

// bandwidthMetric divides points by the bandwidth: u ↦ L⁻¹u with H = L·Lᵀ, L
// diagonal for a bandwidth per coordinate.
type bandwidthMetric struct {
	widths []float64        // diagonal L
	chol   *linalg.Cholesky // full L, nil for a diagonal one
}

// given reads the three ways of saying a bandwidth; ok is false when none is
// used.
func givenBandwidth(one float64, each []float64, full *mat.SymDense, d int) (m bandwidthMetric, ok bool, err error) {
	used := 0
	if one != 0 {
		used++
		if !(one > 0) || math.IsInf(one, 1) {
			return m, false, fmt.Errorf("Bandwidth is %g; give a positive number", one)
		}
		m.widths = make([]float64, d)
		for j := range m.widths {
			m.widths[j] = one
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
		m.widths = append([]float64(nil), each...)
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

// divide overwrites the rows of x with L⁻¹x.
func (m bandwidthMetric) divide(x linalg.Matrix[float64]) {
	for i := range x.Rows {
		row := x.Row(i)
		if m.chol == nil {
			for j := range row {
				row[j] /= m.widths[j]
			}
			continue
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
}

// times overwrites u with L·u.
func (m bandwidthMetric) times(u []float64) {
	if m.chol == nil {
		for j := range u {
			u[j] *= m.widths[j]
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

// logDet is log det L.
func (m bandwidthMetric) logDet() float64 {
	s := 0.0
	if m.chol != nil {
		return m.chol.LogDet() / 2
	}
	for _, h := range m.widths {
		s += math.Log(h)
	}
	return s
}

// matrix is H = L·Lᵀ.
func (m bandwidthMetric) matrix() *mat.SymDense {
	d := len(m.widths)
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
				s = m.widths[i] * m.widths[i]
			}
			h.SetSym(i, j, s)
		}
	}
	return h
}
