package gram

import (
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Scale is √(k(0)/m), which every cosine and sine is multiplied by.
func (f *FourierMap) Scale() float64 { return f.scale }

// RestoreFourierMap is the map of frequencies, a row each, and a scale that were written down: it
// has the bits of the one that they come from.
func RestoreFourierMap(frequencies *mat.Dense, scale float64) (*FourierMap, error) {
	if frequencies == nil || frequencies.IsEmpty() {
		return nil, fault.Errorf("gram", "fourier features: no frequencies")
	}
	w := linalg.Of(frequencies)
	for i := range w.Rows {
		for j, v := range w.Row(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fault.Errorf("gram", "fourier features: coordinate %d of frequency %d is %g", j, i, v)
			}
		}
	}
	if !(scale > 0) || math.IsInf(scale, 0) {
		return nil, fault.Errorf("gram", "fourier features: a scale of %g", scale)
	}
	return &FourierMap{frequencies: w, scale: scale}, nil
}

// RestoreNystromMap is the map of centres and a factor L of K(C, C), lower triangular with a
// positive diagonal, that were written down: it has the bits of the one that they come from. It
// knows no Pivots, and nothing AtCandidates.
func RestoreNystromMap[T any](k kernel.Kernel[T], centers data.Points[T], factor *mat.Dense) (*NystromMap[T], error) {
	if centers == nil || centers.Len() == 0 || factor == nil {
		return nil, fault.Errorf("gram", "nystrom: no centres")
	}
	if r, c := factor.Dims(); r != centers.Len() || c != r {
		return nil, fault.Errorf("gram", "nystrom: a factor of %d×%d for %d centres", r, c, centers.Len())
	}
	l := linalg.Of(factor).Clone()
	for i := range l.Rows {
		for j, v := range l.Row(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) || j > i && v != 0 || j == i && !(v > 0) {
				return nil, fault.Errorf("gram",
					"nystrom: entry (%d, %d) of the factor is %g; it is lower triangular with a positive diagonal", i, j, v)
			}
		}
	}
	return &NystromMap[T]{Kernel: k, Centers: centers, chol: &linalg.Cholesky{L: l}}, nil
}
