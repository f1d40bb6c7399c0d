package gram

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"gonum.org/v1/gonum/mat"
)

// PSD is the finding of CheckPSD.
type PSD struct {
	Min, Max  float64   // extreme eigenvalues
	Vector    []float64 // unit eigenvector of Min: the combination of points that shows it
	Tolerance float64   // how far below 0 rounding alone can put Min: n·ε·max|λ|
	OK        bool      // Min ≥ -Tolerance
}

// NotPSD is the error of a Gram matrix with a truly negative eigenvalue.
type NotPSD struct{ PSD }

func (e *NotPSD) Error() string {
	return fmt.Sprintf("the kernel is not positive definite: its Gram matrix has the smallest eigenvalue %.3g, the "+
		"largest is %.3g; %s", e.Min, e.Max, RepairWords)
}

// RepairWords is how the remedy for an indefinite kernel is told: a program that has an option for
// it may say which.
const RepairWords = "repair it by clip, flip or shift, or take another kernel"

// Err returns nil for a matrix that passed, a *NotPSD for one that did not.
func (p PSD) Err() error {
	if p.OK {
		return nil
	}
	return &NotPSD{p}
}

// denseEigen is the largest n whose spectrum MinEigen takes whole.
const denseEigen = 1500

// CheckPSD computes the extreme eigenvalues of K(X, X) and judges the smallest
// against rounding. The tolerance is n·ε·max(|λmin|, |λmax|), with the ε of the
// precision the matrix is kept in: a symmetric matrix with entries rounded to
// ε has eigenvalues no more exact than that (Weyl).
func CheckPSD(g Accessor, threads int) (PSD, error) {
	n, c := g.Dims()
	if n != c {
		return PSD{}, fault.Errorf("gram", "a %d×%d matrix has no definiteness", n, c)
	}
	var p PSD
	var err error
	if n <= denseEigen {
		p, err = denseExtremes(g, threads)
	} else {
		p, err = lanczosExtremes(g)
	}
	if err != nil {
		return PSD{}, err
	}
	p.Tolerance = float64(n) * epsilon(g) * math.Max(math.Abs(p.Min), math.Abs(p.Max))
	p.OK = p.Min >= -p.Tolerance
	return p, nil
}

// MinEigen returns the smallest eigenvalue of K(X, X) and its unit eigenvector.
func MinEigen(g Accessor, threads int) (float64, []float64, error) {
	p, err := CheckPSD(g, threads)
	return p.Min, p.Vector, err
}

// epsilon is the unit roundoff of the entries of g.
func epsilon(g Gram) float64 {
	switch s := g.(type) {
	case Dense32, *half[float32], *lazy[float32], *cached[float32]:
		return 0x1p-24
	case *Centered:
		return epsilon(s.g)
	}
	return 0x1p-53
}

// toDense evaluates all of g into fresh storage.
func toDense(g Accessor) linalg.Matrix[float64] {
	r, c := g.Dims()
	m := linalg.New[float64](r, c)
	g.Block(linalg.Dense(m), 0, 0)
	return m
}

func denseExtremes(g Accessor, threads int) (PSD, error) {
	values, vectors, err := linalg.SymEigen(threads, toDense(g))
	if err != nil {
		return PSD{}, fault.In("gram", err)
	}
	p := PSD{Min: values[0], Max: values[len(values)-1], Vector: make([]float64, len(values))}
	for i := range p.Vector {
		p.Vector[i] = vectors.At(i, 0)
	}
	return p, nil
}

// lanczosExtremes finds both ends of the spectrum by the Lanczos process with
// full reorthogonalisation (Golub and Van Loan 2013, §10.1), until the
// residual of the smallest Ritz pair is below 1e-8 of the norm, or 300 steps.
// The Ritz value is never below the true smallest eigenvalue, so a matrix is
// never called indefinite wrongly; the residual bounds how far above it may be.
func lanczosExtremes(g Gram) (PSD, error) {
	n, _ := g.Dims()
	const steps = 300
	q := linalg.New[float64](steps+1, n) // row i is basis vector i
	alpha, beta := make([]float64, 0, steps), make([]float64, 0, steps)
	v := q.Row(0)
	for i := range v { // a fixed start with no symmetry of its own
		v[i] = 1 + 0.5*math.Sin(1.7*float64(i)+0.3*math.Sqrt(float64(i)))
	}
	scaleTo(v, 1/norm(v))
	w := make([]float64, n)
	var p PSD
	for k := range steps {
		g.MulTo(mat.NewDense(n, 1, w), mat.NewDense(n, 1, q.Row(k)), false)
		alpha = append(alpha, dot(w, q.Row(k)))
		for range 2 { // twice is enough (Kahan, Parlett)
			for i := range k + 1 {
				addScaled(w, -dot(w, q.Row(i)), q.Row(i))
			}
		}
		b := norm(w)
		if math.IsNaN(b) {
			return PSD{}, fault.Errorf("gram", "the product with the matrix is not finite")
		}
		last := k == steps-1 || k == n-1
		if last || k%10 == 9 || b == 0 {
			values, vectors, err := tridiagonal(alpha, beta)
			if err != nil {
				return PSD{}, err
			}
			p.Min, p.Max = values[0], values[len(values)-1]
			size := math.Max(math.Abs(p.Min), math.Abs(p.Max))
			residual := b * math.Abs(vectors.At(k, 0))
			if last || b <= 1e-14*size || residual <= 1e-8*size {
				p.Vector = make([]float64, n)
				for i := range k + 1 {
					addScaled(p.Vector, vectors.At(i, 0), q.Row(i))
				}
				scaleTo(p.Vector, 1/norm(p.Vector))
				return p, nil
			}
		}
		beta = append(beta, b)
		copy(q.Row(k+1), w)
		scaleTo(q.Row(k+1), 1/b)
	}
	return p, nil
}

// tridiagonal is the spectrum of the symmetric tridiagonal matrix.
func tridiagonal(alpha, beta []float64) ([]float64, linalg.Matrix[float64], error) {
	t := linalg.New[float64](len(alpha), len(alpha))
	for i, a := range alpha {
		t.Set(i, i, a)
		if i > 0 {
			t.Set(i, i-1, beta[i-1])
			t.Set(i-1, i, beta[i-1])
		}
	}
	return linalg.SymEigen(1, t)
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

func norm(a []float64) float64 { return math.Sqrt(dot(a, a)) }

func scaleTo(a []float64, s float64) {
	for i := range a {
		a[i] *= s
	}
}

func addScaled(dst []float64, s float64, x []float64) {
	for i, v := range x {
		dst[i] += s * v
	}
}
