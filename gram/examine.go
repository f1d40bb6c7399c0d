package gram

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
)

// Findings is what Examine found out about a kernel on some points.
type Findings struct {
	PSD           // of the kernel on the points looked at; OK without numbers where its properties say so
	Rows   int    // points looked at
	Digits string // why kernel values have too few digits for what tells the points apart; empty where they have enough
}

// examined is how many points are looked at: few enough that a kernel that takes long is not asked
// for much more than a fit asks. A principal submatrix has no eigenvalue below the smallest of the
// whole (Cauchy), so a negative one among some points is the proof for all.
const examined = 256

// examinedForDigits is how many are where the kernel is known to be positive semi-definite: the
// variance of its features is known well enough from them.
const examinedForDigits = 64

// A kernel is called indefinite where an eigenvalue is below this share of the largest: kernels
// that are sums of many terms, on graphs or strings, have rounding errors well above those of one
// operation.
const leastNegative = 1e-10

// leastDigits is the share of the features' variance that the rounding of kernel values may be.
const leastDigits = 1e-9

// Examine asks whether a learner may rely on k on the points x: whether it is positive
// semi-definite there, where its properties do not say so, and whether its values have digits left
// for what tells the points apart.
func Examine[T any](ctx context.Context, k kernel.Kernel[T], x data.Points[T], threads int) (Findings, error) {
	n, count := x.Len(), examined
	known := kernel.PropertiesOf(k)
	if known.PSD == kernel.Yes {
		count = examinedForDigits
	}
	index := make([]int, min(n, count))
	for i := range index {
		index[i] = i * n / len(index)
	}
	out := Findings{PSD: PSD{OK: true}, Rows: len(index)}
	if len(index) == 0 || known.PSD == kernel.Yes && known.Bound <= 1 {
		return out, nil
	}
	some := data.Gather(x, index)
	m := linalg.New[float64](len(index), len(index))
	if err := kernel.FillSym(threads, blas64.General(m), kernel.Prepare(ctx, k, some, some)); err != nil {
		return out, err
	}
	if _, _, bad := notFinite(m); bad {
		return out, nil // for others to refuse, with the row
	}
	out.Digits = digitsLost(m)
	if known.PSD == kernel.Yes {
		return out, nil
	}
	var err error
	if out.PSD, err = CheckPSD(Dense{stored[float64]{m: m, threads: threads, symmetric: true}}, threads); err != nil {
		return out, err
	}
	out.forgive()
	return out, nil
}

// forgive judges the smallest eigenvalue against the rounding of any kernel.
func (p *PSD) forgive() {
	p.Tolerance = max(p.Tolerance, leastNegative*max(math.Abs(p.Min), math.Abs(p.Max)))
	p.OK = p.Min >= -p.Tolerance
}

// Definite judges eigenvalues, the smallest first, as Examine does; it returns nil or a *NotPSD.
func Definite(values []float64) error {
	p := PSD{Min: values[0], Max: values[len(values)-1]}
	p.forgive()
	return p.Err()
}

// digitsLost compares the rounding of kernel values, ε·max|k|, with the variance of the features,
// Σ k(xᵢ, xᵢ)/n - Σ k(xᵢ, xⱼ)/n².
func digitsLost(m linalg.Matrix[float64]) string {
	low, high, diagonal, all, share := math.Inf(1), math.Inf(-1), 0.0, 0.0, 1/float64(m.Rows)
	for i := range m.Rows {
		diagonal += m.At(i, i) * share
		row := 0.0
		for _, v := range m.Row(i) {
			if v < low {
				low = v
			}
			if v > high {
				high = v
			}
			row += v * share
		}
		all += row * share
	}
	largest := max(-low, high)
	variance := max(diagonal-all, 0)
	if low == high || largest*0x1p-53 <= leastDigits*variance {
		return "" // equal points have nothing that tells them apart
	}
	return fmt.Sprintf("kernel values of size %.3g tell the points apart by %.3g only, so that few of their digits "+
		"count; centre or scale the columns", largest, variance)
}

// Warnings says in words what is to be doubted; nothing where all is well.
func (f Findings) Warnings() []string {
	var out []string
	if err := f.Err(); err != nil {
		out = append(out, err.Error())
	}
	if f.Digits != "" {
		out = append(out, f.Digits)
	}
	return out
}
