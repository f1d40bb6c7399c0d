package linalg

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mercer-ml/mercer/internal/engine/par"
)

// pieces of one stage: those before near belong together with their
// neighbours, those from near on are small and in no order.
type stagePieces struct{ near, all int }

// inStages calls do(s, p) for every stage s and piece p of it; no piece
// begins before all of the stage before it are done. At most the crew's threads
// work. A panic in do is re-raised in the caller.
//
// Each goroutine has a run of the near pieces to itself, so that what one piece
// leaves in the core's cache serves the next; then it helps the others with theirs,
// and what is left fills up the time until all are done. Who does what depends on
// the machine, and must not matter.
//
// It is one par.For for each stage, but for the goroutines: they live through
// all stages and wait at the end of each by spinning, since to sleep and to be
// woken takes as long as a good part of a stage.
func (w crew) inStages(stages []stagePieces, do func(s, p int)) {
	workers := 1
	for _, n := range stages {
		workers = max(workers, min(par.Workers(w.threads), n.all))
	}
	if workers == 1 {
		for s, n := range stages {
			for p := 0; p < n.all && !w.stopped(); p++ {
				do(s, p)
			}
		}
		return
	}
	g := &stagedWork{crew: w, workers: workers, stages: stages, do: do}
	g.next = make([]atomic.Int64, len(stages)*(workers+1))
	g.done = make([]atomic.Int64, len(stages))
	var self atomic.Int64
	together(workers, &g.failed, func() { g.run(int(self.Add(1)) - 1) })
}

// together runs work in as many goroutines, this one among them. A panic in one of them sets failed
// and is re-raised here.
func together(workers int, failed *atomic.Bool, work func()) {
	var (
		gone   sync.WaitGroup
		once   sync.Once
		caught any
	)
	run := func() {
		defer gone.Done()
		defer func() {
			if r := recover(); r != nil {
				once.Do(func() { caught = r })
				failed.Store(true)
			}
		}()
		work()
	}
	gone.Add(workers)
	for range workers - 1 {
		go run()
	}
	run()
	gone.Wait()
	if caught != nil {
		panic(caught)
	}
}

// stagedWork is what the goroutines of inStages share.
type stagedWork struct {
	crew    crew
	workers int
	stages  []stagePieces
	do      func(s, p int)
	next    []atomic.Int64 // pieces handed out of each run: workers+1 of them a stage
	done    []atomic.Int64 // pieces of each stage finished
	failed  atomic.Bool    // a piece has panicked: nobody waits any more
}

func (g *stagedWork) run(self int) {
	for s, n := range g.stages {
		for i := range g.workers {
			r := (self + i) % g.workers
			g.work(s, r, n.near*r/g.workers, n.near*(r+1)/g.workers)
		}
		g.work(s, g.workers, n.near, n.all)
		if s == len(g.stages)-1 || !g.wait(s) {
			return // the caller waits for all
		}
	}
}

// work does what is left of a run of pieces.
func (g *stagedWork) work(s, run, lo, hi int) {
	next := &g.next[s*(g.workers+1)+run]
	for {
		p := lo + int(next.Add(1)) - 1
		if p >= hi || g.failed.Load() {
			return
		}
		if !g.crew.stopped() {
			g.do(s, p)
		}
		g.done[s].Add(1)
	}
}

// wait returns when all pieces of a stage are done, or false when one failed.
func (g *stagedWork) wait(s int) bool {
	return spin(func() bool { return g.done[s].Load() >= int64(g.stages[s].all) }, g.failed.Load)
}

// spin returns true when ready says so, or false when ended does, which is asked now and then. Who
// has waited long sleeps: on a busy machine, spinning takes the core from the goroutine that is
// waited for. The scheduler is asked now and then only: it has one lock, and sixteen who ask all
// the time spend theirs on that.
func spin(ready, ended func() bool) bool {
	for spins := 0; !ready(); spins++ {
		switch {
		case spins%64 == 0 && ended():
			return false
		case spins > 20000:
			time.Sleep(20 * time.Microsecond)
		case spins > 4000 && spins%1024 == 0:
			runtime.Gosched()
		}
	}
	return true
}
