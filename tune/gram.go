package tune

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
)

// pairs is a metric as a kernel without a profile: what all kernels of a grid
// that are functions of the metric start from.
type pairs struct{ metric kernel.Metric }

func (p pairs) Eval(x, y kernel.Vec) float64 { return p.metric.Between(x, y) }
func (p pairs) Metric() kernel.Metric        { return p.metric }
func (pairs) Profile([]float64)              {}
func (pairs) Profile32([]float32)            {}

// profileOf finds the profile of a kernel on vectors, dense or sparse; ok is
// false for kernels that are no function of one metric.
func profileOf(k kernel.Kernel[any]) (p kernel.Profiled, ok bool) {
	if s, sparse := kernel.Concrete(k).(kernel.SparseOf); sparse {
		p, ok = s.Dense.(kernel.Profiled)
		return p, ok
	}
	p, ok = kernel.Concrete(k).(kernel.Profiled)
	return p, ok
}

// metricKernel is the metric of a profiled kernel, on the same kind of points.
func metricKernel(k kernel.Kernel[any], p kernel.Profiled) (kernel.Kernel[any], error) {
	raw := pairs{p.Metric()}
	if s, sparse := kernel.Concrete(k).(kernel.SparseOf); sparse {
		lifted, err := kernel.OnSparse(raw, s.Dim)
		if err != nil {
			return nil, err
		}
		return kernel.OnSparseVectors(lifted), nil
	}
	return kernel.OnVectors(raw), nil
}

// metricStore keeps the matrices of pairwise metrics that the grid's Gram
// matrices are made of, within its share of the byte budget.
type metricStore struct {
	x       data.Points[any]
	budget  int64
	mu      sync.Mutex
	single  map[kernel.Metric]*sharedMatrix[float32]
	double  map[kernel.Metric]*sharedMatrix[float64]
	parts   partStore
	spare   [][]float32 // Gram matrices that are done with
	scratch sync.Pool   // what a learner left for its next kernel
}

// borrow is an n × n matrix to be filled, with the storage of one given back
// where there is one: fresh storage costs a page fault for every row or so.
func (s *metricStore) borrow() linalg.Matrix[float32] {
	n := s.x.Len()
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.spare) - 1; last >= 0 {
		m := linalg.Matrix[float32]{Rows: n, Cols: n, Stride: solve.PaddedStride(n), Data: s.spare[last]}
		s.spare = s.spare[:last]
		return m
	}
	m := linalg.New[float32](n, solve.PaddedStride(n))
	m.Cols = n // what is beyond stays 0
	return m
}

// giveBack takes a borrowed matrix that nobody reads any more.
func (s *metricStore) giveBack(m linalg.Matrix[float32]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spare = append(s.spare, m.Data)
}

type sharedMatrix[F linalg.Float] struct {
	once sync.Once
	m    linalg.Matrix[F]
}

func newMetricStore(x data.Points[any], budget int64) *metricStore {
	return &metricStore{x: x, budget: budget,
		single: map[kernel.Metric]*sharedMatrix[float32]{}, double: map[kernel.Metric]*sharedMatrix[float64]{}}
}

// metric finds the matrix of a metric, computed on first use; nil when the
// budget has no room for it.
func metric[F linalg.Float](s *metricStore, kept map[kernel.Metric]*sharedMatrix[F], size int64, k kernel.Kernel[any],
	p kernel.Profiled,
	threads int, fill func(int, linalg.Matrix[F], kernel.Tiles) error) *linalg.Matrix[F] {
	n := int64(s.x.Len())
	raw, err := metricKernel(k, p)
	if err != nil {
		return nil
	}
	s.mu.Lock()
	e := kept[p.Metric()]
	if e == nil {
		if size*n*n > s.budget {
			s.mu.Unlock()
			return nil
		}
		s.budget -= size * n * n
		e = new(sharedMatrix[F])
		kept[p.Metric()] = e
	}
	s.mu.Unlock()
	e.once.Do(func() {
		e.m = linalg.Unset[F](int(n), int(n))
		fill(threads, e.m, kernel.Prepare(context.Background(), raw, s.x, s.x)) // shared by all, so nobody's context ends it
	})
	return &e.m
}

