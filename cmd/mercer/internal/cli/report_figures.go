package cli

import (
	"context"
	"fmt"
	"math"
	"sort"
	"time"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

// figures draws what the task has to show.
func (p *reportPage) figures(
	ctx context.Context, d *data.Dataset, r *tune.AutoResult, m *model.Model, left func() time.Duration,
) error {
	part, cancel := context.WithTimeout(ctx, left()/2)
	defer cancel()
	if err := p.eachTarget(ctx, part, d, r, m); err != nil {
		return err
	}
	if err := p.heat(r); err != nil {
		return err
	}
	if err := p.growth(r); err != nil {
		return err
	}
	if err := p.spectrum(ctx, d, r, left()/2); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return nil // stopped: the page goes without the curve that takes fits
	}
	return p.learning(ctx, d, r, left()*3/4)
}

// judgement shows the held-out rows.
func (p *reportPage) judgement(r *tune.AutoResult, target string) error {
	t := r.TestPredictions
	if len(t.Truth) == 0 {
		return nil
	}
	if t.Value != nil {
		f, err := plot.Predicted(t.Truth, t.Value, target)
		if err := p.add("Predicted and true", "Each ring is a row held out; on the dashed line the prediction is exact.", f,
			err); err != nil {
			return err
		}
		f, err = plot.Residuals(t.Truth, t.Value, target)
		return p.add("Residuals", "What is left over on the held-out rows. A pattern here is something the model missed.", f,
			err)
	}
	if class := rareClass(r); class >= 0 {
		if err := p.rare(r, class); err != nil {
			return err
		}
	}
	f, err := plot.Confusion(r.Classes, confusionOf(t))
	if err := p.add("Confusion", "Held-out rows by true and predicted class; shades are shares of a row.", f,
		err); err != nil {
		return err
	}
	p.Figures[len(p.Figures)-1].Big = len(r.Classes) > 12
	if t.Ranking(0) == nil || len(r.Classes) > 8 || rarest(t) < 2 {
		return nil
	}
	curves, bins := rocCurves(r), calibrationBins(r)
	f, err = plot.ROC(curves...)
	if err := p.add("ROC", "True against false positives as the threshold moves, on the held-out rows.", f,
		err); err != nil {
		return err
	}
	if len(bins) == 0 {
		return nil
	}
	f, err = plot.Calibration(bins...)
	return p.add("Calibration",
		"How often a class came true against the probability given for it; on the dashed line probabilities can be taken "+
			"at their word.", f, err)
}

// rocCurves is one curve for two classes, one for each class against the rest
// for more.
func rocCurves(r *tune.AutoResult) []plot.Series {
	t := r.TestPredictions
	k := t.Classes
	var out []plot.Series
	for c := range k {
		if k == 2 && c == 0 {
			continue
		}
		positive := make([]bool, len(t.Truth))
		for i, y := range t.Truth {
			positive[i] = int(y) == c
		}
		s, area := roc(t.Ranking(c), positive)
		s.Name = fmt.Sprintf("%s (area %s)", r.Classes[c], number(area))
		out = append(out, s)
	}
	return out
}

// roc walks down the scores; equal scores are one step.
func roc(score []float64, positive []bool) (plot.Series, float64) {
	order := make([]int, len(score))
	plus := 0
	for i := range order {
		order[i] = i
		if positive[i] {
			plus++
		}
	}
	sort.Slice(order, func(a, b int) bool { return score[order[a]] > score[order[b]] })
	minus := len(score) - plus
	s := plot.Series{X: []float64{0}, Y: []float64{0}}
	tp, fp, area := 0, 0, 0.0
	for i := 0; i < len(order); {
		j, t0, f0 := i, tp, fp
		for ; j < len(order) && score[order[j]] == score[order[i]]; j++ {
			if positive[order[j]] {
				tp++
			} else {
				fp++
			}
		}
		i = j
		area += float64(fp-f0) * float64(tp+t0) / 2
		s.X, s.Y = append(s.X, float64(fp)/float64(max(minus, 1))), append(s.Y, float64(tp)/float64(max(plus, 1)))
	}
	if plus == 0 || minus == 0 {
		return s, math.NaN()
	}
	return s, area / (float64(plus) * float64(minus))
}

// calibrationBins averages probabilities and outcomes over bins of equally
// many rows; all classes together where there are more than two.
func calibrationBins(r *tune.AutoResult) []plot.Series {
	t := r.TestPredictions
	if t.Prob == nil {
		return nil
	}
	k := t.Classes
	type pair struct{ p, y float64 }
	var all []pair
	for i, y := range t.Truth {
		for c := range k {
			if k == 2 && c == 0 {
				continue
			}
			hit := 0.0
			if int(y) == c {
				hit = 1
			}
			all = append(all, pair{t.Prob[i*k+c], hit})
		}
	}
	sort.Slice(all, func(a, b int) bool { return all[a].p < all[b].p })
	bins := min(10, max(2, len(all)/10))
	s := plot.Series{}
	for b := range bins {
		part := all[b*len(all)/bins : (b+1)*len(all)/bins]
		if len(part) == 0 {
			continue
		}
		var p, y float64
		for _, q := range part {
			p, y = p+q.p, y+q.y
		}
		s.X, s.Y = append(s.X, p/float64(len(part))), append(s.Y, y/float64(len(part)))
	}
	return []plot.Series{s}
}

