package cuda

import (
	"fmt"
)

// Matrix sets the lower triangle of the n×n matrix at out to the kernel between points in double
// precision, with ridge on the diagonal.
func (s *Sums) Matrix(q Stream, a Points, ridge float64, out Ptr) error {
	return s.matrix(q, "matrix", a, 1, ridge, out, a.N)
}

// Rounded is Matrix with the kernel times scale, rounded to single precision, stride numbers from
// row to row.
func (s *Sums) Rounded(q Stream, a Points, scale, ridge float64, out Ptr, stride int) error {
	return s.matrix(q, "rounded", a, scale, ridge, out, stride)
}

func (s *Sums) matrix(q Stream, name string, a Points, scale, ridge float64, out Ptr, stride int) error {
	if !s.double {
		return fmt.Errorf("cuda: a matrix of kernel values in single precision")
	}
	side := func(size int) int { return (a.N + size - 1) / size }
	n := uint64(a.N)
	if s.way == byProduct {
		const chunk = 512
		d, p := s.tree.Sources[0].Dim, s.profile
		return s.device.Launch(q, fmt.Sprintf("%s_%d", name, p.kind),
			Shape{Blocks: [2]int{side(doubleRows), side(chunk)}, Threads: 128, Shared: doubleShared(d, 0)},
			a.At, n, uint64(chunk), out, uint64(stride), int32(d), p.normed(), p.a, p.b, p.n, scale*p.factor, ridge)
	}
	if err := s.setOrigins(q, a, a); err != nil {
		return err
	}
	return s.device.Launch(q, name+"64", Shape{Blocks: [2]int{side(directSide), side(directSide)}, Threads: 128},
		s.origins, s.code, int32(len(s.tree.Code)), s.table, n, n, scale, ridge, out, uint64(stride))
}
