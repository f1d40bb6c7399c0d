package prob

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Lister is a Model over whose outcomes one can sum: expectations under it are Σ pᵢ·f(xᵢ).
type Lister[T any] interface {
	Model[T]
	// Outcomes are all points and their probabilities, or the nodes and weights of a quadrature.
	// The error says why there are too many.
	Outcomes() (x []T, p []float64, err error)
}

// listed is E[g gᵀ] over all outcomes.
func listed[T any](m Lister[T]) (*mat.SymDense, error) {
	x, p, err := m.Outcomes()
	if err != nil {
		return nil, err
	}
	var f *mat.SymDense
	for i, point := range x {
		g := m.Score(point)
		if f == nil {
			f = mat.NewSymDense(len(g), nil)
		}
		f.SymRankOne(f, p[i], mat.NewVecDense(len(g), g))
	}
	return f, nil
}

// maxOutcomes bounds what is listed.
const maxOutcomes = 1 << 16

// Outcomes are all sequences of Length symbols that are possible.
func (m HMM) Outcomes() (x [][]int, p []float64, err error) {
	if m.Length < 1 || float64(m.Length)*math.Log(float64(m.Symbols())) > math.Log(maxOutcomes)+1e-9 {
		return nil, nil, fmt.Errorf("kernel: hmm: %d^%d sequences cannot be listed; use FisherEmpirical or FisherSimulated",
			m.Symbols(), m.Length)
	}
	word := make([]int, m.Length)
	for {
		if q := math.Exp(m.LogLikelihood(word)); q > 0 {
			x, p = append(x, append([]int(nil), word...)), append(p, q)
		}
		at := 0
		for ; at < len(word) && word[at] == m.Symbols()-1; at++ {
			word[at] = 0
		}
		if at == len(word) {
			return x, p, nil
		}
		word[at]++
	}
}

// Outcomes are the nodes of a Gauss–Hermite rule around each part, in three dimensions at most.
// Densities of parts and their scores are smooth, so that few nodes do.
func (m MixtureModel) Outcomes() (x []kernel.Vec, p []float64, err error) {
	d := len(m.Parts[0].Mean)
	if d < 1 || d > 3 {
		return nil, nil, fmt.Errorf("kernel: mixture model: an integral over %d dimensions is too much for a rule; use "+
			"FisherEmpirical or FisherSimulated", d)
	}
	nodes, weights, err := hermite([...]int{0, 200, 80, 25}[d])
	if err != nil {
		return nil, nil, err
	}
	for i, part := range m.Parts {
		var c mat.Cholesky
		c.Factorize(part.Cov)
		var l mat.TriDense
		c.LTo(&l)
		index := make([]int, d)
		for {
			z, w := mat.NewVecDense(d, nil), m.Weights[i]
			for a, at := range index {
				z.SetVec(a, nodes[at])
				w *= weights[at]
			}
			if w > 0 {
				var y mat.VecDense
				y.MulVec(&l, z)
				point := make(kernel.Vec, d)
				for a := range point {
					point[a] = part.Mean[a] + y.AtVec(a)
				}
				x, p = append(x, point), append(p, w)
			}
			at := 0
			for ; at < d && index[at] == len(nodes)-1; at++ {
				index[at] = 0
			}
			if at == d {
				break
			}
			index[at]++
		}
	}
	return x, p, nil
}

// hermite is the rule of n nodes for the mean of a function over N(0, 1): the eigenvalues of the
// matrix of its orthogonal polynomials' recursion, and the squares of the first coordinates of the
// eigenvectors (Golub & Welsch 1969).
func hermite(n int) (nodes, weights []float64, err error) {
	j := mat.NewSymDense(n, nil)
	for i := 1; i < n; i++ {
		j.SetSym(i, i-1, math.Sqrt(float64(i)))
	}
	var e mat.EigenSym
	if !e.Factorize(j, true) {
		return nil, nil, fmt.Errorf("kernel: mixture model: the %d nodes of a rule did not converge", n)
	}
	var v mat.Dense
	e.VectorsTo(&v)
	for c := range n {
		weights = append(weights, v.At(0, c)*v.At(0, c))
	}
	return e.Values(nil), weights, nil
}
