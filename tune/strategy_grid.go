package tune

import (
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/fault"
)

// Grid judges every combination of the axes' values; then, Refine times, a
// finer grid around the best cell of each candidate: the values half a step
// to either side on every axis (and a step beyond, where the best is at an end of the axis).
type Grid struct {
	Refine int
}

func (g Grid) check() error {
	if g.Refine < 0 {
		return fault.Errorf("tune", "Grid.Refine is %d; give 0 or more", g.Refine)
	}
	return nil
}

func (g Grid) run(ctx context.Context, s searcher) error {
	all := s.candidates()
	var trials []trial
	for c, axes := range all {
		values := make([][]float64, len(axes))
		for a := range axes {
			values[a] = axes[a].Values
		}
		trials = append(trials, product(c, values)...)
	}
	around := 0
	for _, axes := range all {
		cells := 1 // the best, which is known, among them
		for _, a := range axes {
			if len(a.Values) > 1 && !a.listed { // others stay where they are
				cells *= 3
			}
		}
		around += cells - 1
	}
	s.plan(len(trials) + g.Refine*around)
	likely := func(t trial) bool {
		for a, axis := range all[t.candidate] {
			if !math.IsNaN(axis.first) && t.theta[a] != axis.first {
				return false
			}
		}
		return true
	}
	if err := s.judge(ctx, s.scouted(ctx, spread(trials, likely))); err != nil {
		return err
	}
	known := make([][]trial, len(all))
	for _, t := range trials {
		known[t.candidate] = append(known[t.candidate], t)
	}
	for level := range g.Refine {
		var finer []trial
		for c, axes := range all {
			if len(axes) == 0 {
				continue
			}
			best, ok := bestOf(s, known[c])
			if !ok {
				continue
			}
			values := make([][]float64, len(axes))
			for a := range axes {
				values[a] = axes[a].neighbours(best.theta[a], level+1)
			}
			next := product(c, values)
			known[c] = append(known[c], next...)
			finer = append(finer, next...)
		}
		if s.timeUp() {
			return nil
		}
		if err := s.judge(ctx, finer); err != nil {
			return err
		}
	}
	return nil
}

// bestOf is the best judged trial of a list.
func bestOf(s searcher, trials []trial) (best trial, ok bool) {
	lead := math.NaN()
	for _, t := range trials {
		v, judged := s.score(t)
		if judged && (math.IsNaN(lead) || (v > lead) == s.maximize() && v != lead) {
			best, lead, ok = t, v, true
		}
	}
	return best, ok
}

// product is every combination of values, the last axis fastest.
func product(candidate int, values [][]float64) []trial {
	out := []trial{{candidate, nil}}
	for _, v := range values {
		var next []trial
		for _, t := range out {
			for _, x := range v {
				next = append(next, trial{candidate, append(slices.Clone(t.theta), x)})
			}
		}
		out = next
	}
	return out
}

// spread reorders trials so that a search stopped at any time has seen values from all over: by the
// bit reversal of their place. Trials of one group stay a group, since the engine collects them by
// their first member. The first of each candidate, of its likely ones where there are some, comes
// before all others: each has its say, however short the time.
func spread(trials []trial, likely func(trial) bool) []trial {
	bits := 0
	for 1<<bits < len(trials) {
		bits++
	}
	out := make([]trial, 0, len(trials))
	for i := range 1 << bits {
		r := 0
		for b := range bits {
			r |= i >> b & 1 << (bits - 1 - b)
		}
		if r < len(trials) {
			out = append(out, trials[r])
		}
	}
	lead := map[int]int{} // of each candidate, its first in out
	var candidates []int
	for i, t := range out {
		if at, met := lead[t.candidate]; !met {
			lead[t.candidate], candidates = i, append(candidates, t.candidate)
		} else if !likely(out[at]) && likely(t) {
			lead[t.candidate] = i
		}
	}
	var first, rest []trial
	slices.Sort(candidates)
	for _, c := range candidates {
		first = append(first, out[lead[c]])
	}
	for i, t := range out {
		if lead[t.candidate] != i {
			rest = append(rest, t)
		}
	}
	return append(first, rest...)
}

// neighbours is the values to try around the best one at a level of
// refinement: half a step of the level before to either side.
func (a axisRange) neighbours(at float64, level int) []float64 {
	if len(a.Values) < 2 || a.listed {
		return []float64{at}
	}
	to, from := a.scale()
	lo, hi := to(a.Values[0]), to(a.Values[len(a.Values)-1])
	step := (hi - lo) / float64(len(a.Values)-1) / math.Exp2(float64(level))
	out := []float64{at}
	for _, d := range []float64{-step, step} {
		v := from(to(at) + d)
		if level == 1 && (at == a.Values[0] && d < 0 || at == a.Values[len(a.Values)-1] && d > 0) {
			v = from(to(at) + 2*d) // the best is at the end of the axis: look beyond
		}
		if a.domain.Integer {
			v = math.Round(v)
		}
		if a.domain.Contains(v) && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return out
}

// scale maps the axis to where its steps are equal, and back.
func (a axisRange) scale() (to, from func(float64) float64) {
	if a.Linear {
		id := func(v float64) float64 { return v }
		return id, id
	}
	return math.Log, math.Exp
}