// shape draws the model itself where it has one or two numeric columns.
func (p *reportPage) shape(ctx context.Context, d *data.Dataset, r *tune.AutoResult, m *model.Model) error {
	features := d.Features()
	for _, c := range features {
		if c.Kind != data.Numeric || c.Missing() > 0 {
			return nil
		}
	}
	if d.Sparse != nil {
		return nil
	}
	switch {
	case len(features) == 1 && !r.Task.Classification():
		return p.curve(ctx, d, features[0], m)
	case len(features) == 1 && m.HasProba() && len(r.Classes) <= 8:
		return p.probabilities(ctx, d, features[0], r, m)
	case len(features) == 2 && !r.Task.Classification():
		return p.surface(ctx, d, features[0], features[1], r, m)
	case len(features) == 2 && r.Task.Classification() && len(r.Classes) <= 8:
		return p.regions(ctx, d, features[0], features[1], r, m)
	}
	return nil
}

func spread(c *data.Column, count int) []float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range c.Numbers {
		low, high = min(low, v), max(high, v)
	}
	margin := 0.04 * (high - low)
	if margin == 0 {
		margin = 1
	}
	out := make([]float64, count)
	for i := range out {
		out[i] = low - margin + (high-low+2*margin)*float64(i)/float64(count-1)
	}
	return out
}

// probabilities draws how likely each class is along one column.
func (p *reportPage) probabilities(
	ctx context.Context, d *data.Dataset, x *data.Column, r *tune.AutoResult, m *model.Model,
) error {
	xs := spread(x, 300)
	pred, err := m.Predict(ctx, &data.Dataset{Name: d.Name, Columns: []data.Column{data.NumberColumn(x.Name, xs)}},
		model.Want{Proba: true})
	if err != nil {
		return err
	}
	var series []plot.Series
	for c, name := range r.Classes {
		s := plot.Series{Name: name, X: xs}
		for i := range xs {
			s.Y = append(s.Y, pred.Proba.At(i, c))
		}
		series = append(series, s)
	}
	f, err := plot.Lines(x.Name, "probability", "probability of each class along "+x.Name, false, series...)
	return p.add("Probabilities along the column",
		"How likely the model takes each class to be, over the range of the data.", f, err)
}

// bandLevel is the share of observations that the band around a curve holds.
const bandLevel = 0.9

func (p *reportPage) curve(ctx context.Context, d *data.Dataset, x *data.Column, m *model.Model) error {
	xs := spread(x, 300)
	want, says := model.Want{}, "The model over the range of the data, with all rows."
	if m.CheckInterval(bandLevel) == nil {
		want.Interval = bandLevel
		says += fmt.Sprintf(" The band holds %.0f %% of new observations, if these are like the rows here.", 100*bandLevel)
	}
	pred, err := m.Predict(ctx, &data.Dataset{Name: d.Name, Columns: []data.Column{data.NumberColumn(x.Name, xs)}}, want)
	if err != nil {
		return err
	}
	s := plot.Series{Name: "model", X: xs, Y: pred.Values, Low: pred.Low, High: pred.High,
		Band: fmt.Sprintf("%.0f %% of new observations", 100*bandLevel)}
	y, err := d.Column(d.Target)
	if err != nil {
		return err
	}
	f, err := plot.FitCurve(x.Name, d.Target, x.Numbers, y.Numbers, s)
	return p.add("The fitted curve", says, f, err)
}

// spectrum shows the eigenvalues of the kernel on some training rows: ever more of them, as far as
// the time allows, since a pair of large objects can take very long.
func (p *reportPage) spectrum(ctx context.Context, d *data.Dataset, r *tune.AutoResult, budget time.Duration) error {
	within, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	var values []float64
	for _, most := range []int{50, 400} {
		now, alignment, err := r.Spectrum(within, d, spreadRows(r.Split.Train, most))
		if within.Err() != nil {
			break
		}
		if err != nil {
			return err
		}
		values = now
		if len(p.Worth) == 1 {
			p.Worth[0].Alignment = fmt.Sprintf("%.3f", alignment)
		}
		if len(r.Split.Train) <= most {
			break
		}
	}
	if values == nil {
		p.Missing = append(p.Missing,
			"There is no spectrum of the kernel: the time that is left is too short for its matrix.")
		return nil
	}
	f, err := plot.Spectrum(values, r.Chosen.Param("lambda"))
	whose := ""
	if c := r.Committee; c != nil && c.Chosen {
		whose = ", by the kernel of the heaviest member"
	}
	return p.add("Spectrum of the kernel",
		fmt.Sprintf("Eigenvalues of the Gram matrix of %d training rows%s. The faster they fall, the fewer directions the "+
			"kernel uses.", len(values), whose), f, err)
}

// spreadRows is so many of the rows, evenly spread.
func spreadRows(rows []int, most int) []int {
	if len(rows) <= most {
		return rows
	}
	some := make([]int, most)
	for i := range some {
		some[i] = rows[i*len(rows)/most]
	}
	return some
}
