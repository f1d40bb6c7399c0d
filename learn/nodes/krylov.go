package nodes

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/kernel/graph"
	"github.com/mercer-ml/mercer/trace"
)

// krylov solves (K + λI)α = y, K being the rows and columns of r(L) of some nodes, for every λ in
// one space V that all columns of y grow together: of all α = Vz it takes those whose error is the
// least in the norm of K + λI, (VᵀKV + λI)z = Vᵀy. A product with r(L) costs as much for sixteen
// columns as for one, and is nearly all that a step costs. The space takes up what is left of y
// until that is small; its residuals are those of KV as it was multiplied, and nothing drifts (D.
// O'Leary, The block conjugate gradient algorithm and related methods, Linear Algebra and its
// Applications 29, 1980; Y. Saad, Iterative methods for sparse linear systems, 2003, section 6.12).
type krylov struct {
	sys     system
	shifts  []float64
	tol     float64
	threads int
	most    int // columns of the space

	norms    []float64              // of the columns of y
	space    linalg.Matrix[float64] // V, orthonormal, in the first size columns
	image    linalg.Matrix[float64] // r(L)V at the known nodes, then at those whose values are wanted
	gram     linalg.Matrix[float64] // VᵀKV
	right    linalg.Matrix[float64] // Vᵀy
	size     int
	weights  []linalg.Matrix[float64] // z of each shift
	residual [][]float64              // ‖y − (K + λI)Vz‖/‖y‖ of each shift and column
	broken   []bool                   // of each shift: the matrix is not positive definite
	next     linalg.Matrix[float64]   // what the space grows by; no columns where nothing is left to say
}

// roomOfSpaces is the numbers that spaces and their images may hold, all together, before they are
// made smaller.
const roomOfSpaces = 1 << 25

func newKrylov(sys system, shifts []float64, tol float64, threads, room int) *krylov {
	m, c := sys.y.Rows, sys.y.Cols
	k := &krylov{sys: sys, shifts: shifts, tol: tol, threads: threads, norms: make([]float64, c),
		broken: make([]bool, len(shifts))}
	rows := m + len(sys.want)
	k.most = min(m, max(min(1024, room/(m+rows)), (len(shifts)+4)*c))
	k.space, k.image = linalg.New[float64](m, 0), linalg.New[float64](rows, 0)
	k.gram, k.right = linalg.New[float64](0, 0), linalg.New[float64](0, c)
	for i := range m {
		for j, v := range sys.y.Row(i) {
			k.norms[j] += v * v
		}
	}
	for range shifts {
		k.weights, k.residual = append(k.weights, linalg.New[float64](0, c)), append(k.residual, make([]float64, c))
	}
	start := sys.y.Clone()
	for j, v := range k.norms {
		k.norms[j] = math.Sqrt(v)
		for s := range shifts {
			if v > 0 {
				k.residual[s][j] = 1
			}
		}
	}
	k.propose(start, k.residual[0])
	return k
}

// propose makes an orthonormal block, that the space has nothing of, of residuals; columns that are
// solved, and what others have already said, are left out.
func (k *krylov) propose(r linalg.Matrix[float64], relative []float64) {
	m := r.Rows
	var keep []int
	for j, v := range relative {
		if v > k.tol {
			keep = append(keep, j)
		}
	}
	w := linalg.New[float64](m, len(keep))
	for i := range m {
		from, to := r.Row(i), w.Row(i)
		for a, j := range keep {
			to[a] = from[j] / (relative[j] * k.norms[j])
		}
	}
	// A column of which less is left than half of what is tolerated says nothing. What little may
	// be left of one is made orthogonal again: twice is enough.
	k.project(w)
	w = orthonormal(w, k.tol/2)
	k.project(w)
	w = orthonormal(w, 0.5)
	k.next = w.Slice(0, m, 0, min(w.Cols, m-k.size))
}

// orthonormal is the columns of w made orthonormal by Gram and Schmidt, in rows of their own,
// without those of which the columns before them leave less than least.
func orthonormal(w linalg.Matrix[float64], least float64) linalg.Matrix[float64] {
	var columns [][]float64
	for j := range w.Cols {
		v := make([]float64, w.Rows)
		for i := range v {
			v[i] = w.At(i, j)
		}
		columns = addOrthonormal(columns, v, least)
	}
	return fromColumns(w.Rows, columns)
}

// addOrthonormal adds to orthonormal columns what they leave of another, where that is more than
// least.
func addOrthonormal(columns [][]float64, v []float64, least float64) [][]float64 {
	for range 2 {
		for _, u := range columns {
			simd.Axpy(-simd.Dot(u, v), u, v)
		}
	}
	norm := math.Sqrt(simd.Dot(v, v))
	if !(norm > least) {
		return columns
	}
	for i := range v {
		v[i] /= norm
	}
	return append(columns, v)
}

