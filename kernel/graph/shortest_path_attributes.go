package graph

import (
	"cmp"
	"slices"
)

// pathForm is a graph with the ordered pairs of its nodes by the length of the path between them.
type pathForm struct {
	*form
	length []float32 // different lengths, increasing
	first  []int     // where the pairs of each length begin
	pairs  [][2]int32
}

func newPathForm(g Graph) *pathForm {
	f := &pathForm{form: newForm(g)}
	d := distances(f.form)
	type path struct {
		length float32
		pair   [2]int32
	}
	var paths []path
	for i := range f.n {
		for j := range f.n {
			if v := d[i*f.n+j]; i != j && v < maxLength {
				paths = append(paths, path{v, [2]int32{int32(i), int32(j)}})
			}
		}
	}
	slices.SortStableFunc(paths, func(a, b path) int { return cmp.Compare(a.length, b.length) })
	for k, p := range paths {
		if k == 0 || p.length != paths[k-1].length {
			f.length, f.first = append(f.length, p.length), append(f.first, k)
		}
		f.pairs = append(f.pairs, p.pair)
	}
	f.first = append(f.first, len(paths))
	return f
}

// maxLength is above every length of a path.
const maxLength = 3e38

// attributed is Σ_d ⟨A_d·M, M·A'_d⟩, where A_d says which nodes are d apart and M holds the kernel
// of the nodes of x and those of y: n²n' + nn'² steps in place of n²n'².
func (k ShortestPath) attributed(x, y *pathForm) float64 {
	if before(y.form, x.form) {
		x, y = y, x // the same steps whichever comes first
	}
	m := k.nodeKernel(x.form, y.form)
	n, o := x.n, y.n
	left, right := make([]float64, n*o), make([]float64, n*o)
	sum := 0.0
	for a, b := 0, 0; a < len(x.length) && b < len(y.length); {
		switch {
		case x.length[a] < y.length[b]:
			a++
			continue
		case x.length[a] > y.length[b]:
			b++
			continue
		}
		clear(left)
		clear(right)
		for _, p := range x.pairs[x.first[a]:x.first[a+1]] { // A_d·M
			to, from := left[int(p[0])*o:][:o], m[int(p[1])*o:][:o]
			for j, v := range from {
				to[j] += v
			}
		}
		for _, p := range y.pairs[y.first[b]:y.first[b+1]] { // M·A'_d
			for i := range n {
				right[i*o+int(p[1])] += m[i*o+int(p[0])]
			}
		}
		for i, v := range left {
			sum += v * right[i]
		}
		a++
		b++
	}
	return sum
}

// nodeKernel is k₀ of all nodes of x and of y, by rows.
func (k ShortestPath) nodeKernel(x, y *form) []float64 {
	m := make([]float64, x.n*y.n)
	for i := range x.n {
		for j := range y.n {
			if x.label == nil || x.label[i] == y.label[j] {
				m[i*y.n+j] = k.Attributes.Eval(x.attrs[i], y.attrs[j])
			}
		}
	}
	return m
}

// before is a total order of graphs by what is written in them, so that k(x, y) and k(y, x) take
// the same steps.
func before(x, y *form) bool {
	c := cmp.Or(cmp.Compare(x.n, y.n), slices.Compare(x.ptr, y.ptr), slices.Compare(x.to, y.to),
		slices.Compare(x.label, y.label), slices.Compare(x.bond, y.bond), slices.Compare(x.weight, y.weight),
		slices.CompareFunc(x.attrs, y.attrs, func(a, b []float64) int { return slices.Compare(a, b) }))
	return c < 0
}
