package smooth

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/internal/engine/smoothing"
	"github.com/mercer-ml/mercer/learn"
)

// Bandwidths is the bandwidth of each column.
func (m *NadarayaWatsonModel) Bandwidths() []float64 {
	return append([]float64(nil), m.metric.Widths...)
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
	n := m.sum.Tree.N
	m.residuals = make([]float64, n)
	share := make([]float64, n) // k(xᵢ, xᵢ)
	par.For(m.threads, n, 16, func(lo, hi int) {
		var room smoothing.Room
		q := make([]float64, m.sum.Tree.Dim)
		for p := lo; p < hi && ctx.Err() == nil; p++ {
			m.sum.Tree.Point(q, p)
			own := 1.0
			if m.sum.Weight != nil {
				own = m.sum.Weight[p]
			}
			// Σ_{j≠i} directly: 1 - k(xᵢ, xᵢ) cancels for a lonely point.
			mass, moment := m.sum.Moments(&room, q, m.targets, p)
			i := m.sum.Tree.Index[p]
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

// shares are k(x, xₙ) by place, in the log domain where they underflow; nil
// where no point is in reach of a compact kernel.
func (m *NadarayaWatsonModel) shares(room *smoothing.Room, q []float64) []float64 {
	k := m.sum
	out := make([]float64, k.Tree.N)
	k.Terms(room, out, q)
	sum := 0.0
	for _, v := range out {
		sum += v
	}
	if sum < smoothing.Tiny*k.Total {
		if k.Kernel.Support() == 1 {
			if sum == 0 {
				return nil
			}
		} else {
			top := math.Inf(-1)
			for p := range out {
				out[p] = k.LogTerm(q, p)
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

// Predict returns y(x) at each point. Far from the data it tends to the nearest
// target; where no point is in reach of a compact kernel it is NaN.
func (m *NadarayaWatsonModel) Predict(ctx context.Context, x data.Points[[]float64]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.PredictTo(ctx, dst, x) })
}

// PredictTo sets dst, a place for each point, to y(x).
func (m *NadarayaWatsonModel) PredictTo(ctx context.Context, dst []float64, x data.Points[[]float64]) error {
	q, err := queries(ctx, dst, x, m.sum.Tree.Dim, m.metric)
	if err != nil {
		return fmt.Errorf("nadaraya-watson: %w", err)
	}
	par.For(m.threads, q.Rows, 8, func(lo, hi int) {
		var room smoothing.Room
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			mass, moment := m.sum.Moments(&room, q.Row(i), m.targets, -1)
			if dst[i] = moment / mass; mass < smoothing.Tiny*m.sum.Total {
				dst[i] = math.NaN()
				if w := m.shares(&room, q.Row(i)); w != nil {
					dst[i] = simd.Dot64(w, m.targets)
				}
			}
		}
	})
	return ctx.Err()
}

// Conditional returns p(t|x) at each point: a kernel of width TargetBandwidth around
// every training target, weighted by k(x, xₙ). Weights below 1e-15 of the
// largest are left out.
func (m *NadarayaWatsonModel) Conditional(ctx context.Context, x data.Points[[]float64]) ([]Conditional, error) {
	return apply.Slice(x, func(dst []Conditional) error { return m.ConditionalTo(ctx, dst, x) })
}

// ConditionalTo sets dst, a place for each point, to p(t|x).
func (m *NadarayaWatsonModel) ConditionalTo(ctx context.Context, dst []Conditional, x data.Points[[]float64]) error {
	q, err := queries(ctx, dst, x, m.sum.Tree.Dim, m.metric)
	if err != nil {
		return fmt.Errorf("nadaraya-watson: %w", err)
	}
	par.For(m.threads, q.Rows, 8, func(lo, hi int) {
		var room smoothing.Room
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			c := Conditional{Smoother: density.Smoother(m.sum.Kernel), Widths: []float64{m.width}}
			w := m.shares(&room, q.Row(i))
			top := 0.0
			for _, v := range w {
				top = max(top, v)
			}
			for p, v := range w {
				if v > 1e-15*top {
					c.Shares, c.Centers = append(c.Shares, v), append(c.Centers, m.targets[p])
				}
			}
			dst[i] = c
		}
	})
	return ctx.Err()
}
