package cli

import (
	"context"
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

// reportTarget is a line of the table of several targets.
type reportTarget struct{ Name, RMSE, Baseline, MAE, R2, Half string }

// targets fills the table of several targets, and says the answer for each of them.
func (p *reportPage) targets(d *data.Dataset, r *tune.AutoResult) {
	if len(r.Targets) == 0 {
		return
	}
	p.Answer = fmt.Sprintf("One model of %d targets, %s; how good it is for each is below.", len(r.Targets),
		strings.Join(d.Targets(), ", "))
	for t, of := range r.Targets {
		row := reportTarget{Name: of.Name, RMSE: "–", Baseline: "–", MAE: "–", R2: "–", Half: "–"}
		for _, s := range of.Test {
			switch s.Metric {
			case "rmse":
				row.RMSE, row.Baseline = scoreText(s, ""), number(s.Baseline)
			case "mae":
				row.MAE = scoreText(s, "")
			case "r2":
				row.R2 = scoreText(s, "")
			}
		}
		if said := r.TestPredictions; len(said.Truth) > 0 {
			one := said.Target(t)
			off := make([]float64, len(one.Truth))
			for i, y := range one.Truth {
				off[i] = math.Abs(y - one.Value[i])
			}
			sort.Float64s(off)
			row.Half = number(quantileOf(off, 0.5))
		}
		p.Targets = append(p.Targets, row)
	}
}

// mostTargets is how many targets have figures of their own.
const mostTargets = 6

// eachTarget draws what there is to show of a target, for each of them; part is the time for what the
// page can go without.
func (p *reportPage) eachTarget(ctx, part context.Context, d *data.Dataset, r *tune.AutoResult, m *model.Model) error {
	one := func(d *data.Dataset, r *tune.AutoResult, m *model.Model) error {
		if err := p.judgement(r, d.Target); err != nil {
			return err
		}
		if err := p.shape(ctx, d, r, m); err != nil {
			return err
		}
		return p.explained(part, d, r, m)
	}
	if len(r.Targets) == 0 {
		return one(d, r, m)
	}
	for t, of := range r.Targets {
		if t == mostTargets {
			p.Missing = append(p.Missing, fmt.Sprintf("There are figures of the first %d targets of %d.", mostTargets,
				len(r.Targets)))
			break
		}
		own, result := *d, *r
		own.Target, own.More = of.Name, nil
		for _, name := range d.Targets() {
			if name != of.Name {
				own.More = append(own.More, name)
			}
		}
		result.Test, result.TestPredictions, result.Baseline, result.Metric, result.Targets = of.Test,
			r.TestPredictions.Target(t), of.Baseline, tune.RMSE(), nil
		alone, err := m.Of(of.Name)
		if err != nil {
			return err
		}
		before := len(p.Figures)
		if err := one(&own, &result, alone); err != nil {
			return err
		}
		for i := range p.Figures[before:] {
			p.Figures[before+i].Title += ": " + of.Name
		}
	}
	return nil
}

// worstOfSeveral lists the largest errors, each in units of the deviation of its target.
func (p *reportPage) worstOfSeveral(d *data.Dataset, r *tune.AutoResult) {
	shown := p.shownColumns(d)
	type miss struct {
		target, i int
		off       float64
	}
	var all []miss
	for t, of := range r.Targets {
		said := r.TestPredictions.Target(t)
		for i, y := range said.Truth {
			all = append(all, miss{t, i, math.Abs(y-said.Value[i]) / of.Baseline.Deviation})
		}
	}
	sort.SliceStable(all, func(a, b int) bool { return all[a].off > all[b].off })
	p.WorstTitle, p.WorstOff = "Largest errors on the test rows"+p.of+", in deviations of their target",
		"off by (deviations)"
	for _, m := range all[:min(len(all), 10)] {
		said := r.TestPredictions.Target(m.target)
		row := reportWorst{Row: phrase.Thousands(said.Rows[m.i] - p.before + 1), Off: number(m.off),
			Truth:     fmt.Sprintf("%s %s", clipName(r.Targets[m.target].Name), number(said.Truth[m.i])),
			Predicted: number(said.Value[m.i]), at: said.Rows[m.i], target: m.target}
		for _, c := range shown {
			row.Values = append(row.Values, shortValue(c, said.Rows[m.i]))
		}
		p.Worst = append(p.Worst, row)
	}
}
