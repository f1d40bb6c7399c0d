package ridge

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// ridgeProblem is a ridge regression on memory of its own, made symmetric: with
// S = diag(√w), K' = S·K·S, y' = S·y, T' = S·T and α = S·β it is
//
//	(K' + λI)·β + T'·c = y',  T'ᵀβ = 0,
//
// T holding the functions without penalty: 1 for the intercept, then k(z, ·) for
// the free points. Points of weight 0 are left out.
type ridgeProblem struct {
	learn.Resources
	typed     bool // see regression
	kernel    kernel.Kernel[any]
	x         data.Points[any] // the points of weight > 0, moved to their mean where that is all the same
	moved     fitting.Moved[any]
	keep      []int     // their places among all
	s         []float64 // √w of each; nil when all are 1
	y         linalg.Matrix[float64]
	free      linalg.Matrix[float64] // T', n×q
	zeros     data.Points[any]       // the free points
	intercept bool
	lambda    float64
	warnings  []string
}

func (r regression) problem(ctx context.Context, x data.Points[any], y *mat.Dense) (*ridgeProblem, error) {
	if x == nil || x.Len() == 0 || y == nil || y.IsEmpty() {
		return nil, learn.ErrNoPoints
	}
	if rows, _ := y.Dims(); rows != x.Len() {
		return nil, fmt.Errorf("%d points but %d rows of targets", x.Len(), rows)
	}
	if r.Lambda == 0 {
		r.Lambda = 1
	}
	if !(r.Lambda > 0) || math.IsInf(r.Lambda, 0) {
		return nil, fmt.Errorf("Lambda is %g; give a positive, finite number", r.Lambda)
	}
	if r.Tol < 0 || r.Rank < 0 {
		return nil, fmt.Errorf("Tol is %g and Rank %d; neither may be negative", r.Tol, r.Rank)
	}
	res, err := r.Resources.WithDefaults()
	if err != nil {
		return nil, err
	}
	if err := kernel.Check(r.Kernel, x); err != nil {
		return nil, err
	}
	for i := range x.Len() {
		for j, v := range y.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("target %d of row %d is %g; drop the row or fill the value in", j, i, v)
			}
			if math.Abs(v) > learn.LargestTarget {
				return nil, fmt.Errorf("target %d of row %d is %g, too large to square; scale the targets", j, i, v)
			}
		}
	}
	weights, err := fitting.Prices(1, x.Len(), r.Weights)
	if err != nil {
		return nil, err
	}
	p := &ridgeProblem{Resources: res, kernel: r.Kernel, typed: r.typed, intercept: r.Intercept, lambda: r.Lambda}
	even := true
	for i, w := range weights {
		if w > 0 {
			p.keep = append(p.keep, i)
			even = even && w == 1
		}
	}
	p.x = data.OwnSubset(x, p.keep)
	if p.moved = (fitting.Moved[any]{Points: p.x}); r.Intercept && (r.Free == nil || r.Free.Len() == 0) {
		p.moved = fitting.MoveToMean(r.Kernel, p.x)
		p.x = p.moved.Points
	}
	if r.PerPoint {
		p.lambda *= float64(len(p.keep))
	}
	if !even {
		p.s = make([]float64, len(p.keep))
		for a, i := range p.keep {
			p.s[a] = math.Sqrt(weights[i])
		}
	}
	_, outputs := y.Dims()
	p.y = linalg.New[float64](len(p.keep), outputs)
	for a, i := range p.keep {
		copy(p.y.Row(a), y.RawRowView(i))
	}
	p.scaleRows(p.y)
	p.warnings = fitting.Doubts(ctx, r.Kernel, p.x, res)
	return p, p.addFree(ctx, r.Free)
}

// addFree makes T'.
func (p *ridgeProblem) addFree(ctx context.Context, z data.Points[any]) error {
	q, at := 0, 0
	if p.intercept {
		q, at = 1, 1
	}
	if z != nil && z.Len() > 0 {
		if err := kernel.CheckPair(p.kernel, p.x, z); err != nil {
			return fmt.Errorf("Free: %w", err)
		}
		p.zeros = data.Own(z)
		q += z.Len()
	}
	n := len(p.keep)
	if q > n {
		return fmt.Errorf("%d functions without penalty but only %d points; give more points or fewer functions", q, n)
	}
	p.free = linalg.New[float64](n, q)
	if q > at {
		kernel.Fill(p.Threads, blas64.General(p.free.Slice(0, n, at, q)), kernel.Prepare(ctx, p.kernel, p.x, p.zeros))
	}
	if p.intercept {
		for i := range n {
			p.free.Set(i, 0, 1)
		}
	}
	p.scaleRows(p.free)
	return nil
}

// scaleRows multiplies row i by √wᵢ.
func (p *ridgeProblem) scaleRows(m linalg.Matrix[float64]) {
	for i, s := range p.s {
		for j := range m.Cols {
			m.Row(i)[j] *= s
		}
	}
}

