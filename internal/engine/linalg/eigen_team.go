package linalg

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/mercer-ml/mercer/internal/engine/par"
)

// team is a few goroutines that wait for work by spinning. The reduction to
// tridiagonal form has three parallel steps a column, of tens of
// microseconds each, and block Lanczos half a dozen a block; starting goroutines for
// each (as par.For does) costs as much as the work. A team lives for one panel,
// or one run, and is gone after close.
type team struct {
	helpers int // besides the caller
	current atomic.Pointer[teamJob]
	gone    sync.WaitGroup
}

// teamJob is one parallel step: pieces cut by position, each done once.
type teamJob struct {
	pieces int
	do     func(piece int)
	done   atomic.Int64
	taken  []atomic.Bool
}

// newTeam starts the helpers; the caller is the first of t members.
func newTeam(t int) *team {
	m := &team{helpers: min(par.Workers(t), runtime.GOMAXPROCS(0)) - 1}
	m.gone.Add(m.helpers)
	for i := range m.helpers {
		go m.help(i + 1)
	}
	return m
}

// close sends the helpers home and waits for them.
func (m *team) close() {
	m.current.Store(&teamJob{}) // no function: the end
	m.gone.Wait()
}

// each calls do for every piece and returns when all are done.
func (m *team) each(pieces int, do func(piece int)) {
	if m.helpers == 0 || pieces <= 1 {
		for i := range pieces {
			do(i)
		}
		return
	}
	j := &teamJob{pieces: pieces, do: do, taken: make([]atomic.Bool, pieces)}
	m.current.Store(j)
	m.work(j, 0)
	for spins := 0; j.done.Load() < int64(pieces); spins++ {
		if spins > 1000 && spins%64 == 0 { // see spin
			runtime.Gosched()
		}
	}
}

// work takes pieces that nobody has taken, beginning with the member's own: a
// piece covers nearly the same rows from one column to the next, which are
// then still in that core's cache.
func (m *team) work(j *teamJob, member int) {
	members := m.helpers + 1
	for own := range members {
		for p := (member + own) % members; p < j.pieces; p += members {
			if !j.taken[p].Load() && j.taken[p].CompareAndSwap(false, true) {
				j.do(p)
				j.done.Add(1)
			}
		}
	}
}

func (m *team) help(member int) {
	defer m.gone.Done()
	var last *teamJob
	for spins := 0; ; spins++ {
		j := m.current.Load()
		if j == last {
			if spins > 1000 && spins%64 == 0 { // see spin
				runtime.Gosched()
			}
			continue
		}
		if j.do == nil {
			return
		}
		m.work(j, member)
		last, spins = j, 0
	}
}
