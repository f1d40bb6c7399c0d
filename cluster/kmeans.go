package cluster

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// KMeans is kernel k-means: Lloyd's iteration on the images of the points in
// feature space, from k-means++ starts drawn there. All restarts run side by
// side, so that one product with the Gram matrix serves them all.
type KMeans[T any] struct {
	Kernel        kernel.Kernel[T]
	Clusters      int
	Restarts      int // 0 means 10
	MaxIterations int // 0 means 300
	Seed          uint64
	Threads       int        // 0 means all
	Bytes         int64      // budget of the Gram matrix; 0 means a quarter of the machine's memory
	Trace         trace.Func // Objective is the best sum of squares so far
}

// KMeansModel is a fitted KMeans.
type KMeansModel[T any] struct {
	doubted
	f          *rkhs.Func[T] // output c is ⟨φ(x), μ_c⟩
	norm       []float64     // ‖μ_c‖²
	labels     []int
	inertia    float64
	iterations int
	converged  bool
	threads    int
}

// run is one start on its way.
type run struct {
	labels  []int
	sizes   []int
	inertia float64
	done    bool
}

// Fit groups the points.
func (m KMeans[T]) Fit(ctx context.Context, x data.Points[T]) (*KMeansModel[T], error) {
	if err := checkFit(m.Kernel, x, m.Clusters, m.Restarts); err != nil {
		return nil, err
	}
	if m.MaxIterations < 0 {
		return nil, fault.Errorf("cluster", "%d iterations; want a positive number, or 0 for 300", m.MaxIterations)
	}
	if m.Restarts == 0 {
		m.Restarts = 10
	}
	if m.MaxIterations == 0 {
		m.MaxIterations = 300
	}
	x = data.Own(x)
	g, err := gram.New(ctx, m.Kernel, x, gram.Options{Threads: m.Threads, Bytes: m.Bytes})
	if err != nil {
		return nil, fault.In("cluster", err)
	}
	n := x.Len()
	diag := make([]float64, n)
	g.Diag(diag)
	runs := make([]*run, m.Restarts)
	for r := range runs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if runs[r], err = m.start(ctx, x, diag, m.Seed+uint64(r)); err != nil {
			return nil, err
		}
	}
	begin, it := time.Now(), 0
	for ; it < m.MaxIterations; it++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !m.advance(g, diag, runs) {
			break
		}
		best := math.Inf(1)
		for _, r := range runs {
			best = math.Min(best, r.inertia)
		}
		m.Trace.Report(trace.Step{Iteration: it + 1, Objective: best, Elapsed: time.Since(begin)})
	}
	best := runs[0]
	for _, r := range runs {
		if r.inertia < best.inertia {
			best = r
		}
	}
	out := &KMeansModel[T]{inertia: best.inertia, iterations: it, converged: best.done, threads: m.Threads}
	out.labels, _ = inOrder(best.labels, m.Clusters)
	out.finish(m, x, g)
	if err := ctx.Err(); err != nil {
		return nil, err // products with the Gram matrix were left unfinished
	}
	if out.doubted, err = doubts(ctx, m.Kernel, x, m.Threads); err != nil {
		return nil, err
	}
	if !out.converged {
		out.warnings = append(out.warnings, fmt.Sprintf("points still moved after %d iterations: the groups are not settled",
			it))
	}
	return out, nil
}

// start assigns points to the nearest of k-means++ centres.
func (m KMeans[T]) start(ctx context.Context, x data.Points[T], diag []float64, seed uint64) (*run, error) {
	centers, err := gram.KMeansCenters(ctx, m.Kernel, x, m.Clusters, m.Threads, seed)
	if err != nil {
		return nil, fault.In("cluster", err)
	}
	if len(centers) < m.Clusters {
		return nil, fault.Errorf("cluster", "only %d points differ in feature space, too few for %d clusters", len(centers),
			m.Clusters)
	}
	cross := linalg.New[float64](len(diag), m.Clusters)
	kernel.Fill(m.Threads, blas64.General(cross), kernel.Prepare(ctx, m.Kernel, x, data.Gather(x, centers)))
	r := &run{labels: make([]int, len(diag)), sizes: make([]int, m.Clusters), inertia: math.Inf(1)}
	v := make([]float64, m.Clusters)
	for i := range r.labels {
		for c, k := range cross.Row(i) {
			v[c] = diag[centers[c]] - 2*k
		}
		r.labels[i] = nearest(v)
	}
	for c, i := range centers { // none starts empty, whatever rounding says
		r.labels[i] = c
	}
	for _, c := range r.labels {
		r.sizes[c]++
	}
	return r, nil
}

// advance takes every run that is not done one step further and says whether
// any was left.
func (m KMeans[T]) advance(g gram.Gram, diag []float64, runs []*run) bool {
	var active []*run
	for _, r := range runs {
		if !r.done {
			active = append(active, r)
		}
	}
	if len(active) == 0 {
		return false
	}
	n, k := len(diag), m.Clusters
	z, y := linalg.New[float64](n, k*len(active)), linalg.New[float64](n, k*len(active))
	for a, r := range active {
		for i, c := range r.labels {
			z.Set(i, a*k+c, 1/float64(r.sizes[c]))
		}
	}
	g.MulTo(linalg.Dense(y), linalg.Dense(z), false) // y[i, c] = ⟨φ(xᵢ), μ_c⟩
	par.For(m.Threads, len(active), 1, func(a, _ int) {
		active[a].step(diag, y.Slice(0, n, a*k, (a+1)*k))
	})
	return true
}

