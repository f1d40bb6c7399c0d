package data

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// Scaling says how numeric columns are brought to a common size.
type Scaling string

// The scalings.
const (
	// NoScaling leaves numbers as they are.
	NoScaling Scaling = "none"
	// Standardize subtracts the mean and divides by the standard deviation
	// (with divisor n).
	Standardize Scaling = "standardize"
	// MinMax maps the range seen to [0, 1].
	MinMax Scaling = "minmax"
	// Robust subtracts the median and divides by the interquartile range.
	Robust Scaling = "robust"
	// MaxAbs divides by the largest absolute value, so that zeros stay zeros:
	// the scaling for sparse features.
	MaxAbs Scaling = "maxabs"
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
	present := make([]float64, 0, len(x))
	for i, v := range x {
		if math.IsInf(v, 0) {
			return Affine{}, &Error{Row: i + 1, Kind: ErrNotFinite, Reason: fmt.Sprintf("%v is not a finite number", v)}
		}
		if !math.IsNaN(v) {
			present = append(present, v)
		}
	}
	a := Affine{0, 1}
	if len(present) == 0 {
		return a, nil
	}
	size := 0.0
	switch how {
	case NoScaling, "":
		return a, nil
	case Standardize:
		a.Center, size = meanStd(present)
	case MinMax:
		lo, hi := slices.Min(present), slices.Max(present)
		a.Center, size = lo, hi-lo
	case Robust:
		slices.Sort(present)
		a.Center, size = quantile(present, 0.5), quantile(present, 0.75)-quantile(present, 0.25)
		if size == 0 {
			// Half the values are equal: fall back on the standard deviation.
			_, size = meanStd(present)
		}
	case MaxAbs:
		for _, v := range present {
			size = max(size, math.Abs(v))
		}
	default:
		return a, fmt.Errorf("unknown scaling %q; choose none, standardize, minmax, robust or maxabs", how)
	}
	if f := 1 / size; !math.IsInf(f, 0) && f > 0 {
		a.Factor = f
	}
	return a, nil
}

// meanStd shifts by the first value and scales by the largest, so that neither
// a large common offset nor values near 1e308 spoil the sums.
func meanStd(x []float64) (mean, std float64) {
	big := 0.0
	for _, v := range x {
		big = max(big, math.Abs(v))
	}
	if big == 0 {
		return 0, 0
	}
	n := float64(len(x))
	sum := 0.0
	shift := x[0] / big
	for _, v := range x {
		sum += v/big - shift
	}
	m := shift + sum/n
	sq, rest := 0.0, 0.0
	for _, v := range x {
		d := v/big - m
		sq += d * d
		rest += d
	}
	variance := (sq - rest*rest/n) / n
	// Rounding alone is not a spread.
	if variance <= 1e-30*max(m*m, 1e-300) {
		return m * big, 0
	}
	return m * big, math.Sqrt(variance) * big
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
