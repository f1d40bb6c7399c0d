package nodes

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel/graph"
)

// accuracy is how far a system is solved.
type accuracy struct {
	tol       float64 // relative residual
	steps     int     // of a Krylov space at the most, or a quarter of those of conjugate gradients
	precision float64 // of r(L)
}

// trial is good enough to tell settings apart: a residual of a tenth of it changed no share of
// nodes by more than 0.001. final is what a model is made with, and large that of a graph of very
// many nodes: what the next two digits would change is far below what the answers leave open.
var (
	trial = accuracy{tol: 1e-2, steps: 80, precision: 1e-4}
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

// system is a ridge problem: known nodes of the part and their targets, and the nodes whose values
// are wanted (nil: all).
type system struct {
	at, want []int
	y        linalg.Matrix[float64]
}

// solveAll solves systems for several λ, increasing, in units of the mean of k(i, i).
func (s *Space) solveAll(
	ctx context.Context, k *kind, t graph.Transform, systems []system, lambdas []float64, a accuracy,
) ([][]solution, error) {
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
			return nil, fmt.Errorf("nodes: cutoff: Lanczos' method found the %d smallest eigenvalues of this graph, and not "+
				"that the next is above cut=%g; give a smaller cut", kept, cut.Cut)
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
			out, err := projected(s.Resources.Threads, systems, linalg.Of(low.Vectors).Slice(0, s.part.Nodes, 0,
				len(low.Values)), nil, shifts)
			for _, found := range out { // the system is solved directly, on eigenvectors that are not exact
				for i := range found {
					found[i].certified, found[i].residual = "residual of eigenvectors", slices.Max(append(low.Residuals, 0))
				}
			}
			return out, err
		}
	case graph.Regularised:
		if !s.exact() {
			epsilon := r.Epsilon
			if epsilon == 0 {
				epsilon = 1
			}
			return s.regularised(ctx, k, epsilon, systems, shifts, a)
		}
	}
	if s.exact() {
		return s.direct(k, u, systems, shifts)
	}
	return s.byOperator(ctx, k, u, systems, shifts, a)
}

// direct solves on all eigenvectors φ of a small graph.
func (s *Space) direct(k *kind, u unit, systems []system, shifts []float64) ([][]solution, error) {
	values, vectors, err := k.l.Eigen()
	if err != nil {
		return nil, err
	}
	root := make([]float64, len(values))
	for i, v := range values {
		root[i] = math.Sqrt(u.At(v, k.l.Largest()))
	}
	return projected(s.Resources.Threads, systems, linalg.Of(vectors), root, shifts)
}

// projected solves with K = ΦΦᵀ, Φ being the columns of vectors times root (nil: 1): by the known
// nodes, (K + λ)α = y, or by the columns, (ΦᵀΦ + λ)w = Φᵀy, whichever are fewer.
func projected(
	threads int, systems []system, vectors linalg.Matrix[float64], root []float64, shifts []float64,
) (out [][]solution, err error) {
	for _, sys := range systems {
		found, err := projectedOne(threads, sys, vectors, root, shifts)
		if err != nil {
			return nil, err
		}
		out = append(out, found)
	}
	return out, nil
}

func projectedOne(
	threads int, sys system, vectors linalg.Matrix[float64], root []float64, shifts []float64,
) ([]solution, error) {
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
	if sys.want != nil {
		vectors = sys.wanted(vectors)
	}
	var out []solution
	for _, shift := range shifts {
		a, x := gram.Clone(), right.Clone()
		for i := range size {
			a.Set(i, i, gram.At(i, i)+shift)
		}
		chol, err := linalg.NewCholeskyOf(threads, a)
		if err != nil {
			return nil, fmt.Errorf("nodes: the system of %d known nodes is singular with lambda %g of the largest eigenvalue: "+
				"%w; give a larger one", m, shift, err)
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

// spread writes rows of the known nodes among zeros for all others.
func (sys system) spread(dst, rows linalg.Matrix[float64]) {
	for i, n := range sys.at {
		copy(dst.Row(n), rows.Row(i))
	}
}

// gather is the rows of the known nodes, then of those whose values are wanted.
func (sys system) gather(all linalg.Matrix[float64]) linalg.Matrix[float64] {
	out := linalg.New[float64](len(sys.at)+len(sys.want), all.Cols)
	for i, n := range sys.at {
		copy(out.Row(i), all.Row(n))
	}
	for i, n := range sys.want {
		copy(out.Row(len(sys.at)+i), all.Row(n))
	}
	return out
}

// wanted is the rows of the nodes whose values are wanted.
func (sys system) wanted(all linalg.Matrix[float64]) linalg.Matrix[float64] {
	return system{at: sys.want}.gather(all)
}

// everywhere is f = r(L)·α on all nodes for a shift, with the residual seen anew.
func (s *Space) everywhere(
	op *graph.Operator, k *krylov, shift int,
) (f linalg.Matrix[float64], residual float64, err error) {
	m, c, z := k.sys.y.Rows, k.sys.y.Cols, k.weights[shift]
	alpha := linalg.New[float64](m, c)
	if z.Rows > 0 {
		linalg.Gemm(k.threads, linalg.NoTrans, linalg.NoTrans, 1, k.space.Slice(0, m, 0, z.Rows), z, 0, alpha)
	}
	whole := linalg.New[float64](s.part.Nodes, c)
	f = linalg.New[float64](s.part.Nodes, c)
	k.sys.spread(whole, alpha)
	op.MulTo(linalg.Dense(f), linalg.Dense(whole), false)
	return f, trueResidual(k.sys, f, alpha, k.shifts[shift]), nil
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
