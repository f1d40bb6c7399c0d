package solve

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// SimplexNearest returns the weights w of the problem
//
//	min ½ wᵀGw  subject to  w ≥ 0, Σw = 1
//
// for a positive semi-definite G: where G holds the inner products of vectors, Σ wᵢvᵢ is the point
// of their convex hull nearest to the origin. It is found in finitely many steps by the method of
// P. Wolfe, Finding the nearest point in a polytope, Mathematical Programming 11 (1976): a corral
// of vectors grows by the one that looks best, and loses those whose weight would be negative.
//
// violation is its certificate: how far the least gradient (Gw)ⱼ lies below wᵀGw, in units of the
// least Gⱼⱼ, the value of the best vector alone. At the minimum none lies below it, and by
// convexity ½wᵀGw is above the minimum by no more than that.
func SimplexNearest(g *mat.SymDense) (w []float64, violation float64) {
	n := g.SymmetricDim()
	w = make([]float64, n)
	first, largest := 0, 0.0
	for i := range n {
		if g.At(i, i) < g.At(first, first) {
			first = i
		}
		largest = math.Max(largest, g.At(i, i))
	}
	w[first] = 1
	if !(largest > 0) {
		return w, 0
	}
	corral := []int{first}
	slope := make([]float64, n)
	best := func() (value float64, least int) {
		for i := range slope {
			slope[i] = 0
			for j, v := range w {
				slope[i] += g.At(i, j) * v
			}
			value += w[i] * slope[i]
			if slope[i] < slope[least] {
				least = i
			}
		}
		return value, least
	}
	const tol, floor = 1e-12, 1e-15
	for range 100 * n {
		value, least := best()
		if w[least] > 0 || value-slope[least] <= tol*value+floor*largest {
			break
		}
		corral = append(corral, least)
		corral = shrinkCorral(g, w, corral, floor*largest)
	}
	value, least := best()
	if alone := g.At(first, first); alone > 0 {
		violation = math.Max(0, value-slope[least]) / alone
	}
	return w, violation
}

// shrinkCorral moves w to the minimum over the affine hull of the corral, or as far towards it as
// no weight is negative: what becomes 0 there leaves.
func shrinkCorral(g *mat.SymDense, w []float64, corral []int, ridge float64) []int {
	for {
		v, ok := affineMinimum(g, corral, ridge)
		if !ok {
			return corral
		}
		step, out := 1.0, -1
		for a, i := range corral {
			if v[a] <= 0 {
				if t := w[i] / (w[i] - v[a]); t < step || out < 0 {
					step, out = t, a
				}
			}
		}
		for a, i := range corral {
			w[i] = (1-step)*w[i] + step*v[a]
		}
		if out < 0 {
			return corral
		}
		w[corral[out]] = 0
		kept := corral[:0]
		for _, i := range corral {
			if w[i] > 0 {
				kept = append(kept, i)
			}
		}
		corral = kept
	}
}

// affineMinimum is the minimum of ½vᵀGv subject to Σv = 1 alone, on some of the variables: v ∝ (G +
// s·11ᵀ)⁻¹1 for any s > 0. The ridge tells equals apart.
func affineMinimum(g *mat.SymDense, among []int, ridge float64) ([]float64, bool) {
	m := len(among)
	a, one := mat.NewSymDense(m, nil), mat.NewVecDense(m, nil)
	shift := 0.0
	for _, i := range among {
		shift = math.Max(shift, g.At(i, i))
	}
	for i, p := range among {
		one.SetVec(i, 1)
		for j := i; j < m; j++ {
			a.SetSym(i, j, g.At(p, among[j])+shift)
		}
		a.SetSym(i, i, a.At(i, i)+ridge)
	}
	var c mat.Cholesky
	if !c.Factorize(a) {
		return nil, false
	}
	var v mat.VecDense
	if err := c.SolveVecTo(&v, one); err != nil && v.Len() != m {
		return nil, false
	}
	sum := 0.0
	for i := range m {
		sum += v.AtVec(i)
	}
	out := make([]float64, m)
	for i := range out {
		out[i] = v.AtVec(i) / sum
	}
	return out, sum > 0
}
