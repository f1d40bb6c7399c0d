package graph

import (
	"context"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/par"
)

// refinement is the labels of the Weisfeiler–Lehman test on many graphs at once. Level 0 is the
// labels that the graphs have, and the label of a node at level t+1 stands for
//
//	(label of the node at level t, {(label of the edge, label of the neighbour at level t)})
//
// where {} is a multiset: two nodes have one label where their trees of neighbours of depth t are
// the same (B. Weisfeiler and A. Leman 1968; N. Shervashidze et al., Weisfeiler–Lehman graph
// kernels, JMLR 12, 2011). The descriptions are compared in full: there are no false matches.
type refinement struct {
	start  []int     // of each graph's nodes in the lists
	labels [][]int32 // by level, of all nodes
	kinds  []int     // different labels by level
}

// of are the labels of graph g at a level.
func (r *refinement) of(level, g int) []int32 { return r.labels[level][r.start[g]:r.start[g+1]] }

// levels is the number of levels, that of the given labels included.
func (r *refinement) levels() int { return len(r.labels) }

// refine relabels h times. A node of a row that has no like in the columns is unknown from then on.
func (r *reader) refine(ctx context.Context, graphs []*form, h int, edgeLabels bool) *refinement {
	names := r.numberLabels(graphs, edgeLabels)
	out := &refinement{start: make([]int, len(graphs)+1)}
	slots := make([]int, len(graphs)+1) // of each graph's entries in the descriptions
	for g, f := range graphs {
		out.start[g+1], slots[g+1] = out.start[g]+f.n, slots[g]+len(f.to)
	}
	nodes := out.start[len(graphs)]
	first := make([]int32, 0, nodes)
	for _, l := range names.labels {
		first = append(first, l...)
	}
	out.labels, out.kinds = [][]int32{first}, []int{names.kinds}
	from := make([]int, nodes+1)
	for g, f := range graphs {
		for i := range f.n {
			from[out.start[g]+i+1] = slots[g] + int(f.ptr[i+1])
		}
	}
	levels := part(r, &r.levels, &r.asked.refinements, func() []*descriptions { return make([]*descriptions, h) })
	var d *descriptions
	for t := range h {
		if ctx.Err() != nil {
			break
		}
		before, kinds := out.labels[t], out.kinds[t]
		if d == nil || r.keeps {
			d = &descriptions{from: from, around: make([]uint64, slots[len(graphs)]), hash: make([]uint64, nodes)}
		}
		d.before = before
		par.For(0, len(graphs), 32, func(lo, hi int) {
			for g := lo; g < hi; g++ {
				var bonds []int32
				if names.bonds != nil {
					bonds = names.bonds[g]
				}
				d.describe(graphs[g], out.start[g], bonds, kinds)
			}
		})
		var labels []int32
		if r.learns {
			labels = d.number()
			levels[t] = d
		} else {
			labels = d.look(levels[t])
			d.kinds = levels[t].kinds
		}
		out.labels, out.kinds = append(out.labels, labels), append(out.kinds, d.kinds)
	}
	return out
}

// descriptions are what the new labels of a level stand for.
type descriptions struct {
	before []int32  // the label of each node
	from   []int    // the neighbours of node v are described by around[from[v]:from[v+1]]
	around []uint64 // sorted for each node
	hash   []uint64 // of each node's description
	labels []int32  // the new ones
	kinds  int      // how many they are
	table  []int32  // by hash: 1 + the first node of that description
}

// nothing is the neighbour that no description has.
const nothing = ^uint64(0)

// describe writes the descriptions of the nodes of one graph, which start at number first. One with
// an unknown part ends in nothing.
func (d *descriptions) describe(f *form, first int, bonds []int32, kinds int) {
	own := d.before[first : first+f.n]
	for i := range f.n {
		lo, hi := d.from[first+i], d.from[first+i+1]
		around := d.around[lo:hi]
		for k, j := range f.neighbours(i) {
			around[k] = uint64(own[j])
			bond := int32(0)
			if bonds != nil {
				bond = bonds[int(f.ptr[i])+k]
				around[k] += uint64(bond) * uint64(kinds)
			}
			if own[j] == unknown || bond == unknown {
				around[k] = nothing
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
func (d *descriptions) number() []int32 {
	size := 16
	for size < 2*len(d.before) {
		size *= 2
	}
	d.table, d.labels, d.kinds = make([]int32, size), make([]int32, len(d.before)), 0
	for v := range d.before {
		at, u := d.find(d, v)
		if u < 0 {
			d.table[at] = int32(v) + 1
			d.labels[v] = int32(d.kinds)
			d.kinds++
			continue
		}
		d.labels[v] = d.labels[u]
	}
	return d.labels
}

// look is the labels that nodes have by the descriptions of the columns.
func (d *descriptions) look(columns *descriptions) []int32 {
	labels := make([]int32, len(d.before))
	for v, l := range d.before {
		labels[v] = unknown
		around := d.around[d.from[v]:d.from[v+1]]
		if l == unknown || len(around) > 0 && around[len(around)-1] == nothing {
			continue
		}
		if _, u := columns.find(d, v); u >= 0 {
			labels[v] = columns.labels[u]
		}
	}
	return labels
}

// find is the first node with the description that node v has in other, and its slot; -1, and the
// slot where it would go, where there is none.
func (d *descriptions) find(other *descriptions, v int) (slot, node int) {
	mask := len(d.table) - 1
	around := other.around[other.from[v]:other.from[v+1]]
	for at := int(other.hash[v]) & mask; ; at = (at + 1) & mask {
		u := int(d.table[at]) - 1
		if u < 0 {
			return at, -1
		}
		if d.hash[u] == other.hash[v] && d.before[u] == other.before[v] &&
			slices.Equal(d.around[d.from[u]:d.from[u+1]], around) {
			return at, u
		}
	}
}
