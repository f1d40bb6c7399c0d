package tune

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/learn"
)

// Best is what Auto may choose.
type Best int

const (
	// BestOne is one cell of the search.
	BestOne Best = iota
	// BestCommittee is the same, or a weighted mean of the best cells of several candidates, where
	// that is better by more than chance.
	BestCommittee
)

// Committee is a weighted mean of cells (learn.Blend) beside the cell that is chosen without it.
// Weights minimise, subject to w ≥ 0 and Σw = 1, the squared error of the mean of what the members
// said of rows they were not fitted on: of numbers, or of probabilities (the Brier score). That is
// stacking (D. Wolpert, 1992; L. Breiman, Stacked regressions, 1996).
type Committee struct {
	Members []Member // the heaviest first
	// Judged is the committee on folds: what is said of the rows of each has weights that were
	// fitted to rows of the others.
	Judged Cell
	// Alone is the cell that is chosen without it, with the scores of one member at a time: on each
	// fold of the one that was best on rows of the others. A cell that was chosen by all folds
	// looks better on these than it is, and a committee that is not would not be compared with its
	// like.
	Alone Cell
	// Violation is the certificate of the weights: by how much of the best member's squared error
	// their own may be above the least.
	Violation float64
	Chosen    bool
	Reason    string // why it was chosen, or not
}

// Member is a cell of a committee.
type Member struct {
	Cell   Cell    `json:"cell"`
	Weight float64 `json:"weight"`
}

const (
	mostMembers    = 8
	leastWeight    = 0.02 // of a member: less is not worth a model in the file
	committeeCell  = -2   // in place of the number of a candidate; -1 is the baseline
	committeeName  = "committee"
	committeeRows  = 1 << 18 // most rows times classes whose predictions are kept
	committeeShare = 0.75    // of the time is for the search, where a committee is asked for
)

// said is what a cell says of the rows of each fold, of which it was fitted to none.
type said struct {
	cell  Cell
	folds []learn.Predictions
}

// stacking is the search for a committee among the cells of a search.
type stacking struct {
	res     *Result
	p       learn.Problem[any]
	folds   []data.Fold
	threads int
	members []said
}

// leading is the chosen cell and then the best cell of every other candidate, the best first.
func (s *stacking) leading() []Cell {
	out := []Cell{s.res.Chosen}
	seen := map[int]bool{s.res.Chosen.Candidate: true}
	for _, c := range s.res.Ranked() {
		if c.complete() && !seen[c.Candidate] && len(out) < mostMembers {
			seen[c.Candidate] = true
			out = append(out, c)
		}
	}
	return out
}

// ask fits cells to folds, one after the other while there is time, and keeps what they say. Those
// that cannot be fitted, or have no probabilities, are left out.
func (s *stacking) ask(ctx context.Context, cells []Cell) {
	for _, c := range cells {
		out := said{c, make([]learn.Predictions, len(s.folds))}
		errs := make([]error, len(s.folds))
		par.For(min(2, par.Workers(s.threads)), len(s.folds), 1, func(f, _ int) {
			fold := s.folds[f]
			var m *Fitted
			if m, errs[f] = s.res.fitCell(ctx, c, s.p.Gather(fold.Train)); errs[f] == nil {
				out.folds[f], errs[f] = m.known(ctx, s.p.Gather(fold.Test))
				out.folds[f].Rows = fold.Test
			}
		})
		if ctx.Err() != nil {
			return
		}
		able := !failed(errs)
		for _, p := range out.folds {
			able = able && (s.p.Task == data.Regression || p.Prob != nil)
		}
		if able {
			s.members = append(s.members, out)
		} else if len(s.members) == 0 {
			return // without the cell that is chosen there is nothing to compare with
		}
	}
}

// blend is what a committee says of a fold.
func (s *stacking) blend(weights []float64, fold int) (learn.Predictions, error) {
	var of []learn.Predictions
	var kept []float64
	for m, w := range weights {
		if w > 0 {
			of, kept = append(of, s.members[m].folds[fold]), append(kept, w)
		}
	}
	return learn.Blend(kept, of)
}

// judged is the fold scores of the committee by some metrics, each fold with weights of rows that
// it does not hold, and those of the one member with the least squared error on these rows.
func (s *stacking) judged(metrics []Metric) (together, alone []Cell, err error) {
	together, alone = make([]Cell, len(metrics)), make([]Cell, len(metrics))
	for f := range s.folds {
		say := s.apart(f)
		weights, _ := s.weights(say)
		one := s.members[s.best(say)].folds[f]
		p, err := s.blend(weights, f)
		if err != nil {
			return nil, nil, err
		}
		for i, m := range metrics {
			together[i].Scores = append(together[i].Scores, m.Score(p))
			alone[i].Scores = append(alone[i].Scores, m.Score(one))
		}
	}
	for i := range metrics {
		together[i].summarise()
		alone[i].summarise()
	}
	return together, alone, nil
}

