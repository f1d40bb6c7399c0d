package linalg

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// inStages calls do(s, p) for every stage s and piece p < counts[s]; no piece
// begins before all of the stage before it are done. Pieces are handed out in
// order to at most the crew's threads. A panic in do is re-raised in the caller.
//
// It is one par.For for each stage, but for the goroutines: they live through
// all stages and wait at the end of each by spinning, since to sleep and to be
// woken takes as long as a good part of a stage.
func (w crew) inStages(counts []int, do func(s, p int)) {
	workers := 1
	for _, n := range counts {
		workers = max(workers, min(w.threads.N(), n))
	}
	if workers == 1 {
		for s, n := range counts {
			for p := 0; p < n && !w.stopped(); p++ {
				do(s, p)
			}
		}
		return
	}
	g := &stagedWork{crew: w, counts: counts, do: do, next: make([]atomic.Int64, len(counts)), done: make([]atomic.Int64, len(counts))}
	g.gone.Add(workers)
	for range workers - 1 {
		go g.run()
	}
	g.run()
	g.gone.Wait()
	if g.caught != nil {
		panic(g.caught)
	}
}

// stagedWork is what the goroutines of inStages share.
type stagedWork struct {
	crew       crew
	counts     []int
	do         func(s, p int)
	next, done []atomic.Int64 // pieces of each stage handed out, and finished
	failed     atomic.Bool    // a piece has panicked: nobody waits any more
	once       sync.Once
	caught     any
	gone       sync.WaitGroup
}

func (g *stagedWork) run() {
	defer g.gone.Done()
	defer func() {
		if r := recover(); r != nil {
			g.once.Do(func() { g.caught = r })
			g.failed.Store(true)
		}
	}()
	for s, n := range g.counts {
		for {
			p := int(g.next[s].Add(1)) - 1
			if p >= n || g.failed.Load() {
				break
			}
			if !g.crew.stopped() {
				g.do(s, p)
			}
			g.done[s].Add(1)
		}
		if s == len(g.counts)-1 {
			return // the caller waits for all
		}
		for spins := 0; g.done[s].Load() < int64(n); spins++ {
			if g.failed.Load() {
				return
			}
			if spins > 1000 {
				runtime.Gosched()
			}
		}
	}
}
