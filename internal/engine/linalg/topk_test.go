package linalg

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/datatest"
)

// gaussianGram is exp(−|xᵢ − xⱼ|²/(2ℓ²)) of n random points in d dimensions.
func gaussianGram(n, d int, lengthscale float64, seed uint64) Matrix[float64] {
	x := fillNormal(New[float64](n, d), seed)
	a := New[float64](n, n)
	for i := range n {
		for j := range i + 1 {
			s := 0.0
			for c := range d {
				v := x.At(i, c) - x.At(j, c)
				s += v * v
			}
			v := math.Exp(-s / (2 * lengthscale * lengthscale))
			a.Set(i, j, v)
			a.Set(j, i, v)
		}
	}
	return a
}

// everyValue are the eigenvalues of a, ascending.
func everyValue(t *testing.T, a Matrix[float64]) []float64 {
	t.Helper()
	all, err := SymEigenValues(0, a.Clone())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func checkTopK(t *testing.T, name string, a Matrix[float64], all []float64, e *Eigs, which Which, tol float64) {
	t.Helper()
	norm := max(math.Abs(all[0]), math.Abs(all[len(all)-1]))
	order := which.ranked(all)
	for i, w := range e.Values {
		want := all[order[i]]
		if which == LargestMagnitude { // λ and −λ may come in any order
			w, want = math.Abs(w), math.Abs(want)
		}
		if !(math.Abs(w-want) <= tol*norm) {
			t.Errorf("%s: value %d is %.12g, want %.12g", name, i, w, want)
		}
	}
	if o := orthogonalityError(e.Vectors); !(o <= 1e-12) {
		t.Errorf("%s: orthogonality %.3g", name, o)
	}
	// The certificate must be the truth.
	av := New[float64](a.Rows, len(e.Values))
	Gemm(0, NoTrans, NoTrans, 1, a, e.Vectors, 0, av)
	scale := unitScale(norm)
	for j, w := range e.Values {
		s := 0.0
		for i := range a.Rows {
			r := av.At(i, j)*scale - w*scale*e.Vectors.At(i, j)
			s += r * r
		}
		if r := math.Sqrt(s) / scale; !(math.Abs(r-e.Residuals[j]) <= 1e-13*norm) || !(r <= tol*norm*1.01+1e-14*norm) {
			t.Errorf("%s: residual %d is %.3g, certificate says %.3g, bound %.3g", name, j, r, e.Residuals[j], tol*norm)
		}
	}
}

func TestTopK(t *testing.T) {
	cases := append(hardSymmetric(),
		symmetricCase{"random", randomSym(datatest.Size(400, 200), 1)},
		symmetricCase{"Gaussian Gram", gaussianGram(datatest.Size(400, 200), 3, 1, 2)},
		symmetricCase{"narrow Gaussian Gram", gaussianGram(datatest.Size(300, 150), 10, 0.5, 2)},
		symmetricCase{"tiny", randomSym(7, 1)},
	)
	for _, c := range cases {
		all := everyValue(t, c.a)
		for _, which := range []Which{LargestAlgebraic, LargestMagnitude, SmallestAlgebraic} {
			for _, k := range []int{1, 5} {
				name := fmt.Sprintf("%s, which %d, k %d", c.name, which, k)
				e, err := TopK(context.Background(), DenseOp{A: c.a, Threads: 1}, k,
					TopKOptions{Threads: 1, Which: which, Tolerance: 1e-9})
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				if len(e.Values) != k {
					t.Fatalf("%s: %d values", name, len(e.Values))
				}
				checkTopK(t, name, c.a, all, e, which, 1e-9)
			}
		}
	}
}

func TestTopKSameBitsAtAnyThreadCount(t *testing.T) {
	a := gaussianGram(300, 3, 0.7, 2)
	var first *Eigs
	for _, threads := range datatest.Threads() {
		e, err := TopK(context.Background(), DenseOp{A: a, Threads: threads}, 6, TopKOptions{Seed: 4, Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = e
			continue
		}
		for i := range e.Vectors.Data {
			if e.Vectors.Data[i] != first.Vectors.Data[i] {
				t.Fatalf("vectors differ with %d threads", threads)
			}
		}
		for i := range e.Values {
			if e.Values[i] != first.Values[i] {
				t.Fatalf("values differ with %d threads", threads)
			}
		}
	}
}

func TestTopKRestarts(t *testing.T) {
	a := randomSym(500, 6) // a semicircle has no gaps: this takes many steps
	e, err := TopK(context.Background(), DenseOp{A: a}, 4, TopKOptions{Tolerance: 1e-9, Block: 4, MaxBasis: 20})
	if err != nil {
		t.Fatal(err)
	}
	if e.Restarts == 0 {
		t.Error("the test was meant to restart")
	}
	checkTopK(t, "restarted", a, everyValue(t, a), e, LargestAlgebraic, 1e-9)
}

func TestTopKGivesUp(t *testing.T) {
	a := randomSym(500, 6)
	e, err := TopK(context.Background(), DenseOp{A: a}, 4, TopKOptions{Tolerance: 1e-12, MaxProducts: 30})
	var why *NoConvergence
	if !errors.As(err, &why) || !(why.Residual > 1e-12) {
		t.Fatalf("error is %v", err)
	}
	if e == nil || len(e.Residuals) != 4 {
		t.Fatal("the best pairs so far are missing")
	}
}

// stubborn is an operator that counts products and spoils them as told.
type stubborn struct {
	DenseOp
	products int
	spoil    float64
	cancel   func()
}

func (s *stubborn) MulTo(dst, v *mat.Dense, trans bool) {
	s.DenseOp.MulTo(dst, v, trans)
	s.products++
	if s.spoil != 0 {
		dst.Set(11, 0, s.spoil)
	}
	if s.cancel != nil && s.products == 2 {
		s.cancel()
	}
}

func TestTopKCancels(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	op := &stubborn{DenseOp: DenseOp{A: randomSym(500, 6)}, cancel: cancel}
	if _, err := TopK(ctx, op, 4, TopKOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	if op.products != 2 {
		t.Errorf("%d products after the context was cancelled at 2", op.products)
	}
}

func TestTopKRefusesWhatIsNotFinite(t *testing.T) {
	for _, n := range []int{20, 300} {
		op := &stubborn{DenseOp: DenseOp{A: randomSym(n, 6)}, spoil: math.NaN()}
		var where *NotFinite
		if _, err := TopK(context.Background(), op, 4, TopKOptions{}); !errors.As(err, &where) || where.Row != 11 {
			t.Errorf("n=%d: error is %v", n, err)
		}
	}
}

func ExampleTopK() {
	// The matrix diag(1, …, 100).
	a := New[float64](100, 100)
	for i := range 100 {
		a.Set(i, i, float64(i+1))
	}
	e, err := TopK(context.Background(), DenseOp{A: a}, 3, TopKOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.6f\n", e.Values)
	// Output: [100.000000 99.000000 98.000000]
}
