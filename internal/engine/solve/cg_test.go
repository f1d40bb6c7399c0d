package solve

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// matrix is a dense symmetric Operator.
type matrix struct{ m *mat.Dense }

func (a matrix) Dims() (int, int) { return a.m.Dims() }
func (a matrix) MulTo(dst, v *mat.Dense, trans bool) {
	linalg.Gemm(1, linalg.Op(trans), linalg.NoTrans, 1, linalg.Of(a.m), linalg.Of(v), 0, linalg.Of(dst))
}

// decaying returns F·Fᵀ with singular values of F falling geometrically, and F.
func decaying(n, r int, seed uint64) (matrix, *mat.Dense) {
	g := rand.New(rand.NewPCG(seed, 2))
	f := mat.NewDense(n, r, nil)
	for i := range n {
		for j := range r {
			f.Set(i, j, g.NormFloat64()*math.Pow(0.8, float64(j)))
		}
	}
	k := mat.NewDense(n, n, nil)
	k.Mul(f, f.T())
	return matrix{k}, f
}

func TestCGAgainstCholesky(t *testing.T) {
	n, m, shift := 60, 3, 0.1
	a, f := decaying(n, 40, 1)
	g := rand.New(rand.NewPCG(5, 5))
	b := mat.NewDense(n, m, nil)
	for i := range n {
		for j := range m - 1 { // the last column stays zero
			b.Set(i, j, g.NormFloat64())
		}
	}
	full := mat.DenseCopyOf(a.m)
	for i := range n {
		full.Set(i, i, full.At(i, i)+shift)
	}
	want := mat.DenseCopyOf(b)
	c, err := linalg.NewCholesky(1, linalg.Of(full))
	if err != nil {
		t.Fatal(err)
	}
	c.Solve(1, linalg.Of(want))

	diag := make(jacobi, n)
	for i := range diag {
		diag[i] = a.m.At(i, i) + shift
	}
	low, err := NewLowRank(1, f, shift)
	if err != nil {
		t.Fatal(err)
	}
	var plain int
	for _, p := range []struct {
		name string
		p    Preconditioner
	}{{"none", nil}, {"jacobi", diag}, {"lowrank", low}} {
		x := mat.NewDense(n, m, nil)
		res, err := CG{Shift: shift, Tol: 1e-12, Precond: p.p}.Solve(context.Background(), a, x, b)
		if err != nil || !res.Converged {
			t.Fatalf("%s: %+v %v", p.name, res, err)
		}
		if !mat.EqualApprox(x, want, 1e-9) {
			t.Errorf("%s: wrong solution", p.name)
		}
		if p.p == nil {
			plain = res.Iterations
		}
		if p.name == "lowrank" && (res.Iterations > 3 || res.Iterations >= plain) {
			t.Errorf("an exact preconditioner took %d iterations (none: %d)", res.Iterations, plain)
		}
		// A warm start at the solution has nothing to do.
		res, err = CG{Shift: shift, Tol: 1e-8, WarmStart: true}.Solve(context.Background(), a, x, b)
		if err != nil || res.Iterations != 0 {
			t.Errorf("%s: warm start took %d iterations, %v", p.name, res.Iterations, err)
		}
	}
}

