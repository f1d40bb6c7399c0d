package stat

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/learn"
)

// Bandwidths is the bandwidth of each column.
func (m *NadarayaWatsonModel) Bandwidths() []float64 {
	return append([]float64(nil), m.metric.widths...)
}

// TargetBandwidth is hₜ of the conditional density.
func (m *NadarayaWatsonModel) TargetBandwidth() float64 { return m.width }

// Report says how the fit went.
func (m *NadarayaWatsonModel) Report() learn.Report { return m.report }

// Residuals is tᵢ - y₋ᵢ(xᵢ), each point left out of its own prediction; NaN
// where no other point is in reach.
func (m *NadarayaWatsonModel) Residuals() []float64 { return append([]float64(nil), m.residuals...) }

// Freedom is the effective number of parameters, the trace of the smoother:
// Σ k(xᵢ, xᵢ).
func (m *NadarayaWatsonModel) Freedom() float64 { return m.freedom }

// leaveOneOut fills in residuals and freedom.
func (m *NadarayaWatsonModel) leaveOneOut(ctx context.Context) error {
	n := m.sum.tree.n
	m.residuals = make([]float64, n)
	share := make([]float64, n) // k(xᵢ, xᵢ)
	par.For(m.threads, n, 16, func(lo, hi int) {
		var room rowRoom
		q := make([]float64, m.sum.tree.dim)
		for p := lo; p < hi && ctx.Err() == nil; p++ {
			m.sum.tree.point(q, p)
			own := 1.0
			if m.sum.weight != nil {
				own = m.sum.weight[p]
			}
			// Σ_{j≠i} directly: 1 - k(xᵢ, xᵢ) cancels for a lonely point.
			mass, moment := m.sum.moments(&room, q, m.targets, p)
			i := m.sum.tree.index[p]
			share[p] = own / (own + mass)
			m.residuals[i] = m.targets[p] - moment/mass
			if mass == 0 {
				m.residuals[i] = math.NaN()
			}
		}
	})
	m.freedom = 0
	for _, v := range share {
		m.freedom += v
	}
	return ctx.Err()
}

// moments are Σ wⱼ·shape and Σ wⱼ·shape·tⱼ, without the place skip when that is
// not negative.
func (k *kernelSum) moments(room *rowRoom, q, t []float64, skip int) (mass, moment float64) {
	for a := 0; a < k.tree.n; a += rowLength {
		b := min(a+rowLength, k.tree.n)
		row := k.values(room, q, a, b)
		if skip >= a && skip < b {
			row[skip-a] = 0
		}
		if k.weight != nil {
			for i, w := range k.weight[a:b] {
				row[i] *= w
			}
		}
		mass += simd.Asum64(row)
		moment += simd.Dot64(row, t[a:b])
	}
	return mass, moment
}

// shares are k(x, xₙ) by place, in the log domain where they underflow; nil
// where no point is in reach of a compact kernel.
func (m *NadarayaWatsonModel) shares(room *rowRoom, q []float64) []float64 {
	k := m.sum
	out := make([]float64, k.tree.n)
	sum := 0.0
	for a := 0; a < k.tree.n; a += rowLength {
		b := min(a+rowLength, k.tree.n)
		copy(out[a:b], k.values(room, q, a, b))
	}
	for p := range out {
		if k.weight != nil {
			out[p] *= k.weight[p]
		}
		sum += out[p]
	}
	if sum < sumTiny*k.total {
		if k.smoother.Support() == 1 {
			if sum == 0 {
				return nil
			}
		} else {
			top := math.Inf(-1)
			for p := range out {
				out[p] = k.logTerm(q, p)
				top = max(top, out[p])
			}
			sum = 0
			for p := range out {
				out[p] = math.Exp(out[p] - top)
				sum += out[p]
			}
		}
	}
	for p := range out {
		out[p] /= sum
	}
	return out
}

func (m *NadarayaWatsonModel) queries(x data.Points[[]float64]) (linalg.Matrix[float64], error) {
	q, err := matrixOf(x, m.sum.tree.dim)
	if err != nil {
		return q, fmt.Errorf("nadaraya-watson: %w", err)
	}
	m.metric.divide(q)
	return q, nil
}

// Predict returns y(x) at each point, in dst when it is long enough. Far from
// the data it tends to the nearest target; where no point is in reach of a
// compact kernel it is NaN.
func (m *NadarayaWatsonModel) Predict(ctx context.Context, dst []float64, x data.Points[[]float64]) ([]float64, error) {
	q, err := m.queries(x)
	if err != nil {
		return nil, err
	}
	if len(dst) < q.Rows {
		dst = make([]float64, q.Rows)
	}
	dst = dst[:q.Rows]
	par.For(m.threads, q.Rows, 8, func(lo, hi int) {
		var room rowRoom
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			mass, moment := m.sum.moments(&room, q.Row(i), m.targets, -1)
			if dst[i] = moment / mass; mass < sumTiny*m.sum.total {
				dst[i] = math.NaN()
				if w := m.shares(&room, q.Row(i)); w != nil {
					dst[i] = simd.Dot64(w, m.targets)
				}
			}
		}
	})
	return dst, ctx.Err()
}

// Conditional is p(t|x) at each point: a kernel of width TargetBandwidth around
// every training target, weighted by k(x, xₙ). Weights below 1e-15 of the
// largest are left out.
func (m *NadarayaWatsonModel) Conditional(ctx context.Context, x data.Points[[]float64]) ([]Conditional, error) {
	q, err := m.queries(x)
	if err != nil {
		return nil, err
	}
	out := make([]Conditional, q.Rows)
	par.For(m.threads, q.Rows, 8, func(lo, hi int) {
		var room rowRoom
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			c := Conditional{Smoother: m.sum.smoother, Widths: []float64{m.width}}
			w := m.shares(&room, q.Row(i))
			top := 0.0
			for _, v := range w {
				top = max(top, v)
			}
			for p, v := range w {
				if v > 1e-15*top {
					c.Weights, c.Centers = append(c.Weights, v), append(c.Centers, m.targets[p])
				}
			}
			out[i] = c
		}
	})
	return out, ctx.Err()
}
