package linalg

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
)

// Every piece is done once, after all of the stages before its own.
func TestInStagesDoesEveryPieceOnceAndInOrder(t *testing.T) {
	stages := []stagePieces{{0, 5}, {7, 9}, {0, 0}, {100, 100}, {1, 1}, {3, 40}}
	before := make([]int64, len(stages)+1)
	for s, n := range stages {
		before[s+1] = before[s] + int64(n.all)
	}
	for _, threads := range []int{1, 2, 3, 8, 64} {
		counts := make([][]atomic.Int32, len(stages))
		for s, n := range stages {
			counts[s] = make([]atomic.Int32, n.all)
		}
		var done atomic.Int64
		crew{threads: threads}.inStages(stages, func(s, p int) {
			if d := done.Load(); d < before[s] {
				t.Errorf("%d threads: stage %d began when %d of %d pieces were done", threads, s, d, before[s])
			}
			counts[s][p].Add(1)
			if p%3 == 0 {
				runtime.Gosched()
			}
			done.Add(1)
		})
		for s := range counts {
			for p := range counts[s] {
				if n := counts[s][p].Load(); n != 1 {
					t.Errorf("%d threads: piece %d of stage %d was done %d times", threads, p, s, n)
				}
			}
		}
	}
}

func TestInStagesLeavesOutPiecesOnceCalledOff(t *testing.T) {
	for _, threads := range []int{1, 4} {
		ctx, cancel := context.WithCancel(context.Background())
		var done atomic.Int64
		crew{threads: threads, ctx: ctx}.inStages([]stagePieces{{50, 50}, {1000, 1000}, {0, 1000}}, func(s, p int) {
			if s == 1 && p%100 == 3 {
				cancel()
			}
			done.Add(1)
		})
		if n := done.Load(); n >= 2050 || n < 50 {
			t.Errorf("%d threads: %d of 2050 pieces were done", threads, n)
		}
	}
}

// Pieces are as even as whole tiles allow, and none is larger than asked.
func TestSpread(t *testing.T) {
	for n := 1; n < 700; n++ {
		for _, unit := range []int{1, 8, 48} {
			for _, most := range []int{unit, 5 * unit} {
				at := spread(n, most, unit)
				if at[0] != 0 || at[len(at)-1] != n || len(at)-1 != pieces(n, most) {
					t.Fatalf("%d in pieces of %d×%d: %v", n, most/unit, unit, at)
				}
				least, largest := n, 0
				for i, a := range at[:len(at)-1] {
					size := at[i+1] - a
					if a%unit != 0 || size <= 0 || size > most {
						t.Fatalf("%d in pieces of %d×%d: %v", n, most/unit, unit, at)
					}
					least, largest = min(least, pieces(size, unit)), max(largest, pieces(size, unit))
				}
				if largest > least+1 {
					t.Fatalf("%d in pieces of %d×%d is uneven: %v", n, most/unit, unit, at)
				}
			}
		}
	}
	if want := []int{0, 144, 336, 480, 672, 816, 1000}; !slices.Equal(spread(1000, 192, 48), want) {
		t.Errorf("1000 columns are cut at %v, want %v", spread(1000, 192, 48), want)
	}
}

// Storage of one size is not spent on a request of quite another.
func TestBorrowKeepsSizesApart(t *testing.T) {
	large := borrow[float64](1 << 20)
	giveBack(large)
	small := borrow[float64](100)
	if len(*small) >= 1<<20 {
		t.Error("a tile was given the storage of a large product")
	}
	giveBack(small)
	for _, n := range []int{0, 1, 7, 8, 255, 256, 4097} {
		b := borrow[float32](n)
		if len(*b) < n {
			t.Errorf("%d elements, asked for %d", len(*b), n)
		}
		giveBack(b)
	}
}
