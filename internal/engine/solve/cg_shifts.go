package solve

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// ShiftedCG solves (A + s·I)·X = B for several shifts s > 0 of one positive semi-definite A at the
// price of one: the Krylov spaces of all shifts are the same, and the residuals of a larger shift
// are those of the smallest times a number ζ ≤ 1 (A. Frommer and P. Maass, SIAM J. Sci. Comput. 20,
// 1999). Columns advance together, and stop on their own.
type ShiftedCG struct {
	Shifts  []float64 // increasing
	Tol     float64   // stop a column when ‖b-(A+s)x‖ ≤ Tol·‖b‖ for every shift; 0 means 1e-8
	MaxIter int       // 0 means max(2n, 100)
	Trace   trace.Func
}

// ShiftedResult says how solutions were reached.
type ShiftedResult struct {
	Iterations int
	Residual   []float64 // of each shift: the largest ‖b-(A+s)x‖/‖b‖ of the columns, as the recurrence has it
	Converged  []bool    // of each shift
}

// Solve returns a solution for each shift. The error is the context's, a *NotPositive or about
// shapes and NaN; not reaching the tolerance is none.
func (o ShiftedCG) Solve(ctx context.Context, a linalg.Operator, b *mat.Dense) ([]*mat.Dense, ShiftedResult, error) {
	n, m := b.Dims()
	if r, c := a.Dims(); r != c || r != n || len(o.Shifts) == 0 {
		return nil, ShiftedResult{}, fmt.Errorf("cg: operator is %d×%d, the right-hand side has %d rows, and there are %d shifts", r, c, n, len(o.Shifts))
	}
	for i, s := range o.Shifts {
		if !(s > 0) || math.IsInf(s, 0) || i > 0 && s < o.Shifts[i-1] {
			return nil, ShiftedResult{}, fmt.Errorf("cg: shift %d is %g; they are positive and increase", i, s)
		}
	}
	if o.Tol == 0 {
		o.Tol = 1e-8
	}
	if o.MaxIter == 0 {
		o.MaxIter = max(2*n, 100)
	}
	s := newShifted(o, b)
	for j, v := range s.bnorm {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, ShiftedResult{}, fmt.Errorf("cg: column %d of the right-hand side has norm %g", j, v)
		}
	}
	q, start := linalg.New[float64](n, m), time.Now()
	it := 0
	for ; it < o.MaxIter && s.live() > 0; it++ {
		if err := ctx.Err(); err != nil {
			return nil, ShiftedResult{}, err
		}
		a.MulTo(linalg.Dense(q), linalg.Dense(s.p), false)
		if err := ctx.Err(); err != nil {
			return nil, ShiftedResult{}, err
		}
		if err := s.step(it, q); err != nil {
			return nil, ShiftedResult{}, err
		}
		o.Trace.Report(trace.Step{Iteration: it + 1, Objective: math.NaN(), Residual: s.residual(0), Elapsed: time.Since(start)})
	}
	res := ShiftedResult{Iterations: it}
	out := make([]*mat.Dense, len(o.Shifts))
	for k := range out {
		out[k] = linalg.Dense(s.x[k])
		res.Residual = append(res.Residual, s.residual(k))
		res.Converged = append(res.Converged, s.residual(k) <= o.Tol)
	}
	return out, res, nil
}

// shifted is the iteration: r and p of the smallest shift, and of each shift its direction,
// solution and ζ, by column.
type shifted struct {
	ShiftedCG
	r, p        linalg.Matrix[float64]
	x, dir      []linalg.Matrix[float64]
	zeta, older [][]float64 // of each shift, by column: ζ of this step and of the one before
	rr, bnorm   []float64
	alpha, beta []float64 // of the step before
}

