package graph

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Multiscale is the multiscale Laplacian graph kernel. Two graphs with a kernel κ between their
// nodes are compared by
//
//	FLG_κ(G₁, G₂) = |½S₁^{-1} + ½S₂^{-1}|^{-1/2}/(|S₁|·|S₂|)^{1/4},   Sᵢ = Uᵢ·(Lᵢ + ηI)^{-1}·Uᵢᵀ + γI,
//
// Lᵢ the Laplacian and Uᵢ the features of κ of the nodes in columns: the affinity of two normal
// distributions on the space of features. The node kernel κ₀ is 1 for nodes of the same label
// (times Attributes, a kernel of their attributes, where there is one); κ_l of two nodes is FLG
// with κ_{l-1} of the nodes within l steps of them, and the kernel is FLG with κ_L of the whole
// graphs, L = Levels (R. Kondor and H. Pan, The multiscale Laplacian graph kernel, NIPS 2016). γ =
// Gamma and η = Eta are 0.1 when zero. k(G, G) = 1. A level multiplies what rounding did to the one
// before by some 1/(γη): with 0.01 for both, two levels are good to five digits only.
//
// Features are never formed: by Sylvester's identity the determinants are of the size of the
// graphs, |S| ∝ |L + ηI + κ/γ|/|L + ηI|. A pair of graphs of n nodes takes L·n² determinants of the
// size of two neighbourhoods, and there is no approximation.
type Multiscale struct {
	Levels     int
	Gamma, Eta float64
	Attributes kernel.Kernel[kernel.Vec] // nil: the labels decide alone
}

// Name is "multiscale".
func (Multiscale) Name() string { return "multiscale" }

func (k Multiscale) gamma() float64 { return orDefault(k.Gamma, 0.1) }
func (k Multiscale) eta() float64   { return orDefault(k.Eta, 0.1) }

// scales is a graph with all that does not depend on the other one.
type scales struct {
	*form
	levels []scale // κ_0, …, κ_L among its own nodes, and the pieces that they are asked of
}

// scale is the pieces of one level: the nodes within l steps of each node, or at the end the whole
// graph.
type scale struct {
	pieces []piece
	own    []float64 // κ_{l-1} among all nodes of the graph, by rows
}

// piece is a subgraph with what the affinity needs of it.
type piece struct {
	nodes     []int32
	laplacian []float64 // L + ηI, by rows
	logDet    float64   // ln |L + ηI|
	log       float64   // ln |L + ηI + κ/γ| - ln |L + ηI|
}

func (k Multiscale) prepare(g Graph) *scales {
	s := &scales{form: newForm(g)}
	own := make([]float64, s.n*s.n)
	for i := range s.n {
		for j := range s.n {
			own[i*s.n+j] = k.base(s.form, s.form, i, j)
		}
	}
	steps, _, _ := hops(s.form, nil)
	for l := 1; l <= k.Levels+1; l++ {
		level := scale{own: own}
		if l <= k.Levels {
			for v := range s.n {
				var nodes []int32
				for u := range s.n {
					if d := steps[v*s.n+u]; d >= 0 && int(d) <= l {
						nodes = append(nodes, int32(u))
					}
				}
				level.pieces = append(level.pieces, k.newPiece(s.form, nodes, own))
			}
			next := make([]float64, s.n*s.n)
			for i := range s.n {
				for j := range i {
					next[i*s.n+j] = k.affinity(&level.pieces[i], &level.pieces[j], own, s.n)
					next[j*s.n+i] = next[i*s.n+j]
				}
				next[i*s.n+i] = 1
			}
			own = next
		} else {
			nodes := make([]int32, s.n)
			for i := range nodes {
				nodes[i] = int32(i)
			}
			level.pieces = []piece{k.newPiece(s.form, nodes, own)}
		}
		s.levels = append(s.levels, level)
	}
	return s
}

// base is κ₀.
func (k Multiscale) base(x, y *form, i, j int) float64 {
	if x.label != nil && y.label != nil && x.label[i] != y.label[j] {
		return 0
	}
	if k.Attributes == nil {
		return 1
	}
	return k.Attributes.Eval(x.attrs[i], y.attrs[j])
}

func (k Multiscale) newPiece(f *form, nodes []int32, own []float64) piece {
	eta, gamma := k.eta(), k.gamma()
	a := len(nodes)
	place := make([]int32, f.n) // 1 + the place of a node among nodes
	for i, v := range nodes {
		place[v] = int32(i) + 1
	}
	l := make([]float64, a*a)
	for i, v := range nodes {
		l[i*a+i] += eta
		for e := f.ptr[v]; e < f.ptr[v+1]; e++ {
			if j := place[f.to[e]]; j > 0 {
				l[i*a+i] += f.weightAt(e)
				l[i*a+int(j)-1] -= f.weightAt(e)
			}
		}
	}
	p := piece{nodes: nodes, laplacian: l}
	sum := append([]float64(nil), l...)
	for i, v := range nodes {
		for j, u := range nodes {
			sum[i*a+j] += own[int(v)*f.n+int(u)] / gamma
		}
	}
	p.logDet = logDet(append([]float64(nil), l...), a)
	p.log = logDet(sum, a) - p.logDet
	return p
}

