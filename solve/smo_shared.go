package solve

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/linalg"
)

// SharedSMO solves many BoxQPs on one kernel matrix that is wholly in memory,
// one after another: the folds and the values of C of a search. Point[t] is the
// row of the shared matrix of variable t, so that a fold is a choice of rows and nothing is
// copied; Kβ is kept at all rows, those that take no part included, where it
// is the prediction. It is the algorithm of SMO, in one goroutine, without
// cache and shrinking, with storage that is used again from problem to problem. A SharedSMO is not
// safe for concurrent use; several may share K.
type SharedSMO struct {
	K   linalg.Matrix[float32]
	Tol float64 // KKT violation to reach; 0 means 1e-3
	// WorkingSet is the number of variables optimised together; 0 means 256.
	WorkingSet int
	// MaxIterations bounds the pair updates of one problem; 0 means 10⁷.
	MaxIterations int

	diag     []float64
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

// Solve improves beta and f = Kβ (at all rows of K) in place until the KKT
// violation is at most Tol. The programme has one group; beta is feasible.
func (s *SharedSMO) Solve(ctx context.Context, q BoxQP, beta, f []float64) (SharedResult, error) {
	if q.Groups > 1 {
		panic("solve: SharedSMO takes programmes with one group")
	}
	tol, limit := s.Tol, s.MaxIterations
	if tol == 0 {
		tol = 1e-3
	}
	if limit == 0 {
		limit = 1e7
	}
	size := s.prepare(len(beta))
	var r SharedResult
	best, stalled := math.Inf(1), 0
	var since struct{ iterations, sets int } // pairs' work since the last newton step
	for {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		low, high := s.scan(q, beta, f)
		r.Violation = high - low
		if r.Violation <= tol || math.IsInf(r.Violation, -1) {
			r.Converged = true
			break
		}
		if r.Violation < 0.95*best {
			best, stalled = r.Violation, 0
		} else if stalled++; stalled > 200 {
			break
		}
		if r.Iterations >= limit {
			break
		}
		if since.sets >= 1 && pairPrice(since.iterations, since.sets, size, s.K.Rows) > newtonPrice(s.free(q, beta)) {
			since.iterations, since.sets = 0, 0
			moved, err := s.tryNewton(ctx, q, beta, f, tol)
			if err != nil {
				return r, err
			}
			if moved {
				r.Newtons++
				continue
			}
		}
		s.choose(q, beta, f, low, high, size)
		n, err := s.optimise(ctx, q, beta, f, max(innerFraction*r.Violation, 0.5*tol), limit-r.Iterations)
		if err != nil {
			return r, err
		}
		r.Iterations += n
		r.WorkingSets++
		since.iterations += n
		since.sets++
	}
	r.Objective = BoxObjective(q, beta, f)
	r.Multiplier = Multiplier(q, beta, f)
	return r, nil
}

// free counts the variables strictly inside their box.
func (s *SharedSMO) free(q BoxQP, beta []float64) int {
	n := 0
	for t, b := range beta {
		if b > q.Lower[t] && b < q.Upper[t] {
			n++
		}
	}
	return n
}

func (s *SharedSMO) prepare(variables int) int {
	if s.diag == nil {
		s.diag = make([]float64, s.K.Rows)
		for i := range s.diag {
			s.diag[i] = float64(s.K.At(i, i))
		}
	}
	size := s.WorkingSet
	if size == 0 {
		size = 256
	}
	if s.block == nil {
		s.block = newBlock[float32](size)
	}
	if len(s.mark) < variables {
		s.mark, s.age = make([]int32, variables), make([]int32, variables)
		s.stamp = 0
	}
	s.last = s.last[:0]
	return min(size, variables)
}

// scan finds M = min_down z and m = max_up z.
func (s *SharedSMO) scan(q BoxQP, beta, f []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	s.up, s.down = s.up[:0], s.down[:0]
	for t, b := range beta {
		z := q.Linear[t] - f[q.Point[t]]
		if b < q.Upper[t] && z > high {
			high = z
		}
		if b > q.Lower[t] && z < low {
			low = z
		}
	}
	return low, high
}

// choose picks the working set: the worst violators on both sides and, for
// half of the places, what the last set held, free variables first.
func (s *SharedSMO) choose(q BoxQP, beta, f []float64, low, high float64, size int) {
	s.up, s.down, s.kept = s.up[:0], s.down[:0], s.kept[:0]
	for t, b := range beta {
		z := q.Linear[t] - f[q.Point[t]]
		if z > low && b < q.Upper[t] {
			s.up = append(s.up, ranked{z - low, int32(t)})
		}
		if z < high && b > q.Lower[t] {
			s.down = append(s.down, ranked{high - z, int32(t)})
		}
	}
	s.stamp++
	fresh := size
	if len(s.last) > 0 {
		fresh = max(size/2, 2)
	}
	s.set = s.set[:0]
	take := func(from []ranked, count int) {
		for _, r := range worst(from, count) {
			if s.mark[r.t] != s.stamp {
				if s.mark[r.t] != s.stamp-1 {
					s.age[r.t] = s.stamp
				}
				s.mark[r.t] = s.stamp
				s.set = append(s.set, int(r.t))
			}
		}
	}
	take(s.up, fresh/2)
	take(s.down, fresh-fresh/2)
	for _, t := range s.last {
		if s.mark[t] == s.stamp {
			continue
		}
		score := float64(s.age[t])
		if b := beta[t]; b > q.Lower[t] && b < q.Upper[t] {
			score += 1e9
		}
		s.kept = append(s.kept, ranked{score, int32(t)})
	}
	take(s.kept, size-len(s.set))
	s.last = append(s.last[:0], s.set...)
}

// sharedLimit bounds the pair updates for each variable of a set: where more
// would be needed a factorisation is cheaper.
const sharedLimit = 16

// optimise solves the programme on the working set and brings f up to date.
func (s *SharedSMO) optimise(ctx context.Context, q BoxQP, beta, f []float64, eps float64, limit int) (int, error) {
	b, set := s.block, s.set
	b.resize(len(set))
	s.points = s.points[:0]
	for _, t := range set {
		s.points = append(s.points, q.Point[t])
	}
	for a, p := range s.points {
		row, dst := s.K.Row(p), b.k.Row(a)
		for c, w := range s.points[:a+1] {
			dst[c] = row[w]
		}
	}
	for a := range s.points {
		row := b.k.Row(a)
		for c := a + 1; c < len(set); c++ {
			row[c] = b.k.Data[c*b.k.Stride+a]
		}
	}
	for a, t := range set {
		p := s.points[a]
		b.diag[a], b.beta[a] = s.diag[p], beta[t]
		b.low[a], b.high[a] = q.Lower[t], q.Upper[t]
		b.place(a, q.Linear[t]-f[p])
	}
	b.groups = append(b.groups, span{0, len(set)})
	n, err := b.solve(ctx, eps, max(min(sharedLimit*len(set), limit), 1))
	if err != nil {
		return n, err
	}
	s.rows, s.weights = s.rows[:0], s.weights[:0]
	for a, t := range set {
		if d := b.beta[a] - beta[t]; d != 0 {
			s.rows, s.weights = append(s.rows, s.K.Row(s.points[a])), append(s.weights, d)
			beta[t] = b.beta[a]
		}
	}
	addRows(1, f, s.rows, s.weights, 0)
	return n, nil
}

// Multiplier reads the multiplier of the one group's constraint off a solution:
// the mean of c - Kβ over the free variables, or the middle of the interval
// that the bounded ones leave when none is free.
func Multiplier(q BoxQP, beta, f []float64) float64 {
	low, high := math.Inf(1), math.Inf(-1)
	sum, count := 0.0, 0
	for t, b := range beta {
		p := t
		if q.Point != nil {
			p = q.Point[t]
		}
		z := q.Linear[t] - f[p]
		up, down := b < q.Upper[t], b > q.Lower[t]
		if up && down {
			sum += z
			count++
		}
		if up {
			high = max(high, z)
		}
		if down {
			low = min(low, z)
		}
	}
	switch {
	case count > 0:
		return sum / float64(count)
	case math.IsInf(low, 0):
		return high
	case math.IsInf(high, 0):
		return low
	}
	return (low + high) / 2
}

// AddRows32 adds Σ weights[a]·rows[a] to f, in one goroutine.
func AddRows32(f []float64, rows [][]float32, weights []float64) { addRows(1, f, rows, weights, 0) }
