package svm

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/blas/blas64"
)

// machine is a solved svmProblem.
type machine struct {
	beta      []float64 // variables of the programme
	coef      []float64 // by point of the problem, scaled by the factor of the formulation; nil where Func has them
	index     []int     // training point of each of those that are kept; nil: the same
	bias      float64
	width     float64   // ε of ν-SVR, ρ of ν-SVC
	values    []float64 // f + b at all points of the problem, where asked for
	violation float64   // KKT violation, in float64
	gap       float64   // relative duality gap; NaN where the formulation has none
	objective float64   // dual objective, in float64
	steps     int
	rows      int
	bytes     int64
	converged bool
	warnings  []string
}

// coarsest tolerance that float32 columns are trusted with to the end; below
// it they only bring the solution close.
const float32Tol = 1e-4

// entryErrors is how many times its typical size the error of a float32 entry
// is taken to be, for all entries at once and with the worst signs.
const entryErrors = 4

// machineRows is the rows of K for a machine on the points of index (nil: all), kept for fits that
// follow: folds, or another price.
type machineRows struct {
	m       *kernelMatrix
	index   []int
	threads int
	keep    bool            // more fits follow, on the same rows
	lazy    *solve.LazyRows // once a fit has asked for rows
	free    func()          // gives their memory back; nil where there is nothing to give
	system  *gram.BoxSystem // once a fit has asked a device
	left    bool            // what a device has nothing to do with
}

// solveMachine solves once.
func solveMachine(
	ctx context.Context, m *kernelMatrix, index []int, p svmProblem, o Options, threads int,
) (*machine, error) {
	r := &machineRows{m: m, index: index, threads: threads}
	defer r.leave()
	return r.solve(ctx, p, o)
}

// solve works on float32 rows. Where their rounding cannot lift
// the violation above the tolerance that is the end; otherwise it recomputes Kβ in float64 for
// the certificate, and goes on with float64 columns while that is not good enough.
func (r *machineRows) solve(ctx context.Context, p svmProblem, o Options) (*machine, error) {
	m, index, threads := r.m, r.index, r.threads
	so := o.smo()
	so.Threads = threads
	out := &machine{gap: math.NaN()}
	on, err := r.onDevice(ctx, p, o)
	if err != nil {
		return nil, err
	}
	if on != nil {
		out.steps = on.Iterations
		if on.Converged {
			out.finish(p, on.Beta, on.F, on.Violation, o.Tol)
			return out, nil
		}
		p.start = on.Beta
	}
	beta := p.start
	var rough []float64 // Kβ from float32 columns
	rounding := 0.0
	if o.Columns != Float64Columns {
		rounding = m.float32Error()
	}
	if o.Columns != Float64Columns && !(o.Columns == AutoColumns && rounding > 1e-5) {
		first := so
		if o.Columns == AutoColumns {
			first.Tol = max(o.Tol, float32Tol)
			first.EntryError = entryErrors * rounding * m.largestDiag()
		}
		s, err := r.single(ctx, p, first)
		if err != nil {
			return nil, err
		}
		out.count(s)
		beta, rough = s.Beta, s.F
		if s.Certified <= o.Tol {
			out.finish(p, beta, rough, s.Certified, o.Tol)
			return out, nil
		}
	}
	f, err := certify(ctx, m, index, p.qp, beta, rough, rounding, o.Tol, threads)
	if err != nil {
		return nil, err
	}
	violation, _, _ := solve.BoxViolation(p.qp, beta, f)
	if o.Columns != Float32Columns && violation > o.Tol {
		r, err := solve.SMO(ctx, p.qp, rowsOf[float64](m, index, threads), beta, f, so)
		if err != nil {
			return nil, err
		}
		out.count(r)
		beta, f = r.Beta, r.F
		violation = r.Violation
	}
	out.finish(p, beta, f, violation, o.Tol)
	return out, nil
}

// mostOnDemand is the most points of a machine that is solved by pairs over all of them to the end.
const mostOnDemand = 8192

// rowBytes is what rows of a machine may take before those that were not used for long give way:
// about what stays near the processor. Rows that serve several fits stay: the folds of a
// calibration ask for all of them again.
const rowBytes = 4 << 20

