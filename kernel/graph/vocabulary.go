package graph

import (
	"context"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// vocabulary is what the columns of a Gram matrix are made of, numbered: labels, descriptions of
// nodes, lengths of paths, features. The rows are then read by it. What only a row has gets no
// number (unknown): no column has it, so that it adds nothing to a value.
type vocabulary struct {
	ranks  []map[int]int32
	levels [][]*descriptions // of each refinement
	paths  []*lengthNames
	keys   []*keyTable
	most   []int // of WLAssignment: where the features of a label begin
}

const unknown = -1

// reader goes through a vocabulary in the order in which an embedding asks for its parts: the first
// time, on the columns, they are written.
type reader struct {
	*vocabulary
	learns bool // the graphs are the columns
	keeps  bool // and there will be rows to read
	asked  struct{ ranks, refinements, paths, keys int }
}

func learner(keeps bool) *reader {
	return &reader{vocabulary: new(vocabulary), learns: true, keeps: keeps}
}
func (v *vocabulary) reader() *reader { return &reader{vocabulary: v} }

// part is the next part of a list in the vocabulary, which learn makes on the columns.
func part[P any](r *reader, list *[]P, asked *int, learn func() P) P {
	if r.learns {
		*list = append(*list, learn())
	}
	p := (*list)[*asked]
	*asked++
	return p
}

// known is what was made of the graphs of the columns, and the words for it.
type known[U any] struct {
	v    *vocabulary
	made U
}

// embedBoth embeds the columns, once for those of a Base, and reads the rows by their vocabulary.
func embedBoth[U any](
	ctx context.Context, x, y data.Points[Graph], embed func(ctx context.Context, r *reader, graphs []*form) U,
) (left, right U) {
	rows, columns := kernel.MapBoth(ctx, x, y, newForm)
	if ctx.Err() != nil {
		return left, right
	}
	if kernel.SamePoints(x, y) {
		both := embed(ctx, learner(false), columns)
		return both, both
	}
	k := kernel.Kept(ctx, y, func() *known[U] {
		r := learner(true)
		return &known[U]{made: embed(ctx, r, columns), v: r.vocabulary}
	})
	if ctx.Err() != nil {
		return left, right
	}
	return embed(ctx, k.v.reader(), rows), k.made
}

// embedPair embeds two graphs for one value.
func embedPair[U any](x, y Graph, embed func(ctx context.Context, r *reader, graphs []*form) U) (left, right U) {
	r := learner(true)
	right = embed(context.Background(), r, []*form{newForm(y)})
	return embed(context.Background(), r.vocabulary.reader(), []*form{newForm(x)}), right
}

// numbering gives small numbers to what is written on the graphs, in increasing order of it.
type numbering struct {
	labels [][]int32 // of the nodes of each graph
	kinds  int       // different labels
	bonds  [][]int32 // of the entries of to; nil where edges have no labels
	bonded int
}

// numberLabels numbers the labels of the graphs, those of edges where wanted.
func (r *reader) numberLabels(graphs []*form, edges bool) numbering {
	var n numbering
	n.labels, n.kinds = r.rank(graphs, func(f *form) ([]int, int) { return f.label, f.n })
	if edges {
		n.bonds, n.bonded = r.rank(graphs, func(f *form) ([]int, int) { return f.bond, len(f.to) })
	}
	return n
}

// rank numbers values, of which a graph has n or none; none are all 0.
func (r *reader) rank(graphs []*form, of func(f *form) ([]int, int)) (numbers [][]int32, kinds int) {
	rank := part(r, &r.ranks, &r.asked.ranks, func() map[int]int32 { return ranks(graphs, of) })
	number := func(v int) int32 {
		if n, ok := rank[v]; ok {
			return n
		}
		return unknown
	}
	numbers = make([][]int32, len(graphs))
	for g, f := range graphs {
		values, n := of(f)
		out := make([]int32, n)
		for i := range out {
			if values == nil {
				out[i] = number(0)
			} else {
				out[i] = number(values[i])
			}
		}
		numbers[g] = out
	}
	return numbers, len(rank)
}

func ranks(graphs []*form, of func(f *form) ([]int, int)) map[int]int32 {
	rank := map[int]int32{}
	for _, f := range graphs {
		values, n := of(f)
		if values == nil && n > 0 {
			rank[0] = 0
		}
		for _, v := range values {
			rank[v] = 0
		}
	}
	sorted := make([]int, 0, len(rank))
	for v := range rank {
		sorted = append(sorted, v)
	}
	slices.Sort(sorted)
	for i, v := range sorted {
		rank[v] = int32(i)
	}
	return rank
}