// rule compares the committee with one cell: it has to be better by more than one standard error of
// the difference over the folds. A share of right classes says little of each row; where it is no
// worse, the Brier score may decide, by the same rule.
func rule(m Metric, together, alone []Cell) (bool, string) {
	compared := func(m Metric, i int) (lead, se float64, text string) {
		lead, se = m.lead(together[i].Scores, alone[i].Scores, 1)
		return lead, se, fmt.Sprintf("%s %.4g beside %.4g of the best cell, each chosen by the other folds: better by "+
			"%.2g ± %.2g", m.Name, together[i].Mean, alone[i].Mean, lead, se)
	}
	lead, se, how := compared(m, 0)
	switch {
	case math.IsNaN(lead):
		return false, m.Name + " is not defined for it"
	case lead > se:
		return true, how
	case len(together) < 2 || lead < 0:
		return false, how + ", which is no more than chance"
	}
	second, by, proof := compared(Brier(), 1)
	if second > by {
		return true, how + "; " + proof
	}
	return false, how + "; " + proof + ", which is no more than chance"
}

// formCommittee looks for a committee after a search, and puts it in place of the model where it is
// better.
func formCommittee(
	ctx context.Context, c clock, end time.Time, r *AutoResult, res *Result, p learn.Problem[any], folds, threads int,
) {
	if why := noCommittee(ctx, r, res, p); why != "" {
		r.because("no committee: %s", why)
		return
	}
	within, cancel := c.until(ctx, end)
	defer cancel()
	s := &stacking{res: res, p: p, folds: res.Folds[:min(folds, len(res.Folds))], threads: threads}
	s.ask(within, s.leading())
	if len(s.members) < 2 {
		why := "only one cell can be judged in it"
		if within.Err() != nil {
			why = "there was no time to ask several cells on the folds"
		}
		r.because("no committee: %s", why)
		return
	}
	metrics := []Metric{res.Metric}
	if p.Task.Classification() && res.Metric.Name == Accuracy().Name {
		metrics = append(metrics, Brier())
	}
	together, alone, err := s.judged(metrics)
	if err != nil {
		r.because("no committee: %s", err.Error())
		return
	}
	weights, violation := s.weights(nil)
	out := &Committee{Violation: violation, Alone: res.Chosen, Judged: together[0]}
	out.Alone.Scores, out.Alone.Mean, out.Alone.SE, out.Alone.Low, out.Alone.High = alone[0].Scores, alone[0].Mean,
		alone[0].SE, alone[0].Low, alone[0].High
	for m, w := range weights {
		if w > 0 {
			out.Members = append(out.Members, Member{s.members[m].cell, w})
		}
	}
	slices.SortStableFunc(out.Members, func(a, b Member) int { return -compareNumbers(a.Weight, b.Weight) })
	out.name(len(s.members) * len(s.folds))
	out.Chosen, out.Reason = rule(res.Metric, together, alone)
	r.Committee = out
	res.Fits += out.Judged.Fits
	if out.Chosen {
		if err := res.join(within, out, p); err != nil {
			out.Chosen, out.Reason = false, fmt.Sprintf("its members could not be fitted on all rows: %v", err)
		}
	}
	verdict := "is not chosen"
	if out.Chosen {
		verdict = "is chosen"
	}
	r.because("a committee of %s %s: %s", out.Judged.members, verdict, out.Reason)
}

// noCommittee says why none can be had.
func noCommittee(ctx context.Context, r *AutoResult, res *Result, p learn.Problem[any]) string {
	switch {
	case r.Protocol.Evidence:
		return "without folds nothing is known of rows that were not fitted on"
	case len(p.More) > 0:
		return "there are several targets"
	case ctx.Err() != nil || res.fellBack != "":
		return "the search was stopped"
	case res.Model == nil || res.Model.Rows < p.Len() || res.judged < p.Len():
		return "the search, or the last fit, saw a part of the rows"
	case p.Len()*max(p.ClassCount(), 1) > committeeRows:
		return "what its members say of so many rows and classes is too much to keep"
	}
	return ""
}

// name gives the cell of the committee its texts.
func (c *Committee) name(fits int) {
	var parts, kernels []string
	seconds := 0.0
	for _, m := range c.Members {
		kernels = append(kernels, m.Cell.Kernel)
		parts = append(parts, fmt.Sprintf("%.2f %s", m.Weight, m.Cell))
		seconds += m.Cell.Seconds
	}
	j := &c.Judged
	j.Candidate, j.Label, j.Learner, j.Kernel, j.members = committeeCell, committeeName, committeeName,
		strings.Join(kernels, "; "), strings.Join(parts, "; ")
	j.Second, j.Fits, j.Seconds = math.NaN(), fits, seconds
}

func compareNumbers(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
