package solve

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// SharedSMO solves many BoxQPs on one kernel matrix that is wholly in memory, one after another:
// the folds and the values of C of a search. Point[t] is the row of the shared matrix of variable
// t, so that a fold is a choice of rows and nothing is copied; Kβ is kept at all rows, those that
// take no part included, where it is the prediction. It is the algorithm of SMO, in one goroutine,
// without cache, with storage that is used again from problem to problem. Where few variables can
// still move it works on a copy of their part of K, which fits in the caches (shrinking). A
// SharedSMO is not safe for concurrent use; several may share K.
type SharedSMO struct {
	K linalg.Matrix[float32]
	// Lazy, where it is not nil, gives the rows instead of K, and Diagonal its diagonal.
	Lazy     *LazyRows
	Diagonal []float64
	Tol      float64 // KKT violation to reach; 0 means 1e-3
	// PairsOnly gives up where pairs over all points are not the way: too many of them, or too
	// fine for single precision.
	PairsOnly bool
	MaxRows   int // rows to make at most where PairsOnly
	// WorkingSet is the number of variables optimised together; 0 means 256.
	WorkingSet int
	// MaxIterations bounds the pair updates of one problem; 0 means 10⁷.
	MaxIterations int

	diag     []float64
	rest     float64 // no entry of K off its diagonal is larger in size; +Inf: not known
	block    *block[float32]
	up, down []ranked
	kept     []ranked
	set      []int
	last     []int
	mark     []int32 // by variable: the working set that chose it last
	age      []int32
	stamp    int32
	points   []int
	rows     [][]float32
	weights  []float64
	part     *activePart
	direct   direct
	newton   newton
}

// SharedResult is where SharedSMO stopped.
type SharedResult struct {
	Violation   float64
	Multiplier  float64 // of the group's constraint: the bias of C-SVC and ε-SVR
	Objective   float64
	Iterations  int
	WorkingSets int
	Newtons     int // working sets optimised by factorisation
	Converged   bool
}

// Tolerance is Tol or what it means when 0.
func (s *SharedSMO) Tolerance() float64 {
	if s.Tol == 0 {
		return 1e-3
	}
	return s.Tol
}

// points0 is the number of points of the matrix.
func (s *SharedSMO) points0() int {
	if s.Lazy != nil {
		return s.Lazy.n
	}
	return s.K.Rows
}

// row is the row of a point, which is at hand.
func (s *SharedSMO) row(p int) []float32 {
	if s.Lazy != nil {
		return s.Lazy.Row(p)
	}
	return s.K.Row(p)
}

// want makes the rows of some points present.
func (s *SharedSMO) want(ctx context.Context, points []int) error {
	if s.Lazy == nil {
		return nil
	}
	return s.Lazy.Want(ctx, points)
}

// together is how many rows of m may be at hand at a time.
func (s *SharedSMO) together(m int) int {
	if s.Lazy != nil {
		return min(m, max(s.Lazy.most/2, mostBatch))
	}
	return m
}

// addChange adds Σ weights·(row of points), as listed in s, to f.
func (s *SharedSMO) addChange(ctx context.Context, f []float64) error {
	if s.Lazy != nil {
		return s.Lazy.add(ctx, f, s.points, s.weights)
	}
	s.rows = s.rows[:0]
	for _, p := range s.points {
		s.rows = append(s.rows, s.K.Row(p))
	}
	addRows(1, f, s.rows, s.weights, 0)
	return nil
}

// Renew makes the solver one for the matrix k, as a new one would be but for its
// storage. No entry of k off its diagonal is larger in size than rest, +Inf where nothing is known.
func (s *SharedSMO) Renew(k linalg.Matrix[float32], rest float64) {
	s.K, s.rest = k, rest
	s.diag = append(s.diag[:0], s.Diagonal...)
	for i := len(s.diag); i < k.Rows; i++ {
		s.diag = append(s.diag, float64(k.At(i, i)))
	}
	clear(s.mark)
	clear(s.age)
	s.stamp = 0
	s.newton.forget()
	s.newton.hard = false
	s.direct.home = nil
	if s.part != nil {
		s.part.home = nil
	}
}

