package smooth

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/smoothing"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/stat/distuv"
)

// LocalRegression fits a polynomial around each point,
//
//	minimise over β   Σ k((xᵢ - x)/h)·ωᵢ·(tᵢ - βᵀφ(xᵢ - x))²,   y(x) = β₀
//
// with φ the monomials up to Degree in all inputs (Cleveland 1979, Cleveland and
// Devlin 1988, Fan and Gijbels 1996). Degree 0 is kernel regression; a line removes its
// bias at the ends of the data.
type LocalRegression struct {
	Smoother density.Smoother // used as given; LOWESS takes density.TriCube
	Degree   int              // 0 to 4

	// The bandwidth: Span takes h to be the distance of the ⌊Span·n⌋-th nearest
	// point; Bandwidth and Bandwidths fix it. Just one of them.
	Span       float64
	Bandwidth  float64
	Bandwidths []float64
	// Scales divide the inputs before Span measures distances, which several inputs of different
	// units need; nil means 1.
	Scales []float64

	// Robust is the number of times the fit is repeated with the bisquare
	// weights ω = (1 - (r/6m)²)², m the median of the residuals' sizes (LOWESS has 3).
	Robust  int
	Weights []float64 // nil means equal
	Threads int
}

// LocalRegressionModel is a fitted LocalRegression.
type LocalRegressionModel struct {
	config  LocalRegression
	z       linalg.Matrix[float64] // inputs divided by the bandwidth
	metric  smoothing.Metric
	t       []float64
	omega   []float64 // weights times robustness weights
	powers  [][]int
	nearest int // points in the span, 0 for a fixed bandwidth
	fitted  []float64
	sigma   float64 // residual standard error
	freedom float64 // trace of the smoother
	inverse float64 // degrees of freedom of the t distribution, δ₁²/δ₂
	report  learn.Report
}

// Fit stores the points, repeats the robust weights, and measures the residual
// error.
func (c LocalRegression) Fit(
	ctx context.Context, x data.Points[[]float64], y []float64,
) (*LocalRegressionModel, error) {
	m, err := c.fit(ctx, x, y)
	if err != nil {
		return nil, fmt.Errorf("local regression: %w", err)
	}
	return m, nil
}

func (c LocalRegression) fit(
	ctx context.Context, x data.Points[[]float64], t []float64,
) (*LocalRegressionModel, error) {
	start := time.Now()
	points, err := apply.OwnPoints(x)
	if err != nil {
		return nil, err
	}
	m := &LocalRegressionModel{config: c}
	if m.t, err = apply.OwnTargets(t, points.Rows); err != nil {
		return nil, err
	}
	w, err := apply.OwnWeights(c.Weights, points.Rows)
	if err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	metric, ok, err := smoothing.GivenBandwidth(c.Bandwidth, c.Bandwidths, nil, points.Cols)
	switch {
	case err != nil:
		return nil, err
	case ok && c.Span != 0 || !ok && c.Span == 0:
		return nil, fmt.Errorf("give one of Span, Bandwidth and Bandwidths")
	case ok && c.Scales != nil:
		return nil, fmt.Errorf("Scales go with Span: a bandwidth has the units of its column")
	}
	m.metric = metric
	if !ok {
		m.metric = smoothing.Metric{Widths: make([]float64, points.Cols)}
		for j := range m.metric.Widths {
			m.metric.Widths[j] = 1
		}
		if c.Scales != nil {
			if m.metric, _, err = smoothing.GivenBandwidth(0, c.Scales, nil, points.Cols); err != nil {
				return nil, fmt.Errorf("Scales: %w", err)
			}
		}
		m.nearest = min(max(int(math.Floor(c.Span*float64(points.Rows)+1e-5)), 1), points.Rows)
	}
	m.z = points
	m.metric.Divide(m.z)
	m.powers = monomials(points.Cols, c.Degree)
	m.omega = make([]float64, points.Rows)
	for i := range m.omega {
		m.omega[i] = smoothing.Share(w, i, points.Rows) * float64(points.Rows)
	}
	base := append([]float64(nil), m.omega...)
	m.fitted = make([]float64, points.Rows)
	for range c.Robust {
		if err = m.predict(ctx, m.fitted, m.z); err != nil {
			return nil, err
		}
		if !m.reweigh(base) {
			break
		}
	}
	if err := m.measure(ctx); err != nil {
		return nil, err
	}
	m.report = learn.Report{Learner: "local regression", Converged: true, Elapsed: time.Since(start)}
	for i, v := range m.fitted {
		if math.IsNaN(v) {
			m.report.Warnings = append(m.report.Warnings, fmt.Sprintf("no fit at row %d: no point in reach has weight", i))
			break
		}
	}
	return m, nil
}

