package data

import "context"

// Block is consecutive rows of a source: points, and what is known of each.
type Block[T any] struct {
	First   int // number of its first row among all
	Points  Points[T]
	Targets []float64 // Outputs numbers for each row, one row after the other
	Outputs int       // 0 where there are no targets
	Weights []float64 // of each row; nil: all 1
}

// Len is the number of rows.
func (b Block[T]) Len() int { return b.Points.Len() }

// Target is the targets of row i of the block.
func (b Block[T]) Target(i int) []float64 { return b.Targets[i*b.Outputs : (i+1)*b.Outputs] }

// Weight is that of row i of the block.
func (b Block[T]) Weight(i int) float64 {
	if b.Weights == nil {
		return 1
	}
	return b.Weights[i]
}

// Part is the rows lo to hi-1 of the block, in its memory.
func (b Block[T]) Part(lo, hi int) Block[T] {
	p := Block[T]{First: b.First + lo, Points: Span(b.Points, lo, hi), Outputs: b.Outputs}
	p.Targets = b.Targets[lo*b.Outputs : hi*b.Outputs]
	if b.Weights != nil {
		p.Weights = b.Weights[lo:hi]
	}
	return p
}

// Source is rows that are read in blocks, pass after pass: from memory, or from a file that does
// not fit there. Every pass gives the same rows in the same order.
type Source[T any] interface {
	// Len is the number of rows.
	Len() int
	// Outputs is the number of targets of each row.
	Outputs() int
	// Pass calls f with the rows from the first to the last, size of them at a time and fewer only
	// at the end. A block is valid until f returns. The error is the first of f, that of ctx once
	// it has ended, or what kept the rows from being read.
	Pass(ctx context.Context, size int, f func(Block[T]) error) error
}

// InMemory is a Source of rows that are at hand.
type InMemory[T any] struct{ all Block[T] }

// NewInMemory is points with their targets, outputs numbers for each, and weights (nil: all 1) as a
// Source; nothing is copied.
func NewInMemory[T any](x Points[T], targets []float64, outputs int, weights []float64) InMemory[T] {
	return InMemory[T]{Block[T]{Points: x, Targets: targets, Outputs: outputs, Weights: weights}}
}

// Len is the number of rows.
func (m InMemory[T]) Len() int { return m.all.Len() }

// Outputs is the number of targets of each row.
func (m InMemory[T]) Outputs() int { return m.all.Outputs }

// Pass calls f with all rows in blocks.
func (m InMemory[T]) Pass(ctx context.Context, size int, f func(Block[T]) error) error {
	for lo, n := 0, m.Len(); lo < n; lo += size {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f(m.all.Part(lo, min(lo+size, n))); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// spanner is implemented by Points that can view consecutive ones of themselves.
type spanner[T any] interface {
	span(lo, hi int) Points[T]
}

// Span is the points lo to hi-1 of p: a view where p is the rows of a matrix or a slice.
func Span[T any](p Points[T], lo, hi int) Points[T] {
	if lo == 0 && hi == p.Len() {
		return p
	}
	if s, ok := p.(spanner[T]); ok {
		return s.span(lo, hi)
	}
	s := make(Slice[T], hi-lo)
	for i := range s {
		s[i] = p.At(lo + i)
	}
	return s
}

func (s Slice[T]) span(lo, hi int) Points[T] { return s[lo:hi] }

func (r DenseRows) span(lo, hi int) Points[[]float64] {
	return DenseRows{r.m.Slice(lo, hi, 0, r.m.Cols)}
}

func (r SparseRows) span(lo, hi int) Points[SparseVec] {
	m := *r.m
	m.Rows, m.Ptr = hi-lo, r.m.Ptr[lo:hi+1]
	return SparseRows{&m}
}

func (n *Numbered[T]) span(lo, hi int) Points[T] { return n.Run(lo, hi) }
