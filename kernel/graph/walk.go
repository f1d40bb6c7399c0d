package graph

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
)

// GeometricWalk counts the pairs of walks, one in each graph, that meet the same labels, a pair of
// walks of k steps for λᵏ:
//
//	k(G, G') = Σₖ λᵏ·1ᵀA×ᵏ1 = 1ᵀ(I − λA×)^{-1}1,
//
// A× the adjacency of the product graph, whose nodes are the pairs of nodes with the same label (T.
// Gärtner, P. Flach and S. Wrobel, On graph kernels, COLT 2003; S. Vishwanathan et al., Graph
// kernels, JMLR 11, 2010). λ = Lambda (0.1 when zero) has to be below 1/ρ² for the largest
// eigenvalue ρ of every adjacency matrix; CheckPoints says where it is not. With EdgeLabels the
// labels of the edges have to agree too. Weights multiply.
//
// Graphs without labels are decomposed once each, A = VΛVᵀ, and then k = Σᵢⱼ (1ᵀvᵢ)²(1ᵀv'ⱼ)²/(1 −
// λλᵢλ'ⱼ); with labels the system is solved by conjugate gradients, without the matrix of the
// product graph.
type GeometricWalk struct {
	Lambda     float64
	EdgeLabels bool
}

// Name is "geometricwalk".
func (GeometricWalk) Name() string { return "geometricwalk" }

func (k GeometricWalk) lambda() float64 { return orDefault(k.Lambda, 0.1) }

func (k GeometricWalk) prepare(g Graph) *walkForm { return newSpectralForm(g, k.EdgeLabels) }

func (k GeometricWalk) between(x, y *walkForm) float64 {
	return walkBetween(x, y, func(m float64) float64 { return 1 / (1 - k.lambda()*m) },
		func(p *product) float64 { return p.resolvent(k.lambda()) })
}

// Eval counts pairs of walks.
func (k GeometricWalk) Eval(x, y Graph) float64 { return k.between(k.prepare(x), k.prepare(y)) }

// PreparePoints decomposes each graph once.
func (k GeometricWalk) PreparePoints(ctx context.Context, x, y data.Points[Graph]) kernel.Rectangle {
	return kernel.PreparePairs(ctx, x, y, k.prepare, k.between)
}

// Params is λ.
func (k GeometricWalk) Params() []kernel.Param {
	return []kernel.Param{positive("geometricwalk.lambda", k.lambda())}
}

// With sets λ.
func (k GeometricWalk) With(theta []float64) kernel.Kernel[Graph] {
	return GeometricWalk{theta[0], k.EdgeLabels}
}

// Validate refuses λ < 0.
func (k GeometricWalk) Validate() error { return mustBePositive("geometricwalk", "lambda", k.Lambda) }

// CheckPoints refuses graphs with λρ² ≥ 1, where the series has no limit.
func (k GeometricWalk) CheckPoints(x data.Points[Graph]) error {
	if err := checkLabelled("geometricwalk", x, k.EdgeLabels); err != nil {
		return err
	}
	for i := range x.Len() {
		if rho := radius(newForm(x.At(i))); !(k.lambda()*rho*rho < 1) {
			return fmt.Errorf("kernel: geometricwalk: lambda = %g, but the walks of graph %d, whose adjacency has the largest "+
				"eigenvalue %.4g, need λ < %.4g; or take a StepWalk", k.lambda(), i, rho, 1/(rho*rho))
		}
	}
	return nil
}

// Properties of a limit of kernels of counts.
func (GeometricWalk) Properties() kernel.Properties { return psd(math.Inf(1)) }

// radius is the largest eigenvalue of the adjacency, from above: max (Av)ᵢ/vᵢ for any v > 0 is a
// bound (L. Collatz 1942), and repeated products with A + I make it tight.
func radius(f *form) float64 {
	v, next := make([]float64, f.n), make([]float64, f.n)
	for i := range v {
		v[i] = 1
	}
	best := math.Inf(1)
	for range 300 {
		high, low, norm := 0.0, math.Inf(1), 0.0
		for i := range f.n {
			s := 0.0
			for e := f.ptr[i]; e < f.ptr[i+1]; e++ {
				s += f.weightAt(e) * v[f.to[e]]
			}
			high, low = max(high, s/v[i]), min(low, s/v[i])
			next[i] = s + v[i]
			norm = max(norm, next[i])
		}
		best = min(best, high)
		if high-low <= 1e-12*high {
			break
		}
		for i := range next {
			next[i] = max(next[i]/norm, 1e-150) // components that die out stay positive
		}
		v, next = next, v
	}
	if f.n == 0 {
		return 0
	}
	return best
}

// walkSpectrum is the eigenvalues of an adjacency matrix with (1ᵀv)² of their eigenvectors.
type walkSpectrum struct{ value, weight []float64 }

// newSpectralForm decomposes the adjacency of a graph without labels.
func newSpectralForm(g Graph, edgeLabels bool) *walkForm {
	w := newWalkForm(g, edgeLabels, unscaled)
	if w.labelled || w.n == 0 {
		return w
	}
	a := linalg.New[float64](w.n, w.n)
	for i := range w.n {
		for e := w.ptr[i]; e < w.ptr[i+1]; e++ {
			a.Set(i, int(w.to[e]), w.weightAt(e))
		}
	}
	values, vectors, err := linalg.SymEigen(1, a)
	if err != nil {
		return w // conjugate gradients will do
	}
	s := &walkSpectrum{}
	for c, v := range values {
		sum := 0.0
		for i := range w.n {
			sum += vectors.At(i, c)
		}
		s.value, s.weight = append(s.value, v), append(s.weight, sum*sum)
	}
	w.spectrum = s
	return w
}

// walkBetween is Σᵢⱼ (1ᵀvᵢ)²(1ᵀv'ⱼ)²·f(λᵢλ'ⱼ) where both graphs are decomposed, else what the
// product graph gives.
func walkBetween(x, y *walkForm, f func(m float64) float64, otherwise func(p *product) float64) float64 {
	if x.n == 0 || y.n == 0 {
		return 0
	}
	if before(y.form, x.form) {
		x, y = y, x // the same steps whichever comes first
	}
	if x.spectrum == nil || y.spectrum == nil {
		return otherwise(newProduct(x, y))
	}
	s := 0.0
	for i, a := range x.spectrum.value {
		row := 0.0
		for j, b := range y.spectrum.value {
			row += y.spectrum.weight[j] * f(a*b)
		}
		s += row * x.spectrum.weight[i]
	}
	return s
}
