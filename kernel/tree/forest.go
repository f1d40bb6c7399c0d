package tree

import (
	"encoding/binary"

	"github.com/mercer-ml/mercer/data/bracket"
	"github.com/mercer-ml/mercer/kernel/internal/names"
)

// forest is trees as one directed acyclic graph: equal subtrees are one shape. A shape has a
// greater number than the shapes below it.
type forest struct {
	label      []int32   // of each shape
	production []int32   // its label with those of its children
	children   [][]int32 // shapes
	size       []int     // nodes with children, in and below it

	labels             names.Numbers
	shapes             names.Numbers // by label and children
	productions        names.Numbers // by labels of it and of its children
	shapeKey, labelKey []byte
	seen               []int32 // shape → 1 + its place in the bag being filled
}

// bag is the shapes of one tree, in the order in which a walk from the leaves up meets them, and
// how often each comes.
type bag struct {
	shapes []int32
	counts []float64
}

// next is a forest that goes on from this one, which must not grow any more.
func (f *forest) next() *forest {
	n := len(f.label)
	return &forest{
		label: f.label[:n:n], production: f.production[:n:n], children: f.children[:n:n], size: f.size[:n:n],
		labels: f.labels.Next(), shapes: f.shapes.Next(), productions: f.productions.Next(), seen: make([]int32, n),
	}
}

// add finds the shapes of a tree; no tree has none.
func (f *forest) add(t *bracket.Tree) bag {
	var b bag
	if t != nil {
		f.walk(t, &b)
	}
	for _, s := range b.shapes {
		f.seen[s] = 0
	}
	return b
}

// walk returns the shape of t and counts those of t and of all below.
func (f *forest) walk(t *bracket.Tree, b *bag) int32 {
	var few [8]int32 // most nodes have few children
	below := few[:0]
	for _, c := range t.Children {
		below = append(below, f.walk(c, b))
	}
	s := f.shapeOf(f.labels.Of([]byte(t.Label)), below)
	if f.seen[s] == 0 {
		b.shapes = append(b.shapes, s)
		b.counts = append(b.counts, 0)
		f.seen[s] = int32(len(b.shapes))
	}
	b.counts[f.seen[s]-1]++
	return s
}

func (f *forest) shapeOf(label int32, below []int32) int32 {
	f.shapeKey = binary.LittleEndian.AppendUint32(f.shapeKey[:0], uint32(label))
	for _, c := range below {
		f.shapeKey = binary.LittleEndian.AppendUint32(f.shapeKey, uint32(c))
	}
	s := f.shapes.Of(f.shapeKey)
	if int(s) < len(f.label) {
		return s
	}
	f.labelKey = binary.LittleEndian.AppendUint32(f.labelKey[:0], uint32(label))
	size := 0
	for _, c := range below {
		f.labelKey = binary.LittleEndian.AppendUint32(f.labelKey, uint32(f.label[c]))
		size += f.size[c]
	}
	if len(below) > 0 {
		size++
	}
	f.label = append(f.label, label)
	f.production = append(f.production, f.productions.Of(f.labelKey))
	f.children = append(f.children, append([]int32(nil), below...))
	f.size = append(f.size, size)
	f.seen = append(f.seen, 0)
	return s
}

func (f *forest) leaf(s int32) bool { return len(f.children[s]) == 0 }
