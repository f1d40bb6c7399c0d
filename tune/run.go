package tune

import (
	"context"
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
)

// axisRange is an axis as strategies see it.
type axisRange struct {
	Axis
	domain kernel.Domain
}

// run is a search as its strategy sees it.
type run[T any] struct {
	*engine[T]
	search Search[T]
}

func (r *run[T]) candidates() [][]axisRange {
	out := make([][]axisRange, len(r.spaces))
	for i, s := range r.spaces {
		for a, axis := range s.axes {
			out[i] = append(out[i], axisRange{axis, s.domains[a]})
		}
	}
	return out
}

func (r *run[T]) judge(ctx context.Context, trials []trial) error { return r.evaluate(ctx, trials) }

func (r *run[T]) score(t trial) (float64, bool) {
	c := r.cells[key(t.candidate, t.theta)]
	if c == nil || !c.complete() {
		return 0, false
	}
	return c.Mean, true
}

func (r *run[T]) maximize() bool { return r.metric.Maximize }
func (r *run[T]) seed() uint64   { return r.search.Seed }
func (r *run[T]) plan(cells int) { r.planned = max(r.planned, cells) }
func (r *run[T]) timeUp() bool   { return r.late() }

// halfOfMemory is the default budget.
func halfOfMemory() int64 { return 2 * gram.DefaultBytes() }

// simplest applies the one-standard-error rule (Breiman et al. 1984) to the
// candidate of the best cell: of the cells whose mean is within one standard
// error of the best, the one with most regularisation (smallest C, largest λ), then the widest kernel.
func (e *engine[T]) simplest(cells []Cell, best Cell) Cell {
	bound := best.Mean + best.SE
	if e.metric.Maximize {
		bound = best.Mean - best.SE
	}
	chosen := best
	for _, c := range cells {
		if c.Candidate != best.Candidate || !c.complete() || e.metric.better(bound, c.Mean) {
			continue
		}
		if simpler(c, chosen) {
			chosen = c
		}
	}
	return chosen
}

func simpler(a, b Cell) bool {
	order := []struct {
		name  string
		large bool
	}{{"C", false}, {"lambda", true}, {"epsilon", true}, {"lengthscale", true}}
	for _, o := range order {
		for i, s := range a.Params {
			name := s.Name[strings.LastIndex(s.Name, ".")+1:]
			if name != o.name || s.Value == b.Params[i].Value {
				continue
			}
			return (s.Value > b.Params[i].Value) == o.large
		}
	}
	return false
}

func (r *run[T]) rows() int { return r.p.Len() }

// onRows is the same search on some of the rows, drawn once for all sizes, with
// folds of the same kind.
func (r *run[T]) onRows(count int) (searcher, error) {
	part := r.search
	part.Problem = r.p.Gather(someRows(r.p, count, r.search.Seed))
	part.Folds, part.Journal = nil, ""
	e, err := part.engine()
	if err != nil {
		return nil, fmt.Errorf("tune: a round of successive halving on %d rows: %w", count, err)
	}
	e.trace, e.deadline = nil, r.deadline
	return &run[T]{engine: e, search: part}, nil
}
