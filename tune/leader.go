package tune

import (
	"context"
	"fmt"
	"time"
)

// leader is the best cell of the first group of a search that will take all of its time, fitted on
// all rows while there is most of it. How long the last fit of a search takes is a guess until
// then, and on a machine that others use a poor one; without a leader a guess that was too low
// leaves a model of few centres.
type leader struct {
	cell  Cell
	model *Fitted
	share float64 // the time of its fit, in units of that of its group
}

// A leader is fitted where the first group took this share of the budget at the least, and the
// others as long would take this share of what is left.
const (
	leaderGroup = 0.08
	leaderTight = 0.5
)

// holdLeader fits the best cell of the first group, which took so long, where so many more are to
// come.
func (e *engine) holdLeader(ctx context.Context, took time.Duration, more int) {
	left := e.pace.left()
	if e.best == nil || e.kept != nil || e.parent != nil || !e.pace.refit ||
		float64(took) < leaderGroup*float64(e.pace.budget) || float64(took)*float64(more) < leaderTight*float64(left) {
		return
	}
	limited, cancel := e.pace.clock.until(ctx, e.pace.end())
	defer cancel()
	begun := e.pace.clock.now()
	var m *Fitted
	err, ended := e.pace.heeded(limited, func() (err error) {
		m, err = e.fitAll(limited, *e.best)
		return err
	})
	if err == nil && ended {
		e.leader = &leader{*e.best, m, float64(e.pace.since(begun)) / float64(took)}
	}
}

// lastFitOf is lastFit of a candidate, as it was measured where it was.
func (e *engine) lastFitOf(s *space) float64 {
	const margin = 1.25
	if l := e.leader; l != nil && e.spaces[l.cell.Candidate].Learner == s.Learner {
		return margin * l.share
	}
	return s.lastFit(e.pace.prob)
}

// fitted is the leader where it is the cell.
func (l *leader) fitted(c Cell) (*Fitted, bool) {
	if l == nil || key(l.cell.Candidate, l.cell.theta) != key(c.Candidate, c.theta) {
		return nil, false
	}
	return l.model, true
}

// standsIn makes the leader the result, where it is better than what else there is.
func (l *leader) standsIn(r *Result, by Metric, held *fallback) bool {
	if l == nil || held != nil && by.better(held.best.Mean, l.cell.Mean) {
		return false
	}
	r.Warnings = append(r.Warnings,
		fmt.Sprintf("there was no time to fit %v on all rows; this is %v, which was fitted early", r.Chosen, l.cell))
	r.Chosen, r.Model, r.Interrupted = l.cell, l.model, true
	return true
}