// nullSpace is the QR factorisation T' = Q·R; it refuses functions without
// penalty that the points cannot tell apart.
func (p *ridgeProblem) nullSpace(ctx context.Context) (*linalg.QR, error) {
	qr, err := linalg.NewQRContext(ctx, p.Threads, p.free.Clone())
	if err != nil {
		return nil, err
	}
	r := qr.R()
	norms := fitting.ColumnNorms(p.free)
	for j := range r.Rows {
		if !(math.Abs(r.At(j, j)) > 1e-12*norms[j]) {
			return nil, fmt.Errorf("the functions without penalty depend on each other at the %d points; drop one of Free or "+
				"the Intercept", len(p.keep))
		}
	}
	return qr, nil
}

// ridgeSolution is β and c with the account of how they were found.
type ridgeSolution struct {
	beta     linalg.Matrix[float64] // n×m
	c        linalg.Matrix[float64] // q×m
	residual float64                // largest relative residual of the outputs
	steps    int
	bytes    int64
	how      Method
	settled  bool
}

// combine makes the solution of the bordered system out of A⁻¹·[y' T'],
// A = K' + λI: c = (T'ᵀA⁻¹T')⁻¹·T'ᵀA⁻¹y' and β = A⁻¹y' - A⁻¹T'·c.
func (p *ridgeProblem) combine(solved linalg.Matrix[float64]) (beta, c linalg.Matrix[float64], err error) {
	n, m, q := p.y.Rows, p.y.Cols, p.free.Cols
	beta = solved.Slice(0, n, 0, m).Clone()
	if q == 0 {
		return beta, c, nil
	}
	z := solved.Slice(0, n, m, m+q)
	inner := linalg.New[float64](q, q)
	linalg.Gemm(p.Threads, linalg.Trans, linalg.NoTrans, 1, p.free, z, 0, inner)
	for i := range q { // exact symmetry
		for j := range i {
			v := (inner.At(i, j) + inner.At(j, i)) / 2
			inner.Set(i, j, v)
			inner.Set(j, i, v)
		}
	}
	chol, err := linalg.NewCholesky(p.Threads, inner)
	if err != nil {
		return beta, c, fmt.Errorf("the functions without penalty depend on each other at the points: %w", err)
	}
	c = linalg.New[float64](q, m)
	linalg.Gemm(p.Threads, linalg.Trans, linalg.NoTrans, 1, p.free, beta, 0, c)
	chol.Solve(p.Threads, c)
	linalg.Gemm(p.Threads, linalg.NoTrans, linalg.NoTrans, -1, z, c, 1, beta)
	return beta, c, nil
}

// right is [y' T'].
func (p *ridgeProblem) right() linalg.Matrix[float64] {
	n, m, q := p.y.Rows, p.y.Cols, p.free.Cols
	b := linalg.New[float64](n, m+q)
	b.Slice(0, n, 0, m).CopyFrom(p.y)
	if q > 0 {
		b.Slice(0, n, m, m+q).CopyFrom(p.free)
	}
	return b
}

// model turns β and c into a function, and their account into a report. The
// objective is λ·Σβᵀy', by y' - K'β - T'c = λβ and T'ᵀβ = 0.
func (p *ridgeProblem) model(s *ridgeSolution, start time.Time) (*Regressor[any], error) {
	objective := 0.0
	for i := range s.beta.Rows {
		for j, b := range s.beta.Row(i) {
			objective += p.lambda * b * p.y.At(i, j)
		}
	}
	m, n := s.beta.Cols, s.beta.Rows
	centers, first := p.x, 0
	var bias []float64
	if p.intercept {
		bias, first = append([]float64(nil), s.c.Row(0)...), 1
	}
	coef := s.beta
	p.scaleRows(coef)
	if p.zeros != nil {
		both := linalg.New[float64](n+p.zeros.Len(), m)
		both.Slice(0, n, 0, m).CopyFrom(coef)
		both.Slice(n, both.Rows, 0, m).CopyFrom(s.c.Slice(first, s.c.Rows, 0, m))
		coef, centers = both, data.JoinPoints([]data.Points[any]{p.x, p.zeros})
	}
	f := p.moved.Back(&rkhs.Func[any]{Kernel: p.kernel, Centers: centers, Coef: linalg.Dense(coef), Bias: bias})
	if err := fitting.FiniteCoefficients(f); err != nil {
		return nil, err
	}
	report := learn.Report{
		Learner: "ridge (" + s.how.String() + ")", Iterations: s.steps, Objective: objective,
		Certificate: s.residual, Certified: "relative residual", Converged: s.settled,
		Bytes: s.bytes, Warnings: append(slices.Clone(p.warnings), p.Device.Notes()...), Elapsed: time.Since(start),
	}
	return newRegressor(f, p.doubted(report)), nil
}

// doubted is a report with a word where the equations were not solved.
func (p *ridgeProblem) doubted(r learn.Report) learn.Report {
	if !r.Converged {
		r.Warnings = append(r.Warnings,
			fmt.Sprintf("relative residual %.2g after %d iterations is above the tolerance: K + λI is nearly singular; "+
				"raise lambda", r.Certificate, r.Iterations))
	}
	return r
}
