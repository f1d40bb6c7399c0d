package nystrom

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// basis is the functions in the span of k(cⱼ, ·) at the centres, in the coordinates φ(x) = L⁻¹k(C,
// x) of an orthonormal basis of that span: ⟨v, φ(x)⟩ has the norm ‖v‖ and the coefficients L⁻ᵀv.
type basis struct {
	chol    *linalg.Cholesky   // nil where the factor is on a device
	l       triangle           // the same, wherever it is
	device  *gram.CenterFactor // it, on a device
	centers data.Points[any]
	at      linalg.Matrix[float64] // φ of the centres as drawn, a row each
	share   []float64              // how much weight of all rows each of them stands for
	center  []float64              // the mean of φ at the centres by share
	threads int
}

func (b *basis) dim() int { return b.centers.Len() }

// setBasis makes the basis of some centres; share nil means that they share the rows evenly.
// Centres that depend on others to working precision (duplicates, or more than the kernel has
// dimensions) are left out, which changes nothing about the functions, and said.
func (p *problem) setBasis(ctx context.Context, centers data.Points[any], share []float64) error {
	if p.deviceBasis(centers, share) {
		return ctx.Err()
	}
	phi, err := gram.NewNystromMap(ctx, p.kernel, centers, gram.LowRankOptions{Threads: p.Threads})
	if err != nil {
		return err
	}
	b := &basis{chol: &linalg.Cholesky{L: linalg.Of(phi.Factor())}, at: linalg.Of(phi.AtCandidates()),
		centers: phi.Centers, share: p.shares(share, centers.Len()), threads: p.Threads}
	b.l = onHost{b.chol, p.Threads}
	b.center = make([]float64, b.dim())
	total := 0.0
	for i, s := range b.share {
		total += s
		for j, v := range b.at.Row(i) {
			b.center[j] += s * v
		}
	}
	for j := range b.center {
		b.center[j] /= total
	}
	if left := centers.Len() - b.dim(); left > 0 {
		p.warnings = append(p.warnings,
			fmt.Sprintf("%d of %d centres depend on the others to working precision and were left out; the functions are the "+
				"same without them", left, centers.Len()))
	}
	p.basis = b
	return ctx.Err()
}

// features turns rows of k(C, x) into those of φ(x) = L⁻¹k(C, x), in their place.
func (b *basis) features(ctx context.Context, k linalg.Matrix[float64]) error {
	if s, ok := b.l.(scaled); ok {
		s.solve(k, false)
		return ctx.Err()
	}
	return linalg.TrsmContext(ctx, b.threads, linalg.Right, linalg.Lower, linalg.Trans, linalg.NonUnit, 1, b.chol.L, k)
}

// coefficients is those of k(cⱼ, ·), L⁻ᵀv.
func (b *basis) coefficients(v linalg.Matrix[float64]) linalg.Matrix[float64] {
	a := v.Clone()
	b.l.solve(a, true)
	return a
}

// secondMoment is Σ sφφᵀ over the centres with their shares s, about their mean where there is an
// intercept: what the centres know of Σ wφφᵀ over the rows. factor multiplies the share of each;
// nil means 1.
func (b *basis) secondMoment(about bool, factor []float64) linalg.Matrix[float64] {
	m, rows := b.dim(), b.at.Rows
	scaled := linalg.New[float64](rows, m)
	mean := make([]float64, m)
	if about {
		mean = b.center
		if factor != nil {
			mean = make([]float64, m)
			total := 0.0
			for i := range rows {
				s := b.share[i] * factor[i]
				total += s
				for j, v := range b.at.Row(i) {
					mean[j] += s * v
				}
			}
			for j := range mean {
				mean[j] /= math.Max(total, math.SmallestNonzeroFloat64)
			}
		}
	}
	for i := range rows {
		s := b.share[i]
		if factor != nil {
			s *= factor[i]
		}
		root := math.Sqrt(s)
		to := scaled.Row(i)
		for j, v := range b.at.Row(i) {
			to[j] = root * (v - mean[j])
		}
	}
	g := linalg.New[float64](m, m)
	linalg.Syrk(b.threads, linalg.Lower, linalg.Trans, 1, scaled, 0, g)
	return g
}
