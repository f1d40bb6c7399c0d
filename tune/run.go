package tune

import (
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
)

// axisRange is an axis as strategies see it.
type axisRange struct {
	Axis
	domain   kernel.Domain
	ofKernel bool    // cells that differ in others only share a Gram matrix
	first    float64 // of the values, the one to begin with; NaN: any
}

// run is a search as its strategy sees it.
type run struct {
	*engine
	search Search
}

func (r *run) candidates() [][]axisRange {
	out := make([][]axisRange, len(r.spaces))
	for i, s := range r.spaces {
		for a, axis := range s.axes {
			first := math.NaN()
			if s.ownFirst && a < s.kernelAxes {
				first = s.kernelParams[s.place[a]].Value
			}
			out[i] = append(out[i], axisRange{axis, s.domains[a], a < s.kernelAxes, first})
		}
	}
	return out
}

func (r *run) judge(ctx context.Context, trials []trial) error { return r.evaluate(ctx, trials) }

func (r *run) score(t trial) (float64, bool) {
	// What a journal knew counts from when it is asked for: a strategy must not
	// see its own future.
	id := key(t.candidate, t.theta)
	c := r.cells[id]
	if !r.placed[id] || !c.complete() {
		return 0, false
	}
	return c.Mean, true
}

func (r *run) maximize() bool { return r.metric.Maximize }
func (r *run) seed() uint64   { return r.search.Seed }
func (r *run) plan(cells int) { r.planned = max(r.planned, cells) }
func (r *run) timeUp() bool   { return r.late() }

func (r *run) rows() int { return r.p.Len() }

// A search that may be stopped by its budget is scouted where it has so many rows: all settings are
// judged on one row of so many first, which takes a small part of the time, and those that are good
// there come first on all rows. The longer the search goes on the less the order matters; a search
// that comes to its end has judged the same.
const (
	scoutFrom  = 1200
	scoutPart  = 6
	scoutShare = 0.1
	// Linear machines take as long as there are rows, and not as their square: to scout all of their
	// settings is a sixth of the whole.
	scoutLinear = 0.3
)

// scouted is trials in the order of their groups' best scores on few rows; those without one come
// last, in the order they have. It is the trials themselves where there is nothing to be gained.
func (r *run) scouted(ctx context.Context, trials []trial) []trial {
	if !r.search.scouts || r.parent != nil || r.pace.budget == 0 || r.p.Len() < scoutFrom || r.kept != nil {
		return trials
	}
	share := scoutShare
	if r.beginsLinear() {
		share = scoutLinear
	}
	few, err := r.onRows(max(r.p.Len()/scoutPart, scoutFrom/scoutPart), share)
	if err != nil {
		return trials
	}
	if small, ok := few.(*run); ok {
		small.pace.refit = false
		within, cancel := r.pace.clock.until(ctx, small.pace.end())
		err = few.judge(within, trials)
		cancel()
	}
	if err != nil && ctx.Err() != nil {
		return trials
	}
	groups, order := map[string][]trial{}, []string{}
	best := map[string]float64{}
	for _, t := range trials {
		g := key(t.candidate, t.theta[:r.spaces[t.candidate].kernelAxes])
		if groups[g] == nil {
			order, best[g] = append(order, g), math.NaN()
		}
		groups[g] = append(groups[g], t)
		if v, ok := few.score(t); ok && r.metric.better(v, best[g]) {
			best[g] = v
		}
	}
	slices.SortStableFunc(order, func(a, b string) int {
		switch x, y := best[a], best[b]; {
		case r.metric.better(x, y):
			return -1
		case r.metric.better(y, x):
			return 1
		}
		return 0
	})
	var out []trial
	for _, g := range order {
		out = append(out, groups[g]...)
	}
	return out
}

// onRows is the same search on some of the rows, drawn once for all sizes, with
// folds of the same kind. Its cells go to the same journal, under a name of
// their own.
func (r *run) onRows(count int, share float64) (searcher, error) {
	part := r.search
	part.Problem = r.p.Gather(someRows(r.p, count, r.search.Seed))
	part.Folds, part.Journal = nil, ""
	e, err := part.engine()
	if err != nil {
		return nil, fault.Errorf("tune", "a round of successive halving on %d rows: %w", count, err)
	}
	e.pace, e.parent, e.trace = r.pace.share(share), r.engine, nil
	if r.journal != nil {
		e.part = e.fingerprint()[:16]
		e.adopt(r.lines)
		r.early += len(e.cells)
	}
	return &run{engine: e, search: part}, nil
}
