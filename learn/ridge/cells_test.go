package ridge

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
)

// The penalised squares of a ridge machine whose fold was read off the one eigendecomposition are
// those of a fit: its predictions at the rows left out, put back as targets, must not move the
// machine of all rows. (The machine that is fitted to y with the left-out part replaced by its own
// predictions is the same.)
func TestRidgePathObjectives(t *testing.T) {
	p := learntest.Problem(120, data.Regression, 6)
	n := p.Len()
	k := kernel.Gaussian{Lengthscale: 0.7}
	gram := linalg.New[float64](n, n)
	kernel.Fill(1, blas64.General(gram), kernel.Prepare[kernel.Vec](context.Background(), k, p.Points, p.Points))
	values, vectors, err := linalg.SymEigen(1, gram.Clone())
	if err != nil {
		t.Fatal(err)
	}
	root := make([]float64, n)
	for i := range root {
		root[i] = 1
	}
	lambdas := []float64{1e-3, 0.1, 10}
	r := newRidgeFolds(values, vectors, root, targetsOf(p.Erase()), false)
	r.multiply(1, lambdas)
	fold := learntest.RoundRobin(n, 5)[2]
	left := &ridgeStep{ridgeFold: r.fold(fold.Test)}
	// ½‖y - Kα‖² + ½λαᵀKα over the rows given, at α = (K + λ)⁻¹y.
	objective := func(rows []int, y []float64, lambda float64) float64 {
		a, b := linalg.New[float64](len(rows), len(rows)), linalg.New[float64](len(rows), 1)
		copy(b.Data, y)
		for i, r := range rows {
			for j, c := range rows {
				a.Set(i, j, gram.At(r, c))
			}
			a.Set(i, i, a.At(i, i)+lambda)
		}
		c, err := linalg.NewCholesky(1, a)
		if err != nil {
			t.Fatal(err)
		}
		c.Solve(1, b)
		sum := 0.0 // ½λyᵀα
		for i, v := range y {
			sum += 0.5 * lambda * v * b.Data[i]
		}
		return sum
	}
	for l, lambda := range lambdas {
		got, err := left.leftOut(l)
		if err != nil {
			t.Fatal(err)
		}
		put := append([]float64(nil), p.Y...)
		for i, r := range fold.Test {
			put[r] = got.Data[i]
		}
		a, b := objective(par.Indices(0, n), put, lambda), objective(fold.Train, data.Take(p.Y, fold.Train), lambda)
		if math.Abs(a-b) > 1e-6*(1+math.Abs(b)) {
			t.Errorf("λ=%g: objective %.12g, a fit's %.12g", lambda, a, b)
		}
	}
}

// On a device folds are what they are on processors, with an intercept and weights, of full rank and
// not; a device that is lost leaves the rest to the processors.
func TestRidgeFoldsOnDevice(t *testing.T) {
	const n = 60
	lambdas := []float64{1e-3, 0.1, 10}
	for _, rank := range []int{5, n} {
		for name, dev := range map[string]*gram.Device{
			"device": gram.EmulatedDevice(1, 1<<30, 0), "lost": gram.EmulatedDevice(1, 1<<30, 20),
			"no memory": gram.EmulatedDevice(1, 1<<12, 0),
		} {
			rng := rand.New(rand.NewPCG(uint64(rank), 4))
			x, k := linalg.New[float64](n, rank), linalg.New[float64](n, n)
			y, root := linalg.New[float64](n, 2), make([]float64, n)
			for i := range x.Data {
				x.Data[i] = rng.NormFloat64()
			}
			for i := range root {
				root[i] = math.Sqrt(0.5 + rng.Float64())
				y.Set(i, 0, rng.NormFloat64())
				y.Set(i, 1, 3+rng.NormFloat64())
				simd.Scal64(root[i], x.Row(i))
			}
			linalg.Gemm(1, linalg.NoTrans, linalg.Trans, 1, x, x, 0, k)
			values, vectors, err := linalg.SymEigen(1, k)
			if err != nil {
				t.Fatal(err)
			}
			r := newRidgeFolds(values, vectors, root, y, true)
			r.multiply(1, lambdas)
			for _, f := range learntest.RoundRobin(n, 4) {
				fold := r.fold(f.Test)
				own := &ridgeStep{ridgeFold: fold}
				on := *fold
				on.chip = gram.NewShiftedBlocks(dev, linalg.Dense(fold.basis), len(lambdas), 2)
				if name == "device" && on.chip == nil {
					t.Fatal("not on the device")
				}
				there := &ridgeStep{ridgeFold: &on}
				for l := range lambdas {
					want, err := own.leftOut(l)
					if err != nil {
						t.Fatal(err)
					}
					got, err := there.leftOut(l)
					if err != nil {
						t.Fatal(err)
					}
					for i, v := range want.Data {
						if !(math.Abs(got.Data[i]-v) <= 1e-9*(1+math.Abs(v))) {
							t.Fatalf("%s, rank %d, λ = %g: %g, the processors say %g", name, rank, lambdas[l], got.Data[i], v)
						}
					}
					if name == "device" && there.block.Rows > 0 {
						t.Fatal("the processors solved")
					}
				}
				on.chip.Close()
			}
			if notes := dev.Notes(); (name == "device") != (len(notes) == 0) {
				t.Error(name, notes)
			}
		}
	}
}

// Folds read off one eigendecomposition are those of fits without the fold, of
// full rank and where most eigenvalues are zero (which takes another way).
func TestRidgeFoldsAgainstFits(t *testing.T) {
	const n, m = 90, 6
	lambdas := []float64{1e-3, 0.1, 10, 1000}
	for _, rank := range []int{1, 5, 40, n} {
		rng := rand.New(rand.NewPCG(uint64(rank), 3))
		x, k := linalg.New[float64](n, rank), linalg.New[float64](n, n)
		for i := range x.Data {
			x.Data[i] = rng.NormFloat64()
		}
		linalg.Gemm(1, linalg.NoTrans, linalg.Trans, 1, x, x, 0, k)
		y, root := linalg.New[float64](n, 1), make([]float64, n)
		for i := range root {
			y.Data[i], root[i] = rng.NormFloat64(), 1
		}
		values, vectors, err := linalg.SymEigen(1, k.Clone())
		if err != nil {
			t.Fatal(err)
		}
		r := newRidgeFolds(values, vectors, root, y, false)
		r.multiply(1, lambdas)
		for _, f := range learntest.RoundRobin(n, m) {
			fold := &ridgeStep{ridgeFold: r.fold(f.Test)}
			for l, lambda := range lambdas {
				got, err := fold.leftOut(l)
				if err != nil {
					t.Fatal(err)
				}
				a, b := linalg.New[float64](len(f.Train), len(f.Train)), linalg.New[float64](len(f.Train), 1)
				for i, p := range f.Train {
					b.Data[i] = y.Data[p]
					for j, q := range f.Train {
						a.Set(i, j, k.At(p, q))
					}
					a.Set(i, i, a.At(i, i)+lambda)
				}
				c, err := linalg.NewCholesky(1, a)
				if err != nil {
					t.Fatal(err)
				}
				c.Solve(1, b)
				for i, p := range f.Test {
					want := 0.0
					for j, q := range f.Train {
						want += k.At(p, q) * b.Data[j]
					}
					if d := math.Abs(got.Data[i] - want); !(d <= 1e-9*(1+math.Abs(want))) {
						t.Fatalf("rank %d, λ = %g, row %d: %g, a fit without the fold says %g", rank, lambda, p, got.Data[i], want)
					}
				}
			}
		}
	}
}
