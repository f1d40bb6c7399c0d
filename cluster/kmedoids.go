package cluster

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/blas/blas64"
)

// MedoidMethod is an algorithm for k-medoids.
type MedoidMethod int

// The algorithms.
const (
	// FasterPAM swaps a medoid for another point as soon as that helps, with
	// the O(k) speed-up of Schubert and Rousseeuw (2021).
	FasterPAM MedoidMethod = iota
	// PAM is the original: greedy BUILD, then the best swap of all in every
	// step (Kaufman and Rousseeuw 1987), found in O(n²) as in FastPAM1.
	PAM
	// Alternate is the alternation of the notes: assign points to medoids,
	// then take the best medoid of each cluster. Fast, but swaps find better
	// minima.
	Alternate
)

// KMedoids chooses K of the points as centres so that the sum of distances of
// all points to their centre is small:
//
//	minimise over m₁, …, m_K   Σᵢ min_c d(xᵢ, x_{m_c}).
//
// At the end of PAM and FasterPAM no swap of one medoid for another point
// lowers the sum.
type KMedoids[T any] struct {
	Kernel   kernel.Kernel[T]
	Clusters int
	Method   MedoidMethod
	Distance Distance
	Restarts int // random starts, the best is kept (PAM has one start); 0 means 5
	Seed     uint64
	Threads  int        // 0 means all
	Bytes    int64      // budget of the n² distances; 0 means a quarter of the machine's memory
	Trace    trace.Func // Objective is the sum of distances
}

// KMedoidsModel is a fitted KMedoids.
type KMedoidsModel[T any] struct {
	doubted
	kernel   kernel.Kernel[T]
	medoids  []int
	centers  data.Points[T]
	self     []float64 // k(c, c)
	distance Distance
	labels   []int
	cost     float64
	swaps    int
	threads  int
}

// Fit groups the points.
func (m KMedoids[T]) Fit(ctx context.Context, x data.Points[T]) (*KMedoidsModel[T], error) {
	if err := checkFit(m.Kernel, x, m.Clusters, m.Restarts); err != nil {
		return nil, err
	}
	if m.Method < FasterPAM || m.Method > Alternate {
		return nil, fault.Errorf("cluster", "unknown method %d", int(m.Method))
	}
	d, diag, err := distances(ctx, m.Kernel, x, m.Distance, gram.Options{Threads: m.Threads, Bytes: m.Bytes})
	if err != nil {
		return nil, err
	}
	restarts := m.Restarts
	if restarts == 0 {
		restarts = 5
	}
	if m.Method == PAM || m.Clusters == 1 {
		restarts = 1
	}
	var best *medoidSearch
	start, steps := time.Now(), 0
	for r := range restarts {
		s := &medoidSearch{d: d, k: m.Clusters, threads: m.Threads}
		s.report = func() {
			steps++
			m.Trace.Report(trace.Step{Iteration: steps, Objective: s.cost, Elapsed: time.Since(start)})
		}
		switch {
		case m.Clusters == 1:
			s.medoids = []int{s.medoidOf(par.Indices(0, d.Rows))}
			s.assign()
		case m.Method == PAM:
			s.build()
			err = s.bestSwaps(ctx)
		default:
			s.medoids = rand.New(rand.NewPCG(m.Seed, uint64(r))).Perm(d.Rows)[:m.Clusters]
			s.assign()
			if m.Method == Alternate {
				err = s.alternate(ctx)
			} else {
				err = s.eagerSwaps(ctx)
			}
		}
		if err != nil {
			return nil, err
		}
		if best == nil || s.cost < best.cost {
			best = s
		}
	}
	labels, order := inOrder(best.near, m.Clusters)
	out := &KMedoidsModel[T]{kernel: m.Kernel, distance: m.Distance, labels: labels, cost: best.cost, swaps: best.swaps,
		threads: m.Threads}
	for _, c := range order {
		out.medoids = append(out.medoids, best.medoids[c])
		out.self = append(out.self, diag[best.medoids[c]])
	}
	out.centers = data.Own(data.Gather(x, out.medoids))
	out.doubted, err = doubts(ctx, m.Kernel, x, m.Threads)
	return out, err
}

// Labels is the cluster of every training point.
func (m *KMedoidsModel[T]) Labels() []int { return append([]int(nil), m.labels...) }

// Medoids lists the training points that are the centres, by cluster.
func (m *KMedoidsModel[T]) Medoids() []int { return append([]int(nil), m.medoids...) }

// Centers are the centres themselves.
func (m *KMedoidsModel[T]) Centers() data.Points[T] { return m.centers }

// Cost is the sum of distances of all training points to their centre.
func (m *KMedoidsModel[T]) Cost() float64 { return m.cost }

// Swaps is how many changes of a medoid the best run took.
func (m *KMedoidsModel[T]) Swaps() int { return m.swaps }

// Assign returns the cluster of the nearest medoid for each point.
func (m *KMedoidsModel[T]) Assign(ctx context.Context, x data.Points[T]) ([]int, error) {
	return apply.Slice(x, func(dst []int) error { return m.AssignTo(ctx, dst, x) })
}

// AssignTo sets dst, a place for each point, to the cluster of the nearest medoid.
func (m *KMedoidsModel[T]) AssignTo(ctx context.Context, dst []int, x data.Points[T]) error {
	err := apply.Check(ctx, m.kernel, m.centers, x)
	if err == nil {
		err = apply.CheckLen(len(dst), x.Len())
	}
	if err != nil {
		return fault.In("cluster", err)
	}
	if len(dst) == 0 {
		return nil
	}
	cross := linalg.New[float64](x.Len(), len(m.medoids))
	kernel.Fill(m.threads, blas64.General(cross), kernel.NewBase(m.kernel, m.centers).Prepare(ctx, x))
	if err := ctx.Err(); err != nil {
		return err
	}
	v := make([]float64, len(m.medoids))
	for i := range dst {
		for c, k := range cross.Row(i) {
			v[c] = m.self[c] - 2*k // k(x, x) is the same for all
		}
		dst[i] = nearest(v)
	}
	return nil
}
