package solve

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/trace"
)

// BoxQP is the quadratic programme behind every support vector machine,
//
//	minimise over β   ½ βᵀKβ - cᵀβ
//	subject to        loₜ ≤ βₜ ≤ hiₜ,
//	                  Σ_{t in group g} βₜ = Δ_g   for each group g,
//
// in signed coefficients: the machine is f = Σ βₜ k(x_{p(t)}, ·) + b. Several
// variables may share one point p(t), one row of K. With yᵢ = ±1, LIBSVM's five
// formulations (Chang & Lin 2011) are
//
//	C-SVC      β = y∘α       c = y        0 ≤ yβ ≤ C      one group, Δ = 0
//	ν-SVC      β = y∘α       c = 0        0 ≤ yβ ≤ 1      groups y = ±1, Δ = ±νn/2
//	ε-SVR      β⁺, β⁻        c = y ∓ ε    0 ≤ ±β± ≤ C     one group, Δ = 0
//	ν-SVR      β⁺, β⁻        c = y        0 ≤ ±β± ≤ C     groups ±, Δ = ±νCn/2
//	one-class  β = α         c = 0        0 ≤ β ≤ 1       one group, Δ = νn
//
// The Δ are those of the starting point. With z = c - Kβ (minus the gradient),
// up = {β < hi} and down = {β > lo}, a feasible β is optimal exactly when in
// every group m = max_up z ≤ M = min_down z; m - M is the KKT violation that
// the solver brings below its tolerance, the same number LIBSVM's -e bounds.
type BoxQP struct {
	Point  []int     // row of K of each variable; nil when variable t is point t
	Linear []float64 // c
	Lower  []float64 // lo
	Upper  []float64 // hi; may be +Inf
	Group  []uint8   // group of each variable; nil when there is one
	Groups int       // number of groups; 0 stands for 1
}

// RowSource gives rows of the symmetric matrix K. Where it is not positive semi-definite the
// problem is not convex, and the solution a point where the KKT conditions hold, as in LIBSVM: a
// pair along which the objective curves downwards moves to a bound.
type RowSource[F linalg.Float] interface {
	// Rows sets dst[a, b] = K[rows[a], b-th column].
	Rows(ctx context.Context, dst linalg.Matrix[F], rows []int) error
	// Columns is the same matrix with only the given columns, in their order.
	// They are always numbered as in the full matrix.
	Columns(cols []int) RowSource[F]
	// Diag is the diagonal of the full matrix.
	Diag() []float64
}

// SMOOptions steers SMO; the zero value is a sound choice.
type SMOOptions struct {
	Tol           float64    // KKT violation to reach; 0 means 1e-3
	Bytes         int64      // budget of rows and working space; 0 means a quarter of memory
	Threads       int        // 0 means GOMAXPROCS
	NoShrinking   bool       // keep all variables in play all the time
	WorkingSet    int        // variables optimised together; 0 means chosen by the size of the problem
	MaxIterations int        // bound on pair updates; 0 means 10⁷ or 1000 for each variable, whichever is more
	Trace         trace.Func // told after each working set
	// EntryError bounds the error of an entry of the rows; 0 when they are
	// exact. SMO then stops only where the violation of the exact matrix is sure to be below Tol:
	// at Tol - 2·EntryError·Σ|β|. Where that would be less than half of Tol the rows are too rough
	// to certify anything, and the violation that they show has to do.
	EntryError float64
}

// SMOResult is where SMO stopped.
type SMOResult struct {
	Beta      []float64 // the variables
	F         []float64 // Kβ at every point, in the precision of the rows
	Violation float64   // max over groups of m - M
	// Certified is Violation with what EntryError may add to it; +Inf where the
	// rows are too rough.
	Certified float64
	Low, High []float64 // M and m of each group; at the optimum the multiplier lies between them
	Objective float64   // ½βᵀKβ - cᵀβ

	Iterations   int // pair updates
	WorkingSets  int
	RowsComputed int // rows of K evaluated (a row in part counts as one)
	Shrinkings   int
	Polishings   int // factorisations for Newton steps on the free variables, at the end
	CacheBytes   int64
	Converged    bool
	Elapsed      time.Duration
}

// workShare is the part of the budget, one in so many, that working space may
// take beside the rows that are kept.
const workShare = 4

// ErrUnbounded is returned when the programme has no minimum within numbers
// worth using: some hi is +Inf and β grows without end.
var ErrUnbounded = errors.New("solve: the quadratic programme is unbounded")

