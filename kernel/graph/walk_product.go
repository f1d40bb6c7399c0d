package graph

import (
	"math"
	"slices"
)

// walkForm is a graph as walks read it: for each label of edges the matrix of weights of the edges
// that have it.
type walkForm struct {
	*form
	labelled bool
	bonds    []bondRows // by increasing label
	start    []float64  // what a walk that starts at a node counts
	stop     []float64  // what a walk that ends at a node counts
	spectrum *walkSpectrum
}

type bondRows struct {
	label  int
	ptr    []int32
	to     []int32
	weight []float64
}

// newWalkForm splits the edges by their labels where those count. scale(i, j) multiplies the weight
// of the edge from i to j.
func newWalkForm(g Graph, edgeLabels bool, scale func(f *form, i, j int) float64) *walkForm {
	w := &walkForm{form: newForm(g)}
	f := w.form
	w.labelled = f.label != nil || edgeLabels && f.bond != nil
	labels := []int{0}
	if edgeLabels && f.bond != nil {
		labels = slices.Compact(slices.Sorted(slices.Values(f.bond)))
	}
	for _, l := range labels {
		b := bondRows{label: l, ptr: make([]int32, f.n+1)}
		for i := range f.n {
			for e := f.ptr[i]; e < f.ptr[i+1]; e++ {
				if edgeLabels && f.bond != nil && f.bond[e] != l {
					continue
				}
				b.to = append(b.to, f.to[e])
				b.weight = append(b.weight, f.weightAt(e)*scale(f, i, int(f.to[e])))
			}
			b.ptr[i+1] = int32(len(b.to))
		}
		w.bonds = append(w.bonds, b)
	}
	w.start, w.stop = slices.Repeat([]float64{1}, f.n), slices.Repeat([]float64{1}, f.n)
	return w
}

func unscaled(*form, int, int) float64 { return 1 }

// product is the product graph of two graphs: its nodes are the pairs of nodes with the same label,
// its edges the pairs of edges with the same label. Its matrix is never formed: as an operator on
// n×n' matrices it is X ↦ M∘Σ_b A_b·X·A'_b, M saying which nodes agree (S. Vishwanathan et al.,
// Graph kernels, JMLR 11, 2010, section 4).
type product struct {
	x, y *walkForm
	same []bool // nil: all nodes agree
	half []float64
}

func newProduct(x, y *walkForm) *product {
	p := &product{x: x, y: y, half: make([]float64, x.n*y.n)}
	if x.label != nil && y.label != nil {
		p.same = make([]bool, x.n*y.n)
		for i, a := range x.label {
			for j, b := range y.label {
				p.same[i*y.n+j] = a == b
			}
		}
	}
	return p
}

// outer is uᵢ·vⱼ on the pairs of nodes that agree, 0 elsewhere.
func (p *product) outer(u, v []float64) []float64 {
	out := make([]float64, len(p.half))
	for i, a := range u {
		for j, b := range v {
			if at := i*p.y.n + j; p.same == nil || p.same[at] {
				out[at] = a * b
			}
		}
	}
	return out
}

// apply sets dst = A×·src.
func (p *product) apply(dst, src []float64) {
	n, o := p.x.n, p.y.n
	clear(dst)
	for _, a := range p.x.bonds {
		at, ok := slices.BinarySearchFunc(p.y.bonds, a.label, func(b bondRows, l int) int { return b.label - l })
		if !ok {
			continue
		}
		b := p.y.bonds[at]
		for u := range n { // half = src·A'
			row, from := p.half[u*o:(u+1)*o], src[u*o:(u+1)*o]
			for j := range row {
				s := 0.0
				for e := b.ptr[j]; e < b.ptr[j+1]; e++ {
					s += b.weight[e] * from[b.to[e]]
				}
				row[j] = s
			}
		}
		for i := range n { // dst += A·half
			to := dst[i*o : (i+1)*o]
			for e := a.ptr[i]; e < a.ptr[i+1]; e++ {
				w, from := a.weight[e], p.half[int(a.to[e])*o:][:o]
				for j, v := range from {
					to[j] += w * v
				}
			}
		}
	}
	for i, ok := range p.same {
		if !ok {
			dst[i] = 0
		}
	}
}

// resolvent is startᵀ(I − c·A×)^{-1}·stop by conjugate gradients: A× is symmetric, and c times its
// largest eigenvalue below 1.
func (p *product) resolvent(c float64) float64 {
	start, stop := p.outer(p.x.start, p.y.start), p.outer(p.x.stop, p.y.stop)
	z, r, d, q := make([]float64, len(stop)), stop, slices.Clone(stop), make([]float64, len(stop))
	rho := dot(r, r)
	first := rho
	for step := 0; rho > 1e-30*first && step < 2*len(z)+100; step++ {
		p.apply(q, d)
		for i := range q {
			q[i] = d[i] - c*q[i]
		}
		curve := dot(d, q)
		if !(curve > 0) {
			return math.NaN() // the series of walks has no limit
		}
		along := rho / curve
		for i := range z {
			z[i] += along * d[i]
			r[i] -= along * q[i]
		}
		was := rho
		if rho = dot(r, r); rho >= was && rho < 1e-24*first {
			break // as far as rounding lets it come
		}
		for i := range d {
			d[i] = r[i] + rho/was*d[i]
		}
	}
	return dot(start, z)
}

// powers is Σₖ cₖ·startᵀ·A×ᵏ·stop, until c says stop.
func (p *product) powers(c func(k int, sum, last float64) (float64, bool)) float64 {
	start, now := p.outer(p.x.start, p.y.start), p.outer(p.x.stop, p.y.stop)
	next := make([]float64, len(now))
	sum, last := 0.0, math.Inf(1)
	for k := 0; ; k++ {
		v, more := c(k, sum, last)
		if !more {
			return sum
		}
		last = v * dot(start, now)
		sum += last
		p.apply(next, now)
		now, next = next, now
	}
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}
