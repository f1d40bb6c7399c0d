// Package par runs loops over goroutines with results that do not depend on
// how many there are.
//
// Work is cut into pieces by position only, never by thread count, so a piece
// always computes the same bits. Callers must let each piece write to its own
// part of the output; a reduction is done by storing one partial result per
// piece and adding them in order afterwards.
package par

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Workers is the number of goroutines that threads stands for: itself, or
// runtime.GOMAXPROCS(0) when it is 0 or less.
func Workers(threads int) int {
	if threads > 0 {
		return threads
	}
	return runtime.GOMAXPROCS(0)
}

// For calls f(lo, hi) on consecutive pieces [lo, hi) of [0, n), each of length
// grain but for the last. Pieces are handed out in order to at most
// threads goroutines (see Workers); For returns when all are done. A panic in f is re-raised in the
// caller.
func For(threads, n, grain int, f func(lo, hi int)) {
	if n <= 0 {
		return
	}
	grain = max(grain, 1)
	pieces := (n + grain - 1) / grain
	workers := min(Workers(threads), pieces)
	if workers == 1 {
		for lo := 0; lo < n; lo += grain {
			f(lo, min(lo+grain, n))
		}
		return
	}
	var (
		next   atomic.Int64
		wg     sync.WaitGroup
		once   sync.Once
		caught any
	)
	run := func() {
		defer wg.Done()
		defer func() {
			if r := recover(); r != nil {
				once.Do(func() { caught = r })
				next.Store(int64(pieces))
			}
		}()
		for {
			p := int(next.Add(1)) - 1
			if p >= pieces {
				return
			}
			lo := p * grain
			f(lo, min(lo+grain, n))
		}
	}
	wg.Add(workers)
	for range workers - 1 {
		go run()
	}
	run()
	wg.Wait()
	if caught != nil {
		panic(caught)
	}
}

// Check is For of what may fail. It returns the error of the first piece that has one, whichever is
// found first.
func Check(threads, n, grain int, f func(lo, hi int) error) error {
	errs := make([]error, (n+grain-1)/grain)
	For(threads, n, grain, func(lo, hi int) { errs[lo/grain] = f(lo, hi) })
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Indices is the numbers lo, lo+1, …, hi-1.
func Indices(lo, hi int) []int {
	out := make([]int, max(hi-lo, 0))
	for i := range out {
		out[i] = lo + i
	}
	return out
}
