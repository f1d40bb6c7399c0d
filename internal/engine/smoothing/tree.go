package smoothing

import (
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// Tree is a k-d tree whose points are stored in the order of its leaves, a
// coordinate at a time, so that the points of any node are a contiguous piece
// of every column (Bentley 1975).
type Tree struct {
	Dim, N int
	cols   [][]float64 // cols[j][p] is coordinate j of the point at place p
	Index  []int       // place → row of the matrix it was made from
	nodes  []treeNode  // the root is node 0, children come after their parent
	low    []float64   // dim numbers a node: its bounding box
	high   []float64
}

type treeNode struct {
	lo, hi      int // places
	left, right int // nodes, 0 for a leaf
}

func (n treeNode) leaf() bool { return n.left == 0 }

// NewTree builds the tree by halving the widest side at the median.
func NewTree(x linalg.Matrix[float64], leaf int) *Tree {
	t := &Tree{Dim: x.Cols, N: x.Rows, Index: make([]int, x.Rows)}
	for i := range t.Index {
		t.Index[i] = i
	}
	if t.N > 0 {
		t.build(x, 0, t.N, max(leaf, 1))
	}
	t.cols = make([][]float64, t.Dim)
	for j := range t.cols {
		t.cols[j] = make([]float64, t.N)
		for p, i := range t.Index {
			t.cols[j][p] = x.At(i, j)
		}
	}
	return t
}

func (t *Tree) build(x linalg.Matrix[float64], lo, hi, leaf int) int {
	at := len(t.nodes)
	t.nodes = append(t.nodes, treeNode{lo: lo, hi: hi})
	start := len(t.low)
	for range t.Dim {
		t.low = append(t.low, math.Inf(1))
		t.high = append(t.high, math.Inf(-1))
	}
	low, high := t.low[start:], t.high[start:]
	for _, i := range t.Index[lo:hi] {
		for j, v := range x.Row(i) {
			low[j], high[j] = min(low[j], v), max(high[j], v)
		}
	}
	widest := 0
	for j := range low {
		if high[j]-low[j] > high[widest]-low[widest] {
			widest = j
		}
	}
	if hi-lo <= leaf || t.Dim == 0 || !(high[widest] > low[widest]) {
		return at
	}
	// Splitting at a multiple of the leaf size keeps the leaves full.
	mid := lo + max(leaf, ((hi-lo)/2+leaf-1)/leaf*leaf)
	if mid >= hi {
		mid = lo + (hi-lo)/2
	}
	selectByColumn(x, widest, t.Index[lo:hi], mid-lo)
	left := t.build(x, lo, mid, leaf)
	right := t.build(x, mid, hi, leaf)
	t.nodes[at].left, t.nodes[at].right = left, right
	return at
}

// selectByColumn puts the rows with the k smallest values of a column first
// (Hoare 1961); ties go by row number, so the result is unique as a set.
func selectByColumn(x linalg.Matrix[float64], col int, index []int, k int) {
	less := func(a, b int) bool {
		u, v := x.At(a, col), x.At(b, col)
		return u < v || u == v && a < b
	}
	lo, hi := 0, len(index)
	for hi-lo > 12 {
		a, b, c := index[lo], index[(lo+hi)/2], index[hi-1]
		if less(b, a) {
			a, b = b, a
		}
		if less(c, b) {
			b = c
			if less(b, a) {
				b = a
			}
		}
		i, j := lo, hi-1
		for i <= j {
			for less(index[i], b) {
				i++
			}
			for less(b, index[j]) {
				j--
			}
			if i <= j {
				index[i], index[j] = index[j], index[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j + 1
		case k >= i:
			lo = i
		default:
			return
		}
	}
	slices.SortFunc(index[lo:hi], func(a, b int) int {
		if less(a, b) {
			return -1
		}
		if less(b, a) {
			return 1
		}
		return 0
	})
}

// box is the bounding box of a node.
func (t *Tree) box(node int) (low, high []float64) {
	return t.low[node*t.Dim : (node+1)*t.Dim], t.high[node*t.Dim : (node+1)*t.Dim]
}

// Point copies the coordinates of a place into dst.
func (t *Tree) Point(dst []float64, place int) {
	for j, c := range t.cols {
		dst[j] = c[place]
	}
}

// gap is the squared distance from a point to a node's box.
func (t *Tree) gap(node int, q []float64) float64 {
	low, high := t.box(node)
	s := 0.0
	for j, v := range q {
		d := max(low[j]-v, v-high[j], 0)
		s += d * d
	}
	return s
}