// single solves on float32 rows, made as pairs ask for them, where the budget has room for as many
// as that may be; large machines that turn out to be hard, and whatever else, by working sets.
func (r *machineRows) single(ctx context.Context, p svmProblem, o solve.SMOOptions) (*solve.SMOResult, error) {
	n := r.m.x.Len()
	if r.index != nil {
		n = len(r.index)
	}
	others := rowsOf[float32](r.m, r.index, o.Threads)
	if o.NoShrinking || o.WorkingSet != 0 {
		return solve.SMO(ctx, p.qp, others, p.start, nil, o)
	}
	switch {
	case r.lazy != nil:
	case r.m.whole.Data != nil && r.index == nil:
		r.lazy = solve.HeldRows(r.m.whole)
	case r.m.whole.Data != nil && n <= mostGathered:
		r.lazy, r.free = r.m.gathered(r.index)
	default:
		r.lazy = r.m.demand(r.index, o.Threads)
		if !r.keep {
			r.lazy.Limit(rowBytes)
		}
	}
	diag := r.m.diagonal(r.index)
	if n <= mostOnDemand && 8*int64(n)*int64(n) <= o.Bytes {
		return solve.OnDemand(ctx, p.qp, r.lazy, diag, p.start, nil, o)
	}
	lazy := r.lazy
	r.lazy = nil // rows of a large machine are not kept
	return solve.OnDemand(ctx, p.qp, lazy, diag, p.start, others, o)
}

func (m *machine) count(r *solve.SMOResult) {
	m.steps += r.Iterations
	m.rows += r.RowsComputed
	m.bytes = max(m.bytes, r.CacheBytes)
}

// leastMargin is the share of the margin of ν-SVC that the violation may be without a warning.
const leastMargin = 0.1

// finish reads the machine off its solution.
func (m *machine) finish(p svmProblem, beta, f []float64, violation, tol float64) {
	m.beta, m.violation = beta, violation
	m.objective = solve.BoxObjective(p.qp, beta, f)
	m.converged = violation <= tol
	if !m.converged {
		m.warnings = append(m.warnings, fmt.Sprintf("stopped at a KKT violation of %.3g, above the tolerance %.3g", violation,
			tol))
	}
	var factor float64
	m.bias, m.width, factor = p.read(solve.Multipliers(p.qp, beta, f))
	if p.loss != nil {
		// Primal ½βᵀKβ + Σ Cξ, dual -objective.
		quadratic := 0.0
		for t, b := range beta {
			if b != 0 {
				quadratic += 0.5 * b * f[pointOf(p.qp, t)]
			}
		}
		primal := quadratic + p.loss(f, m.bias)
		m.gap = (primal + m.objective) / max(math.Abs(primal), math.Abs(m.objective), 1e-300)
	}
	if p.wantValues {
		m.values = make([]float64, len(f))
		for i, v := range f {
			m.values[i] = (v + m.bias) * factor
		}
	}
	switch {
	case p.margin && m.width == 0:
		m.warnings = append(m.warnings,
			"the classes have no margin at all: the kernel cannot tell their rows apart, and the machine says the same of "+
				"all; scale the columns, or take another kernel")
	case factor != 1 && !(violation <= m.width*leastMargin):
		m.warnings = append(m.warnings,
			fmt.Sprintf("the margin ρ = %.3g is not large beside the KKT violation %.3g it was found to, so that the machine, "+
				"scaled by 1/ρ, is known roughly: raise nu or lower tol", m.width, violation))
	}
	m.bias *= factor
	m.coef = make([]float64, len(f))
	for t, b := range beta {
		m.coef[pointOf(p.qp, t)] += b
	}
	if factor != 1 {
		for i := range m.coef {
			m.coef[i] *= factor
		}
	}
}

func pointOf(q solve.BoxQP, t int) int {
	if q.Point == nil {
		return t
	}
	return q.Point[t]
}

