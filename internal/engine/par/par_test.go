package par

import (
	"slices"
	"sync/atomic"
	"testing"
)

func TestForCoversEveryIndexOnce(t *testing.T) {
	for _, threads := range []int{1, 2, 8} {
		for _, n := range []int{0, 1, 7, 64, 1000} {
			for _, grain := range []int{0, 1, 3, 64, 5000} {
				seen := make([]int32, n)
				For(threads, n, grain, func(lo, hi int) {
					for i := lo; i < hi; i++ {
						atomic.AddInt32(&seen[i], 1)
					}
				})
				for i, s := range seen {
					if s != 1 {
						t.Fatalf("threads=%d n=%d grain=%d: index %d seen %d times", threads, n, grain, i, s)
					}
				}
			}
		}
	}
}

func TestForPassesPanicsOn(t *testing.T) {
	for _, threads := range []int{1, 4} {
		func() {
			defer func() {
				if r := recover(); r != "boom" {
					t.Fatalf("threads=%d: recovered %v, want boom", threads, r)
				}
			}()
			For(threads, 100, 1, func(lo, _ int) {
				if lo == 50 {
					panic("boom")
				}
			})
		}()
	}
}

func TestIndices(t *testing.T) {
	if got := Indices(4); !slices.Equal(got, []int{0, 1, 2, 3}) || len(Indices(0)) != 0 {
		t.Errorf("%v, %v", got, Indices(0))
	}
}
