package density

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sort"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/smoothing"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// treeDim is the number of columns up to which the tree skips enough to be
// worth its walk.
const treeDim = 8

// Len is the number of points.
func (m *KDEModel) Len() int { return m.x.Rows }

// Dim is the number of columns.
func (m *KDEModel) Dim() int { return m.x.Cols }

// Report says how the fit went.
func (m *KDEModel) Report() learn.Report { return m.report }

// Bandwidths is the bandwidth of each column; nil with a BandwidthMatrix.
func (m *KDEModel) Bandwidths() []float64 { return append([]float64(nil), m.metric.Widths...) }

// BandwidthMatrix is H, diagonal unless given otherwise.
func (m *KDEModel) BandwidthMatrix() *mat.SymDense { return m.metric.Matrix() }

// Scales is Abramson's factor of each point; nil without Adaptive.
func (m *KDEModel) Scales() []float64 { return append([]float64(nil), m.scales...) }

// LogDensity returns log p at each point. It is -Inf outside the support and
// beyond the reach of a compact kernel; it does not underflow.
func (m *KDEModel) LogDensity(ctx context.Context, x data.Points[[]float64]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.LogDensityTo(ctx, dst, x) })
}

// LogDensityTo sets dst, a place for each point, to log p.
func (m *KDEModel) LogDensityTo(ctx context.Context, dst []float64, x data.Points[[]float64]) error {
	q, err := queries(ctx, dst, x, m.x.Cols)
	if err == nil {
		err = m.correctedLogDensity(ctx, dst, q)
	}
	if err != nil {
		return fmt.Errorf("kde: %w", err)
	}
	return nil
}

// Density returns p at each point.
func (m *KDEModel) Density(ctx context.Context, x data.Points[[]float64]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.DensityTo(ctx, dst, x) })
}

// DensityTo sets dst, a place for each point, to p.
func (m *KDEModel) DensityTo(ctx context.Context, dst []float64, x data.Points[[]float64]) error {
	return exponentiated(dst, m.LogDensityTo(ctx, dst, x))
}

// Score is the mean log-density of the points, the log-likelihood per point.
func (m *KDEModel) Score(ctx context.Context, x data.Points[[]float64]) (float64, error) {
	logs, err := m.LogDensity(ctx, x)
	if err != nil {
		return 0, err
	}
	if len(logs) == 0 {
		return 0, errors.New("kde: the mean log-density of no points; give at least one")
	}
	s := 0.0
	for _, v := range logs {
		s += v
	}
	return s / float64(len(logs)), nil
}

// logDensityOf evaluates without a boundary; q is left alone.
func (m *KDEModel) logDensityOf(ctx context.Context, dst []float64, q linalg.Matrix[float64]) error {
	z := q.Clone()
	m.metric.Divide(z)
	threads := m.config.Threads
	done, err := m.onDevice(ctx, dst, z)
	switch {
	case done || err != nil:
	case m.boxes != nil:
		err = m.boxes.LogSums(ctx, threads, dst, z, m.sum, m.tol)
	case m.bins != nil:
		err = m.bins.LogSums(ctx, threads, dst, z, m.sum, m.tol)
	case m.config.Method == Brute || m.config.Method == Auto && (z.Cols > treeDim || m.x.Rows <= 2*smoothing.Leaf):
		err = m.sum.LogSumsBrute(ctx, threads, dst, z)
	default:
		err = m.sum.LogSums(ctx, threads, dst, z, m.tol)
	}
	for i := range dst {
		dst[i] += m.logNorm
	}
	return err
}

// Sample draws n points from the estimate, a row each.
func (m *KDEModel) Sample(ctx context.Context, n int, seed uint64) (*mat.Dense, error) {
	if n <= 0 {
		return nil, fmt.Errorf("kde: a sample of %d points; give at least 1", n)
	}
	dst := mat.NewDense(n, m.x.Cols, nil)
	if err := m.SampleTo(ctx, dst, seed); err != nil {
		return nil, err
	}
	return dst, nil
}

// SampleTo sets the rows of dst to points drawn from the estimate.
func (m *KDEModel) SampleTo(ctx context.Context, dst *mat.Dense, seed uint64) error {
	if dst == nil || dst.IsEmpty() {
		return errors.New("kde: a sample of no points; give a matrix with rows")
	}
	n, c := dst.Dims()
	if c != m.x.Cols {
		return fmt.Errorf("kde: a sample in %d columns of a density in %d", c, m.x.Cols)
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	var cumulative []float64
	if m.weights != nil {
		cumulative = make([]float64, len(m.weights))
		s := 0.0
		for i, w := range m.weights {
			s += w
			cumulative[i] = s
		}
	}
	for i := range n {
		row := dst.RawRowView(i)
		for m.draw(row, cumulative, rng); !m.acceptDraw(row, rng); m.draw(row, cumulative, rng) {
			if err := ctx.Err(); err != nil { // a corner may accept few
				return fmt.Errorf("kde: %w", err)
			}
		}
		if i%1024 == 0 && ctx.Err() != nil {
			return fmt.Errorf("kde: %w", ctx.Err())
		}
	}
	return nil
}

// draw takes a point by its weight and moves it by a draw from the kernel.
func (m *KDEModel) draw(row, cumulative []float64, rng *rand.Rand) {
	i := 0
	if cumulative == nil {
		i = rng.IntN(m.x.Rows)
	} else {
		i = min(sort.SearchFloat64s(cumulative, rng.Float64()*cumulative[len(cumulative)-1]), m.x.Rows-1)
		for m.weights[i] == 0 { // a random number that fell on an edge
			i--
		}
	}
	m.config.Smoother.kernel().Sample(row, m.config.Product, rng)
	if m.scales != nil {
		for j := range row {
			row[j] *= m.scales[i]
		}
	}
	m.metric.Times(row)
	for j, v := range m.x.Row(i) {
		row[j] += v
	}
}