func newShifted(o ShiftedCG, b *mat.Dense) *shifted {
	n, m := b.Dims()
	s := &shifted{ShiftedCG: o, rr: make([]float64, m), bnorm: make([]float64, m), alpha: make([]float64, m), beta: make([]float64, m)}
	copyOf := func() linalg.Matrix[float64] {
		c := linalg.New[float64](n, m)
		c.CopyFrom(linalg.Of(b))
		return c
	}
	s.r, s.p = copyOf(), copyOf()
	columnDots(s.rr, s.r, s.r)
	for j, v := range s.rr {
		s.bnorm[j], s.alpha[j] = math.Sqrt(v), 1
	}
	ones := func() []float64 {
		z := make([]float64, m)
		for j := range z {
			z[j] = 1
		}
		return z
	}
	for range o.Shifts {
		s.x, s.dir = append(s.x, linalg.New[float64](n, m)), append(s.dir, copyOf())
		s.zeta, s.older = append(s.zeta, ones()), append(s.older, ones())
	}
	return s
}

// relative is ‖r‖/‖b‖ of a column for a shift.
func (s *shifted) relative(k, j int) float64 {
	if s.bnorm[j] == 0 {
		return 0
	}
	return s.zeta[k][j] * math.Sqrt(s.rr[j]) / s.bnorm[j]
}

// residual is the largest of the columns.
func (s *shifted) residual(k int) float64 {
	worst := 0.0
	for j := range s.rr {
		worst = max(worst, s.relative(k, j))
	}
	return worst
}

func (s *shifted) active(j int) bool { return s.relative(0, j) > s.Tol }

func (s *shifted) live() (n int) {
	for j := range s.rr {
		if s.active(j) {
			n++
		}
	}
	return n
}

// step is one of conjugate gradients for A + s₀, q being A·p. With α and β its numbers, those of A +
// s₀ + δ follow from r^δ = ζ·r:
//
//	ζ' = ζ/(1 + δα + (αβ₋/α₋)(1 − ζ/ζ₋)), α^δ = α·ζ'/ζ, β^δ = β·(ζ'/ζ)².
func (s *shifted) step(it int, q linalg.Matrix[float64]) error {
	m := s.r.Cols
	shift := make([]float64, m)
	for j := range shift {
		shift[j] = s.Shifts[0]
	}
	addColumns(q, s.p, shift)
	pq, pp := make([]float64, m), make([]float64, m)
	columnDots(pq, s.p, q)
	columnDots(pp, s.p, s.p)
	alpha, minus, on := make([]float64, m), make([]float64, m), make([]bool, m)
	for j := range m {
		if on[j] = s.active(j); !on[j] {
			continue
		}
		if !(pq[j] > 0) {
			return &NotPositive{Iteration: it, Column: j, Curvature: pq[j] / pp[j]}
		}
		alpha[j] = s.rr[j] / pq[j]
		minus[j] = -alpha[j]
	}
	steps, ratio := make([][]float64, len(s.Shifts)), make([][]float64, len(s.Shifts))
	for k, sk := range s.Shifts {
		steps[k], ratio[k] = make([]float64, m), make([]float64, m)
		for j := range m {
			if !on[j] {
				continue
			}
			z, before := s.zeta[k][j], s.older[k][j]
			next := z / (1 + (sk-s.Shifts[0])*alpha[j] + alpha[j]*s.beta[j]/s.alpha[j]*(1-z/before))
			ratio[k][j] = next / z
			steps[k][j] = alpha[j] * ratio[k][j]
			s.older[k][j], s.zeta[k][j] = z, next
		}
		addColumns(s.x[k], s.dir[k], steps[k])
	}
	addColumns(s.r, q, minus)
	old := append([]float64(nil), s.rr...)
	columnDots(s.rr, s.r, s.r)
	beta := make([]float64, m)
	for j := range m {
		if !on[j] {
			s.rr[j] = old[j]
			continue
		}
		beta[j] = s.rr[j] / old[j]
		s.alpha[j], s.beta[j] = alpha[j], beta[j]
	}
	turn(s.p, s.r, beta, on)
	for k := range s.Shifts {
		for i := range s.r.Rows {
			d, r := s.dir[k].Row(i), s.r.Row(i)
			for j := range d {
				if on[j] {
					d[j] = s.zeta[k][j]*r[j] + beta[j]*ratio[k][j]*ratio[k][j]*d[j]
				}
			}
		}
	}
	return nil
}
