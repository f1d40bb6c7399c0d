package main

import (
	"fmt"
	"math"
	"runtime"
	"time"
)

// Case is one row: a piece of work, who else does it, and how much faster (or
// how little slower) we mean to be.
type Case struct {
	Work string
	Bar  float64 // at least this many times the peer's speed; 0 means no bar
	// Peer names a function in peers/SUITE.py. When empty, Go is the peer.
	Peer string
	Args map[string]any // passed to the Python function beside the inputs
	Go   GoPeer
	// Yardstick says that the other side is no peer at the same work, but a part of it, a bound of
	// the machine, fewer rows, nothing: the ratio is printed and judged, and is not in the suite's
	// mean.
	Yardstick bool
	// Prepare makes the inputs and returns our side of the work.
	Prepare func() Work
	// Measured, where it is not nil, is told of the row.
	Measured func(Row) error
}

// noPeer is the name of a peer that does nothing: the row is for our time alone.
const noPeer = "none"

// GoPeer is a peer that runs in this process.
type GoPeer struct {
	Name string
	Run  func(in Inputs)
}

// Inputs are the arrays that both sides read, by name.
type Inputs map[string]Array

// Work is our side of a case.
type Work struct {
	Inputs Inputs
	Run    func()
	// Check compares our result of the last Run with theirs (nil for a Go
	// peer); a fast wrong answer is a failure.
	Check func(theirs Inputs) error
	// Size, when the ratio is not one of times, returns our figure.
	Note string
	// Say, where it is not nil, is a note on the results of the last Run, theirs and ours.
	Say func(theirs Inputs) string
}

// Measure runs both sides, interleaved, and keeps the best time of each.
func (c Case) Measure(peer *Peer, repeats int) Row {
	row := Row{Work: c.Work, Peer: c.Go.Name, Bar: c.Bar, Yardstick: c.Yardstick}
	w := c.Prepare()
	row.Note = w.Note
	var theirs func() (float64, error)
	if c.Peer == "" {
		theirs = func() (float64, error) {
			start := time.Now()
			c.Go.Run(w.Inputs)
			return time.Since(start).Seconds(), nil
		}
	} else {
		name, err := peer.Load(c.Peer, w.Inputs, c.Args)
		row.Peer = name
		if err != nil {
			row.Missing = err.Error()
		}
		theirs = peer.Time
	}

	for r := 0; r == 0 || r < repeats || (repeats == 0 && r < chooseRepeats(row)); r++ {
		runtime.GC()
		time.Sleep(settle)
		start := time.Now()
		w.Run()
		row.ours(time.Since(start).Seconds())
		if row.Missing != "" {
			continue
		}
		time.Sleep(settle)
		s, err := theirs()
		if err != nil {
			row.Missing = err.Error()
			continue
		}
		row.theirs(s)
	}
	if row.Missing == "" && w.Check != nil {
		var result Inputs
		var err error
		if c.Peer != "" {
			result, err = peer.Result()
		}
		if err == nil {
			if w.Say != nil {
				row.Note = w.Say(result)
			}
			err = w.Check(result)
		}
		if err != nil {
			row.Wrong = fmt.Sprint(err)
		}
	}
	row.finish()
	return row
}

// settle lets the other side's threads go to sleep: BLAS libraries keep theirs
// spinning for some time after a call, on the cores that are to be measured.
const settle = 150 * time.Millisecond

// chooseRepeats spends about ten seconds a side, between 2 and 40 repeats: on a
// machine shared with others the best of a few short runs is chance.
func chooseRepeats(r Row) int {
	slow := max(r.OursS, r.TheirsS, 1e-3)
	if slow > 15 {
		return 1
	}
	return int(min(max(10/slow, 2), 40))
}

// seconds is the best time of a few runs.
func seconds(runs int, f func()) float64 {
	best := math.Inf(1)
	for range runs {
		start := time.Now()
		f()
		best = min(best, time.Since(start).Seconds())
	}
	return best
}
