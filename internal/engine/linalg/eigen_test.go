package linalg

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// lowerOnly copies the lower triangle and poisons the rest.
func lowerOnly(a Matrix[float64]) Matrix[float64] {
	b := a.Clone()
	for i := range b.Rows {
		for j := i + 1; j < b.Cols; j++ {
			b.Set(i, j, math.NaN())
		}
	}
	return b
}

// eigenErrors returns max |A·V − V·Λ| / ‖A‖ and max |Vᵀ·V − I|.
func eigenErrors(a Matrix[float64], values []float64, v Matrix[float64]) (residual, orthogonality float64) {
	n, k := a.Rows, len(values)
	largest, _ := finiteLower(crew{}, a)
	scale := unitScale(largest)
	as := a.Clone()
	scaleVec(scale, as.Data)
	// Lower bounds of ‖A‖₂: the largest norm of a column, and ‖A·1‖/‖1‖.
	norm, ones := 0.0, 0.0
	for i := range n {
		norm = max(norm, math.Sqrt(dotVec(as.Row(i), as.Row(i))))
		sum := 0.0
		for _, v := range as.Row(i) {
			sum += v
		}
		ones += sum * sum
	}
	norm = max(norm, math.Sqrt(ones/float64(max(n, 1))))
	av := New[float64](n, k)
	Gemm(0, NoTrans, NoTrans, 1, as, v, 0, av)
	for i := range n {
		for j := range k {
			residual = worst(residual, math.Abs(av.At(i, j)-v.At(i, j)*(values[j]*scale)))
		}
	}
	if norm > 0 {
		residual /= norm
	}
	return residual, orthogonalityError(v)
}

// worst is max, but a NaN stays.
func worst(a, b float64) float64 {
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.NaN()
	}
	return max(a, b)
}

func orthogonalityError(v Matrix[float64]) (e float64) {
	g := New[float64](v.Cols, v.Cols)
	Gemm(0, Trans, NoTrans, 1, v, v, 0, g)
	for i := range g.Rows {
		for j := range g.Cols {
			want := 0.0
			if i == j {
				want = 1
			}
			e = worst(e, math.Abs(g.At(i, j)-want))
		}
	}
	return e
}

func checkEigen(t *testing.T, name string, a Matrix[float64], values []float64, v Matrix[float64]) {
	t.Helper()
	const eps = 0x1p-52
	n := float64(max(a.Rows, 1))
	residual, orthogonality := eigenErrors(a, values, v)
	if bound := n*eps + 20*eps; !(residual <= bound) {
		t.Errorf("%s: residual %.3g, bound %.3g", name, residual, bound)
	}
	if bound := n*eps + 20*eps; !(orthogonality <= bound) {
		t.Errorf("%s: orthogonality %.3g, bound %.3g", name, orthogonality, bound)
	}
	for i := 1; i < len(values); i++ {
		if !(values[i-1] <= values[i]) {
			t.Fatalf("%s: values %d, %d are %g, %g: not ascending", name, i-1, i, values[i-1], values[i])
		}
	}
}

func TestSymEigenEverySize(t *testing.T) {
	sizes := []int{191, 192, 193, 255, 256, 257, 300, 513}
	for n := range 131 {
		if !testing.Short() || n < 40 || n%5 == 0 {
			sizes = append(sizes, n)
		}
	}
	for _, n := range sizes {
		a := randomSym(n, uint64(n))
		values, v, err := SymEigen(2, lowerOnly(a))
		if err != nil {
			t.Fatalf("n=%d: %v", n, err)
		}
		if len(values) != n || v.Rows != n || v.Cols != n {
			t.Fatalf("n=%d: %d values, %d×%d vectors", n, len(values), v.Rows, v.Cols)
		}
		checkEigen(t, fmt.Sprintf("n=%d", n), a, values, v)
		only, err := SymEigenValues(2, lowerOnly(a))
		if err != nil {
			t.Fatal(err)
		}
		for i := range only {
			if math.Abs(only[i]-values[i]) > 1e-14*float64(n+5) {
				t.Fatalf("n=%d: eigenvalue %d is %g alone, %g with vectors", n, i, only[i], values[i])
			}
		}
	}
}

