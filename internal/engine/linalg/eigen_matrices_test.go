package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
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
