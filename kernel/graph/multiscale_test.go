package graph

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// affinityOfFeatures is the formula of the paper with explicit features: the eigenvectors of the
// joint kernel matrix.
func affinityOfFeatures(joint *mat.SymDense, l1, l2 *mat.Dense, gamma float64) float64 {
	n := joint.SymmetricDim()
	if n == 0 {
		return 1
	}
	var e mat.EigenSym
	e.Factorize(joint, true)
	var u mat.Dense
	e.VectorsTo(&u)
	for c, v := range e.Values(nil) {
		for i := range n {
			u.Set(i, c, u.At(i, c)*math.Sqrt(max(v, 0)))
		}
	}
	a := n
	if l2 != nil && !l2.IsEmpty() {
		b, _ := l2.Dims()
		a -= b
	}
	part := func(lo, hi int, l *mat.Dense) *mat.Dense {
		s := mat.NewDense(n, n, nil)
		if hi > lo {
			var inv mat.Dense
			if err := inv.Inverse(l); err != nil {
				panic(err)
			}
			f := u.Slice(lo, hi, 0, n)
			s.Product(f.T(), &inv, f)
		}
		for i := range n {
			s.Set(i, i, s.At(i, i)+gamma)
		}
		return s
	}
	s1, s2 := part(0, a, l1), part(a, n, l2)
	var i1, i2, half mat.Dense
	if i1.Inverse(s1) != nil || i2.Inverse(s2) != nil {
		panic("singular")
	}
	half.Add(&i1, &i2)
	half.Scale(0.5, &half)
	return 1 / math.Sqrt(mat.Det(&half)) / math.Pow(mat.Det(s1)*mat.Det(s2), 0.25)
}

// subLaplacian is L + ηI of the subgraph on some nodes.
func subLaplacian(g Graph, nodes []int, eta float64) *mat.Dense {
	if len(nodes) == 0 {
		return nil
	}
	w, _ := adjacency(g)
	l := mat.NewDense(len(nodes), len(nodes), nil)
	for i, v := range nodes {
		l.Set(i, i, l.At(i, i)+eta)
		for j, u := range nodes {
			if v != u {
				l.Set(i, j, -w[v][u])
				l.Set(i, i, l.At(i, i)+w[v][u])
			}
		}
	}
	return l
}

// nodeOf is a node of one of two graphs.
type nodeOf struct{ graph, node int }

// nodeKernel is κ_level by recursion.
func nodeKernel(k Multiscale, g [2]Graph, memo map[[3]int]float64, level int, p, q nodeOf) float64 {
	key := [3]int{level, p.graph*100 + p.node, q.graph*100 + q.node}
	if v, ok := memo[key]; ok {
		return v
	}
	v := 0.0
	if level == 0 {
		if labelOf(g[p.graph], p.node) == labelOf(g[q.graph], q.node) {
			v = 1
			if k.Attributes != nil {
				v = k.Attributes.Eval(g[p.graph].NodeAttrs[p.node], g[q.graph].NodeAttrs[q.node])
			}
		}
	} else {
		v = subgraphAffinity(k, g, memo, level-1, p.graph, ball(g[p.graph], p.node, level), q.graph,
			ball(g[q.graph], q.node, level))
	}
	memo[key] = v
	return v
}

// ball is the nodes within some steps of a node.
func ball(g Graph, v, steps int) []int {
	g.Weights = nil
	var out []int
	d := floyd(g)
	for u := range d {
		if u == v || d[v][u] <= float64(steps) {
			out = append(out, u)
		}
	}
	return out
}

func subgraphAffinity(
	k Multiscale, g [2]Graph, memo map[[3]int]float64, level, a int, na []int, b int, nb []int,
) float64 {
	var all []nodeOf
	for _, v := range na {
		all = append(all, nodeOf{a, v})
	}
	for _, v := range nb {
		all = append(all, nodeOf{b, v})
	}
	if len(all) == 0 {
		return 1
	}
	m := mat.NewSymDense(len(all), nil)
	for i, p := range all {
		for j, q := range all[:i+1] {
			m.SetSym(i, j, nodeKernel(k, g, memo, level, p, q))
		}
	}
	return affinityOfFeatures(m, subLaplacian(g[a], na, k.Eta), subLaplacian(g[b], nb, k.Eta), k.Gamma)
}

func TestMultiscaleWithFeatures(t *testing.T) {
	x := randomGraphs(51, 7, 5)
	for _, k := range []Multiscale{{0, 0.1, 0.2, nil}, {1, 0.1, 0.2, nil}, {2, 0.3, 0.1, nil},
		{1, 0.1, 0.2, kernel.Gaussian{}}} {
		agrees(t, k, x, 1e-8, func(a, b Graph) float64 {
			g := [2]Graph{a, b}
			whole := func(g Graph) []int {
				out := par.Indices(0, g.Nodes)
				return out
			}
			return subgraphAffinity(k, g, map[[3]int]float64{}, k.Levels, 0, whole(a), 1, whole(b))
		})
	}
	y := plain(x, true, true)
	conforms(t, Multiscale{Levels: 1, Gamma: 0.1, Eta: 0.1}, y)
	for i := range y { // a distribution has affinity 1 to itself
		if v := (Multiscale{Levels: 2}).Eval(y[i], y[i]); math.Abs(v-1) > 1e-8 {
			t.Errorf("k(G%d, G%d) = %v", i, i, v)
		}
	}
	for _, k := range []Multiscale{{Levels: -1}, {Gamma: -1}, {Eta: math.NaN()},
		{Attributes: kernel.Gaussian{Lengthscale: -1}}} {
		if k.Validate() == nil {
			t.Errorf("%+v: no error", k)
		}
	}
}