func TestCGRefuses(t *testing.T) {
	a, _ := decaying(5, 5, 2)
	ctx := context.Background()
	_, err := CG{}.Solve(ctx, a, mat.NewDense(4, 1, nil), mat.NewDense(4, 1, nil))
	if err == nil || !strings.Contains(err.Error(), "4 rows") {
		t.Errorf("shape: %v", err)
	}
	_, err = CG{}.Solve(ctx, a, mat.NewDense(5, 1, nil), mat.NewDense(5, 1, []float64{0, math.NaN(), 0, 0, 0}))
	if err == nil || !strings.Contains(err.Error(), "column 0") {
		t.Errorf("NaN: %v", err)
	}
	neg := matrix{mat.NewDense(2, 2, []float64{1, 0, 0, -1})}
	_, err = CG{}.Solve(ctx, neg, mat.NewDense(2, 1, nil), mat.NewDense(2, 1, []float64{0, 1}))
	var np *NotPositive
	if !errors.As(err, &np) || np.Curvature != -1 {
		t.Errorf("indefinite: %v", err)
	}
	if _, err := NewLowRank(1, mat.NewDense(2, 1, nil), 0); err == nil {
		t.Error("zero shift accepted")
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := (CG{}).Solve(stopped, a, mat.NewDense(5, 1, nil),
		mat.NewDense(5, 1, []float64{1, 2, 3, 4, 5})); !errors.Is(err, context.Canceled) {
		t.Errorf("cancel: %v", err)
	}
}

func TestCGReportsNotReaching(t *testing.T) {
	a, _ := decaying(50, 50, 3)
	b := mat.NewDense(50, 1, nil)
	for i := range 50 {
		b.Set(i, 0, 1)
	}
	steps := 0
	res, err := CG{Tol: 1e-14, MaxIter: 2, Trace: func(trace.Step) { steps++ }}.Solve(context.Background(), a,
		mat.NewDense(50, 1, nil), b)
	if err != nil || res.Converged || res.Iterations != 2 || steps != 2 {
		t.Fatalf("%+v steps %d err %v", res, steps, err)
	}
}

// jacobi is the preconditioner diag(A)⁻¹.
type jacobi []float64

// ApplyTo divides row i of r by entry i of the diagonal.
func (d jacobi) ApplyTo(dst, r *mat.Dense) {
	a, b := linalg.Of(dst), linalg.Of(r)
	for i, v := range d {
		x, y := a.Row(i), b.Row(i)
		for j := range x {
			x[j] = y[j] / v
		}
	}
}

// The condition number that the iteration has seen is that of the preconditioned matrix once it has
// converged, and never above.
func TestCGCondition(t *testing.T) {
	n, shift := 40, 0.5
	a, f := decaying(n, 30, 3)
	b := mat.NewDense(n, 2, nil)
	g := rand.New(rand.NewPCG(6, 6))
	for i := range n {
		b.SetRow(i, []float64{g.NormFloat64(), g.NormFloat64()})
	}
	low, err := NewLowRank(1, mat.DenseCopyOf(f.Slice(0, n, 0, 8)), shift)
	if err != nil {
		t.Fatal(err)
	}
	for name, pre := range map[string]Preconditioner{"none": nil, "low rank": low} {
		// Eigenvalues of P(A+sI) are those of the symmetric (A+sI)^½ P (A+sI)^½ = LᵀPL.
		full := linalg.Of(mat.DenseCopyOf(a.m))
		for i := range n {
			full.Row(i)[i] += shift
		}
		c, err := linalg.NewCholesky(1, full)
		if err != nil {
			t.Fatal(err)
		}
		l := linalg.New[float64](n, n)
		for i := range n {
			copy(l.Row(i)[:i+1], c.L.Row(i)[:i+1])
		}
		pl := l.Clone()
		if pre != nil {
			pre.ApplyTo(linalg.Dense(pl), linalg.Dense(l))
		}
		m := linalg.New[float64](n, n)
		linalg.Gemm(1, linalg.Trans, linalg.NoTrans, 1, l, pl, 0, m)
		values, err := linalg.SymEigenValues(1, m)
		if err != nil {
			t.Fatal(err)
		}
		want, last := values[n-1]/values[0], 0.0
		for _, steps := range []int{1, 5, 60} {
			x := mat.NewDense(n, 2, nil)
			res, err := CG{Shift: shift, Precond: pre, Tol: 1e-13, MaxIter: steps}.Solve(t.Context(), a, x, b)
			if err != nil {
				t.Fatal(err)
			}
			got := res.Condition()
			if got < last*(1-1e-9) || got > want*(1+1e-6) {
				t.Errorf("%s, %d steps: condition %g after %g, the matrix has %g", name, steps, got, last, want)
			}
			last = got
		}
		if math.Abs(last/want-1) > 1e-3 { // the solution is there before the last digits of the smallest eigenvalue
			t.Errorf("%s: condition %g, want %g", name, last, want)
		}
	}
	if got := (CGResult{}).Condition(); got != 1 {
		t.Error("before the first step", got)
	}
}

// spoiling is an operator that ends the context in the middle of a product, and leaves rubbish.
type spoiling struct {
	matrix
	left   int
	cancel context.CancelFunc
}

func (a *spoiling) MulTo(dst, v *mat.Dense, trans bool) {
	a.matrix.MulTo(dst, v, trans)
	if a.left--; a.left == 0 {
		a.cancel()
		dst.Scale(1e9, dst)
	}
}

// A context that ends leaves the iterate before, and its residual.
func TestCGKeepsTheLastIterate(t *testing.T) {
	a, _ := decaying(30, 20, 4)
	b, x, want := mat.NewDense(30, 1, nil), mat.NewDense(30, 1, nil), mat.NewDense(30, 1, nil)
	for i := range 30 {
		b.Set(i, 0, float64(i%5)-2)
	}
	ctx, cancel := context.WithCancel(t.Context())
	res, err := CG{Shift: 0.1, Tol: 1e-14}.Solve(ctx, &spoiling{a, 5, cancel}, x, b)
	if !errors.Is(err, context.Canceled) || res.Iterations != 4 {
		t.Fatal(err, res.Iterations)
	}
	short, err := CG{Shift: 0.1, Tol: 1e-14, MaxIter: 4}.Solve(t.Context(), a, want, b)
	if err != nil || !mat.Equal(x, want) || math.Abs(res.Residual[0]/short.Residual[0]-1) > 1e-9 {
		t.Error("another iterate", err, res.Residual, short.Residual)
	}
}