// certify recomputes Kβ in float64. Where rough values from float32 columns are
// at hand and the tolerance is one that such columns are trusted with, only the
// points that could possibly violate the optimality conditions are recomputed: for the
// others the margin to spare is above what the rounding of the columns can amount to, even if
// the errors of all columns had the same sign and four times their typical size.
func certify(
	ctx context.Context, m *kernelMatrix, index []int, q solve.BoxQP, beta, rough []float64, rounding, tol float64,
	threads int,
) ([]float64, error) {
	if rough == nil || tol < float32Tol {
		return expand(ctx, m, index, nil, q, beta, threads)
	}
	sum := 0.0
	for _, b := range beta {
		sum += math.Abs(b)
	}
	guard := max(entryErrors*rounding*m.largestDiag()*sum, 2*tol)
	_, low, high := solve.BoxViolation(q, beta, rough)
	doubt := make([]bool, len(rough))
	for t, b := range beta {
		p, g := pointOf(q, t), 0
		if q.Group != nil {
			g = int(q.Group[t])
		}
		z := q.Linear[t] - rough[p]
		if b < q.Upper[t] && z > low[g]-guard || b > q.Lower[t] && z < high[g]+guard {
			doubt[p] = true
		}
	}
	var points []int
	for p, d := range doubt {
		if d {
			points = append(points, p)
		}
	}
	exact, err := expand(ctx, m, index, points, q, beta, threads)
	if err != nil {
		return nil, err
	}
	f := append([]float64(nil), rough...)
	for i, p := range points {
		f[p] = exact[i]
	}
	return f, nil
}

// expand computes Kβ in float64 at the given points of the machine on index
// (nil: all), from the kernel values of the points in use.
func expand(
	ctx context.Context, m *kernelMatrix, index, points []int, q solve.BoxQP, beta []float64, threads int,
) ([]float64, error) {
	n := len(m.diag)
	if index != nil {
		n = len(index)
	}
	coef := make([]float64, n)
	for t, b := range beta {
		coef[pointOf(q, t)] += b
	}
	var used []int
	var weight []float64
	for p, c := range coef {
		if c == 0 {
			continue
		}
		weight = append(weight, c)
		if index != nil {
			p = index[p]
		}
		used = append(used, p)
	}
	at := index
	if points != nil {
		n, at = len(points), points
		if index != nil {
			at = data.Take(index, points)
		}
	}
	f := make([]float64, n)
	if len(used) == 0 || n == 0 {
		return f, nil
	}
	t := m.cut(nil, used, at)
	const tall, wide = 128, 512
	par.For(threads, n, wide, func(lo, hi int) {
		k := linalg.New[float64](tall, hi-lo)
		out := f[lo:hi]
		for a := 0; a < len(used); a += tall {
			if ctx.Err() != nil {
				return
			}
			b := min(a+tall, len(used))
			tile := k.Slice(0, b-a, 0, hi-lo)
			t.Tile(blas64.General(tile), a, lo)
			for r, w := range weight[a:b] {
				for i, v := range tile.Row(r) {
					out[i] += w * v
				}
			}
		}
	})
	return f, ctx.Err()
}

// doubts is what the kernel gives cause for. The dual of an indefinite one is not convex: as LIBSVM
// does, steps along which the objective does not curve upwards go to a bound or as if it curved a
// little (Lin and Lin 2003), and end where the KKT conditions hold.
func doubts(ctx context.Context, k kernel.Kernel[any], x data.Points[any], o Options) []string {
	out := fitting.Doubts(ctx, k, x, o.Resources)
	for i, w := range out {
		if strings.Contains(w, gram.RepairWords) {
			out[i] = w + "; the solution is a stationary point, not necessarily the best, as that of LIBSVM is"
		}
	}
	return append(out, o.Device.Notes()...)
}

// svmReport sums up the machines of a fit.
func svmReport(learner string, machines []*machine, doubts []string, start time.Time) learn.Report {
	r := learn.Report{Learner: learner, Certified: "KKT violation", Converged: true, Certificate: math.Inf(-1),
		Warnings: doubts}
	for i, m := range machines {
		r.Iterations += m.steps
		r.Objective += m.objective
		r.Certificate = max(r.Certificate, m.violation)
		r.Converged = r.Converged && m.converged
		r.Bytes = max(r.Bytes, m.bytes)
		for _, w := range m.warnings {
			if len(machines) > 1 {
				w = fmt.Sprintf("machine %d: %s", i, w)
			}
			r.Warnings = append(r.Warnings, w)
		}
	}
	r.Elapsed = time.Since(start)
	return r
}
