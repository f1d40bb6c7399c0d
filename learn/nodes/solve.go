package nodes

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/kernel/graph"
	"gonum.org/v1/gonum/mat"
)

// accuracy is how far a system is solved.
type accuracy struct {
	tol       float64 // relative residual
	steps     int     // of conjugate gradients at the most
	precision float64 // of r(L)
}

// trial is good enough to tell settings apart, final is what a model is made with, and large that of
// a graph of very many nodes: what the next two digits would change is far below what the answers
// leave open.
var (
	trial = accuracy{tol: 1e-3, steps: 80, precision: 1e-7}
	final = accuracy{tol: 1e-8, steps: 2000, precision: 1e-12}
	large = accuracy{tol: 1e-6, steps: 2000, precision: 1e-10}
)

// largeNodes is from how many nodes on a graph is one of very many.
const largeNodes = 20000

// last is the accuracy of a model.
func (s *Space) last() accuracy {
	if s.part.Nodes >= largeNodes {
		return large
	}
	return final
}

// solution is f, less its mean, on all nodes of the part.
type solution struct {
	f          linalg.Matrix[float64] // nodes × outputs
	residual   float64                // relative, of the system that was solved; 0 where it was solved directly
	iterations int
	converged  bool
	certified  string
}

// system is a ridge problem: known nodes of the part and their targets.
type system struct {
	at []int
	y  linalg.Matrix[float64]
}

// solveAll solves a system for several λ, increasing, in units of the mean of k(i, i).
func (s *Space) solveAll(ctx context.Context, k *kind, t graph.Transform, sys system, lambdas []float64, a accuracy) ([]solution, error) {
	u := unit{t}
	if err := t.Validate(k.l.Largest()); err != nil {
		return nil, fmt.Errorf("nodes: %w", err)
	}
	mean := k.spectrum.Mean(u)
	cut, step := t.(graph.Cutoff)
	var low *graph.Low
	if step && !s.exact() {
		var err error
		if low, err = s.lowest(ctx, k, lowPairs); err != nil {
			return nil, err
		}
		kept := 0
		for kept < len(low.Values) && cut.At(low.Values[kept], k.l.Largest()) > 0 {
			kept++
		}
		if kept == len(low.Values) && !(cut.Cut < low.Next) {
			return nil, fmt.Errorf("nodes: cutoff: Lanczos' method found the %d smallest eigenvalues of this graph, and not that the next is above cut=%g; give a smaller cut", kept, cut.Cut)
		}
		mean = float64(kept) / float64(s.part.Nodes)
		low = &graph.Low{Values: low.Values[:kept], Vectors: low.Vectors, Residuals: low.Residuals[:kept]}
	}
	// The mean of k(i, i) is at least r(0)/n, which an estimate may miss.
	mean = max(mean, 1/float64(s.part.Nodes))
	shifts := make([]float64, len(lambdas))
	for i, v := range lambdas {
		shifts[i] = v * mean
	}
	switch r := t.(type) {
	case graph.Cutoff:
		if low != nil {
			out, err := projected(s.Resources.Threads, sys, linalg.Of(low.Vectors).Slice(0, s.part.Nodes, 0, len(low.Values)), nil, shifts)
			for i := range out { // the system is solved directly, on eigenvectors that are not exact
				out[i].certified, out[i].residual = "residual of eigenvectors", slices.Max(append(low.Residuals, 0))
			}
			return out, err
		}
	case graph.Regularised:
		if !s.exact() {
			epsilon := r.Epsilon
			if epsilon == 0 {
				epsilon = 1
			}
			return s.regularised(ctx, k, epsilon, sys, shifts, a)
		}
	}
	if s.exact() {
		return s.direct(k, u, sys, shifts)
	}
	return s.byOperator(ctx, k, u, sys, shifts, a)
}

// direct solves on all eigenvectors φ of a small graph.
func (s *Space) direct(k *kind, u unit, sys system, shifts []float64) ([]solution, error) {
	values, vectors, err := k.l.Eigen()
	if err != nil {
		return nil, err
	}
	root := make([]float64, len(values))
	for i, v := range values {
		root[i] = math.Sqrt(u.At(v, k.l.Largest()))
	}
	return projected(s.Resources.Threads, sys, linalg.Of(vectors), root, shifts)
}

