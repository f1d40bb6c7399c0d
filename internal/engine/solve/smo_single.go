package solve

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// singlePairs does pair updates with the gradient z = c - Kβ in single
// precision, over all variables at a time: two passes over z for each pair, one that steps and
// finds the next i, one that finds its partner. Whoever calls it computes the
// gradient afresh in double precision from what moved, so that rounding here
// costs pairs and never exactness.
type singlePairs struct {
	z, diag  []float32 // padded to whole vectors
	up, down []uint32  // bits: who may be raised, who may be lowered
}

// singleRounding is how far the gradient in single precision may have drifted
// after partPairs updates, as a share of its largest entry.
const singleRounding = 2e-5

// padded is n rounded up to whole vectors of the passes.
func padded(n int) int { return (n + 31) &^ 31 }

// PaddedStride is the row length with which a matrix of n columns is fastest in
// SharedSMO: whole vectors.
func PaddedStride(n int) int { return padded(n) }

// begin makes room for n variables, none of which can move.
func (w *singlePairs) begin(n int) {
	n = padded(n)
	if cap(w.z) < n {
		w.z, w.diag = make([]float32, n), make([]float32, n)
		w.up, w.down = make([]uint32, n/32), make([]uint32, n/32)
	}
	w.z, w.diag, w.up, w.down = w.z[:n], w.diag[:n], w.up[:n/32], w.down[:n/32]
	clear(w.z)
	clear(w.up)
	clear(w.down)
}

// place notes on which sides variable t may still move.
func (w *singlePairs) place(t int, beta, lower, upper float64) {
	word, bit := t>>5, uint32(1)<<(t&31)
	w.up[word] &^= bit
	w.down[word] &^= bit
	if beta < upper {
		w.up[word] |= bit
	}
	if beta > lower {
		w.down[word] |= bit
	}
}

// run updates pairs until the violation is at most eps, or budget of them are
// done. The rows of k have room for whole vectors.
func (w *singlePairs) run(ctx context.Context, k linalg.Matrix[float32], diag, lower, upper, beta []float64, eps float64, budget int) (int, error) {
	z, n := w.z, len(w.z)
	for t, d := range diag {
		w.diag[t] = float32(d)
	}
	row := func(t int) []float32 { return k.Data[t*k.Stride : t*k.Stride+n] }
	zi := simd.StepMasked(0, row(0), row(0), z, w.up)
	for done := range budget {
		if done&1023 == 1023 {
			if err := ctx.Err(); err != nil {
				return done, err
			}
		}
		if math.IsInf(float64(zi), -1) {
			return done, nil
		}
		i := simd.FirstEqual(z, w.up, zi)
		ki := row(i)
		j, low := simd.PartnerMasked(z, w.down, w.diag, ki, zi, w.diag[i], smallCurvature)
		if float64(zi-low) <= eps || j < 0 {
			return done, nil
		}
		curve := max(diag[i]+diag[j]-2*float64(ki[j]), smallCurvature)
		step := (float64(zi) - float64(z[j])) / curve
		step, beta[i], beta[j] = stepInBox(step, beta[i], upper[i], beta[j], lower[j])
		w.place(i, beta[i], lower[i], upper[i])
		w.place(j, beta[j], lower[j], upper[j])
		zi = simd.StepMasked(float32(step), ki, row(j), z, w.up)
	}
	return budget, nil
}

// largestGradient is the largest |c - Kβ|, at least 1.
func largestGradient(q BoxQP, f []float64) float64 {
	size := 1.0
	for t, c := range q.Linear {
		size = max(size, math.Abs(c-f[q.Point[t]]))
	}
	return size
}
