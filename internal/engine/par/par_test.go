package par

import (
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
	if got := Indices(2, 5); len(got) != 3 || got[0] != 2 || got[2] != 4 {
		t.Errorf("Indices(2, 5) is %v", got)
	}
	if got := Indices(3, 3); len(got) != 0 {
		t.Errorf("Indices(3, 3) is %v", got)
	}
}

// The budget is asked at every prediction: it must not cost a look at the system each time.
func TestDefaultBytesIsReadOnce(t *testing.T) {
	if DefaultBytes() <= 0 {
		t.Fatal(DefaultBytes())
	}
	if n := testing.AllocsPerRun(10, func() { DefaultBytes() }); n != 0 {
		t.Errorf("%g allocations to know the memory", n)
	}
}
