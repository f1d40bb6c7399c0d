package tune

import (
	"context"
	"math"
	"sort"

	"github.com/mercer-ml/mercer/internal/fault"
)

// Halving is successive halving (Jamieson & Talwalkar 2016): all combinations
// of the grid (or Cells of them at random) are judged on a small share of the
// rows; the better ones go on to Eta times as many rows, until the last round
// judges the few that are left on all of them. Only the last round's cells are
// in the result, so that all scores compare.
type Halving struct {
	Eta   int // factor between rounds; 0 means 3
	Cells int // drawn at random; 0 means the whole grid
	Least int // rows of the first round; 0 means 200
}

func (h Halving) check() error {
	if h.Eta < 0 || h.Eta == 1 || h.Cells < 0 || h.Least < 0 {
		return fault.Errorf("tune", "Halving is %+v; Eta is 2 or more, Cells and Least positive, or 0", h)
	}
	return nil
}

func (h Halving) run(ctx context.Context, s searcher) error {
	if h.Eta == 0 {
		h.Eta = 3
	}
	if h.Least == 0 {
		h.Least = 200
	}
	var trials []trial
	if h.Cells > 0 {
		trials = drawn(s, h.Cells)
	} else {
		for c, axes := range s.candidates() {
			values := make([][]float64, len(axes))
			for a := range axes {
				values[a] = axes[a].Values
			}
			trials = append(trials, product(c, values)...)
		}
	}
	rounds := 0
	for rows := h.Least; rows < s.rows(); rows *= h.Eta {
		rounds++
	}
	planned, count := 0, len(trials)
	for range rounds + 1 {
		planned += count
		count = max(1, (count+h.Eta-1)/h.Eta)
	}
	s.plan(planned)
	for left := rounds; left > 0; left-- {
		// Every round costs about the same, since fewer cells see more rows;
		// the last one is not to go short.
		small, err := s.onRows(int(float64(s.rows())/math.Pow(float64(h.Eta), float64(left))), 1/float64(left+2))
		if err != nil {
			return err
		}
		if err := small.judge(ctx, trials); err != nil {
			return err
		}
		trials = upper(small, trials, max(1, (len(trials)+h.Eta-1)/h.Eta))
		if len(trials) == 0 || s.timeUp() {
			break
		}
	}
	return s.judge(ctx, trials)
}

// upper keeps the best count trials.
func upper(s searcher, trials []trial, count int) []trial {
	var judged []trial
	for _, t := range trials {
		if _, ok := s.score(t); ok {
			judged = append(judged, t)
		}
	}
	sort.SliceStable(judged, func(a, b int) bool {
		x, _ := s.score(judged[a])
		y, _ := s.score(judged[b])
		return x != y && (x > y) == s.maximize()
	})
	return judged[:min(count, len(judged))]
}
