package tune

import (
	"context"
	"slices"
	"sync"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
)

// The kernels of a table are sums and products of kernels on its columns, every learner tries them,
// and the best is fitted once more in the end: to compare all trees of a column takes seconds, to
// add two matrices up milliseconds. partStore keeps the Gram matrix of each kernel on a column,
// under its text, and makes those of sums, products and multiples from them.
type partStore struct {
	text func(kernel.Kernel[any]) (string, bool) // nil: nothing is kept
	mu   sync.Mutex
	kept map[string]*sharedMatrix[float64]
	rows sync.Pool // of room for a row
}

// recipe sets dst to row i of a Gram matrix.
type recipe func(dst []float64, i int)

// recipe is how the Gram matrix of k is made from those of its parts; false where nothing is kept
// of k, or where the budget does not hold the parts.
func (s *metricStore) recipe(k kernel.Kernel[any], threads int) (recipe, bool) {
	if s.parts.text == nil {
		return nil, false
	}
	switch k := kernel.Opened(k).(type) {
	case kernel.SumOf[any]:
		return s.combine(k.Terms, 0, func(sum, next float64) float64 { return sum + next }, threads)
	case kernel.ProductOf[any]:
		return s.combine(k.Factors, 1, func(product, next float64) float64 { return product * next }, threads)
	case kernel.ScaleOf[any]:
		of, ok := s.recipe(k.Kernel, threads)
		return func(dst []float64, i int) {
			of(dst, i)
			for j := range dst {
				dst[j] *= k.Factor
			}
		}, ok
	case kernel.ConstantOf[any]:
		return func(dst []float64, _ int) {
			for j := range dst {
				dst[j] = k.C
			}
		}, true
	}
	part := s.part(k, threads)
	if part == nil {
		return nil, false
	}
	return func(dst []float64, i int) { copy(dst, part.Row(i)) }, true
}

// hasParts says whether the Gram matrix of k can be made of matrices that are there.
func (s *metricStore) hasParts(k kernel.Kernel[any]) bool {
	if s.parts.text == nil {
		return false
	}
	switch k := kernel.Opened(k).(type) {
	case kernel.SumOf[any]:
		return !slices.ContainsFunc(k.Terms, func(part kernel.Kernel[any]) bool { return !s.hasParts(part) })
	case kernel.ProductOf[any]:
		return !slices.ContainsFunc(k.Factors, func(part kernel.Kernel[any]) bool { return !s.hasParts(part) })
	case kernel.ScaleOf[any]:
		return s.hasParts(k.Kernel)
	case kernel.ConstantOf[any]:
		return true
	}
	name, ok := s.parts.text(k)
	s.parts.mu.Lock()
	defer s.parts.mu.Unlock()
	return ok && s.parts.kept[name] != nil
}

// combine folds the rows of several kernels, in their order.
func (s *metricStore) combine(
	ks []kernel.Kernel[any], zero float64, fold func(a, b float64) float64, threads int,
) (recipe, bool) {
	of := make([]recipe, len(ks))
	for m, k := range ks {
		var ok bool
		if of[m], ok = s.recipe(k, threads); !ok {
			return nil, false
		}
	}
	return func(dst []float64, i int) {
		room, ok := s.parts.rows.Get().(*[]float64)
		if !ok {
			row := make([]float64, len(dst))
			room = &row
		}
		defer s.parts.rows.Put(room)
		next := *room
		for j := range dst {
			dst[j] = zero
		}
		for _, row := range of {
			row(next, i)
			for j, v := range next {
				dst[j] = fold(dst[j], v)
			}
		}
	}, true
}

// part is the Gram matrix of a kernel on columns, computed when it is first asked for; nil where it
// has no text, or the budget no room.
func (s *metricStore) part(k kernel.Kernel[any], threads int) *linalg.Matrix[float64] {
	name, ok := s.parts.text(k)
	if !ok {
		return nil
	}
	n := s.x.Len()
	s.parts.mu.Lock()
	e := s.parts.kept[name]
	if e == nil {
		bytes := 8 * int64(n) * int64(n)
		s.mu.Lock()
		if ok = bytes <= s.budget; ok {
			s.budget -= bytes
		}
		s.mu.Unlock()
		if !ok {
			s.parts.mu.Unlock()
			return nil
		}
		if s.parts.kept == nil {
			s.parts.kept = map[string]*sharedMatrix[float64]{}
		}
		e = new(sharedMatrix[float64])
		s.parts.kept[name] = e
	}
	s.parts.mu.Unlock()
	e.once.Do(func() {
		e.m = linalg.New[float64](n, n)
		// shared by all, so nobody's context ends it
		kernel.Fill(threads, blas64.General(e.m), kernel.Prepare(context.Background(), k, s.x, s.x))
	})
	return &e.m
}

// fromParts has each row of the Gram matrix of k made from its parts and handed over; false where
// they are not kept.
func (s *metricStore) fromParts(k kernel.Kernel[any], threads int, take func(i int, row []float64)) bool {
	row, ok := s.recipe(k, threads)
	if !ok {
		return false
	}
	n := s.x.Len()
	par.For(threads, n, gramRows, func(lo, hi int) {
		values := make([]float64, n)
		for i := lo; i < hi; i++ {
			row(values, i)
			take(i, values)
		}
	})
	return true
}
