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

// Preconditioner applies an approximation of A⁻¹. It must be linear,
// symmetric, positive definite and the same in every call.
type Preconditioner interface {
	// ApplyTo sets dst = P·r, column by column; they share no memory.
	ApplyTo(dst, r *mat.Dense)
}

// CG solves (A + Shift·I)·X = B for a symmetric positive definite A + Shift·I
// by preconditioned conjugate gradients (Hestenes and Stiefel 1952). All
// columns of B advance together, so that one product with A serves them all;
// each has its own step lengths, and stops on its own.
type CG struct {
	Shift     float64        // added to the diagonal of A
	Precond   Preconditioner // nil means the identity
	Tol       float64        // stop a column when ‖b-Ax‖ ≤ Tol·‖b‖; 0 means 1e-8
	MaxIter   int            // 0 means max(2n, 100)
	Trace     trace.Func     // Residual is the largest relative residual of the columns
	WarmStart bool           // start from the X given instead of from 0
	// a solution that reached the tolerance in less than MaxIter iterations has the residual as it
	// was carried along: the caller makes the true one
	Carried bool
}

// CGResult says how a solution was reached.
type CGResult struct {
	Iterations int
	// ‖b-Ax‖/‖b‖ of each column, recomputed from X at the end; as carried along where the context
	// ended first, or with Carried
	Residual  []float64
	Converged bool // every column reached the tolerance
	lanczos   []lanczosTerms
}

// NotPositive reports a direction of negative or zero curvature met by an
// iteration that needs a positive definite operator.
type NotPositive struct {
	Iteration, Column int
	Curvature         float64 // pᵀAp/pᵀp
}

func (e *NotPositive) Error() string {
	return fmt.Sprintf("operator is not positive definite: curvature %g at iteration %d of column %d; add a larger "+
		"shift to the diagonal or repair the matrix", e.Curvature, e.Iteration, e.Column)
}

// Solve overwrites x with the solution. Not reaching the tolerance in MaxIter iterations is not an
// error: look at the result. The error is the context's (x is then the last finished iterate, which
// the result is of), a *NotPositive, or about shapes and NaN.
func (o CG) Solve(ctx context.Context, a linalg.Operator, x, b *mat.Dense) (CGResult, error) {
	n, m := b.Dims()
	if r, c := a.Dims(); r != c || r != n {
		return CGResult{}, fmt.Errorf("cg: operator is %d×%d but the right-hand side has %d rows", r, c, n)
	}
	if r, c := x.Dims(); r != n || c != m {
		return CGResult{}, fmt.Errorf("cg: solution is %d×%d but the right-hand side is %d×%d", r, c, n, m)
	}
	if o.Tol == 0 {
		o.Tol = 1e-8
	}
	if o.MaxIter == 0 {
		o.MaxIter = max(2*n, 100)
	}
	start := time.Now()
	st := newCGState(o, a, x, b)
	for j, s := range st.bnorm {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			return CGResult{}, fmt.Errorf("cg: column %d of the right-hand side has norm %g", j, s)
		}
	}
	st.begin()
	it := 0
	for ; it < o.MaxIter && st.live > 0; it++ {
		err := ctx.Err()
		if err == nil {
			err = st.step(ctx, it)
		}
		if ctx.Err() != nil { // a true residual would be one product more, and that unfinished
			return st.stopped(it), ctx.Err()
		}
		if err != nil {
			return st.result(it), err
		}
		o.Trace.Report(trace.Step{Iteration: it + 1, Objective: math.NaN(), Residual: st.worst(), Elapsed: time.Since(start)})
	}
	if err := ctx.Err(); err != nil {
		return st.stopped(it), err
	}
	if o.Carried && st.live == 0 && it < o.MaxIter {
		res := st.stopped(it)
		res.Converged = true
		return res, nil
	}
	return st.result(it), nil
}

// cgState is the iteration: r = b - Ax, z = Pr, p the direction, q = Ap.
type cgState struct {
	CG
	a             linalg.Operator
	x, b          linalg.Matrix[float64]
	r, z, p, q    linalg.Matrix[float64]
	rz, rr, bnorm []float64
	active        []bool
	live          int
	lanczos       []lanczosTerms // of each column
}

func newCGState(o CG, a linalg.Operator, x, b *mat.Dense) *cgState {
	n, m := b.Dims()
	s := &cgState{CG: o, a: a, x: linalg.Of(x), b: linalg.Of(b),
		r: linalg.New[float64](n, m), p: linalg.New[float64](n, m), q: linalg.New[float64](n, m),
		rz: make([]float64, m), rr: make([]float64, m), bnorm: make([]float64, m), active: make([]bool, m),
		lanczos: make([]lanczosTerms, m)}
	s.z = s.r
	if o.Precond != nil {
		s.z = linalg.New[float64](n, m)
	}
	columnDots(s.bnorm, s.b, s.b)
	for j, v := range s.bnorm {
		s.bnorm[j] = math.Sqrt(v)
	}
	return s
}

