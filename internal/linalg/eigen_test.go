package linalg

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// symmetricCase is a symmetric matrix with a name; the strict upper triangle
// is filled with NaN by poison, since no routine may read it.
type symmetricCase struct {
	name string
	a    Matrix[float64]
}

func randomSym(n int, seed uint64) Matrix[float64] {
	r := rand.New(rand.NewPCG(seed, 17))
	a := New[float64](n, n)
	for i := range n {
		for j := range i + 1 {
			v := r.NormFloat64()
			a.Set(i, j, v)
			a.Set(j, i, v)
		}
	}
	return a
}

func tridiagonalMatrix(d, e []float64) Matrix[float64] {
	a := New[float64](len(d), len(d))
	for i := range d {
		a.Set(i, i, d[i])
		if i > 0 {
			a.Set(i, i-1, e[i-1])
			a.Set(i-1, i, e[i-1])
		}
	}
	return a
}

// withSpectrum returns H·diag(w)·Hᵀ for a product H of three random reflectors
// and a random sign pattern, with known eigenvalues.
func withSpectrum(w []float64, seed uint64) Matrix[float64] {
	n := len(w)
	r := rand.New(rand.NewPCG(seed, 23))
	a := New[float64](n, n)
	for i := range n {
		a.Set(i, i, w[i])
	}
	for range 3 {
		v := make([]float64, n)
		for i := range v {
			v[i] = r.NormFloat64()
		}
		scaleVec(1/math.Sqrt(dotVec(v, v)), v)
		for i := range n { // A ← A·(I − 2vvᵀ), then the transpose of that from the left
			axpyVec(-2*dotVec(a.Row(i), v), v, a.Row(i))
		}
		col := make([]float64, n)
		for j := range n {
			for i := range n {
				col[i] = a.At(i, j)
			}
			s := -2 * dotVec(col, v)
			for i := range n {
				a.Set(i, j, col[i]+s*v[i])
			}
		}
	}
	for i := range n {
		for j := range i {
			a.Set(j, i, a.At(i, j))
		}
	}
	return a
}