// SMO solves the programme from a feasible start by decomposition: a working
// set of some hundred variables, the worst violators of the optimality conditions
// among them, is optimised by sequential minimal optimisation (Platt 1998) with
// the second-order choice of pairs (WSS2 of Fan, Chen & Lin, JMLR 6, 2005),
// entirely in cache; then Kβ is brought up to date at all points by one
// product with the rows of the working set, which were computed together (as
// in ThunderSVM, Wen et al., JMLR 19, 2018). A working set always holds a maximal
// violating pair, which gives convergence (Lin 2001).
//
// beta is the feasible start (nil means zeros); f is Kβ at the start, nil when it is not known.
// Neither is kept. Sums are float64 throughout; F is the precision of the rows only.
func SMO[F linalg.Float](
	ctx context.Context, q BoxQP, k RowSource[F], beta, f []float64, o SMOOptions,
) (*SMOResult, error) {
	if single, ok := any(k).(RowSource[float32]); ok {
		return smo32(ctx, q, single, beta, f, o)
	}
	return smo64(ctx, q, any(k).(RowSource[float64]), beta, f, o)
}

// smo64 and smo32 are SMO in either precision, compiled here and not where it is called.
//
//go:noinline
func smo64(ctx context.Context, q BoxQP, k RowSource[float64], beta, f []float64, o SMOOptions) (*SMOResult, error) {
	return runSMO(ctx, q, k, beta, f, o)
}

//go:noinline
func smo32(ctx context.Context, q BoxQP, k RowSource[float32], beta, f []float64, o SMOOptions) (*SMOResult, error) {
	return runSMO(ctx, q, k, beta, f, o)
}

func runSMO[F linalg.Float](
	ctx context.Context, q BoxQP, k RowSource[F], beta, f []float64, o SMOOptions,
) (*SMOResult, error) {
	s, err := newSMO(ctx, q, k, beta, f, o)
	if err != nil {
		return nil, err
	}
	return s.run()
}

type smo[F linalg.Float] struct {
	ctx   context.Context
	q     BoxQP
	k     RowSource[F] // columns in the order of the active prefix
	whole RowSource[F] // all columns, by point
	o     SMOOptions
	start time.Time

	n      int // points
	diag   []float64
	beta   []float64 // by variable
	coef   []float64 // by point: sum of the β of its variables
	vars   [][2]int32
	rows   *rowCache[F]
	layout layout
	f      []float64 // by position: Kβ, up to date on the active prefix
	pick   picker

	target float64 // violation to stop at

	// What the last working set cost in rows, and what was spent on idle
	// points since the last shrinking.
	lastAdded, lastComputed, wasted int

	res SMOResult
}

func newSMO[F linalg.Float](
	ctx context.Context, q BoxQP, k RowSource[F], beta, f []float64, o SMOOptions,
) (*smo[F], error) {
	v := len(q.Linear)
	if len(q.Lower) != v || len(q.Upper) != v || q.Point != nil && len(q.Point) != v || q.Group != nil &&
		len(q.Group) != v {
		panic("solve: the parts of a BoxQP differ in length")
	}
	if o.Tol == 0 {
		o.Tol = 1e-3
	}
	if o.Bytes == 0 {
		o.Bytes = par.DefaultBytes()
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = max(1e7, 1000*v)
	}
	q.Groups = max(q.Groups, 1)
	diag := k.Diag()
	if err := CheckDiagonal(diag); err != nil {
		return nil, err
	}
	s := &smo[F]{ctx: ctx, q: q, k: k, whole: k, o: o, start: time.Now(), n: len(diag), diag: diag}
	s.beta = make([]float64, v)
	if beta != nil {
		copy(s.beta, beta)
	}
	s.coef = make([]float64, s.n)
	s.vars = make([][2]int32, s.n)
	for p := range s.vars {
		s.vars[p] = [2]int32{-1, -1}
	}
	for t := range v {
		p := s.point(t)
		s.coef[p] += s.beta[t]
		switch vp := &s.vars[p]; {
		case vp[0] < 0:
			vp[0] = int32(t)
		case vp[1] < 0:
			vp[1] = int32(t)
		default:
			panic("solve: more than two variables share a point")
		}
	}
	s.layout = newLayout(s.n)
	s.rows = newRowCache[F](s.n, o.Bytes-o.Bytes/workShare, o.Bytes/workShare, o.Threads)
	s.f = make([]float64, s.n)
	if f != nil {
		copy(s.f, f)
		return s, nil
	}
	return s, s.addProduct(s.coef, 0, s.n)
}

func (s *smo[F]) point(t int) int {
	if s.q.Point == nil {
		return t
	}
	return s.q.Point[t]
}

func (s *smo[F]) group(t int) int {
	if s.q.Group == nil {
		return 0
	}
	return int(s.q.Group[t])
}