func (c LocalRegression) check() error {
	switch {
	case !c.Smoother.Valid():
		return fmt.Errorf("there is no smoothing kernel %v", c.Smoother)
	case c.Degree < 0 || c.Degree > 4:
		return fmt.Errorf("Degree is %d; give 0 to 4", c.Degree)
	case c.Robust < 0:
		return fmt.Errorf("Robust is %d; give a number of repetitions", c.Robust)
	case !(c.Span >= 0 && c.Span <= 1):
		return fmt.Errorf("Span is %g; give a share of the points in (0, 1]", c.Span)
	}
	return nil
}

// monomials lists the exponents of all monomials of d variables up to a
// degree, the constant first.
func monomials(d, degree int) [][]int {
	all := [][]int{make([]int, d)}
	for total := 1; total <= degree; total++ {
		var fill func(at []int, j, left int)
		fill = func(at []int, j, left int) {
			if j == d-1 {
				at[j] = left
				all = append(all, append([]int(nil), at...))
				return
			}
			for p := left; p >= 0; p-- {
				at[j] = p
				fill(at, j+1, left-p)
			}
		}
		fill(make([]int, d), 0, total)
	}
	return all
}

// reweigh sets the bisquare weights from the residuals; false when more than
// half of them are zero, so that there is no scale.
func (m *LocalRegressionModel) reweigh(base []float64) bool {
	size := make([]float64, len(m.t))
	for i, v := range m.fitted {
		size[i] = math.Abs(m.t[i] - v)
		if math.IsNaN(size[i]) {
			size[i] = 0
		}
	}
	scale := 6 * smoothing.Quantile(size, nil, 0.5)
	mean := 0.0
	for _, s := range size {
		mean += s / float64(len(size))
	}
	if !(scale > 1e-7*mean) {
		return false
	}
	for i, s := range size {
		u := min(1, s/scale)
		m.omega[i] = base[i] * (1 - u*u) * (1 - u*u)
	}
	return true
}

// Fitted is y at the training points.
func (m *LocalRegressionModel) Fitted() []float64 { return append([]float64(nil), m.fitted...) }

// Freedom is the effective number of parameters, the trace of the smoother.
func (m *LocalRegressionModel) Freedom() float64 { return m.freedom }

// Sigma is the residual standard error, √(Σ r²/δ₁) with δ₁ = tr (I-L)ᵀ(I-L).
func (m *LocalRegressionModel) Sigma() float64 { return m.sigma }

// Report says how the fit went.
func (m *LocalRegressionModel) Report() learn.Report { return m.report }

// Predict returns y(x) at each point; NaN where no point is in reach.
func (m *LocalRegressionModel) Predict(ctx context.Context, x data.Points[[]float64]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.PredictTo(ctx, dst, x) })
}

// PredictTo sets dst, a place for each point, to y(x).
func (m *LocalRegressionModel) PredictTo(ctx context.Context, dst []float64, x data.Points[[]float64]) error {
	q, err := queries(ctx, dst, x, m.z.Cols, m.metric)
	if err == nil {
		err = m.predict(ctx, dst, q)
	}
	if err != nil {
		return fmt.Errorf("local regression: %w", err)
	}
	return nil
}

