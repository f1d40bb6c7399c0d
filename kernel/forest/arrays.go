package forest

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/fault"
	"gonum.org/v1/gonum/mat"
)

// names are the kinds of forests, by their number in a file.
var names = []string{"forest", "mondrian", "isolation"}

// mostColumns is the largest dimension that is believed of a file.
const mostColumns = 1 << 24

// Arrays is the forest as plain numbers, for a file: FromArrays makes the same forest of them.
// "forest" has its kind, coordinates, numbers of a leaf, rows of a tree and whether values may be
// missing; "roots" the first node of each tree; "nodes" a row for each node: the threshold or the
// number of its set, 4·column + 2 for a set + 1 where missing values go left, or -1 for a leaf, and
// the left child, or the number of the leaf; "values" the numbers of the leaves; "sets" 32
// categories to a number; "categories" columns with their categories; "importances" the share of
// each column, where there are shares.
func (f *Forest) Arrays() map[string]*mat.Dense {
	kind, missing := 0.0, 0.0
	for k, name := range names {
		if name == f.name {
			kind = float64(k)
		}
	}
	if f.missing {
		missing = 1
	}
	out := map[string]*mat.Dense{
		"forest": mat.NewDense(1, 5, []float64{kind, float64(f.dim), float64(f.outputs), f.sample, missing}),
		"roots":  mat.NewDense(1, len(f.roots), nil),
		"nodes":  mat.NewDense(len(f.nodes), 3, nil),
		"values": mat.NewDense(f.Leaves(), f.outputs, append([]float64(nil), f.values...)),
	}
	for t, at := range f.roots {
		out["roots"].Set(0, t, float64(at))
	}
	for i, n := range f.nodes {
		first, code := n.threshold, -1.0
		if n.column >= 0 {
			if code = 4 * float64(n.column); n.missingLeft {
				code++
			}
		}
		if n.set >= 0 {
			first, code = float64(n.set), code+2
		}
		out["nodes"].SetRow(i, []float64{first, code, float64(n.child)})
	}
	if len(f.sets) > 0 {
		a := mat.NewDense(len(f.sets), bins/32, nil)
		for i, s := range f.sets {
			for k := range bins / 32 {
				a.Set(i, k, float64(uint32(s[k/2]>>(32*(k%2)))))
			}
		}
		out["sets"] = a
	}
	var named []float64
	for j, values := range f.categories {
		for _, v := range values {
			named = append(named, float64(j), v)
		}
	}
	if len(named) > 0 {
		out["categories"] = mat.NewDense(len(named)/2, 2, named)
	}
	if len(f.importance) > 0 {
		out["importances"] = mat.NewDense(1, f.dim, f.Importances())
	}
	return out
}

// FromArrays is the forest of plain numbers. What no forest can have is refused: whatever the
// numbers are, points go through it in finitely many steps.
func FromArrays(arrays map[string]*mat.Dense) (_ *Forest, err error) {
	defer func() {
		if err != nil {
			err = fault.Errorf("forest", "these arrays are no forest: %w", err)
		}
	}()
	r := reader{arrays: arrays}
	head, roots, nodes := r.array("forest", 5), r.array("roots", 0), r.array("nodes", 3)
	if r.err != nil {
		return nil, r.err
	}
	f := &Forest{sample: head.At(0, 3), missing: head.At(0, 4) != 0}
	kind := r.whole("kind", head.At(0, 0), len(names)-1)
	f.dim, f.outputs = r.whole("dimension", head.At(0, 1), mostColumns), r.whole("outputs", head.At(0, 2), 1<<20)
	values := r.array("values", f.outputs)
	if r.err != nil {
		return nil, r.err
	}
	f.name = names[kind]
	if f.outputs < 1 || f.sample < 0 {
		return nil, fmt.Errorf("%d numbers of a leaf, %g rows of a tree", f.outputs, f.sample)
	}
	f.values = append([]float64(nil), values.RawMatrix().Data...)
	r.readCategories(f)
	r.readImportances(f)
	count, _ := nodes.Dims()
	_, trees := roots.Dims()
	for t := range trees {
		f.roots = append(f.roots, r.whole("root", roots.At(0, t), count))
	}
	if r.err == nil && (trees < 2 || f.roots[0] != 0 || f.roots[trees-1] != count) {
		return nil, fmt.Errorf("%d trees of %d nodes", trees-1, count)
	}
	f.nodes = make([]node, count)
	for i := range f.nodes {
		f.nodes[i] = r.node(f, nodes.RawRowView(i), count)
	}
	if r.err != nil {
		return nil, r.err
	}
	if err := f.checkTrees(); err != nil {
		return nil, err
	}
	return f, nil
}