// residual sets r = b - (A+shift)x.
func (s *cgState) residual() {
	s.apply(s.q, s.x)
	for i := range s.r.Rows {
		r, q, b := s.r.Row(i), s.q.Row(i), s.b.Row(i)
		for j := range r {
			r[j] = b[j] - q[j]
		}
	}
}

func (s *cgState) begin() {
	if s.WarmStart {
		s.residual()
	} else {
		for i := range s.x.Rows {
			clear(s.x.Row(i))
		}
		s.r.CopyFrom(s.b)
	}
	s.precondition()
	s.p.CopyFrom(s.z)
	columnDots(s.rz, s.r, s.z)
	columnDots(s.rr, s.r, s.r)
	s.retire()
}

// retire freezes the columns that have converged.
func (s *cgState) retire() {
	s.live = 0
	for j := range s.active {
		s.active[j] = math.Sqrt(s.rr[j]) > s.Tol*s.bnorm[j]
		if s.active[j] {
			s.live++
		}
	}
}

func (s *cgState) apply(dst, v linalg.Matrix[float64]) {
	s.a.MulTo(linalg.Dense(dst), linalg.Dense(v), false)
	if s.Shift != 0 {
		shift := make([]float64, v.Cols)
		for j := range shift {
			shift[j] = s.Shift
		}
		addColumns(dst, v, shift)
	}
}

func (s *cgState) precondition() {
	if s.Precond != nil {
		s.Precond.ApplyTo(linalg.Dense(s.z), linalg.Dense(s.r))
	}
}

func (s *cgState) step(ctx context.Context, it int) error {
	m := s.r.Cols
	s.apply(s.q, s.p)
	if err := ctx.Err(); err != nil {
		return err // an operator may leave a product unfinished then: nothing may come of it
	}
	pq, pp, alpha, old := make([]float64, m), make([]float64, m), make([]float64, m), make([]float64, m)
	columnDots(pq, s.p, s.q)
	columnDots(pp, s.p, s.p)
	for j := range m {
		if !s.active[j] {
			continue
		}
		if !(pq[j] > 0) {
			return &NotPositive{Iteration: it, Column: j, Curvature: pq[j] / pp[j]}
		}
		alpha[j] = s.rz[j] / pq[j]
	}
	addColumns(s.x, s.p, alpha)
	minus := make([]float64, m)
	for j, a := range alpha {
		minus[j] = -a
	}
	addColumns(s.r, s.q, minus)
	s.precondition()
	copy(old, s.rz)
	columnDots(s.rz, s.r, s.z)
	columnDots(s.rr, s.r, s.r)
	for j, a := range alpha {
		if s.active[j] {
			s.lanczos[j].add(a, s.rz[j]/old[j])
		}
	}
	s.retire()
	beta := make([]float64, m)
	for j := range beta {
		beta[j] = s.rz[j] / old[j]
	}
	turn(s.p, s.z, beta, s.active)
	return nil
}

func (s *cgState) worst() float64 {
	w := 0.0
	for j, rr := range s.rr {
		if s.bnorm[j] > 0 {
			w = math.Max(w, math.Sqrt(rr)/s.bnorm[j])
		}
	}
	return w
}

// stopped is the result where nothing can be recomputed any more.
func (s *cgState) stopped(iterations int) CGResult {
	res := CGResult{Iterations: iterations, Residual: make([]float64, len(s.rr)), lanczos: s.lanczos}
	for j, rr := range s.rr {
		if s.bnorm[j] > 0 {
			res.Residual[j] = math.Sqrt(rr) / s.bnorm[j]
		}
	}
	return res
}

// result recomputes the residuals: those carried along by the recurrence
// drift away from the true ones.
func (s *cgState) result(iterations int) CGResult {
	s.residual()
	columnDots(s.rr, s.r, s.r)
	res := CGResult{Iterations: iterations, Residual: make([]float64, len(s.rr)), Converged: true, lanczos: s.lanczos}
	for j, rr := range s.rr {
		if s.bnorm[j] > 0 {
			res.Residual[j] = math.Sqrt(rr) / s.bnorm[j]
		}
		// A factor of 10 for the drift between carried and true residual.
		res.Converged = res.Converged && res.Residual[j] <= 10*s.Tol
	}
	return res
}
