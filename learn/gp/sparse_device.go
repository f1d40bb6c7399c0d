package gp

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
)

// deviceFeatures is the features of all rows on a device, nil where that cannot make them: none, a
// kernel without a formula or a parameter that is not in it, no memory, a device that was lost.
func deviceFeatures(
	ctx context.Context, d *gram.Device, k kernel.Kernel[any], rows data.Source[any], z data.Points[any], wanted []bool,
) *gram.FeatureRows {
	vec, vectors := kernel.Concrete(k).(kernel.Kernel[kernel.Vec])
	source, also := data.VectorSource(rows)
	points, well := data.VectorsOf(z)
	if d == nil || !vectors || !also || !well || ctx.Err() != nil {
		return nil
	}
	f, err := gram.NewFeatureRows(ctx, d, vec, source, points, wanted, jitterSteps[:])
	if err != nil {
		return nil
	}
	return f
}

// flatRows is what is known of all rows but the points.
type flatRows struct{ targets, weights []float64 }

// flatten reads them in one pass.
func flatten(ctx context.Context, rows data.Source[any]) (*flatRows, error) {
	n := rows.Len()
	f := &flatRows{make([]float64, n), make([]float64, n)}
	return f, rows.Pass(ctx, deviceBlock, func(b data.Block[any]) error {
		for i := range b.Len() {
			f.targets[b.First+i], f.weights[b.First+i] = b.Target(i)[0], b.Weight(i)
		}
		return nil
	})
}

// deviceBlock is how many rows the host looks at in one go, deviceChunk one of its processors.
const (
	deviceBlock = 1 << 16
	deviceChunk = 1 << 12
)

// selves is k(x, x) of all rows: one number where that is the same for all.
type selves []float64

func selvesOf(
	ctx context.Context, k kernel.Kernel[any], rows data.Source[any], z data.Points[any],
) (selves, error) {
	if kernel.PropertiesOf(k).Stationary == kernel.Yes {
		s := make(selves, 1)
		return s, kernel.Diag(ctx, k, s, data.Span(z, 0, 1))
	}
	s := make(selves, rows.Len())
	return s, rows.Pass(ctx, deviceBlock, func(b data.Block[any]) error {
		return kernel.Diag(ctx, k, s[b.First:b.First+b.Len()], b.Points)
	})
}

// lost is what points that know so much of k(xᵢ, xᵢ) do not know of it.
func (s selves) lost(i int, known float64) float64 {
	v := s[min(i, len(s)-1)]
	return v - min(known, v)
}

// selfGrad adds Σ wᵢ∂k(xᵢ, xᵢ)/∂θ to grad.
func selfGrad(
	ctx context.Context, k kernel.Kernel[any], rows data.Source[any], grad []float64, wanted []bool, w []float64,
) error {
	part := make([]float64, len(grad))
	return rows.Pass(ctx, deviceBlock, func(b data.Block[any]) error {
		err := kernel.DiagGradDot(ctx, k, part, wanted, w[b.First:b.First+b.Len()], b.Points)
		for p, v := range part {
			grad[p] += v
		}
		return err
	})
}

// rowSums adds up count numbers that each says of rows lo to hi-1, in an order that does not depend
// on the number of threads.
func rowSums(threads, n, count int, each func(lo, hi int, sum []float64)) []float64 {
	parts := make([][]float64, (n+deviceChunk-1)/deviceChunk)
	par.For(threads, n, deviceChunk, func(lo, hi int) {
		parts[lo/deviceChunk] = make([]float64, count)
		each(lo, hi, parts[lo/deviceChunk])
	})
	out := make([]float64, count)
	for _, part := range parts {
		for i, v := range part {
			out[i] += v
		}
	}
	return out
}

// evaluate is the bound at some parameters and, with grad, its derivatives as of gradient. On a
// device the state is without its factors, which home brings.
func (p *sparseProblem) evaluate(
	ctx context.Context, k kernel.Kernel[any], z data.Points[any], noise float64, grad []float64, wanted []bool, dim int,
) (*sparseState, error) {
	if s, ok := p.evaluateDevice(ctx, k, z, noise, grad, wanted, dim, false); ok {
		return s, nil
	}
	s, err := p.solve(ctx, k, z, noise)
	if err == nil && grad != nil {
		err = p.gradient(ctx, s, grad, wanted, dim)
	}
	return s, err
}

// home is a state with its factors. A search that was stopped has a right to its best place, so that
// this does not ask the context.
func (p *sparseProblem) home(ctx context.Context, s *sparseState) (*sparseState, error) {
	if s.inner != nil {
		return s, nil
	}
	ctx = context.WithoutCancel(ctx)
	if again, ok := p.evaluateDevice(ctx, s.kernel, s.points, s.noise, nil, nil, 0, true); ok {
		return again, nil
	}
	return p.solve(ctx, s.kernel, s.points, s.noise)
}