// run alternates working sets and updates of Kβ until the violation is small
// enough on all variables.
func (s *smo[F]) run() (*SMOResult, error) {
	size := s.workingSetSize()
	var b *block[F] // not needed where the start is all but solved
	// whole: the last stall was with points set aside, which must not happen again before progress.
	best, stalled, whole := math.Inf(1), 0, false
	polished := 0
	s.target = s.o.Tol
	for {
		if err := s.ctx.Err(); err != nil {
			return nil, err
		}
		s.scan()
		s.report()
		gap := s.pick.violation
		if gap <= s.target || math.IsInf(gap, -1) {
			s.target = s.o.Tol - s.slack()
		}
		if gap <= s.target || math.IsInf(gap, -1) {
			if gap > settled*s.o.Tol && polished < polishMost {
				polished++
				moved, err := s.polish()
				if err != nil {
					return nil, err
				}
				if moved {
					continue
				}
			}
			if s.layout.active == s.n {
				s.res.Converged = true
				break
			}
			if err := s.unshrink(); err != nil {
				return nil, err
			}
			continue
		}
		if math.IsInf(gap, 0) || math.IsNaN(gap) {
			return nil, ErrUnbounded
		}
		// Rounding of the rows can hold the violation up; what is left is for
		// rows of higher precision.
		if gap < 0.95*best {
			best, stalled, whole = gap, 0, false
		} else if stalled++; stalled > 2000 {
			if s.layout.active == s.n {
				break
			}
			stalled, whole = 0, true
			if err := s.unshrink(); err != nil {
				return nil, err
			}
			continue
		}
		if s.res.Iterations >= s.o.MaxIterations {
			if err := s.unshrink(); err != nil {
				return nil, err
			}
			s.scan()
			break
		}
		if !whole && s.timeToShrink() {
			s.shrink()
		}
		if b == nil {
			b = newBlock[F](size)
		}
		if err := s.optimise(b, s.chooseWorkingSet(size)); err != nil {
			return nil, err
		}
		s.res.WorkingSets++
	}
	return s.finish(), nil
}

// slack is what the violation of the exact matrix may be above that of the
// rows; 0 where that is too much to be of use.
func (s *smo[F]) slack() float64 { return entrySlack(s.coef, s.o) }

func (s *smo[F]) report() {
	if s.o.Trace == nil {
		return
	}
	s.o.Trace(trace.Step{Iteration: s.res.Iterations, Objective: math.NaN(), Residual: s.pick.violation,
		Elapsed: time.Since(s.start)})
}

func (s *smo[F]) finish() *SMOResult {
	r := &s.res
	r.Beta = s.beta
	r.F = make([]float64, s.n)
	for i, p := range s.layout.order {
		r.F[p] = s.f[i]
	}
	r.Violation, r.Low, r.High = s.pick.violation, s.pick.low, s.pick.high
	r.Certified = r.Violation + s.slack()
	if r.Certified == r.Violation && s.o.EntryError > 0 {
		r.Certified = math.Inf(1)
	}
	r.Objective = BoxObjective(s.q, s.beta, r.F)
	r.CacheBytes = s.rows.peak
	r.Elapsed = time.Since(s.start)
	return r
}

// BoxObjective is ½βᵀKβ - cᵀβ given f = Kβ by point.
func BoxObjective(q BoxQP, beta, f []float64) float64 {
	sum := 0.0
	for t, b := range beta {
		if b != 0 {
			p := t
			if q.Point != nil {
				p = q.Point[t]
			}
			sum += b * (0.5*f[p] - q.Linear[t])
		}
	}
	return sum
}

// BoxViolation is the KKT violation of β given f = Kβ by point, with M and m
// of each group: what SMO reports, recomputed from scratch.
func BoxViolation(q BoxQP, beta, f []float64) (violation float64, low, high []float64) {
	groups := max(q.Groups, 1)
	low, high = make([]float64, groups), make([]float64, groups)
	for g := range groups {
		low[g], high[g] = math.Inf(1), math.Inf(-1)
	}
	for t, b := range beta {
		p, g := t, 0
		if q.Point != nil {
			p = q.Point[t]
		}
		if q.Group != nil {
			g = int(q.Group[t])
		}
		z := q.Linear[t] - f[p]
		if b < q.Upper[t] {
			high[g] = max(high[g], z)
		}
		if b > q.Lower[t] {
			low[g] = min(low[g], z)
		}
	}
	violation = math.Inf(-1)
	for g := range groups {
		violation = max(violation, high[g]-low[g])
	}
	return violation, low, high
}
