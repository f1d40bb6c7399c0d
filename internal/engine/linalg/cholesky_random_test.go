package linalg

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/internal/datatest"
)

// gaussGram is exp(-‖xᵢ-xⱼ‖²/2) of random points in the plane, some of them twice.
func gaussGram(n int, seed uint64) Matrix[float64] {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := New[float64](n, 2)
	for i := range x.Data {
		x.Data[i] = 2 * rng.NormFloat64()
	}
	for i := range n / 10 {
		copy(x.Row(n-1-i), x.Row(i))
	}
	k := New[float64](n, n)
	for i := range n {
		for j := range n {
			a, b := x.At(i, 0)-x.At(j, 0), x.At(i, 1)-x.At(j, 1)
			k.Set(i, j, math.Exp(-(a*a+b*b)/2))
		}
	}
	return k
}

func randomOf(t *testing.T, k Matrix[float64], o PivotedOptions, threads int, seed uint64) *PivotedCholesky {
	t.Helper()
	diag := make([]float64, k.Rows)
	for i := range diag {
		diag[i] = k.At(i, i)
	}
	p, err := NewRandomCholesky(context.Background(), threads, diag, func(dst Matrix[float64], index []int) error {
		for i := range dst.Rows {
			for a, j := range index {
				dst.Set(i, a, k.At(i, j))
			}
		}
		return nil
	}, o, rand.New(rand.NewPCG(seed, 2)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// L·Lᵀ is A at the pivots, its error is the trace that is said, and the rank goes as far as it was
// allowed, or the matrix has.
func TestRandomCholesky(t *testing.T) {
	k := gaussGram(300, 3)
	for _, o := range []PivotedOptions{{MaxRank: 1}, {MaxRank: 40}, {MaxRank: 100}, {Tolerance: 1e-3}, {}} {
		p := randomOf(t, k, o, 2, 5)
		if o.MaxRank > 0 && len(p.Pivots) != o.MaxRank || len(p.Pivots) > 270 {
			t.Errorf("%+v: rank %d", o, len(p.Pivots))
		}
		residual := 0.0
		for i := range k.Rows {
			residual += k.At(i, i)
			for _, v := range p.L.Row(i) {
				residual -= v * v
			}
		}
		if math.Abs(residual-p.Residual) > 1e-9*p.Trace || o.Tolerance > 0 && p.Residual > o.Tolerance*p.Trace {
			t.Errorf("%+v: residual %g, said to be %g of %g", o, residual, p.Residual, p.Trace)
		}
		for a, i := range p.Pivots {
			for j := range k.Rows {
				sum := 0.0
				for c, v := range p.L.Row(i) {
					sum += v * p.L.At(j, c)
				}
				if math.Abs(sum-k.At(i, j)) > 1e-6 {
					t.Fatalf("%+v: row %d of a pivot, column %d: %g, want %g", o, i, j, sum, k.At(i, j))
				}
			}
			for _, v := range p.L.Row(i)[a+1:] {
				if v != 0 {
					t.Fatal("not triangular at the pivots")
				}
			}
		}
	}
	one, seven := randomOf(t, k, PivotedOptions{MaxRank: 90}, 1, 4), randomOf(t, k, PivotedOptions{MaxRank: 90}, 7, 4)
	if !slices.Equal(one.L.Clone().Data, seven.L.Clone().Data) {
		t.Fatal("other bits with other threads")
	}
}

// The first two pivots have the probabilities of the definition: dᵢ/tr A, then what is left of it.
// Proposals in blocks change nothing about that.
func TestRandomCholeskyDistribution(t *testing.T) {
	k := New[float64](3, 3)
	copy(k.Data, []float64{4, 1.9, 0, 1.9, 1, 0, 0, 0, 2})
	counts := map[[2]int]float64{}
	draws, near := datatest.Size(8000, 2000), 0.02 // four standard deviations
	if testing.Short() {
		near = 0.04
	}
	for s := range draws {
		p := randomOf(t, k, PivotedOptions{MaxRank: 2}, 1, uint64(s))
		counts[[2]int{p.Pivots[0], p.Pivots[1]}] += 1 / float64(draws)
	}
	for first := range 3 {
		d, total := [3]float64{}, 0.0
		for i := range 3 {
			d[i] = k.At(i, i) - k.At(i, first)*k.At(i, first)/k.At(first, first)
			total += d[i]
		}
		for second := range 3 {
			want := k.At(first, first) / 7 * d[second] / total
			if got := counts[[2]int{first, second}]; math.Abs(got-want) > near {
				t.Errorf("pivots %d, %d: %.4f of the draws, want %.4f", first, second, got, want)
			}
		}
	}
}

func TestRandomCholeskyRefuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	nan := func(dst Matrix[float64], _ []int) error { dst.Set(1, 0, math.NaN()); return nil }
	var bad *NotFinite
	if _, err := NewRandomCholesky(context.Background(), 1, []float64{1, 1}, nan, PivotedOptions{}, rng); !errors.As(err,
		&bad) {
		t.Error(err)
	}
	var not *NotPositiveDefinite
	if _, err := NewRandomCholesky(context.Background(), 1, []float64{1, -1}, nan, PivotedOptions{}, rng); !errors.As(err,
		&not) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := NewRandomCholesky(ctx, 1, []float64{1, 1}, nan, PivotedOptions{}, rng); !errors.Is(err,
		context.Canceled) {
		t.Error(err)
	}
}
