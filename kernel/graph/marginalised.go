package graph

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Marginalised is the probability that two random walks, one in each graph, have the same length
// and meet the same labels all the way: a walk starts at any node alike, stops at each node with
// probability γ = Stop (0.1 when zero), and else goes to a neighbour in proportion to the weight of
// the edge; at a node without neighbours it stops. With R(v, v') the probability from a pair of
// nodes on,
//
//	k(G, G') = 1/(nn')·Σ δ(v, v')·R(v, v'),   R(v, v') = q(v)q(v') + Σ p(u|v)·p(u'|v')·δ(u, u')·δ(vu, v'u')·R(u, u')
//
// (H. Kashima, K. Tsuda and A. Inokuchi, Marginalized kernels between labeled graphs, ICML 2003).
// Scaled by the roots of the degrees the system is symmetric, with eigenvalues in [1 − (1−γ)², 1 +
// (1−γ)²], and conjugate gradients solve it without the matrix of the product graph.
type Marginalised struct {
	Stop       float64
	EdgeLabels bool
}

// Name is "marginalised".
func (Marginalised) Name() string { return "marginalised" }

func (k Marginalised) stop() float64 { return orDefault(k.Stop, 0.1) }

// prepare scales the edges by (1−γ)/√(dᵢdⱼ), and what starts and stops by 1/√d and √d.
func (k Marginalised) prepare(g Graph) *walkForm {
	var degree []float64
	w := newWalkForm(g, k.EdgeLabels, func(f *form, i, j int) float64 {
		if degree == nil {
			degree = degrees(f)
		}
		return (1 - k.stop()) / (math.Sqrt(degree[i]) * math.Sqrt(degree[j]))
	})
	if degree == nil {
		degree = degrees(w.form)
	}
	for i, d := range degree {
		q := k.stop()
		if d == 0 {
			d, q = 1, 1
		}
		w.start[i] = 1 / (float64(w.n) * math.Sqrt(d))
		w.stop[i] = q * math.Sqrt(d)
	}
	return w
}

func degrees(f *form) []float64 {
	out := make([]float64, f.n)
	for i := range out {
		for e := f.ptr[i]; e < f.ptr[i+1]; e++ {
			out[i] += f.weightAt(e)
		}
	}
	return out
}

func (k Marginalised) between(x, y *walkForm) float64 {
	return walkBetween(x, y, nil, func(p *product) float64 { return p.resolvent(1) })
}

// Eval is the probability that walks agree.
func (k Marginalised) Eval(x, y Graph) float64 { return k.between(k.prepare(x), k.prepare(y)) }

// PreparePoints reads each graph once.
func (k Marginalised) PreparePoints(ctx context.Context, x, y data.Points[Graph]) kernel.Rectangle {
	return kernel.PreparePairs(ctx, x, y, k.prepare, k.between)
}

// Params is γ.
func (k Marginalised) Params() []kernel.Param {
	return []kernel.Param{{Name: "marginalised.stop", Value: k.stop(),
		Domain: kernel.Domain{Low: 0, High: 1, OpenLow: true, OpenHigh: true}}}
}

// With sets γ.
func (k Marginalised) With(theta []float64) kernel.Kernel[Graph] {
	return Marginalised{theta[0], k.EdgeLabels}
}

// Validate refuses γ outside (0, 1).
func (k Marginalised) Validate() error {
	if g := k.stop(); !(g > 0 && g < 1) {
		return fmt.Errorf("kernel: marginalised: stop = %g, want a probability between 0 and 1", k.Stop)
	}
	return nil
}

// CheckPoints refuses graphs that make no sense, and labels on some graphs alone.
func (k Marginalised) CheckPoints(x data.Points[Graph]) error {
	return checkLabelled("marginalised", x, k.EdgeLabels)
}

// Properties of a probability that two walks agree.
func (Marginalised) Properties() kernel.Properties { return psd(1) }