func fillSingle(threads int, dst linalg.Matrix[float32], t kernel.Tiles) error {
	return kernel.Fill32(threads, linalg.General32(dst), t)
}

func fillDouble(threads int, dst linalg.Matrix[float64], t kernel.Tiles) error {
	return kernel.Fill(threads, blas64.General(dst), t)
}

// gramRows is how many rows of a Gram matrix one piece of work fills.
const gramRows = 64

// gram32 sets dst to the Gram matrix of k in single precision, with 0 for entries too small to be
// normal numbers: they would slow every product down. It says how large the entries off the
// diagonal are: +Inf where they are not as good as nothing, as they are for a kernel that is far
// too narrow.
func (s *metricStore) gram32(dst linalg.Matrix[float32], k kernel.Kernel[any], threads int) (rest float64) {
	var wide atomic.Bool
	largest := make([]float32, dst.Rows)
	tidy := func(i int) {
		simd.FlushTiny(dst.Row(i))
		if wide.Load() {
			return
		}
		if largest[i] = largestSize(dst.Row(i)[:i]); largest[i] > narrow {
			wide.Store(true)
		}
	}
	bound := func() float64 {
		if wide.Load() {
			return math.Inf(1)
		}
		return float64(slices.Max(largest))
	}
	if p, ok := profileOf(k); ok {
		if single, ok := p.(kernel.Profiled32); ok {
			if d := metric(s, s.single, 4, k, p, threads, fillSingle); d != nil {
				par.For(threads, dst.Rows, gramRows, func(lo, hi int) {
					for i := lo; i < hi; i++ {
						copy(dst.Row(i), d.Row(i))
						single.Profile32(dst.Row(i))
						tidy(i)
					}
				})
				return bound()
			}
		}
	}
	if s.fromParts(k, threads, func(i int, row []float64) {
		for j, v := range row {
			dst.Row(i)[j] = float32(v)
		}
		tidy(i)
	}) {
		return bound()
	}
	kernel.Fill32(threads, linalg.General32(dst), kernel.Prepare(context.Background(), k, s.x, s.x))
	par.For(threads, dst.Rows, gramRows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			tidy(i)
		}
	})
	return bound()
}

// narrow is the size of entries off the diagonal above which nobody asks how large they are.
const narrow = 1e-6

// largestSize is the size of the largest number, or of one that is not narrow. Sizes of
// floating-point numbers are ordered as their bits without the sign.
func largestSize(row []float32) float32 {
	const sign, block = 1 << 31, 256
	limit := math.Float32bits(narrow)
	var most [4]uint32
	for len(row) >= 4 && max(most[0], most[1], most[2], most[3]) <= limit {
		part := row[:min(block, len(row)&^3)]
		row = row[len(part):]
		for ; len(part) >= 4; part = part[4:] {
			most[0] = max(most[0], math.Float32bits(part[0])&^sign)
			most[1] = max(most[1], math.Float32bits(part[1])&^sign)
			most[2] = max(most[2], math.Float32bits(part[2])&^sign)
			most[3] = max(most[3], math.Float32bits(part[3])&^sign)
		}
	}
	all := max(most[0], most[1], most[2], most[3])
	for _, v := range row {
		if all > limit {
			break
		}
		all = max(all, math.Float32bits(v)&^sign)
	}
	return math.Float32frombits(all)
}

// gram64 sets dst to the Gram matrix of k.
func (s *metricStore) gram64(dst linalg.Matrix[float64], k kernel.Kernel[any], threads int) {
	if p, ok := profileOf(k); ok {
		if d := metric(s, s.double, 8, k, p, threads, fillDouble); d != nil {
			par.For(threads, dst.Rows, gramRows, func(lo, hi int) {
				for i := lo; i < hi; i++ {
					row := dst.Row(i)
					copy(row, d.Row(i))
					p.Profile(row)
				}
			})
			return
		}
	}
	if s.fromParts(k, threads, func(i int, row []float64) { copy(dst.Row(i), row) }) {
		return
	}
	kernel.Fill(threads, blas64.General(dst), kernel.Prepare(context.Background(), k, s.x, s.x))
}