func TestSymEigenHardCases(t *testing.T) {
	for _, c := range hardSymmetric() {
		values, v, err := SymEigen(0, lowerOnly(c.a))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		checkEigen(t, c.name, c.a, values, v)
		only, err := SymEigenValues(0, lowerOnly(c.a))
		if err != nil {
			t.Errorf("%s: values only: %v", c.name, err)
			continue
		}
		largest := max(math.Abs(values[0]), math.Abs(values[len(values)-1]))
		for i := range only {
			if math.Abs(only[i]-values[i]) > 1e-13*largest {
				t.Errorf("%s: eigenvalue %d is %g alone, %g with vectors", c.name, i, only[i], values[i])
				break
			}
		}
	}
}

func TestSymEigenSubnormal(t *testing.T) {
	// Numbers of a few bits: no residual to speak of, but no failure either.
	const n = 40
	a := randomSym(n, 9)
	scaleVec(1e-320, a.Data)
	values, v, err := SymEigen(0, a)
	if err != nil {
		t.Fatal(err)
	}
	if e := orthogonalityError(v); !(e < 1e-13) {
		t.Errorf("orthogonality %g", e)
	}
	if !(values[0] < 0 && values[0] > -1e-318) {
		t.Errorf("smallest value %g", values[0])
	}
}

func TestSymEigenAgreesWithGonum(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 33, 70} {
		a := randomSym(n, 77)
		s := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				s.SetSym(i, j, a.At(i, j))
			}
		}
		var e mat.EigenSym
		if !e.Factorize(s, false) {
			t.Fatal("gonum failed")
		}
		want := e.Values(nil)
		got, _, err := SymEigen(0, a)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-13*float64(n) {
				t.Errorf("n=%d: eigenvalue %d is %g, gonum has %g", n, i, got[i], want[i])
			}
		}
	}
}

func TestSymEigenKnownSpectrum(t *testing.T) {
	// The second difference matrix has eigenvalues 2 − 2·cos(jπ/(n+1)).
	const n = 321
	d, e := make([]float64, n), make([]float64, n-1)
	for i := range n {
		d[i] = 2
		if i > 0 {
			e[i-1] = -1
		}
	}
	values, _, err := SymEigen(0, tridiagonalMatrix(d, e))
	if err != nil {
		t.Fatal(err)
	}
	for j := range n {
		want := 2 - 2*math.Cos(float64(j+1)*math.Pi/(n+1))
		if math.Abs(values[j]-want) > 1e-14*4 {
			t.Errorf("eigenvalue %d is %.17g, want %.17g", j, values[j], want)
		}
	}
}

func TestSymEigenStride(t *testing.T) {
	const n = 67
	a := randomSym(n, 3)
	wide := New[float64](n, n+9)
	for i := range wide.Data {
		wide.Data[i] = math.NaN()
	}
	view := wide.Slice(0, n, 4, 4+n)
	view.CopyFrom(lowerOnly(a))
	values, v, err := SymEigen(0, view)
	if err != nil {
		t.Fatal(err)
	}
	checkEigen(t, "stride", a, values, v)
	for i := range n {
		for j := range wide.Cols {
			if (j < 4 || j >= 4+n) && !math.IsNaN(wide.At(i, j)) {
				t.Fatalf("wrote outside the view at (%d, %d)", i, j)
			}
		}
	}
}

func TestSymEigenSameBitsAtAnyThreadCount(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(16)) // a team has no more members
	for _, n := range []int{65, 300, 530, 800} {
		a := randomSym(n, 8)
		w1, v1, err := SymEigen(1, a.Clone())
		if err != nil {
			t.Fatal(err)
		}
		for _, threads := range []int{2, 7, 16} {
			w, v, err := SymEigen(threads, a.Clone())
			if err != nil {
				t.Fatal(err)
			}
			for i := range w {
				if w[i] != w1[i] {
					t.Fatalf("n=%d: eigenvalue %d differs with %d threads", n, i, threads)
				}
			}
			for i := range v.Data {
				if v.Data[i] != v1.Data[i] {
					t.Fatalf("n=%d: vectors differ with %d threads", n, threads)
				}
			}
		}
	}
}

func TestSymEigenRefusesWhatIsNotFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		a := randomSym(12, 1)
		a.Set(7, 3, bad)
		_, _, err := SymEigen(0, a)
		var where *NotFinite
		if !errors.As(err, &where) || where.Row != 7 || where.Col != 3 {
			t.Errorf("%g at (7, 3): error is %v", bad, err)
		}
		if _, err := SymEigenValues(0, a); !errors.As(err, &where) {
			t.Errorf("%g at (7, 3): values only: error is %v", bad, err)
		}
	}
}