// step moves every point to its nearest mean.
func (r *run) step(diag []float64, inner linalg.Matrix[float64]) {
	k := len(r.sizes)
	norm := make([]float64, k)
	for i, c := range r.labels {
		norm[c] += inner.At(i, c) / float64(r.sizes[c])
	}
	v := make([]float64, k)
	far := make([]float64, len(diag)) // squared distance to the own mean
	changed := false
	inertia := 0.0
	for i, old := range r.labels {
		row := inner.Row(i)
		inertia += math.Max(diag[i]-2*row[old]+norm[old], 0)
		for c := range v {
			v[c] = norm[c] - 2*row[c]
		}
		c := nearest(v)
		if !(v[c] < v[old]-1e-12*math.Abs(diag[i])) {
			c = old // a tie moves nobody
		}
		far[i] = diag[i] + v[c]
		if c != old {
			changed = true
			r.sizes[old]--
			r.sizes[c]++
			r.labels[i] = c
		}
	}
	r.inertia = inertia // of the labels before this step; equal when done
	for c := range r.sizes {
		if r.sizes[c] > 0 {
			continue
		}
		// An empty cluster takes the point farthest from its mean.
		at := -1
		for i, l := range r.labels {
			if r.sizes[l] > 1 && (at < 0 || far[i] > far[at]) {
				at = i
			}
		}
		r.sizes[r.labels[at]]--
		r.labels[at], r.sizes[c], far[at] = c, 1, 0
		changed = true
	}
	r.done = !changed
}

// finish makes the function of the means.
func (o *KMeansModel[T]) finish(m KMeans[T], x data.Points[T], g gram.Gram) {
	n := x.Len()
	coef := linalg.New[float64](n, m.Clusters)
	for c, points := range members(o.labels, m.Clusters) {
		for _, i := range points {
			coef.Set(i, c, 1/float64(len(points)))
		}
	}
	y := linalg.New[float64](n, m.Clusters)
	g.MulTo(linalg.Dense(y), linalg.Dense(coef), false)
	o.norm = make([]float64, m.Clusters)
	for i := range n {
		for c, v := range coef.Row(i) {
			o.norm[c] += v * y.At(i, c)
		}
	}
	o.f = (&rkhs.Func[T]{Kernel: m.Kernel, Centers: x, Coef: linalg.Dense(coef)}).Prepare()
}

// Labels is the cluster of every training point.
func (o *KMeansModel[T]) Labels() []int { return append([]int(nil), o.labels...) }

// Inertia is Σᵢ ‖φ(xᵢ) − μ_{z(i)}‖².
func (o *KMeansModel[T]) Inertia() float64 { return o.inertia }

// Iterations is how many steps the slowest restart took.
func (o *KMeansModel[T]) Iterations() int { return o.iterations }

// Converged says whether the best restart ended because no point moved.
func (o *KMeansModel[T]) Converged() bool { return o.converged }

// Func is the means: output c is ⟨φ(x), μ_c⟩.
func (o *KMeansModel[T]) Func() *rkhs.Func[T] { return o.f }

// SquaredDistances returns ‖φ(x) − μ_c‖² for each point, a row each, and each
// cluster.
func (o *KMeansModel[T]) SquaredDistances(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return apply.Matrix(x, len(o.norm), func(dst *mat.Dense) error { return o.SquaredDistancesTo(ctx, dst, x) })
}

// SquaredDistancesTo sets dst, a row for each point and a column for each
// cluster, to ‖φ(x) − μ_c‖².
func (o *KMeansModel[T]) SquaredDistancesTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	if err := apply.To(ctx, o.f, dst, x, rkhs.EvalOptions{Threads: o.threads}); err != nil {
		return fault.In("cluster", err)
	}
	self := make([]float64, x.Len())
	kernel.Diag(ctx, o.f.Kernel, self, x)
	for i, s := range self {
		row := dst.RawRowView(i)
		for c := range row {
			row[c] = math.Max(s-2*row[c]+o.norm[c], 0)
		}
	}
	return nil
}

// Assign returns the cluster of the nearest mean for each point.
func (o *KMeansModel[T]) Assign(ctx context.Context, x data.Points[T]) ([]int, error) {
	return apply.Slice(x, func(dst []int) error { return o.AssignTo(ctx, dst, x) })
}

// AssignTo sets dst, a place for each point, to the cluster of the nearest mean.
func (o *KMeansModel[T]) AssignTo(ctx context.Context, dst []int, x data.Points[T]) error {
	d, err := o.SquaredDistances(ctx, x)
	if err != nil {
		return err
	}
	if err := apply.CheckLen(len(dst), x.Len()); err != nil {
		return fault.In("cluster", err)
	}
	for i := range dst {
		dst[i] = nearest(d.RawRowView(i))
	}
	return nil
}
