package data

import "github.com/mercer-ml/mercer/internal/engine/par"

// Numbered is points that remember their numbers in a whole, through any number of Gathers: what is
// known of all pairs of the whole, a Gram matrix say, is then known of every part of it.
type Numbered[T any] struct {
	whole  *Points[T]
	number []int
	under  any // the whole of what was erased, where the whole was
}

// Number makes a copy of p (see Own) a whole and returns all of it.
func Number[T any](p Points[T]) *Numbered[T] {
	p = Own(p)
	n := &Numbered[T]{whole: &p, number: par.Indices(0, p.Len())}
	if e, ok := p.(interface{ whole() any }); ok {
		n.under = e.whole()
	}
	return n
}

// Len returns the number of points.
func (n *Numbered[T]) Len() int { return len(n.number) }

// At returns point i.
func (n *Numbered[T]) At(i int) T { return (*n.whole).At(n.number[i]) }

// Run is the points from start to end-1.
func (n *Numbered[T]) Run(start, end int) *Numbered[T] {
	return &Numbered[T]{n.whole, n.number[start:end], n.under}
}

// NumbersIn is the number of each point in the whole that other is of; ok is false where that is
// another whole than that of n.
func (n *Numbered[T]) NumbersIn(other *Numbered[T]) (numbers []int, ok bool) {
	return n.number, n.whole == other.whole
}

// concrete is the same numbers in what was erased, where the whole was.
func (n *Numbered[T]) concrete() any {
	if e, ok := (*n.whole).(interface {
		numbered(whole any, number []int) any
	}); ok {
		return e.numbered(n.under, n.number)
	}
	return n
}

func (n *Numbered[T]) gather(index []int) Points[T] {
	number := make([]int, len(index))
	for i, j := range index {
		number[i] = n.number[j]
	}
	return &Numbered[T]{n.whole, number, n.under}
}