func fromColumns(rows int, columns [][]float64) linalg.Matrix[float64] {
	out := linalg.New[float64](rows, len(columns))
	for j, v := range columns {
		for i, x := range v {
			out.Set(i, j, x)
		}
	}
	return out
}

// project takes from w what lies in the space.
func (k *krylov) project(w linalg.Matrix[float64]) {
	if k.size == 0 || w.Cols == 0 {
		return
	}
	v := k.space.Slice(0, w.Rows, 0, k.size)
	c := linalg.New[float64](k.size, w.Cols)
	linalg.Gemm(k.threads, linalg.Trans, linalg.NoTrans, 1, v, w, 0, c)
	linalg.Gemm(k.threads, linalg.NoTrans, linalg.NoTrans, -1, v, c, 1, w)
}

// grow takes up the block with its image, solves in the space, and proposes the next block.
func (k *krylov) grow(image linalg.Matrix[float64]) error {
	m, w := k.sys.y.Rows, k.next.Cols
	if k.size+w > k.most {
		if err := k.shrink(); err != nil {
			return err
		}
	}
	from, to := k.size, k.size+w
	if to > k.space.Cols {
		cols := min(max(64, 2*to), k.most)
		k.space, k.image = widened(k.space, k.space.Rows, cols), widened(k.image, k.image.Rows, cols)
		k.gram, k.right = widened(k.gram, cols, cols), widened(k.right, cols, k.right.Cols)
	}
	k.space.Slice(0, m, from, to).CopyFrom(k.next)
	k.image.Slice(0, k.image.Rows, from, to).CopyFrom(image)
	k.size = to
	v := k.space.Slice(0, m, 0, to)
	side := linalg.New[float64](to, w)
	linalg.Gemm(k.threads, linalg.Trans, linalg.NoTrans, 1, v, image.Slice(0, m, 0, w), 0, side)
	for i := range to {
		for j := range w {
			x := side.At(i, j)
			if i >= from { // K is symmetric, its product to rounding
				x = (x + side.At(from+j, i-from)) / 2
			}
			k.gram.Set(i, from+j, x)
			k.gram.Set(from+j, i, x)
		}
	}
	linalg.Gemm(k.threads, linalg.Trans, linalg.NoTrans, 1, k.next, k.sys.y, 0, k.right.Slice(from, to, 0, k.right.Cols))
	k.solve()
	return nil
}

// solve solves in the space for the shifts that have not converged. What the first of them leaves
// is what the space grows by: the residuals of all shifts span the same.
func (k *krylov) solve() {
	m, b, c := k.sys.y.Rows, k.size, k.sys.y.Cols
	proposed := false
	k.next = linalg.New[float64](m, 0)
	for s, shift := range k.shifts {
		if k.broken[s] || k.weights[s].Rows > 0 && slices.Max(k.residual[s]) <= k.tol {
			continue
		}
		a, z := k.gram.Slice(0, b, 0, b).Clone(), k.right.Slice(0, b, 0, c).Clone()
		for i := range b {
			a.Set(i, i, a.At(i, i)+shift)
		}
		chol, err := linalg.NewCholeskyOf(k.threads, a)
		if err != nil {
			k.broken[s] = true
			continue
		}
		chol.Solve(k.threads, z)
		k.weights[s] = z
		r := k.sys.y.Clone()
		linalg.Gemm(k.threads, linalg.NoTrans, linalg.NoTrans, -1, k.image.Slice(0, m, 0, b), z, 1, r)
		linalg.Gemm(k.threads, linalg.NoTrans, linalg.NoTrans, -shift, k.space.Slice(0, m, 0, b), z, 1, r)
		relative := make([]float64, c)
		for i := range m {
			for j, x := range r.Row(i) {
				relative[j] += x * x
			}
		}
		for j, x := range relative {
			if relative[j] = 0; k.norms[j] > 0 {
				relative[j] = math.Sqrt(x) / k.norms[j]
			}
		}
		k.residual[s] = relative
		if !proposed && slices.Max(relative) > k.tol {
			k.propose(r, relative)
			proposed = true
		}
	}
}

