package graph

import (
	"context"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/par"
)

// refinement is the labels of the Weisfeiler–Lehman test on many graphs at once. Level 0 is the labels that
// the graphs have, and the label of a node at level t+1 stands for
//
//	(label of the node at level t, {(label of the edge, label of the neighbour at level t)})
//
// where {} is a multiset: two nodes have one label where their trees of neighbours of depth t are the same
// (B. Weisfeiler and A. Leman 1968; N. Shervashidze et al., Weisfeiler–Lehman graph kernels, JMLR 12, 2011). The
// descriptions are compared in full: there are no false matches.
type refinement struct {
	start  []int     // of each graph's nodes in the lists
	labels [][]int32 // by level, of all nodes
	kinds  []int     // different labels by level
}

// of are the labels of graph g at a level.
func (r *refinement) of(level, g int) []int32 { return r.labels[level][r.start[g]:r.start[g+1]] }

// levels is the number of levels, that of the given labels included.
func (r *refinement) levels() int { return len(r.labels) }

// refine relabels h times.
func refine(ctx context.Context, all []*form, h int, edgeLabels bool) *refinement {
	names := numberLabels(all, edgeLabels)
	r := &refinement{start: make([]int, len(all)+1)}
	slots := make([]int, len(all)+1) // of each graph's entries in the descriptions
	for g, f := range all {
		r.start[g+1], slots[g+1] = r.start[g]+f.n, slots[g]+len(f.to)
	}
	nodes := r.start[len(all)]
	first := make([]int32, 0, nodes)
	for _, l := range names.labels {
		first = append(first, l...)
	}
	r.labels, r.kinds = [][]int32{first}, []int{names.kinds}
	d := &descriptions{around: make([]uint64, slots[len(all)]), hash: make([]uint64, nodes), from: make([]int, nodes+1)}
	for g, f := range all {
		for i := range f.n {
			d.from[r.start[g]+i+1] = slots[g] + int(f.ptr[i+1])
		}
	}
	for range h {
		if ctx.Err() != nil {
			break
		}
		before, kinds := r.labels[len(r.labels)-1], r.kinds[len(r.kinds)-1]
		par.For(0, len(all), 32, func(lo, hi int) {
			for g := lo; g < hi; g++ {
				var bonds []int32
				if names.bonds != nil {
					bonds = names.bonds[g]
				}
				d.describe(all[g], before, r.start[g], bonds, kinds)
			}
		})
		labels, different := d.number(before)
		r.labels, r.kinds = append(r.labels, labels), append(r.kinds, different)
	}
	return r
}

// descriptions are what the new labels stand for.
type descriptions struct {
	from   []int    // the neighbours of node v are described by around[from[v]:from[v+1]]
	around []uint64 // sorted for each node
	hash   []uint64 // of each node's description
}

// describe writes the descriptions of the nodes of one graph, which start at number first.
func (d *descriptions) describe(f *form, labels []int32, first int, bonds []int32, kinds int) {
	own := labels[first : first+f.n]
	for i := range f.n {
		lo, hi := d.from[first+i], d.from[first+i+1]
		around := d.around[lo:hi]
		for k, j := range f.neighbours(i) {
			around[k] = uint64(own[j])
			if bonds != nil {
				around[k] += uint64(bonds[int(f.ptr[i])+k]) * uint64(kinds)
			}
		}
		sortSmall(around)
		hash := uint64(own[i])
		for _, v := range around {
			hash = mixIn(hash, v+1)
		}
		d.hash[first+i] = mix(hash)
	}
}

func sortSmall(v []uint64) {
	if len(v) > 16 {
		slices.Sort(v)
		return
	}
	for a := 1; a < len(v); a++ {
		x, b := v[a], a
		for ; b > 0 && x < v[b-1]; b-- {
			v[b] = v[b-1]
		}
		v[b] = x
	}
}

// number gives the nodes new labels, one for each description, in the order in which they come.
func (d *descriptions) number(before []int32) (labels []int32, kinds int) {
	size := 16
	for size < 2*len(before) {
		size *= 2
	}
	table := make([]int32, size) // 1 + the first node of that description
	labels = make([]int32, len(before))
	for v := range before {
		at := int(d.hash[v]) & (size - 1)
		for ; ; at = (at + 1) & (size - 1) {
			u := int(table[at]) - 1
			if u < 0 {
				table[at] = int32(v) + 1
				labels[v] = int32(kinds)
				kinds++
				break
			}
			if d.hash[u] == d.hash[v] && before[u] == before[v] && slices.Equal(d.around[d.from[u]:d.from[u+1]], d.around[d.from[v]:d.from[v+1]]) {
				labels[v] = labels[u]
				break
			}
		}
	}
	return labels, kinds
}
