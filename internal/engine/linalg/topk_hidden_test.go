package linalg

import (
	"context"
	"fmt"
	"math"
	"testing"
)

// repeatedSpectra are lists of 300 eigenvalues with more copies of a wanted
// one than the default block has columns.
func repeatedSpectra() map[string][]float64 {
	const n = 300
	spectrum := func(f func(i int) float64) []float64 {
		w := make([]float64, n)
		for i := range w {
			w[i] = f(i)
		}
		return w
	}
	bulk := func(i int, top float64) float64 { return top * float64(n-i) / n }
	return map[string][]float64{
		"the largest nine times": spectrum(func(i int) float64 {
			if i < 9 {
				return 5
			}
			return bulk(i, 2)
		}),
		"six and five times": spectrum(func(i int) float64 {
			switch {
			case i < 6:
				return 7
			case i < 11:
				return 4
			}
			return bulk(i, 3)
		}),
		"the second twelve times, a gap of a tenth": spectrum(func(i int) float64 {
			switch {
			case i < 1:
				return 9
			case i < 13:
				return 4
			}
			return bulk(i, 3.6)
		}),
		"a projection": spectrum(func(i int) float64 {
			if i < 30 {
				return 1
			}
			return 0
		}),
		"both signs": spectrum(func(i int) float64 {
			switch {
			case i < 7:
				return 6
			case i < 13:
				return -6
			}
			return bulk(i, 2) - 1
		}),
	}
}

func TestTopKFindsRepeatedEigenvalues(t *testing.T) {
	for name, values := range repeatedSpectra() {
		a := withSpectrum(values, 8)
		all := everyValue(t, a)
		for _, which := range []Which{LargestAlgebraic, LargestMagnitude, SmallestAlgebraic} {
			for _, block := range []int{0, 1} {
				title := fmt.Sprintf("%s, which %d, block %d", name, which, block)
				e, err := TopK(context.Background(), DenseOp{A: a, Threads: 1}, 10,
					TopKOptions{Threads: 1, Which: which, Block: block, Tolerance: 1e-8, DenseLimit: -1})
				if err != nil {
					t.Errorf("%s: %v", title, err)
					continue
				}
				checkTopK(t, title, a, all, e, which, 1e-8)
			}
		}
	}
}

// TestHiddenLookIsCheap holds the price of the look on a spectrum that hides
// nothing.
func TestHiddenLookIsCheap(t *testing.T) {
	a := gaussianGram(600, 10, 3, 1)
	count := func(block int) int {
		e, err := TopK(context.Background(), DenseOp{A: a}, 10, TopKOptions{Tolerance: 1e-8, Block: block})
		if err != nil {
			t.Fatal(err)
		}
		return e.Products
	}
	few, many := count(0), count(12)
	if few >= many {
		t.Errorf("%d products with blocks of four and a look, %d with blocks of twelve", few, many)
	}
}

func TestMagnified(t *testing.T) {
	// T₂(x) = 2x² − 1 at x = 3, for the interval [0, 1] and kth = 2; and its mirror images.
	for which, c := range map[Which]struct {
		kth    float64
		values []float64
	}{
		LargestAlgebraic:  {2, []float64{0, 0.3, 1}},
		SmallestAlgebraic: {-2, []float64{-1, -0.3, 0}},
		LargestMagnitude:  {-3, []float64{-1, 0.5}},
	} {
		if got := which.magnified(2, c.kth, c.values); math.Abs(got-17) > 1e-13 {
			t.Errorf("which %d: %g, want 17", which, got)
		}
	}
	if got := LargestAlgebraic.magnified(3, 1, []float64{0, 1}); got != 1 {
		t.Errorf("inside the interval: %g, want 1", got)
	}
}