// affinity is FLG of two pieces of one graph, own the node kernel of its n nodes.
func (k Multiscale) affinity(x, y *piece, own []float64, n int) float64 {
	at := func(i, j int32) float64 { return own[int(i)*n+int(j)] }
	return k.joint(x, y, at, at, at)
}

// joint is exp(¼·log₁ + ¼·log₂ − ½·log₁₂), log₁₂ = ln |L + κ/(2γ)| − ln |L| of both pieces side by
// side.
func (k Multiscale) joint(x, y *piece, within, other, across func(i, j int32) float64) float64 {
	twice := 2 * k.gamma()
	a, b := len(x.nodes), len(y.nodes)
	n := a + b
	m := make([]float64, n*n)
	for i, v := range x.nodes {
		for j, u := range x.nodes[:i+1] {
			m[i*n+j] = x.laplacian[i*a+j] + within(v, u)/twice
		}
	}
	for i, v := range y.nodes {
		row := m[(a+i)*n:]
		for j, u := range x.nodes {
			row[j] = across(u, v) / twice
		}
		for j, u := range y.nodes[:i+1] {
			row[a+j] = y.laplacian[i*b+j] + other(v, u)/twice
		}
	}
	both := logDet(m, n) - x.logDet - y.logDet
	return math.Exp(min(x.log/4+y.log/4-both/2, 0)) // above 0 by rounding alone
}

// logDet is ln |m| of a positive definite matrix by its Cholesky factor, from the lower triangle,
// in place.
func logDet(m []float64, n int) float64 {
	s := 0.0
	for j := range n {
		row := m[j*n : j*n+j+1]
		for i := range j {
			at := m[i*n : i*n+i+1]
			v := row[i]
			for c, u := range at[:i] {
				v -= u * row[c]
			}
			row[i] = v / at[i]
		}
		d := row[j]
		for _, u := range row[:j] {
			d -= u * u
		}
		row[j] = math.Sqrt(d)
		s += math.Log(d)
	}
	return s
}

// between climbs the levels: κ across the two graphs, then the whole graphs.
func (k Multiscale) between(x, y *scales) float64 {
	if before(y.form, x.form) {
		x, y = y, x // the same steps whichever comes first
	}
	n, o := x.n, y.n
	cross := make([]float64, n*o)
	for i := range n {
		for j := range o {
			cross[i*o+j] = k.base(x.form, y.form, i, j)
		}
	}
	for l := range x.levels {
		a, b := &x.levels[l], &y.levels[l]
		within := func(i, j int32) float64 { return a.own[int(i)*n+int(j)] }
		other := func(i, j int32) float64 { return b.own[int(i)*o+int(j)] }
		across := func(i, j int32) float64 { return cross[int(i)*o+int(j)] }
		if l == k.Levels {
			return k.joint(&a.pieces[0], &b.pieces[0], within, other, across)
		}
		next := make([]float64, n*o)
		for i := range n {
			for j := range o {
				next[i*o+j] = k.joint(&a.pieces[i], &b.pieces[j], within, other, across)
			}
		}
		cross = next
	}
	return math.NaN()
}

// Eval is the affinity of two graphs.
func (k Multiscale) Eval(x, y Graph) float64 { return k.between(k.prepare(x), k.prepare(y)) }

// PreparePoints does what concerns one graph alone once.
func (k Multiscale) PreparePoints(ctx context.Context, x, y data.Points[Graph]) kernel.Rectangle {
	return kernel.PreparePairs(ctx, x, y, k.prepare, k.between)
}

// Params are L, γ, η, and those of the kernel of attributes.
func (k Multiscale) Params() []kernel.Param {
	p := []kernel.Param{count("multiscale.levels", k.Levels), positive("multiscale.gamma", k.gamma()),
		positive("multiscale.eta", k.eta())}
	if k.Attributes != nil {
		p = append(p, kernel.Params(k.Attributes)...)
	}
	return p
}

// With sets L, γ, η, and the parameters of the kernel of attributes.
func (k Multiscale) With(theta []float64) kernel.Kernel[Graph] {
	k.Levels, k.Gamma, k.Eta = int(theta[0]), theta[1], theta[2]
	if k.Attributes != nil {
		inner, err := kernel.With(k.Attributes, theta[3:])
		if err != nil {
			panic(err)
		}
		k.Attributes = inner
	}
	return k
}

// Validate refuses L < 0, γ < 0, η < 0, and asks the kernel of attributes.
func (k Multiscale) Validate() error {
	for _, err := range []error{mustBeCount("multiscale", "levels", k.Levels),
		mustBePositive("multiscale", "gamma", k.Gamma), mustBePositive("multiscale", "eta", k.Eta)} {
		if err != nil {
			return err
		}
	}
	if k.Attributes == nil {
		return nil
	}
	return kernel.Validate(k.Attributes)
}

// CheckPoints refuses graphs that make no sense, labels on some graphs alone, and nodes without
// attributes where there is a kernel of them.
func (k Multiscale) CheckPoints(x data.Points[Graph]) error {
	if err := checkGraphs("multiscale", x); err != nil || k.Attributes == nil {
		return err
	}
	return checkAttributes("multiscale", k.Attributes, x)
}

// Properties of an affinity of distributions.
func (k Multiscale) Properties() kernel.Properties {
	p := psd(1)
	if k.Attributes != nil {
		p.PSD = kernel.PropertiesOf(k.Attributes).PSD
	}
	return p
}