// evaluateDevice is evaluate with all that takes n·M² or M³ operations on a device. It is not ok
// where that cannot.
func (p *sparseProblem) evaluateDevice(
	ctx context.Context, k kernel.Kernel[any], z data.Points[any], noise float64, grad []float64, wanted []bool, dim int,
	factors bool,
) (_ *sparseState, ok bool) {
	if grad == nil {
		wanted = make([]bool, len(kernel.Params(k)))
	}
	f := deviceFeatures(ctx, p.Device, k, p.rows, z, wanted)
	if f == nil {
		return nil, false
	}
	defer f.Close()
	var err error
	if p.flat == nil {
		if p.flat, err = flatten(ctx, p.rows); err != nil {
			p.flat = nil
			return nil, false
		}
	}
	d := &sparseDevice{sparseProblem: p, FeatureRows: f, n: p.rows.Len()}
	if d.self, err = selvesOf(ctx, k, p.rows, z); err != nil {
		return nil, false
	}
	s := &sparseState{inducing: &inducing{kernel: k, points: z, jitter: f.Jitter(), threads: p.Threads}, noise: noise}
	if err := d.solve(s); err != nil {
		return nil, false
	}
	defer d.b.Close()
	if grad != nil && d.gradient(ctx, s, grad, wanted, dim) != nil {
		return nil, false
	}
	if factors && d.factors(ctx, s) != nil {
		return nil, false
	}
	return s, ctx.Err() == nil
}

// sparseDevice is a bound on a device.
type sparseDevice struct {
	*sparseProblem
	*gram.FeatureRows
	n     int
	self  selves
	share []float64 // w/λ of every row
	b     *gram.FeatureMoment
}

// spreadAt is λ of a row, and what f(Z) does not know of it.
func (d *sparseDevice) spreadAt(i int, noise float64) (lambda, lost float64) {
	lost = d.self.lost(i, d.Known()[i])
	if d.fitc {
		return noise + lost, lost
	}
	return noise, lost
}

// solve is that of the problem.
func (d *sparseDevice) solve(s *sparseState) (err error) {
	d.share = make([]float64, d.n)
	pull := make([]float64, d.n)
	sums := rowSums(d.Threads, d.n, 5, func(lo, hi int, sum []float64) {
		for i := lo; i < hi; i++ {
			w, y := d.flat.weights[i], d.flat.targets[i]-d.census.Mean
			lambda, lost := d.spreadAt(i, s.noise)
			share := w / lambda
			d.share[i], pull[i] = share, share*y
			sum[0] += w * math.Log(2*math.Pi*lambda)
			sum[1] += w * lost
			sum[2] += share
			sum[3] += share * y
			sum[4] += share * y * y
		}
	})
	if d.b, err = d.Moment(d.share); err != nil {
		return err
	}
	s.lost = sums[1]
	t := sparseSums{logs: sums[0], one: make([]float64, s.count()), y: make([]float64, s.count()), s11: sums[2],
		s1y: sums[3], syy: sums[4]}
	if err = d.TransposedTo(t.one, d.share); err == nil {
		err = d.TransposedTo(t.y, pull)
	}
	if err == nil {
		d.conclude(s, t, d.b.LogDet(), func(v []float64) {
			if err == nil {
				err = d.b.SolveTo(v)
			}
		})
	}
	if err != nil {
		d.b.Close()
	}
	return err
}

// gradient is that of the problem: φ̄ = w(αβ + (I - B⁻¹)φ/λ), for FITC with -w(1/λ + 2Sᵢᵢ)φ.
func (d *sparseDevice) gradient(ctx context.Context, s *sparseState, grad []float64, wanted []bool, dim int) error {
	pull, selfbar := make([]float64, d.n), make([]float64, d.n)
	if err := d.TimesTo(pull, s.beta); err != nil {
		return err
	}
	var own, spread []float64
	if d.fitc {
		own, spread = make([]float64, d.n), make([]float64, d.n)
		if err := d.b.SpreadTo(spread); err != nil {
			return err
		}
	}
	sums := rowSums(d.Threads, d.n, 3, func(lo, hi int, sum []float64) {
		for i := lo; i < hi; i++ {
			w := d.flat.weights[i]
			lambda, _ := d.spreadAt(i, s.noise)
			alpha := (d.flat.targets[i] - s.mean - pull[i]) / lambda
			pull[i] = w * alpha
			sum[0] += w
			sum[1] += w * alpha * alpha
			if !d.fitc {
				selfbar[i] = -0.5 * w / lambda
				continue
			}
			half := 0.5 * (alpha*alpha - 1/lambda + spread[i]/(lambda*lambda)) // Sᵢᵢ
			sum[2] += w * half
			selfbar[i], own[i] = w*half, -w*(2*half+1/lambda)
		}
	})
	noise := sums[2]
	if !d.fitc {
		trace, err := d.b.InverseTrace()
		if err != nil {
			return err
		}
		noise = 0.5*(sums[1]-(sums[0]-float64(s.count())+trace)/s.noise) + 0.5*s.lost/(s.noise*s.noise)
	}
	params := len(kernel.Params(s.kernel))
	var points []float64
	if dim > 0 {
		points = grad[params+1:]
	}
	if err := d.SlopesTo(ctx, grad[:params], points, []gram.FeatureTerm{{Pull: pull, Mean: s.beta, Moment: d.b}},
		own); err != nil {
		return err
	}
	grad[params] = noise
	return selfGrad(ctx, s.kernel, d.rows, grad[:params], wanted, selfbar)
}

// factors brings L, and makes the factor of B of its matrix.
func (d *sparseDevice) factors(ctx context.Context, s *sparseState) (err error) {
	m := s.count()
	l := linalg.New[float64](m, m)
	s.b = linalg.New[float64](m, m)
	if err := d.FactorTo(linalg.Dense(l)); err != nil {
		return err
	}
	if err := d.b.MatrixTo(linalg.Dense(s.b)); err != nil {
		return err
	}
	s.chol = &linalg.Cholesky{L: l}
	s.inner, err = linalg.NewCholeskyContext(ctx, d.Threads, s.b.Clone())
	return err
}