// checkTrees refuses nodes that are no trees: every node but the first has one parent, which comes
// before it, and leaves are numbered through.
func (f *Forest) checkTrees() error {
	leaves := 0
	for t := range f.Trees() {
		lo, hi := f.roots[t], f.roots[t+1]
		if hi <= lo {
			return fmt.Errorf("tree %d has %d nodes", t, hi-lo)
		}
		size, first := hi-lo, leaves
		child, leaf := *newBitmap(size + 1), *newBitmap(size)
		for i, n := range f.nodes[lo:hi] {
			if n.column < 0 {
				leaves++
				k := int(n.child) - first
				if k < 0 || k >= size || leaf.has(k) {
					return fmt.Errorf("node %d of tree %d is leaf %d, again or out of order", i, t, n.child)
				}
				leaf.add(k)
				continue
			}
			c := int(n.child)
			if c <= i || c+1 >= size || child.has(c) || child.has(c+1) {
				return fmt.Errorf("node %d of tree %d has the child %d of %d", i, t, c, size)
			}
			child.add(c)
			child.add(c + 1)
		}
		// Each number below the size was taken once at most, so that they are 0, 1, … exactly if
		// none is as large as their number.
		for k := leaves - first; k < size; k++ {
			if leaf.has(k) {
				return fmt.Errorf("tree %d has leaf %d of %d", t, k, leaves-first)
			}
		}
		if size != 2*(leaves-first)-1 {
			return fmt.Errorf("tree %d has %d leaves in %d nodes", t, leaves-first, size)
		}
	}
	if leaves != f.Leaves() {
		return fmt.Errorf("%d leaves, and the numbers of %d", leaves, f.Leaves())
	}
	return nil
}

// reader reads arrays and keeps the first mistake.
type reader struct {
	arrays map[string]*mat.Dense
	err    error
}

// array is one that must be there with some columns and finite numbers; 0 columns are any.
func (r *reader) array(name string, columns int) *mat.Dense {
	a := r.arrays[name]
	if a == nil || a.IsEmpty() {
		r.fail("array %q is missing", name)
		return nil
	}
	rows, c := a.Dims()
	if columns > 0 && c != columns {
		r.fail("array %q has %d columns, want %d", name, c, columns)
		return nil
	}
	for i := range rows {
		for j, v := range a.RawRowView(i) {
			if v-v != 0 {
				r.fail("array %q: entry (%d, %d) is %g", name, i, j, v)
				return nil
			}
		}
	}
	return mat.DenseCopyOf(a)
}

// whole is a whole number from 0 to most.
func (r *reader) whole(what string, v float64, most int) int {
	if most < 0 {
		r.fail("%s is %g, where there is none", what, v)
		return 0
	}
	return int(r.word(what, v, uint64(most)))
}

// word reads a whole number that may leave the range of an int where that has 32 bits.
func (r *reader) word(what string, v float64, most uint64) uint64 {
	if v != math.Trunc(v) || !(v >= 0 && v <= float64(most)) {
		r.fail("%s is %g, want a whole number up to %d", what, v, most)
		return 0
	}
	return uint64(v)
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// node is a row of the array of nodes.
func (r *reader) node(f *Forest, row []float64, count int) node {
	n := node{column: -1, set: -1, threshold: row[0], child: int32(r.whole("child", row[2], count))}
	if row[1] == -1 {
		n.threshold = 0
		return n
	}
	code := r.whole("column", row[1], 4*f.dim-1)
	n.column, n.missingLeft = int32(code/4), code%2 == 1
	if code/2%2 == 1 {
		n.set, n.threshold = int32(r.whole("set", row[0], len(f.sets)-1)), 0
		if f.categories == nil || f.categories[n.column] == nil {
			r.fail("column %d has a set of categories, and no categories", n.column)
		}
	}
	return n
}

// readCategories reads the categories of columns, which increase, and sets of them.
func (r *reader) readCategories(f *Forest) {
	if r.arrays["sets"] == nil {
		return
	}
	sets, named := r.array("sets", bins/32), r.array("categories", 2)
	if r.err != nil {
		return
	}
	count, _ := sets.Dims()
	f.sets = make([]set, count)
	for i := range f.sets {
		for k, v := range sets.RawRowView(i) {
			f.sets[i][k/2] |= r.word("a set", v, math.MaxUint32) << (32 * (k % 2))
		}
	}
	f.categories = make([][]float64, f.dim)
	rows, _ := named.Dims()
	for i := range rows {
		j := r.whole("column of categories", named.At(i, 0), f.dim-1)
		if r.err != nil {
			return
		}
		of := f.categories[j]
		if v := named.At(i, 1); len(of) == mostNamed || len(of) > 0 && !(v > of[len(of)-1]) {
			r.fail("category %g of column %d, after %d others", v, j, len(of))
			return
		}
		f.categories[j] = append(of, named.At(i, 1))
	}
}

// readImportances reads the shares of columns, which files of earlier versions have not.
func (r *reader) readImportances(f *Forest) {
	if r.arrays["importances"] == nil {
		return
	}
	shares := r.array("importances", f.dim)
	if r.err != nil {
		return
	}
	if rows, _ := shares.Dims(); rows != 1 {
		r.fail("importances in %d rows", rows)
	}
	f.importance = shares.RawRowView(0)
	total := 0.0
	for j, v := range f.importance {
		if total += v; v < 0 {
			r.fail("the importance of column %d is %g", j, v)
		}
	}
	if math.Abs(total-1) > 1e-6 && total != 0 {
		r.fail("importances that add up to %g", total)
	}
}
