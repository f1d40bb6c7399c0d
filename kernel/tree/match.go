package tree

import (
	"context"
	"slices"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/bracket"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// fragments is what tells one tree kernel from another.
type fragments interface {
	// key is what two shapes must have in common for Δ ≠ 0; none for a shape at which no fragment
	// begins.
	key(f *forest, s int32) int32
	// delta is Δ of two shapes with one key, when Δ of all shapes below them is known to w.
	delta(w *work, s, t int32) float64
}

const none = -1

// rectangle is K(X, Y) with all trees in one forest.
type rectangle struct {
	ctx   context.Context
	f     *forest
	by    fragments
	x, y  []bag
	keys  []int32 // of each shape
	above int32   // all keys are below it
	pool  sync.Pool
}

func prepare(ctx context.Context, by fragments, x, y data.Points[*bracket.Tree]) *rectangle {
	columns := kernel.Kept(ctx, y, func() *grown {
		f := new(forest)
		return &grown{f, f.bags(ctx, y)}
	})
	r := &rectangle{ctx: ctx, f: columns.f, by: by, x: columns.bags, y: columns.bags}
	if !kernel.SamePoints(x, y) {
		r.f = columns.f.next()
		r.x = r.f.bags(ctx, x)
	}
	r.keys = make([]int32, len(r.f.label))
	for s := range r.keys {
		r.keys[s] = by.key(r.f, int32(s))
		r.above = max(r.above, r.keys[s]+1)
	}
	return r
}

// grown is the trees of one side and the forest that they make.
type grown struct {
	f    *forest
	bags []bag
}

func (f *forest) bags(ctx context.Context, x data.Points[*bracket.Tree]) []bag {
	out := make([]bag, x.Len())
	for i := range out {
		if ctx.Err() != nil {
			break
		}
		out[i] = f.add(x.At(i))
	}
	return out
}

// eval is one value, by the way of whole Gram matrices.
func eval(by fragments, x, y *bracket.Tree) float64 {
	both := data.Slice[*bracket.Tree]{x, y}
	r := prepare(context.Background(), by, both[:1], both[1:])
	dst := mat.NewDense(1, 1, nil)
	r.fill(dst, 0, 0)
	return dst.At(0, 0)
}

// match is Δ of a shape of the row with a shape of the columns.
type match struct {
	shape int32
	delta float64
}

// work is what one goroutine needs to fill a rectangle.
type work struct {
	*rectangle
	columns  []int32 // the shapes of the columns, from the leaves up
	marked   []bool  // the same, by shape, while they are being collected
	from, to int     // the columns that they are of

	first, next []int32 // key → the first shape of the row (its place in the bag) with that key, and the next one
	matches     []match
	begin, end  []int32   // column shape → its part of matches
	total       []float64 // column shape → Σ Δ over the nodes of the row

	deltas, level, gapped []float64 // of the children of two nodes
}

func (r *rectangle) work() *work {
	if w, ok := r.pool.Get().(*work); ok {
		return w
	}
	n := len(r.keys)
	w := &work{rectangle: r, marked: make([]bool, n), first: make([]int32, r.above), begin: make([]int32, n),
		end: make([]int32, n), total: make([]float64, n)}
	for k := range w.first {
		w.first[k] = none
	}
	return w
}

// fill is the kernel.Rectangle. A value is Σ over the shapes of the column in the order of its own
// bag, so that it does not depend on the other trees.
func (r *rectangle) fill(dst *mat.Dense, i, j int) {
	rows, cols := dst.Dims()
	w := r.work()
	defer r.pool.Put(w)
	w.choose(j, j+cols)
	for a := range rows {
		if r.ctx.Err() != nil {
			return
		}
		w.meet(r.x[i+a])
		row := dst.RawRowView(a)
		for b, y := range r.y[j : j+cols] {
			sum := 0.0
			for at, s := range y.shapes {
				sum += y.counts[at] * w.total[s]
			}
			row[b] = sum
		}
	}
}

// choose collects the shapes of the columns; their numbers put the lower ones first. Who asks for
// row after row of the same columns waits for it once.
func (w *work) choose(from, to int) {
	if from == w.from && to == w.to {
		return
	}
	w.from, w.to = from, to
	w.columns = w.columns[:0]
	for _, y := range w.y[from:to] {
		for _, s := range y.shapes {
			if !w.marked[s] {
				w.marked[s] = true
				w.columns = append(w.columns, s)
			}
		}
	}
	if len(w.columns) < len(w.marked)/32 {
		slices.Sort(w.columns)
		for _, s := range w.columns {
			w.marked[s] = false
		}
		return
	}
	w.columns = w.columns[:0]
	for s, in := range w.marked {
		if in {
			w.columns = append(w.columns, int32(s))
			w.marked[s] = false
		}
	}
}

// meet sets total for the row x: Δ of each column shape with each shape of x that has its key.
func (w *work) meet(x bag) {
	w.next = slices.Grow(w.next[:0], len(x.shapes))[:len(x.shapes)]
	for at := len(x.shapes) - 1; at >= 0; at-- {
		if k := w.keys[x.shapes[at]]; k != none {
			w.next[at], w.first[k] = w.first[k], int32(at)
		}
	}
	w.matches = w.matches[:0]
	for _, t := range w.columns {
		w.begin[t] = int32(len(w.matches))
		sum := 0.0
		if k := w.keys[t]; k != none {
			for at := w.first[k]; at != none; at = w.next[at] {
				s := x.shapes[at]
				d := w.by.delta(w, s, t)
				w.matches = append(w.matches, match{s, d})
				sum += x.counts[at] * d
			}
		}
		w.end[t], w.total[t] = int32(len(w.matches)), sum
	}
	for _, s := range x.shapes {
		if k := w.keys[s]; k != none {
			w.first[k] = none
		}
	}
}

// known is Δ of two shapes below those that are being compared.
func (w *work) known(s, t int32) float64 {
	if w.keys[s] != w.keys[t] {
		return 0
	}
	for _, m := range w.matches[w.begin[t]:w.end[t]] {
		if m.shape == s {
			return m.delta
		}
	}
	return 0
}