// projected solves with K = ΦΦᵀ, Φ being the columns of vectors times root (nil: 1): by the known
// nodes, (K + λ)α = y, or by the columns, (ΦᵀΦ + λ)w = Φᵀy, whichever are fewer.
func projected(threads int, sys system, vectors linalg.Matrix[float64], root []float64, shifts []float64) ([]solution, error) {
	m, q, c := len(sys.at), vectors.Cols, sys.y.Cols
	phi := linalg.New[float64](m, q)
	for i, v := range sys.at {
		copy(phi.Row(i), vectors.Row(v))
		for j := range root {
			phi.Row(i)[j] *= root[j]
		}
	}
	bySpace := q < m
	size := min(m, q)
	gram := linalg.New[float64](size, size)
	if bySpace {
		linalg.Gemm(threads, linalg.Trans, linalg.NoTrans, 1, phi, phi, 0, gram)
	} else {
		linalg.Gemm(threads, linalg.NoTrans, linalg.Trans, 1, phi, phi, 0, gram)
	}
	right := linalg.New[float64](size, c)
	if bySpace {
		linalg.Gemm(threads, linalg.Trans, linalg.NoTrans, 1, phi, sys.y, 0, right)
	} else {
		right.CopyFrom(sys.y)
	}
	var out []solution
	for _, shift := range shifts {
		a, x := gram.Clone(), right.Clone()
		for i := range size {
			a.Set(i, i, gram.At(i, i)+shift)
		}
		chol, err := linalg.NewCholeskyOf(threads, a)
		if err != nil {
			return nil, fmt.Errorf("nodes: the system of %d known nodes is singular with lambda %g of the largest eigenvalue: %w; give a larger one", m, shift, err)
		}
		chol.Solve(threads, x)
		w := x
		if !bySpace {
			w = linalg.New[float64](q, c)
			linalg.Gemm(threads, linalg.Trans, linalg.NoTrans, 1, phi, x, 0, w)
		}
		for j := range root {
			for l := range c {
				w.Row(j)[l] *= root[j]
			}
		}
		f := linalg.New[float64](vectors.Rows, c)
		linalg.Gemm(threads, linalg.NoTrans, linalg.NoTrans, 1, vectors, w, 0, f)
		out = append(out, solution{f: f, converged: true, certified: "exact"})
	}
	return out, nil
}

// knownPart is the rows and columns of r(L) of the known nodes, as an operator.
type knownPart struct {
	of   *graph.Operator
	at   []int
	rows int
}

// Dims implements linalg.Operator.
func (o knownPart) Dims() (r, c int) { return len(o.at), len(o.at) }

// MulTo implements linalg.Operator.
func (o knownPart) MulTo(dst, v *mat.Dense, _ bool) {
	_, c := v.Dims()
	whole := o.spread(v)
	image := mat.NewDense(o.rows, c, nil)
	o.of.MulTo(image, whole, false)
	for i, n := range o.at {
		copy(dst.RawRowView(i), image.RawRowView(n))
	}
}

// spread is rows of known nodes among zeros for all others.
func (o knownPart) spread(v *mat.Dense) *mat.Dense {
	_, c := v.Dims()
	whole := mat.NewDense(o.rows, c, nil)
	for i, n := range o.at {
		copy(whole.RawRowView(n), v.RawRowView(i))
	}
	return whole
}

// byOperator finds α by conjugate gradients for all λ at once, then f = r(L)·α.
func (s *Space) byOperator(ctx context.Context, k *kind, u unit, sys system, shifts []float64, a accuracy) ([]solution, error) {
	op, err := graph.Nodes{Laplacian: k.l, Transform: u}.Operator(min(a.precision, shifts[0]*2e-2), s.Resources.Threads)
	if err != nil {
		return nil, err
	}
	part := knownPart{of: op, at: sys.at, rows: s.part.Nodes}
	alpha, res, err := solve.ShiftedCG{Shifts: shifts, Tol: a.tol, MaxIter: a.steps, Trace: s.Resources.Trace}.Solve(ctx, part, linalg.Dense(sys.y))
	if err != nil {
		return nil, err
	}
	c := sys.y.Cols
	all := mat.NewDense(len(sys.at), c*len(shifts), nil)
	for j := range shifts {
		for i := range sys.at {
			copy(all.RawRowView(i)[j*c:(j+1)*c], alpha[j].RawRowView(i))
		}
	}
	f := mat.NewDense(s.part.Nodes, c*len(shifts), nil)
	op.MulTo(f, part.spread(all), false)
	out := make([]solution, len(shifts))
	for j, shift := range shifts {
		own := linalg.Of(f).Slice(0, s.part.Nodes, j*c, (j+1)*c)
		out[j] = solution{f: own, iterations: res.Iterations, certified: "relative residual"}
		out[j].residual = trueResidual(sys, own, linalg.Of(alpha[j]), shift)
		out[j].converged = out[j].residual <= 2*a.tol
	}
	return out, nil
}

// trueResidual is the largest ‖y − Kα − λα‖/‖y‖ of the columns, with Kα from the values f of the known
// nodes.
func trueResidual(sys system, f, alpha linalg.Matrix[float64], shift float64) float64 {
	worst := 0.0
	for j := range sys.y.Cols {
		num, den := 0.0, 0.0
		for i, n := range sys.at {
			y := sys.y.At(i, j)
			r := y - f.At(n, j) - shift*alpha.At(i, j)
			num, den = num+r*r, den+y*y
		}
		if den > 0 {
			worst = max(worst, math.Sqrt(num/den))
		}
	}
	return worst
}
