package solve

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// OnDemand solves by pairs over all points at a time, in single precision, on rows that are made as
// pairs ask for them; then on a copy of K of those who can still move, by factorisation where pairs
// crawl (SharedSMO). What is left, and the polish at the end, is SMO's. diag is the diagonal of K.
// Where points are many and the programme turns out to be hard, which is seen by how many pairs it
// takes, others gives the rows for SMO to go on with.
func OnDemand(
	ctx context.Context, q BoxQP, rows *LazyRows, diag, beta []float64, others RowSource[float32], o SMOOptions,
) (*SMOResult, error) {
	if o.Tol == 0 {
		o.Tol = 1e-3
	}
	if o.Bytes == 0 {
		o.Bytes = par.DefaultBytes()
	}
	if q.Point == nil {
		q.Point = make([]int, len(q.Linear))
		for t := range q.Point {
			q.Point[t] = t
		}
	}
	beta = append([]float64(nil), beta...)
	f, before := make([]float64, len(diag)), rows.Made()
	if others != nil && usedPoints(beta) > len(diag)/easyPairs {
		return SMO(ctx, q, others, beta, nil, o)
	}
	if err := rows.product(ctx, q, beta, f); err != nil {
		return nil, err
	}
	s := SharedSMO{Lazy: rows, Diagonal: diag, Tol: o.Tol, MaxIterations: o.MaxIterations}
	if others != nil {
		s.PairsOnly, s.MaxIterations = true, max(len(diag)/easyPairs, 1)
		s.MaxRows = int(min(o.Bytes/4, easyBytes) / int64(4*len(diag)))
	}
	s.Renew(linalg.Matrix[float32]{}, math.Inf(1))
	done, err := s.Solve(ctx, q, beta, f)
	if err != nil {
		return nil, err
	}
	iterations := done.Iterations
	if slack := entrySlack(beta, o); done.Converged && done.Violation > o.Tol-slack {
		s.Tol = o.Tol - slack
		if done, err = s.Solve(ctx, q, beta, f); err != nil {
			return nil, err
		}
		iterations += done.Iterations
	}
	// A factorisation at the end (polish) that costs more than all pairs did is spared where as
	// many pairs again do the same.
	free := freeCount(q, beta)
	price := polishPrice(free)
	if rows.given {
		price += stepsPrice(free)
	}
	if spent := directPrice(iterations, len(diag)) + rowPrice(rows.Made(), len(diag)); done.Converged && price > spent {
		s.Tol, s.MaxIterations = settled*min(s.Tol, o.Tol), max(iterations, 1)
		more, err := s.Solve(ctx, q, beta, f)
		if err != nil {
			return nil, err
		}
		iterations += more.Iterations
	}
	bytes, computed := rows.Bytes(), rows.Made()-before
	source := others
	if done.Converged || others == nil {
		source = lazySource{rows: rows, diag: diag}
		rows.held = true
		defer func() { rows.held = false }()
	}
	r, err := SMO(ctx, q, source, beta, f, o)
	if err != nil {
		return nil, err
	}
	r.Iterations += iterations
	r.RowsComputed += computed
	r.CacheBytes = max(r.CacheBytes, bytes)
	return r, nil
}

// A programme of many points is easy if a pair for every easyPairs of them solves it, on rows of
// easyBytes at most.
const (
	easyPairs = 4
	easyBytes = 96 << 20
)

// entrySlack is what the violation of the exact matrix may be above that of the
// rows; 0 where that is too much to be of use.
func entrySlack(coef []float64, o SMOOptions) float64 {
	sum := 0.0
	for _, b := range coef {
		sum += math.Abs(b)
	}
	if v := 2 * o.EntryError * sum; v <= o.Tol/2 {
		return v
	}
	return 0
}

// usedPoints counts the variables that are not 0.
func usedPoints(beta []float64) int {
	n := 0
	for _, b := range beta {
		if b != 0 {
			n++
		}
	}
	return n
}

// product sets f = Kβ.
func (l *LazyRows) product(ctx context.Context, q BoxQP, beta, f []float64) error {
	var points []int
	var weights []float64
	for t, b := range beta {
		if b != 0 {
			points, weights = append(points, q.Point[t]), append(weights, b)
		}
	}
	return l.add(ctx, f, points, weights)
}

// add adds Σ weights[a]·(row of points[a]) to f, some rows at a time.
func (l *LazyRows) add(ctx context.Context, f []float64, points []int, weights []float64) error {
	some := max(l.most/2, mostBatch)
	for lo := 0; lo < len(points); lo += some {
		hi := min(lo+some, len(points))
		if err := l.Want(ctx, points[lo:hi]); err != nil {
			return err
		}
		rows := make([][]float32, 0, hi-lo)
		for _, p := range points[lo:hi] {
			rows = append(rows, l.Row(p))
		}
		addRows(1, f, rows, weights[lo:hi], 0)
	}
	return nil
}

// lazySource is LazyRows for SMO.
type lazySource struct {
	rows *LazyRows
	diag []float64
	cols []int // nil: all
}

func (s lazySource) Diag() []float64 { return s.diag }

func (s lazySource) Columns(cols []int) RowSource[float32] { return lazySource{s.rows, s.diag, cols} }

func (s lazySource) Rows(ctx context.Context, dst linalg.Matrix[float32], points []int) error {
	if err := s.rows.Want(ctx, points); err != nil {
		return err
	}
	var index []int32
	for _, c := range s.cols {
		index = append(index, int32(c))
	}
	for a, p := range points {
		if s.cols == nil {
			copy(dst.Row(a), s.rows.Row(p))
			continue
		}
		simd.GatherRow(dst.Row(a), s.rows.Row(p), index)
	}
	return nil
}

// whole lends rows as they are, where they have all columns in order.
func (s lazySource) whole(ctx context.Context, points []int) ([][]float32, error) {
	if s.cols != nil {
		return nil, nil
	}
	if err := s.rows.Want(ctx, points); err != nil {
		return nil, err
	}
	out := make([][]float32, len(points))
	for a, p := range points {
		out[a] = s.rows.Row(p)
	}
	return out, nil
}

// lender is a source of rows that has them in memory: they need no copy.
type lender[F linalg.Float] interface {
	whole(ctx context.Context, points []int) ([][]F, error)
}
