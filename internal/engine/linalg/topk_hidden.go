package linalg

import (
	"context"
	"errors"
	"math"
)

// A Krylov space holds, of an eigenspace, no more directions than its starting
// block has rows: further copies of a repeated eigenvalue are hidden from it,
// orthogonal to the whole basis Q. They are the large eigenvalues of what is left,
//
//	(I − QQᵀ)·A·(I − QQᵀ),
//
// where little else is large once Q holds the wanted end of the spectrum, so
// that a few blocks from a random start show them.
const (
	hiddenBlock = 4 // random rows at least, and directions returned at most
	hiddenSteps = 8 // blocks multiplied at most in one look
)

// errHidden says that single vectors may have missed something.
var errHidden = errors.New("linalg: hidden eigenvalues")

// hidden looks for eigenvalues that should stand before kth, the last of the
// wanted Ritz values, and returns rows orthonormal to the basis along their
// eigenvectors; none when there is none. Where what is left is too near to kth to
// tell in a few steps, it returns the nearest directions, for the basis to tell.
//
// With probability at least 1 − 1e-5 for a block of four, a unit vector has a component of δ/√n
// or more in one of the random rows, δ = 0.05. Block Lanczos on a spectrum in
// [lo, θ] magnifies an eigenvector at kth by the Chebyshev polynomial
// T(1 + 2(kth−θ)/(θ−lo)) of the degree of the steps (Saad 1980). The look ends when that would have
// brought it to light: T·δ/√n > 3 and still no Ritz value θ before kth.
func (s *lanczos) hidden(ctx context.Context, kth float64) (Matrix[float64], error) {
	none := New[float64](0, s.n)
	if s.m >= s.n {
		return none, nil
	}
	block := max(s.o.Block, hiddenBlock)
	room := min(hiddenSteps*block, s.n-s.m)
	rows := New[float64](s.m+room, s.n) // the basis, then what is built on its complement
	rows.Slice(0, s.m, 0, s.n).CopyFrom(s.basis.Slice(0, s.m, 0, s.n))
	t := New[float64](room, room)
	next := s.orthonormal(rows.Slice(0, s.m, 0, s.n), block)
	margin := s.o.Tolerance * s.norm
	if s.single {
		margin = -margin // single vectors see one copy of each eigenvalue: one as good as kth, too, says that there are more
	}
	for used, step := 0, 1; ; step++ {
		if err := ctx.Err(); err != nil {
			return none, err
		}
		first, p := used, next.Rows
		used += p
		rows.Slice(s.m+first, s.m+used, 0, s.n).CopyFrom(next)
		image, size, err := s.image(next)
		if err != nil {
			return none, err
		}
		q := rows.Slice(0, s.m+used, 0, s.n)
		c := s.project(image, q)
		again := s.project(image, q)
		for i := range p {
			for j := range used {
				t.Set(first+i, j, c.At(i, s.m+j)+again.At(i, s.m+j))
			}
		}
		values, vectors, err := SymEigen(1, t.Slice(0, used, 0, used).Clone()) // reads the lower triangle
		if err != nil {
			return none, err
		}
		order := s.o.Which.ranked(values)
		found := 0
		for found < len(order) && s.o.Which.ahead(values[order[found]], kth) > margin {
			found++
		}
		if found == 0 {
			if s.o.Which.magnified(step, kth, values)*0.05/math.Sqrt(float64(s.n)) > 3 {
				return none, nil
			}
			if next = s.orthonormalised(image, q, size); next.Rows == 0 {
				return none, nil // all that the random rows have a part in was seen
			}
		}
		if found > 0 || used+next.Rows > room {
			built := rows.Slice(s.m, s.m+used, 0, s.n)
			return s.combine(built, vectors, order[:min(hiddenBlock, len(order))]), nil
		}
	}
}

// ahead is how far a stands before b in the order wanted.
func (w Which) ahead(a, b float64) float64 {
	switch w {
	case SmallestAlgebraic:
		return b - a
	case LargestMagnitude:
		return math.Abs(a) - math.Abs(b)
	}
	return a - b
}

// magnified is the Chebyshev polynomial of a degree, 1 on the interval of the
// ascending values met, at kth.
func (w Which) magnified(degree int, kth float64, values []float64) float64 {
	low, high := values[0], values[len(values)-1]
	switch w {
	case SmallestAlgebraic:
		low, high, kth = -high, -low, -kth
	case LargestMagnitude:
		high = max(-low, high)
		low, kth = -high, math.Abs(kth)
	}
	if kth <= high {
		return 1
	}
	if high <= low {
		return math.Inf(1)
	}
	return math.Cosh(float64(degree) * math.Acosh(1+2*(kth-high)/(high-low)))
}

// widen adds the rows found to the next block, with which nothing so far is
// coupled through them.
func (s *lanczos) widen(found Matrix[float64]) {
	old := s.next.Rows
	wide := New[float64](old+found.Rows, s.n)
	wide.Slice(0, old, 0, s.n).CopyFrom(s.next)
	wide.Slice(old, wide.Rows, 0, s.n).CopyFrom(found)
	s.next = s.orthonormalised(wide, s.basis.Slice(0, s.m, 0, s.n), 1)
	coupling := New[float64](s.next.Rows, s.last)
	copy(coupling.Data, s.coupling.Data)
	s.coupling = coupling
}
