package density

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/smoothing"
)

// penalty is what bounds the likelihood. A component on a single point, or on one value that was
// recorded many times, has a likelihood without bound as its variance goes to 0; EM climbs
//
//	Σᵢ log p(xᵢ) − a·Σₖ (tr(Λ·Σₖ⁻¹) + log|Σₖ|)
//
// instead, whose maximum exists and is consistent, with a = 1/n as its authors advise (J. Chen,
// X. Tan and R. Zhang, Inference for normal mixtures in mean and variance, Statistica Sinica 2008;
// for several columns J. Chen and X. Tan 2009). Its M-step adds 2a points of covariance Λ to each
// component, Σₖ = (Wₖ + 2aΛ)/(nₖ + 2a). They take the covariance of the sample for Λ. That widens
// narrow groups far apart, and here Λ is the covariance within the groups of k-means: one component
// is the sample's own covariance, as without a penalty.
type penalty struct {
	a      float64
	within linalg.Matrix[float64] // Λ, with the ridge on its diagonal
	pivots []float64              // of its Cholesky factor, squared
}

// starts groups the rows for each start, and takes the penalty from the tightest grouping.
func (c Mixture) starts(
	ctx context.Context, x linalg.Matrix[float64],
) (labels [][]int, ridge []float64, p penalty, err error) {
	ridge = c.ridges(x)
	least := math.Inf(1)
	var tightest []int
	for s := range c.Starts {
		r, err := kMeansStart(ctx, c.Threads, x, ridge, c.Components, rand.New(rand.NewPCG(c.Seed, uint64(s))))
		if err != nil {
			return nil, nil, p, err
		}
		if labels = append(labels, r.Labels); r.Cost < least {
			least, tightest = r.Cost, r.Labels
		}
	}
	p.a = c.Penalty
	if p.a == 0 {
		p.a = 1 / float64(x.Rows)
	}
	p.a = max(p.a, 0)
	if tightest == nil { // costs beyond the range of numbers
		tightest = labels[0]
	}
	p.within = withinGroups(x, tightest, c.Components)
	for j, v := range ridge {
		p.within.Row(j)[j] += v
	}
	l, err := linalg.NewCholeskyContext(ctx, 1, p.within.Clone())
	if err != nil { // columns that depend on each other: the variances alone
		for i := range x.Cols {
			for j := range x.Cols {
				if i != j {
					p.within.Set(i, j, 0)
				}
			}
			p.pivots = append(p.pivots, p.within.At(i, i))
		}
		return labels, ridge, p, nil
	}
	for j := range x.Cols {
		p.pivots = append(p.pivots, l.L.At(j, j)*l.L.At(j, j))
	}
	return labels, ridge, p, nil
}

// ridges are what is added to each variance.
func (c Mixture) ridges(x linalg.Matrix[float64]) []float64 {
	out, col := make([]float64, x.Cols), make([]float64, x.Rows)
	for j := range out {
		for i := range col {
			col[i] = x.At(i, j)
		}
		v := smoothing.Spread(col, nil)
		if out[j] = c.Ridge * v * v; !(out[j] > 0) {
			out[j] = c.Ridge * max(1e-12, col[0]*col[0]*1e-12) // a constant column
		}
	}
	return out
}

// withinGroups is the covariance around the means of groups of rows.
func withinGroups(x linalg.Matrix[float64], labels []int, groups int) linalg.Matrix[float64] {
	n, d := x.Rows, x.Cols
	means, count := linalg.New[float64](groups, d), make([]float64, groups)
	for i, g := range labels {
		count[g]++
		for j, v := range x.Row(i) {
			means.Row(g)[j] += v
		}
	}
	for g := range groups {
		for j := range d {
			means.Row(g)[j] /= max(count[g], 1)
		}
	}
	centred := linalg.New[float64](n, d)
	for i, g := range labels {
		for j, v := range x.Row(i) {
			centred.Row(i)[j] = v - means.At(g, j)
		}
	}
	out := linalg.New[float64](d, d)
	linalg.Gemm(1, linalg.Trans, linalg.NoTrans, 1/float64(n), centred, centred, 0, out)
	return out
}

// add is (n·cov + 2aΛ)/(n + 2a), in place.
func (p penalty) add(cov linalg.Matrix[float64], n float64) {
	if p.a == 0 {
		return
	}
	for i := range cov.Rows {
		for j, v := range p.within.Row(i) {
			cov.Row(i)[j] = (n*cov.At(i, j) + 2*p.a*v) / (n + 2*p.a)
		}
	}
}

// of is a·(tr(Λ·Σ⁻¹) + log|Σ|) of one covariance.
func (p penalty) of(l *linalg.Cholesky) float64 {
	if p.a == 0 {
		return 0
	}
	s := p.within.Clone()
	l.Solve(1, s)
	v := l.LogDet()
	for j := range s.Cols {
		v += s.At(j, j)
	}
	return p.a * v
}

// holds says whether the penalty and the ridge are half or more of some variance of a component of
// n points: nothing that was measured keeps it from collapsing.
func (p penalty) holds(l *linalg.Cholesky, n float64, ridge []float64) bool {
	share := 2 * p.a / (n + 2*p.a)
	for j, v := range p.pivots {
		if own := l.L.At(j, j) * l.L.At(j, j); own < max(2*share*v, 4*ridge[j]) {
			return true
		}
	}
	return false
}