// Band is a prediction with its standard error and a confidence interval for
// the curve's expected value.
type Band struct{ Mean, StdErr, Lower, Upper float64 }

// Bands returns pointwise confidence intervals of the given level: y(x) = l(x)ᵀt
// is linear in the targets, so its standard error is σ·‖l(x)‖, and the t
// distribution with δ₁²/δ₂ degrees of freedom gives the interval (Cleveland and
// Devlin 1988). It assumes independent errors of one variance, and says nothing
// about bias.
func (m *LocalRegressionModel) Bands(ctx context.Context, x data.Points[[]float64], level float64) ([]Band, error) {
	return apply.Slice(x, func(dst []Band) error { return m.BandsTo(ctx, dst, x, level) })
}

// BandsTo sets dst, a place for each point, to the intervals of Bands.
func (m *LocalRegressionModel) BandsTo(ctx context.Context, dst []Band, x data.Points[[]float64], level float64) error {
	if !(level > 0 && level < 1) {
		return fmt.Errorf("local regression: the level is %g; give a number in (0, 1)", level)
	}
	q, err := queries(ctx, dst, x, m.z.Cols, m.metric)
	if err != nil {
		return fmt.Errorf("local regression: %w", err)
	}
	times := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: m.inverse}.Quantile(0.5 + level/2)
	par.For(m.config.Threads, q.Rows, 8, func(lo, hi int) {
		f := newLocalFit(m)
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			y := f.at(q.Row(i))
			norm := 0.0
			for _, l := range f.operator() {
				norm += l * l
			}
			se := m.sigma * math.Sqrt(norm)
			dst[i] = Band{y, se, y - times*se, y + times*se}
		}
	})
	return ctx.Err()
}

func (m *LocalRegressionModel) predict(ctx context.Context, y []float64, q linalg.Matrix[float64]) error {
	par.For(m.config.Threads, q.Rows, 8, func(lo, hi int) {
		f := newLocalFit(m)
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			y[i] = f.at(q.Row(i))
		}
	})
	return ctx.Err()
}

// exactFreedom is the number of points up to which δ₂ is computed, from an n×n
// matrix; beyond it δ₁ stands for the degrees of freedom, whose t distribution
// is then a normal one to three digits.
const exactFreedom = 2000

// measure fits at the points, and takes σ and the degrees of freedom from the rows of the smoother
// L: with M = (I-L)ᵀ(I-L), δ₁ = tr M and δ₂ = tr M².
func (m *LocalRegressionModel) measure(ctx context.Context) error {
	n := m.z.Rows
	var r linalg.Matrix[float64] // I - L
	if n <= exactFreedom {
		r = linalg.New[float64](n, n)
	}
	own, square := make([]float64, n), make([]float64, n)
	par.For(m.config.Threads, n, 8, func(lo, hi int) {
		f := newLocalFit(m)
		row := make([]float64, n)
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			m.fitted[i] = f.at(m.z.Row(i))
			clear(row)
			for a, l := range f.operator() {
				row[f.rows[a]] = -l
			}
			own[i] = -row[i]
			row[i]++
			for _, v := range row {
				square[i] += v * v
			}
			if r.Rows > 0 {
				copy(r.Row(i), row)
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	one, rss := 0.0, 0.0
	m.freedom = 0
	for i := range n {
		m.freedom += own[i]
		one += square[i]
		if d := m.t[i] - m.fitted[i]; !math.IsNaN(d) {
			rss += m.omega[i] * d * d
		}
	}
	if m.inverse = 1; !(one > 1e-10) {
		return nil // the curve goes through every point
	}
	m.sigma = math.Sqrt(rss / one)
	m.inverse = one
	if r.Rows > 0 {
		g, two := linalg.New[float64](n, n), 0.0
		linalg.Gemm(m.config.Threads, linalg.NoTrans, linalg.Trans, 1, r, r, 0, g)
		for _, v := range g.Data {
			two += v * v
		}
		m.inverse = one * one / two
	}
	return nil
}
