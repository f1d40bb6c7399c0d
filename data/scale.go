package data

import (
	"fmt"
	"math"
	"strconv"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// Scaling says how numeric columns are brought to a common size: "none", "standardize" (mean 0 and
// deviation 1), "minmax" (the range seen to [0, 1]), "robust" or "maxabs".
type Scaling string

// The scalings.
const (
	// noScaling leaves numbers as they are.
	noScaling Scaling = "none"
	// standardize subtracts the mean and divides by the standard deviation
	// (with divisor n).
	standardize Scaling = "standardize"
	// minMax maps the range seen to [0, 1].
	minMax Scaling = "minmax"
	// robust subtracts the median and divides by the interquartile range.
	robust Scaling = "robust"
	// maxAbs divides by the largest absolute value, so that zeros stay zeros:
	// the scaling for sparse features.
	maxAbs Scaling = "maxabs"
)

// Affine is the map x ↦ (x − Center)·Factor of one column.
type Affine struct {
	Center float64 `json:"center"`
	Factor float64 `json:"factor"`
}

// Apply maps x.
func (a Affine) Apply(x float64) float64 { return (x - a.Center) * a.Factor }

// Invert maps back.
func (a Affine) Invert(y float64) float64 { return y/a.Factor + a.Center }

// FitScaling finds the map of a column. Missing values (NaN) are left out; a
// constant column is only centred, since it has no size to divide by.
func FitScaling(how Scaling, x []float64) (Affine, error) {
	s := study{options: EncoderOptions{Scaling: how}, low: math.Inf(1), high: math.Inf(-1)}
	for i, v := range x {
		if s.rows = i + 1; math.IsNaN(v) {
			continue
		}
		if err := s.addNumber(v); err != nil {
			return Affine{}, err
		}
	}
	return s.scale()
}

// quantile interpolates between order statistics (R's type 7).
func quantile(sorted []float64, p float64) float64 {
	h := p * float64(len(sorted)-1)
	i := int(h)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (h-float64(i))*(sorted[i+1]-sorted[i])
}

// Scaler scales the columns of a matrix.
type Scaler struct {
	How     Scaling  `json:"how"`
	Columns []Affine `json:"columns"`
}

// FitScaler finds the map of each column of x.
func FitScaler(how Scaling, x DenseRows) (*Scaler, error) {
	s := &Scaler{how, make([]Affine, x.Dim())}
	column := make([]float64, x.Len())
	for j := range s.Columns {
		for i := range column {
			column[i] = x.At(i)[j]
		}
		a, err := FitScaling(how, column)
		if err != nil {
			return nil, inColumn("x"+strconv.Itoa(j+1), err)
		}
		s.Columns[j] = a
	}
	return s, nil
}

// Transform returns the scaled rows; x stays as it is.
func (s *Scaler) Transform(x DenseRows) (DenseRows, error) { return s.each(x, Affine.Apply) }

// Invert returns the rows before scaling.
func (s *Scaler) Invert(x DenseRows) (DenseRows, error) { return s.each(x, Affine.Invert) }

func (s *Scaler) each(x DenseRows, f func(a Affine, v float64) float64) (DenseRows, error) {
	if x.Dim() != len(s.Columns) {
		return DenseRows{}, fmt.Errorf("%d columns where the scaling was fitted on %d", x.Dim(), len(s.Columns))
	}
	m := linalg.New[float64](x.Len(), x.Dim())
	for i := range x.Len() {
		to := m.Row(i)
		for j, v := range x.At(i) {
			to[j] = f(s.Columns[j], v)
		}
	}
	return RowsOf(m), nil
}
