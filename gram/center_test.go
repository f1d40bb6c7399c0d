package gram

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// With the linear kernel centring has a plain meaning: subtract the mean of
// the training rows from both sides.
func TestCentringIsSubtractingTheTrainingMean(t *testing.T) {
	x, y := points(40, 3, 11), points(25, 3, 12)
	for i := range y.Len() {
		y.At(i)[0] += 5 // the test mean is elsewhere: using it would show
	}
	mean := make([]float64, 3)
	for i := range x.Len() {
		for j, v := range x.At(i) {
			mean[j] += v / 40
		}
	}
	center := func(p data.DenseRows) data.DenseRows {
		m := linalgDense(p)
		for i := range p.Len() {
			for j := range 3 {
				m.Set(i, j, m.At(i, j)-mean[j])
			}
		}
		return data.Rows(m)
	}
	var lin kernel.Kernel[kernel.Vec] = kernel.Linear{}
	for _, l := range []Layout{Full, Half, Columns, Lazy} {
		g, err := New(context.Background(), lin, x, Options{Layout: l})
		if err != nil {
			t.Fatal(err)
		}
		c, err := Center(g)
		if err != nil {
			t.Fatal(err)
		}
		cx, cy := center(x), center(y)
		checkAccess(t, "centred", c, loop(lin, cx, cx), 1e-12)
		if l == Half {
			l = Full
		}
		star, err := Cross(context.Background(), lin, y, x, Options{Layout: l})
		if err != nil {
			t.Fatal(err)
		}
		cc, err := c.Cross(star)
		if err != nil {
			t.Fatal(err)
		}
		checkAccess(t, "cross-centred", cc, loop(lin, cy, cx), 1e-12)
		self := make([]float64, y.Len())
		kernel.Diag(context.Background(), lin, self, y)
		cc.SelfDiag(self)
		for i, v := range self {
			if want := lin.Eval(cy.At(i), cy.At(i)); math.Abs(v-want) > 1e-11 {
				t.Fatalf("self value %d is %g, want %g", i, v, want)
			}
		}
	}
	g, _ := New(context.Background(), lin, x, Options{})
	c, _ := Center(g)
	bad, _ := Cross(context.Background(), lin, y, y, Options{})
	if _, err := c.Cross(bad); err == nil || !strings.Contains(err.Error(), "25 columns") {
		t.Errorf("cross of the wrong points: %v", err)
	}
	rect, _ := Cross(context.Background(), lin, y, x, Options{})
	if _, err := Center(rect); err == nil {
		t.Error("a rectangle was centred by itself")
	}
}

// indefinite is symmetric with known negative eigenvalues.
func indefinite(n int) *mat.Dense {
	m := loop(gauss, points(n, 2, 13), points(n, 2, 13))
	for i := range n { // minus a rank-one matrix: exactly one negative eigenvalue at most
		for j := range n {
			m.Set(i, j, m.At(i, j)-0.8)
		}
	}
	return m
}

