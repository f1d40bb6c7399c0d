package graph

import (
	"cmp"
	"slices"
)

// form is a graph as the kernels read it: neighbours by node, each edge once from either end,
// sorted.
type form struct {
	n      int
	ptr    []int32   // neighbours of i are to[ptr[i]:ptr[i+1]]
	to     []int32   //
	weight []float64 // by entry of to; nil: all 1
	label  []int     // by node; nil: all alike
	bond   []int     // label of the edge, by entry of to; nil: all alike
	attrs  [][]float64
}

// newForm reads a graph that passed Validate.
func newForm(g Graph) *form {
	f := &form{n: g.Nodes, label: g.NodeLabels, attrs: g.NodeAttrs}
	ptr := make([]int32, g.Nodes+1)
	for _, e := range g.Edges {
		ptr[e[0]+1]++
		ptr[e[1]+1]++
	}
	for i := range g.Nodes {
		ptr[i+1] += ptr[i]
	}
	type entry struct{ to, edge int32 }
	entries, at := make([]entry, 2*len(g.Edges)), slices.Clone(ptr)
	for i, e := range g.Edges {
		for end := range 2 {
			from := e[end]
			entries[at[from]] = entry{e[1-end], int32(i)}
			at[from]++
		}
	}
	f.ptr = make([]int32, g.Nodes+1)
	f.to = make([]int32, 0, len(g.Edges))
	for i := range g.Nodes {
		row := entries[ptr[i]:ptr[i+1]]
		if len(row) > 12 {
			slices.SortFunc(row, func(a, b entry) int { return cmp.Compare(a.to, b.to) })
		} else {
			for a := 1; a < len(row); a++ {
				for b := a; b > 0 && row[b].to < row[b-1].to; b-- {
					row[b], row[b-1] = row[b-1], row[b]
				}
			}
		}
		for k, e := range row {
			if k > 0 && row[k-1].to == e.to {
				continue // the other direction, or a repetition
			}
			f.to = append(f.to, e.to)
			if g.Weights != nil {
				f.weight = append(f.weight, g.Weights[e.edge])
			}
			if g.EdgeLabels != nil {
				f.bond = append(f.bond, g.EdgeLabels[e.edge])
			}
		}
		f.ptr[i+1] = int32(len(f.to))
	}
	return f
}

// neighbours are the nodes next to i.
func (f *form) neighbours(i int) []int32 { return f.to[f.ptr[i]:f.ptr[i+1]] }

// degree is the number of neighbours of i.
func (f *form) degree(i int) int { return int(f.ptr[i+1] - f.ptr[i]) }

// weightAt is the weight of the edge at entry e of to.
func (f *form) weightAt(e int32) float64 {
	if f.weight == nil {
		return 1
	}
	return f.weight[e]
}

// adjacent says whether there is an edge between i and j.
func (f *form) adjacent(i, j int) bool {
	_, ok := slices.BinarySearch(f.neighbours(i), int32(j))
	return ok
}
