package linalg

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mercer-ml/mercer/internal/engine/par"
)

// team is a few goroutines that wait for work by spinning. The reduction to
// tridiagonal form has two parallel steps a column, of a few
// microseconds each, and block Lanczos half a dozen a block; starting goroutines for
// each (as par.For does) costs as much as the work. A team lives for one reduction,
// or one run, and is gone after close.
//
// No counter is written by all: that costs each of sixteen members the time of all others.
// A piece has a line of cache for who takes it and one for its end, and belongs to
// the same member in every step, whose core has them at hand. Others look at it only where its
// member is late.
type team struct {
	helpers int // besides the caller
	current atomic.Pointer[teamJob]
	gone    sync.WaitGroup
	step    int64
	pieces  []teamPiece
}

// teamPiece holds the last step in which a piece was taken, and in which it was done.
type teamPiece struct {
	taken atomic.Int64
	_     [56]byte
	done  atomic.Int64
	_     [56]byte
}

// teamJob is one parallel step: pieces cut by position, each done once.
type teamJob struct {
	step   int64
	do     func(piece int)
	pieces []teamPiece
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
	if pieces > len(m.pieces) {
		m.pieces = make([]teamPiece, pieces) // whoever is late sees the old ones, all of them done
	}
	m.step++
	j := &teamJob{step: m.step, do: do, pieces: m.pieces[:pieces]}
	m.current.Store(j)
	m.work(j, 0)
	for p := range j.pieces {
		for spins := 0; j.pieces[p].done.Load() < j.step; spins++ {
			if spins > 0 && spins%lateSpins == 0 {
				m.assist(j)
			}
			relax(spins)
		}
	}
}

// lateSpins is how often a member looks before it helps others with their pieces: about a
// microsecond.
const lateSpins = 500

// work does the pieces of a member. A piece covers nearly the same rows from one column to the
// next, which are then still in that core's cache.
func (m *team) work(j *teamJob, member int) {
	for p := member; p < len(j.pieces); p += m.helpers + 1 {
		j.try(p)
	}
}

// assist does every piece that nobody has begun.
func (m *team) assist(j *teamJob) {
	for p := range j.pieces {
		j.try(p)
	}
}

// try does piece p unless it was taken before.
func (j *teamJob) try(p int) {
	piece := &j.pieces[p]
	if last := piece.taken.Load(); last < j.step && piece.taken.CompareAndSwap(last, j.step) {
		j.do(p)
		piece.done.Store(j.step)
	}
}

func (m *team) help(member int) {
	defer m.gone.Done()
	last := new(teamJob)
	for spins := 0; ; spins++ {
		j := m.current.Load()
		if j == nil || j == last {
			if spins == lateSpins && last.do != nil {
				m.assist(last)
			}
			relax(spins)
			continue
		}
		if j.do == nil {
			return
		}
		m.work(j, member)
		last, spins = j, 0
	}
}

// relax lets others have the core after a wait of some tens of microseconds, and sleeps after a
// long one: see spin. A step is shorter than that: the scheduler has one lock, and a member who
// stands in the queue for it is late for the next.
func relax(spins int) {
	switch {
	case spins > 1<<16:
		time.Sleep(20 * time.Microsecond)
	case spins > 1<<13 && spins%1024 == 0:
		runtime.Gosched()
	}
}