func TestCheckPSD(t *testing.T) {
	m := indefinite(60)
	g, err := Precomputed(m, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := CheckPSD(g, 0)
	if err != nil {
		t.Fatal(err)
	}
	if p.OK || p.Min > -1 {
		t.Fatalf("missed: %+v", p.Min)
	}
	var no *NotPSD
	if !errors.As(p.Err(), &no) || !strings.Contains(no.Error(), "smallest eigenvalue -") {
		t.Errorf("error %v", p.Err())
	}
	checkEigenpair(t, m, p.Min, p.Vector)
	good, _ := New(context.Background(), gauss, points(60, 2, 13), Options{})
	p, err = CheckPSD(good, 0)
	if err != nil || p.Err() != nil || p.Tolerance > 1e-10 {
		t.Errorf("a Gaussian Gram matrix was refused: %+v %v", p, err)
	}
	// In float32 the same matrix has larger rounding, and a tolerance to match.
	single, _ := New(context.Background(), gauss, points(60, 2, 13), Options{Precision: Single})
	if p, err = CheckPSD(single, 0); err != nil || !p.OK || p.Tolerance < 1e-6 {
		t.Errorf("float32: %+v %v", p, err)
	}
	rect, _ := Cross(context.Background(), gauss, points(3, 2, 1), points(4, 2, 1), Options{})
	if _, err := CheckPSD(rect, 0); err == nil {
		t.Error("a rectangle was judged")
	}
}

func checkEigenpair(t *testing.T, m *mat.Dense, value float64, vector []float64) {
	t.Helper()
	n := len(vector)
	var w mat.Dense
	w.Mul(m, mat.NewDense(n, 1, vector))
	length := 0.0
	for i, v := range vector {
		length += v * v
		if math.Abs(w.At(i, 0)-value*v) > 1e-5*math.Abs(value)+1e-9 {
			t.Fatalf("not an eigenvector: row %d has %g, want %g", i, w.At(i, 0), value*v)
		}
	}
	if math.Abs(length-1) > 1e-10 {
		t.Fatalf("eigenvector has length² %g", length)
	}
}

func TestLanczosAgreesWithDense(t *testing.T) {
	m := indefinite(300)
	g, _ := Precomputed(m, 0)
	want, err := denseExtremes(g, 0)
	if err != nil {
		t.Fatal(err)
	}
	got, err := lanczosExtremes(g)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(got.Min-want.Min) > 1e-8*want.Max || math.Abs(got.Max-want.Max) > 1e-8*want.Max {
		t.Errorf("lanczos [%g, %g], dense [%g, %g]", got.Min, got.Max, want.Min, want.Max)
	}
	checkEigenpair(t, m, got.Min, got.Vector)
	// An exactly low-rank matrix ends the process early.
	one, _ := New[kernel.Vec](context.Background(), kernel.Linear{}, points(200, 2, 3), Options{})
	if p, err := lanczosExtremes(one); err != nil || p.Min < -1e-10 || p.Min > 1e-10 {
		t.Errorf("rank 2: %g %v", p.Min, err)
	}
}

func TestRepair(t *testing.T) {
	m := indefinite(60)
	g, _ := Precomputed(m, 0)
	for _, how := range []How{Clip, Flip, Shift} {
		r, err := Repair(g, how, 0)
		if err != nil {
			t.Fatal(err)
		}
		p, err := CheckPSD(r, 0)
		if err != nil || !p.OK {
			t.Errorf("%v: still %g, %v", how, p.Min, err)
		}
		if r.Negative != 1 {
			t.Errorf("%v: %d negative eigenvalues, want 1", how, r.Negative)
		}
		moved := 0.0
		for i := range 60 {
			for j := range 60 {
				d := r.m.At(i, j) - m.At(i, j)
				moved += d * d
				if how == Shift && i != j && d != 0 {
					t.Fatalf("shift changed (%d, %d)", i, j)
				}
			}
		}
		if math.Abs(math.Sqrt(moved)-r.Moved) > 1e-9*r.Moved {
			t.Errorf("%v: moved by %g, reported %g", how, math.Sqrt(moved), r.Moved)
		}
		if how == Flip && math.Abs(p.Min) > 1 && p.Min < 0 {
			t.Errorf("flip left %g", p.Min)
		}
		// The cross transform of the training rows gives the repaired matrix itself.
		star := mat.DenseCopyOf(m)
		r.CrossTo(star)
		if how != Shift && !mat.EqualApprox(star, linalgDense(data.RowsOf(r.m)), 1e-9) {
			t.Errorf("%v: cross transform is inconsistent", how)
		}
	}
	good, _ := New(context.Background(), gauss, points(30, 2, 14), Options{})
	r, err := Repair(good, Clip, 0)
	if err != nil || r.Moved != 0 || r.Negative != 0 {
		t.Errorf("a good matrix was changed: %+v %v", r, err)
	}
	if _, err := Repair(good, 7, 0); err == nil {
		t.Error("unknown repair accepted")
	}
}
