package graph

import (
	"context"
	"math/bits"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// features are sparse feature vectors of graphs, in rows. k(x, y) = Σ_f scale_f·φ_f(x)φ_f(y).
type features struct {
	rows  *linalg.CSR
	scale []float64 // by column; nil: 1
}

// embedding maps graphs to features, by the words of the reader: features have to be numbered
// alike.
type embedding func(ctx context.Context, r *reader, graphs []*form) features

// prepareFeatures is the Rectangle of inner products of features.
func prepareFeatures(ctx context.Context, x, y data.Points[Graph], embed embedding) kernel.Rectangle {
	left, right := embedBoth(ctx, x, y, embed)
	if ctx.Err() != nil {
		return func(*mat.Dense, int, int) {}
	}
	products := kernel.Kept(ctx, y, func() *linalg.RowProducts {
		scaled := right.scaled()
		return linalg.NewRowProducts(scaled, right.rows)
	})
	if left.rows != right.rows {
		products = products.WithRows(left.scaled())
	}
	return func(dst *mat.Dense, i, j int) { products.Tile(linalg.Of(dst), i, j) }
}

// evalFeatures is the inner product of the features of two graphs.
func evalFeatures(x, y Graph, embed embedding) float64 {
	left, right := embedPair(x, y, embed)
	return left.scaled().RowDot(0, right.rows, 0)
}

// scaled are the rows with every column times its scale.
func (f features) scaled() *linalg.CSR {
	if f.scale == nil {
		return f.rows
	}
	out := *f.rows
	out.Value = make([]float64, len(f.rows.Value))
	for k, c := range f.rows.Index {
		out.Value[k] = f.rows.Value[k] * f.scale[c]
	}
	return &out
}

// counted are feature vectors that count how often each number comes: list appends the numbers
// of graph g, below cols, in any order.
func counted(graphs, cols int, list func(buffer []int32, g int) []int32) *linalg.CSR {
	index, value := make([][]int32, graphs), make([][]float64, graphs)
	par.For(0, graphs, 16, func(lo, hi int) {
		var buffer []int32
		for g := lo; g < hi; g++ {
			buffer = list(buffer[:0], g)
			slices.Sort(buffer)
			index[g], value[g] = runs(buffer)
		}
	})
	return joined(index, value, cols)
}

// runs are the different values of a sorted list, and how often each comes.
func runs[E comparable](sorted []E) (values []E, counts []float64) {
	different := 0
	for k, v := range sorted {
		if k == 0 || v != sorted[k-1] {
			different++
		}
	}
	values, counts = make([]E, 0, different), make([]float64, 0, different)
	for k, v := range sorted {
		if k == 0 || v != sorted[k-1] {
			values, counts = append(values, v), append(counts, 0)
		}
		counts[len(counts)-1]++
	}
	return values, counts
}

func joined(index [][]int32, value [][]float64, cols int) *linalg.CSR {
	m := &linalg.CSR{Rows: len(index), Cols: cols, Ptr: make([]int, len(index)+1)}
	for g, row := range index {
		m.Ptr[g+1] = m.Ptr[g] + len(row)
	}
	m.Index, m.Value = make([]int32, 0, m.Ptr[m.Rows]), make([]float64, 0, m.Ptr[m.Rows])
	for g, row := range index {
		m.Index, m.Value = append(m.Index, row...), append(m.Value, value[g]...)
	}
	return m
}

// keyed are feature vectors by key: list appends the keys of graph g, in any order. Features are
// numbered in the order of their keys, which are returned.
func (r *reader) keyed(graphs int, list func(buffer []uint64, g int) []uint64) (*linalg.CSR, []uint64) {
	keys, value := make([][]uint64, graphs), make([][]float64, graphs)
	par.For(0, graphs, 8, func(lo, hi int) {
		var buffer []uint64
		for g := lo; g < hi; g++ {
			buffer = list(buffer[:0], g)
			slices.Sort(buffer)
			keys[g], value[g] = runs(buffer)
		}
	})
	t := part(r, &r.keys, &r.asked.keys, func() *keyTable {
		t := newKeyTable()
		for _, row := range keys {
			for _, key := range row {
				t.insert(key)
			}
		}
		t.rank()
		return t
	})
	index := make([][]int32, graphs)
	par.For(0, graphs, 64, func(lo, hi int) {
		for g := lo; g < hi; g++ {
			index[g] = make([]int32, 0, len(keys[g]))
			for k, key := range keys[g] {
				if n := t.number[t.find(key)]; n >= 0 {
					index[g] = append(index[g], n)
					value[g][len(index[g])-1] = value[g][k]
				}
			}
			value[g] = value[g][:len(index[g])]
		}
	})
	return joined(index, value, len(t.sorted)), t.sorted
}

// keyTable numbers keys, by open addressing.
type keyTable struct {
	key    []uint64
	number []int32 // -1: free
	used   int
	sorted []uint64 // the keys in order, once they are ranked
}

func newKeyTable() *keyTable {
	t := &keyTable{}
	t.resize(1 << 10)
	return t
}

func (t *keyTable) resize(size int) {
	old := *t
	t.key, t.number = make([]uint64, size), make([]int32, size)
	for i := range t.number {
		t.number[i] = -1
	}
	for i, n := range old.number {
		if n >= 0 {
			at := t.find(old.key[i])
			t.key[at], t.number[at] = old.key[i], n
		}
	}
}

// find is the slot of a key, or the free one where it would go.
func (t *keyTable) find(key uint64) int {
	mask := len(t.key) - 1
	at := int(mix(key)) & mask
	for t.number[at] >= 0 && t.key[at] != key {
		at = (at + 1) & mask
	}
	return at
}

func (t *keyTable) insert(key uint64) {
	at := t.find(key)
	if t.number[at] >= 0 {
		return
	}
	t.key[at], t.number[at] = key, int32(t.used)
	if t.used++; 2*t.used > len(t.key) {
		t.resize(2 * len(t.key))
	}
}

// rank numbers the keys in their order.
func (t *keyTable) rank() {
	t.sorted = make([]uint64, 0, t.used)
	for at, n := range t.number {
		if n >= 0 {
			t.sorted = append(t.sorted, t.key[at])
		}
	}
	slices.Sort(t.sorted)
	for i, key := range t.sorted {
		t.number[t.find(key)] = int32(i)
	}
}

// mix spreads the bits of a number (the end of splitmix64: Steele, Lea & Flood 2014).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// mixIn adds a number to a hash; the order of the numbers counts.
func mixIn(hash, v uint64) uint64 {
	return mix(bits.RotateLeft64(hash, 23) ^ v*0x9e3779b97f4a7c15)
}
