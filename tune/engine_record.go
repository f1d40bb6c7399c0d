package tune

import (
	"context"
	"errors"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

// complete fills in what the search knows about the rows of predictions.
func (e *engine) complete(p *learn.Predictions) {
	p.Truth = data.Take(e.p.Y, p.Rows)
	p.Weights = data.Take(e.p.Weights, p.Rows)
	p.Groups = data.Take(e.p.Groups, p.Rows)
	p.Classes, p.Positive = e.p.ClassCount(), e.p.PositiveCode()
	for t := range p.More {
		other := &p.More[t]
		other.Rows, other.Truth, other.Weights, other.Groups = p.Rows, data.Take(e.p.More[t], p.Rows), p.Weights, p.Groups
	}
}

// table is a copy of the cells, in the order in which they were asked for.
func (e *engine) table() []Cell {
	var out []Cell
	for _, c := range e.order {
		out = append(out, *c)
	}
	return out
}

// leads takes note of a judged cell that is the best so far.
func (e *engine) leads(c *Cell) bool {
	if !c.complete() || e.best != nil && !e.metric.better(c.Mean, e.best.Mean) {
		return false
	}
	e.best = c
	return true
}

// takeUp counts a cell that a journal knew.
func (e *engine) takeUp(c *Cell) {
	if c.resumed {
		e.root().resumed++
		e.root().fits += c.Fits
		e.leads(c)
	}
}

// record adds judged cells to what is known and, where they are a unit of
// work, to the journal.
func (e *engine) record(cells []*Cell, took time.Duration, unit bool) {
	root := e.root()
	root.mu.Lock()
	defer root.mu.Unlock()
	if unit {
		root.journal.append(e.part, cells)
	}
	for _, c := range cells {
		e.cells[key(c.Candidate, c.theta)] = c
		root.fits += c.Fits
		if e.leads(c) {
			e.pace.lead(e.lastFitOf(e.spaces[c.Candidate]), took)
		}
	}
	if e != root {
		root.early += len(cells)
	}
	if root.trace == nil {
		return
	}
	done := root.early + len(root.cells)
	ev := Event{Done: done, Planned: max(root.planned, done), Last: *cells[len(cells)-1], Fits: root.fits,
		Elapsed: root.pace.since(root.pace.start)}
	if root.best != nil {
		ev.Best = *root.best
	}
	if ev.Done > 0 && ev.Planned > ev.Done {
		ev.Left = time.Duration(float64(ev.Elapsed) / float64(ev.Done) * float64(ev.Planned-ev.Done))
	}
	root.trace(ev)
}

// recoverable says whether an error is one cell's own (a singular system at a
// tiny λ, say), so that the search goes on without it.
func recoverable(err error) bool {
	return !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}
