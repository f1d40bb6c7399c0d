package seq

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Mismatch counts common runs of K letters (3 when zero), each run standing for all runs that
// differ from it in at most M places,
//
//	k(x, y) = Σ_{b ∈ A^K} φ_b(x)·φ_b(y),   φ_b(x) = number of runs of K letters of x within M mismatches of b
//
// (C. Leslie, E. Eskin, J. Weston and W. S. Noble, Mismatch string kernels for SVM protein
// classification, NIPS 2002). M = 0 is Spectrum. A string shorter than K has the value 0 with all
// strings.
//
// Two runs that differ in d places share I(d) runs b, a number that depends on K, M and |A| alone.
// With I(d) = Σ_j c_j·C(K-d, j-d) the kernel is a combination of the kernels of patterns with
// exactly j = 0, …, 2M holes, so that its cost does not grow with the alphabet (P. Kuksa, P. Huang
// and V. Pavlovic, Scalable algorithms for string kernels with inexact matching, NIPS 2008). All
// terms are whole numbers: values up to 2⁵³ are exact.
type Mismatch struct {
	K, M     int
	Alphabet Alphabet
}

func (k Mismatch) length() int { return or(k.K, 3) }

// Name is "mismatch".
func (Mismatch) Name() string { return "mismatch" }

// shared is I(d). At the d places where two runs differ, b has i letters of the one, j of the other
// and a third letter at the rest; at the other places it has t letters of its own.
func (k Mismatch) shared(d int) float64 {
	n, sigma, sum := k.length(), float64(k.Alphabet.Size()), 0.0
	for t := 0; t <= n-d; t++ {
		for i := 0; i <= d; i++ {
			for j := 0; i+j <= d; j++ {
				if d-i+t <= k.M && d-j+t <= k.M {
					sum += binomial(n-d, t) * math.Pow(sigma-1, float64(t)) *
						binomial(d, i) * binomial(d-i, j) * math.Pow(sigma-2, float64(d-i-j))
				}
			}
		}
	}
	return sum
}

// coefficients are the c_j.
func (k Mismatch) coefficients() []float64 {
	n := k.length()
	c := make([]float64, min(2*k.M, n)+1)
	for j := len(c) - 1; j >= 0; j-- {
		c[j] = k.shared(j)
		for o := j + 1; o < len(c); o++ {
			c[j] -= c[o] * binomial(n-j, o-j)
		}
	}
	return c
}

// holes counts the patterns of s with exactly j holes.
func (k Mismatch) holes(j int) func(s string) counts {
	open := choices(k.length(), j)
	return func(s string) counts {
		into := counts{}
		countPatterns(into, s, bounds(s), k.length(), open, 1)
		return into
	}
}

// Eval returns the number of pairs of runs, times the runs near to both.
func (k Mismatch) Eval(x, y string) float64 {
	sum := 0.0
	for j, c := range k.coefficients() {
		phi := k.holes(j)
		sum += c * dot(phi(x), phi(y))
	}
	return sum
}

// PreparePoints counts the patterns of each string once.
func (k Mismatch) PreparePoints(ctx context.Context, x, y data.Points[string]) kernel.Rectangle {
	c := k.coefficients()
	parts := make([]kernel.Rectangle, len(c))
	for j := range c {
		parts[j] = prepareCounts(ctx, x, y, k.holes(j))
	}
	return func(dst *mat.Dense, i, j int) {
		r, cols := dst.Dims()
		part := mat.NewDense(r, cols, nil)
		dst.Zero()
		for q, fill := range parts {
			fill(part, i, j)
			part.Scale(c[q], part)
			dst.Add(dst, part)
		}
	}
}

// EachFeature adds 1 to each run within M mismatches of a run of x.
func (k Mismatch) EachFeature(x string, add func(name string, value float64)) {
	letters, n, all := []rune(x), k.length(), []rune(string(k.Alphabet))
	run := make([]rune, n)
	for i := 0; i+n <= len(letters); i++ {
		copy(run, letters[i:i+n])
		near(all, run, 0, k.M, add)
	}
}

// near calls add with all runs that differ from one in at most m places from place p on.
func near(all, run []rune, p, m int, add func(name string, value float64)) {
	if p == len(run) || m == 0 {
		add(string(run), 1)
		return
	}
	own := run[p]
	for _, letter := range all {
		run[p] = letter
		if letter == own {
			near(all, run, p+1, m, add)
		} else {
			near(all, run, p+1, m-1, add)
		}
	}
	run[p] = own
}

// Validate refuses K < 0, M outside 0…K and a bad alphabet.
func (k Mismatch) Validate() error {
	if k.K < 0 {
		return fmt.Errorf("seq: mismatch: k = %d, want at least 1", k.K)
	}
	return firstError(k.Alphabet.valid("mismatch"), fewPatterns("mismatch", k.length(), "m", k.M, 2*k.M))
}

// CheckPoints refuses letters that are not of the alphabet.
func (k Mismatch) CheckPoints(x data.Points[string]) error { return k.Alphabet.check("mismatch", x) }

// Properties of an inner product of counts.
func (Mismatch) Properties() kernel.Properties { return textFeatures() }