// Solve improves beta and f = Kβ (at all rows of K) in place until the KKT violation is at most
// Tol. beta is feasible. Programmes of several groups are solved by pairs alone.
func (s *SharedSMO) Solve(ctx context.Context, q BoxQP, beta, f []float64) (SharedResult, error) {
	tol, limit := s.Tolerance(), s.MaxIterations
	if limit == 0 {
		limit = 1e7
	}
	s.prepare(len(beta))
	s.newton.begin()
	if s.Separable(q) {
		s.separate(q, beta, f) // what rounding leaves is for the loop below
	}
	var r SharedResult
	best, stalled, directly := math.Inf(1), 0, true
	for {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		r.Violation, _, _ = BoxViolation(q, beta, f)
		if r.Violation <= tol || math.IsInf(r.Violation, -1) {
			r.Converged = true
			break
		}
		if r.Violation < 0.95*best {
			best, stalled = r.Violation, 0
		} else if stalled++; stalled > 25 {
			break
		}
		if r.Iterations >= limit {
			break
		}
		fits := directly && s.directFits(q)
		only := s.PairsOnly || q.Groups > 1
		if only && !fits {
			break
		}
		n, points := r.Iterations, s.points0()
		price, budget := math.Inf(1), partPairs
		if fits && !only {
			m, missing := s.movable(q, beta, f, r.Violation)
			price = copyPrice(m) + rowPrice(missing, points)
			budget = directBudget(len(beta), m, points, n)
		}
		pairs := func() error {
			err := s.runDirect(ctx, q, beta, f, max(0.5*tol, singleRounding*r.Violation), min(budget, limit-n, partPairs), &r)
			// Where single precision sees nothing more to do, it has done its part.
			directly = r.Iterations > n
			return err
		}
		var err error
		if fits && directPrice(n, points) <= price {
			err = pairs()
		} else if part, stopped := s.activate(ctx, q, beta, f, r.Violation); part != nil || stopped != nil {
			if err = stopped; err == nil {
				err = part.solve(ctx, s, q, beta, f, max(partFraction*r.Violation, 0.5*tol), tol, limit, &r)
			}
		} else if fits && s.Lazy != nil {
			budget = partPairs
			err = pairs()
		} else {
			err = s.walk(ctx, q, beta, f, tol, walkSets, limit, &r)
		}
		if err != nil {
			return r, err
		}
	}
	s.newton.hard = r.Newtons > 0
	r.Objective = BoxObjective(q, beta, f)
	if q.Groups <= 1 {
		r.Multiplier = Multipliers(q, beta, f)[0]
	}
	return r, nil
}

// walkSets is the number of working sets between two looks at who can still
// move.
const walkSets = 8

// walk optimises working set after working set until the violation is at most
// eps or sets are used up (0: no limit).
func (s *SharedSMO) walk(
	ctx context.Context, q BoxQP, beta, f []float64, eps float64, sets, limit int, r *SharedResult,
) error {
	size := s.size(len(beta))
	best, stalled := math.Inf(1), 0
	for done := 0; sets == 0 || done < sets; done++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		low, high := s.scan(q, beta, f)
		violation := high - low
		if violation <= eps || math.IsInf(violation, -1) || r.Iterations >= limit {
			return nil
		}
		if violation < 0.95*best {
			best, stalled = violation, 0
		} else if stalled++; stalled > 200 {
			return nil
		}
		s.choose(q, beta, f, low, high, size)
		n, err := s.optimise(ctx, q, beta, f, max(innerFraction*violation, 0.5*eps), limit-r.Iterations)
		if err != nil {
			return err
		}
		r.Iterations += n
		r.WorkingSets++
	}
	return nil
}

// prepare makes room for a problem.
func (s *SharedSMO) prepare(variables int) {
	if s.diag == nil {
		s.Renew(s.K, math.Inf(1))
	}
	if len(s.mark) < variables {
		s.mark, s.age = make([]int32, variables), make([]int32, variables)
		s.stamp = 0
	}
	s.last = s.last[:0]
}

// size is the number of variables of a working set.
func (s *SharedSMO) size(variables int) int {
	if s.WorkingSet > 0 {
		return min(s.WorkingSet, variables)
	}
	return min(sharedSet, variables)
}

// sharedSet is the default size: its part of K, a quarter of a megabyte, stays in the
// second level of cache.
const sharedSet = 256

// AddRows32 adds Σ weights[a]·rows[a] to f, in one goroutine.
func AddRows32(f []float64, rows [][]float32, weights []float64) { addRows(1, f, rows, weights, 0) }