// shrink keeps the solutions so far and the eigenvectors of the largest eigenvalues, in half the
// space.
func (k *krylov) shrink() error {
	b, c := k.size, k.sys.y.Cols
	_, vectors, err := linalg.SymEigen(k.threads, k.gram.Slice(0, b, 0, b).Clone())
	if err != nil {
		return err
	}
	var columns [][]float64
	add := func(m linalg.Matrix[float64], j int) {
		v := make([]float64, b)
		for i := range min(b, m.Rows) {
			v[i] = m.At(i, j)
		}
		columns = addOrthonormal(columns, v, 1e-10*math.Sqrt(simd.Dot(v, v)))
	}
	for _, z := range k.weights {
		for j := range c {
			add(z, j)
		}
	}
	for j := b - 1; j >= 0 && len(columns) < k.most/2; j-- {
		add(vectors, j)
	}
	q := fromColumns(b, columns)
	turned := func(a linalg.Matrix[float64]) {
		out := linalg.New[float64](a.Rows, q.Cols)
		linalg.Gemm(k.threads, linalg.NoTrans, linalg.NoTrans, 1, a.Slice(0, a.Rows, 0, b), q, 0, out)
		a.Slice(0, a.Rows, 0, q.Cols).CopyFrom(out)
	}
	turned(k.space)
	turned(k.image)
	turned(k.gram)
	for _, side := range []linalg.Matrix[float64]{k.gram.Slice(0, b, 0, q.Cols), k.right.Slice(0, b, 0, c)} {
		out := linalg.New[float64](q.Cols, side.Cols)
		linalg.Gemm(k.threads, linalg.Trans, linalg.NoTrans, 1, q, side, 0, out)
		side.Slice(0, q.Cols, 0, side.Cols).CopyFrom(out)
	}
	for s, z := range k.weights {
		if z.Rows > 0 {
			own := linalg.New[float64](q.Cols, c)
			linalg.Gemm(k.threads, linalg.Trans, linalg.NoTrans, 1, q.Slice(0, z.Rows, 0, q.Cols), z, 0, own)
			k.weights[s] = own
		}
	}
	k.size = q.Cols
	return nil
}

// widened is a matrix with more rows or columns, the new ones 0.
func widened(a linalg.Matrix[float64], rows, cols int) linalg.Matrix[float64] {
	out := linalg.New[float64](rows, cols)
	out.Slice(0, a.Rows, 0, a.Cols).CopyFrom(a)
	return out
}

// byOperator finds α for all λ of several systems, in products that they share, then f = r(L)·α.
func (s *Space) byOperator(
	ctx context.Context, k *kind, u unit, systems []system, shifts []float64, a accuracy,
) ([][]solution, error) {
	op, err := graph.Nodes{Laplacian: k.l, Transform: u}.Operator(min(a.precision, shifts[0]*2e-2), s.Resources.Threads)
	if err != nil {
		return nil, err
	}
	spaces, start := make([]*krylov, len(systems)), time.Now()
	for i, sys := range systems {
		spaces[i] = newKrylov(sys, shifts, a.tol, s.Resources.Threads, roomOfSpaces/len(systems))
	}
	steps := 0
	for ; steps < a.steps; steps++ {
		cols := 0
		for _, v := range spaces {
			cols += v.next.Cols
		}
		if cols == 0 {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		whole, image := linalg.New[float64](s.part.Nodes, cols), linalg.New[float64](s.part.Nodes, cols)
		at := 0
		for _, v := range spaces {
			v.sys.spread(whole.Slice(0, s.part.Nodes, at, at+v.next.Cols), v.next)
			at += v.next.Cols
		}
		op.MulTo(linalg.Dense(image), linalg.Dense(whole), false)
		at = 0
		worst := 0.0
		for _, v := range spaces {
			if w := v.next.Cols; w > 0 {
				if err := v.grow(v.sys.gather(image.Slice(0, s.part.Nodes, at, at+w))); err != nil {
					return nil, err
				}
				at += w
			}
			worst = max(worst, slices.Max(v.residual[0]))
		}
		s.Resources.Trace.Report(trace.Step{Iteration: steps + 1, Objective: math.NaN(), Residual: worst,
			Elapsed: time.Since(start)})
	}
	out := make([][]solution, len(systems))
	for i, v := range spaces {
		if !slices.Contains(v.broken, false) {
			return nil, &solve.NotPositive{Iteration: steps, Curvature: -shifts[len(shifts)-1]}
		}
		out[i] = make([]solution, len(shifts))
		for j := range shifts {
			f := solution{iterations: steps, certified: "relative residual", residual: slices.Max(v.residual[j])}
			f.converged = !v.broken[j] && f.residual <= a.tol
			if v.sys.want != nil {
				f.f = v.values(j)
			} else if f.f, f.residual, err = s.everywhere(op, v, j); err != nil {
				return nil, err
			} else {
				f.converged = !v.broken[j] && f.residual <= 2*a.tol
			}
			out[i][j] = f
		}
	}
	return out, nil
}

// values are those of f at the nodes where it is wanted.
func (k *krylov) values(shift int) linalg.Matrix[float64] {
	m, z := k.sys.y.Rows, k.weights[shift]
	out := linalg.New[float64](k.image.Rows-m, k.sys.y.Cols)
	if z.Rows > 0 {
		linalg.Gemm(k.threads, linalg.NoTrans, linalg.NoTrans, 1, k.image.Slice(m, k.image.Rows, 0, z.Rows), z, 0, out)
	}
	return out
}