// hardSymmetric are the matrices that break careless divide and conquer.
func hardSymmetric() []symmetricCase {
	var cases []symmetricCase
	add := func(name string, a Matrix[float64]) { cases = append(cases, symmetricCase{name, a}) }
	const n = 210
	add("zero", New[float64](n, n))
	identity := New[float64](n, n)
	diagonal := New[float64](n, n)
	rankOne := New[float64](n, n)
	ones := New[float64](n, n)
	for i := range n {
		identity.Set(i, i, 3.5)
		diagonal.Set(i, i, float64((i*37)%101)-50)
		for j := range n {
			rankOne.Set(i, j, float64(i+1)*float64(j+1))
			ones.Set(i, j, 1)
		}
	}
	add("multiple of the identity", identity)
	add("diagonal with repeats", diagonal)
	add("rank one", rankOne)
	add("all ones", ones)

	var d, e []float64
	for b := range 10 { // Wilkinson's W21+, glued by 1e-8
		if b > 0 {
			e = append(e, 1e-8)
		}
		for i := -10; i <= 10; i++ {
			d = append(d, math.Abs(float64(i)))
			if i > -10 {
				e = append(e, 1)
			}
		}
	}
	add("glued Wilkinson", tridiagonalMatrix(d, e))
	glued := make([]float64, len(e))
	for i := range e {
		glued[i] = e[i]
		if e[i] < 1 {
			glued[i] = 1e-14
		}
	}
	add("glued Wilkinson 1e-14", tridiagonalMatrix(d, glued))
	two := make([]float64, n)
	minus := make([]float64, n-1)
	zeros := make([]float64, n)
	one := make([]float64, n-1)
	for i := range n {
		two[i] = 2
		if i < n-1 {
			minus[i], one[i] = -1, 1
		}
	}
	add("second difference", tridiagonalMatrix(two, minus))
	add("zero diagonal", tridiagonalMatrix(zeros, one))
	for i := range minus {
		minus[i] = 0
		if i%3 == 0 {
			minus[i] = 1e-160
		}
	}
	add("off-diagonals that underflow", tridiagonalMatrix(two, minus))

	spectrum := func(f func(i int) float64) []float64 {
		w := make([]float64, n)
		for i := range w {
			w[i] = f(i)
		}
		return w
	}
	add("one cluster", withSpectrum(spectrum(func(i int) float64 { return 1 + float64(i)*1e-15 }), 1))
	add("three clusters", withSpectrum(spectrum(func(i int) float64 { return float64(i%3) + float64(i)*1e-13 }), 2))
	add("signs", withSpectrum(spectrum(func(i int) float64 { return float64(2*(i%2) - 1) }), 3))
	add("geometric", withSpectrum(spectrum(func(i int) float64 { return math.Pow(10, -float64(i)/10) }), 4))
	add("one small, the rest equal", withSpectrum(spectrum(func(i int) float64 {
		if i == 0 {
			return 1e-10
		}
		return 1
	}), 5))
	graded := New[float64](n, n)
	r := rand.New(rand.NewPCG(5, 5))
	for i := range n {
		for j := range i + 1 {
			v := r.NormFloat64() * math.Pow(10, -float64(i+j)/2)
			graded.Set(i, j, v)
			graded.Set(j, i, v)
		}
	}
	add("graded down", graded)
	gradedUp := New[float64](n, n)
	for i := range n {
		for j := range n {
			gradedUp.Set(i, j, graded.At(n-1-i, n-1-j))
		}
	}
	add("graded up", gradedUp)
	for _, scale := range []float64{1e-300, 1e300} {
		a := randomSym(n, 9)
		for i := range a.Data {
			a.Data[i] *= scale
		}
		add(fmt.Sprintf("random times %g", scale), a)
	}
	wide := New[float64](n, n)
	for i := range n {
		for j := range i + 1 {
			v := r.NormFloat64() * math.Pow(10, 300-600*float64(i+j)/float64(2*n-2))
			wide.Set(i, j, v)
			wide.Set(j, i, v)
		}
	}
	add("graded 1e300 to 1e-300", wide)
	return cases
}

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
	largest, _ := finiteLower(a)
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
		sizes = append(sizes, n)
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
	for _, n := range []int{65, 300, 530} {
		a := randomSym(n, 8)
		w1, v1, err := SymEigen(1, a.Clone())
		if err != nil {
			t.Fatal(err)
		}
		for _, threads := range []Threads{2, 8} {
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

func TestSymEigenSelected(t *testing.T) {
	cases := append(hardSymmetric(), symmetricCase{"random", randomSym(150, 2)}, symmetricCase{"small", randomSym(20, 2)})
	for _, c := range cases {
		n := c.a.Rows
		all, _, err := SymEigen(0, c.a.Clone())
		if err != nil {
			t.Fatal(err)
		}
		check := func(sel Selection, first, last int) {
			t.Helper()
			values, v, err := SymEigenSelected(0, lowerOnly(c.a), sel)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				return
			}
			if len(values) != last-first {
				t.Errorf("%s: %d pairs, want %d", c.name, len(values), last-first)
				return
			}
			for i := range values {
				if values[i] != all[first+i] {
					t.Errorf("%s: selected value %d is %g, want %g", c.name, i, values[i], all[first+i])
				}
			}
			checkEigen(t, c.name, c.a, values, v)
		}
		check(IndexRange(3, 9), 3, 9)
		check(IndexRange(5, 5), 5, 5)
		check(IndexRange(-4, n+4), 0, n)
		check(LargestPairs(7), n-7, n)
		check(LargestPairs(0), n, n)
		check(LargestPairs(n+3), 0, n)
		low, high := all[n/4], all[n/2]
		first, last := 0, 0
		for _, w := range all {
			if w <= low {
				first++
			}
			if w <= high {
				last++
			}
		}
		check(ValueRange(low, high), first, last)
		check(ValueRange(1, 0), first, first)
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
