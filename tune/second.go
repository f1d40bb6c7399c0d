package tune

import (
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/plattscale"
	"github.com/mercer-ml/mercer/learn"
)

// secondOpinion judges the cells of a group by a second metric. Where that needs probabilities they
// are sigmoids (Platt 2000) of the scores on all folds: two numbers for each class, found from
// hundreds of rows. Learners with probabilities of their own get sigmoids of their log-odds, so
// that one is not preferred to another for what it says of its own certainty.
type secondOpinion struct {
	metric Metric
	kept   [][]*learn.Predictions // by cell and fold
}

func newSecondOpinion(m Metric, cells, folds int) *secondOpinion {
	if m.Score == nil {
		return nil
	}
	s := &secondOpinion{m, make([][]*learn.Predictions, cells)}
	for i := range s.kept {
		s.kept[i] = make([]*learn.Predictions, folds)
	}
	return s
}

func (s *secondOpinion) keep(cell, fold int, p learn.Predictions) {
	if s != nil {
		s.kept[cell][fold] = &p
	}
}

// score sets the second score of the cells that were judged on every fold.
func (s *secondOpinion) score(cells []*Cell) {
	if s == nil {
		return
	}
	for i, c := range cells {
		sum, n := 0.0, 0.0
		s.sigmoids(s.kept[i])
		for _, p := range s.kept[i] {
			if p == nil {
				n = math.NaN() // given up, or there was no time
				break
			}
			if v := s.metric.Score(*p); !math.IsNaN(v) {
				sum, n = sum+v, n+1
			}
		}
		c.Second = sum / n // NaN where it is defined on no fold
	}
}

// sigmoids gives all predictions probabilities by the same means.
func (s *secondOpinion) sigmoids(folds []*learn.Predictions) {
	if !s.metric.NeedsProb {
		return
	}
	for _, p := range folds {
		if p == nil || p.Prob == nil && p.Score == nil {
			return
		}
	}
	k := folds[0].Classes
	scores := make([][]float64, len(folds))
	for f, p := range folds {
		if scores[f] = p.Score; p.Prob != nil {
			scores[f] = logOdds(p.Prob)
		}
	}
	at := make([]plattscale.Sigmoid, k)
	for c := range k {
		if k == 2 && c == 0 {
			continue
		}
		var score []float64
		var positive []bool
		for f, p := range folds {
			for i, y := range p.Truth {
				score, positive = append(score, scores[f][i*k+c]), append(positive, int(y) == c)
			}
		}
		at[c], _ = plattscale.FitSigmoidTo(1e-3, score, positive, nil)
	}
	for f, p := range folds {
		p.Prob = make([]float64, len(scores[f]))
		for i := range p.Truth {
			row := p.Prob[i*k : (i+1)*k]
			for c := range row {
				row[c] = at[c].At(scores[f][i*k+c])
			}
			normalise(row)
		}
	}
}

// logOdds is ln p/(1-p), of probabilities that rounding has not made 0 or 1.
func logOdds(prob []float64) []float64 {
	const least = 1e-12
	out := make([]float64, len(prob))
	for i, p := range prob {
		p = min(max(p, least), 1-least)
		out[i] = math.Log(p) - math.Log1p(-p)
	}
	return out
}

// normalise makes probabilities of classes, each against the rest, sum to 1; of
// two classes the second one's stands.
func normalise(row []float64) {
	if len(row) == 2 {
		row[0] = 1 - row[1]
		return
	}
	sum := 0.0
	for _, v := range row {
		sum += v
	}
	for c := range row {
		if row[c] /= sum; sum == 0 {
			row[c] = 1 / float64(len(row))
		}
	}
}

// seconded is, among the cells that the folds cannot tell from the best, the one with the best
// second score. A handful of rows more or less decide between hundreds of cells by their share of
// right classes alone, and the best of many is mostly the luckiest; how sure a machine is of its
// answers says more about each row. Repeats judge the same rows again, so the error is that of one
// repeat (see bound).
func (e *engine) seconded(cells []Cell, best Cell) Cell {
	chosen := best
	for _, c := range cells {
		if !c.complete() || math.IsNaN(c.Second) || !e.level(c, best) {
			continue
		}
		switch {
		case e.second.better(c.Second, chosen.Second), c.Second == chosen.Second && e.metric.better(c.Mean, chosen.Mean):
			chosen = c
		case c.Second == chosen.Second && c.Mean == chosen.Mean &&
			(c.Candidate < chosen.Candidate || c.Candidate == chosen.Candidate && simpler(c, chosen)):
			chosen = c
		}
	}
	return chosen
}

// level says whether a cell is behind the best by no more than a standard error of the
// difference, fold by fold.
func (e *engine) level(c, best Cell) bool {
	lead, se := e.metric.lead(best.Scores, c.Scores, e.repeats())
	return lead <= se
}

// lead is by how much one list of fold scores is better than another on average, with its standard
// error; folds where either is not defined are left out. Where each row is judged in so many
// repeats the error is that of one.
func (m Metric) lead(scores, others []float64, repeats float64) (mean, se float64) {
	sq, n := 0.0, 0.0
	ahead := func(f int) float64 {
		if m.Maximize {
			return scores[f] - others[f]
		}
		return others[f] - scores[f]
	}
	for f := range others {
		if d := ahead(f); !math.IsNaN(d) {
			n++
			mean += d
		}
	}
	mean /= n
	if n < 2 {
		return mean, 0
	}
	for f := range others {
		if d := ahead(f); !math.IsNaN(d) {
			sq += (d - mean) * (d - mean)
		}
	}
	return mean, math.Sqrt(sq / (n - 1) / n * repeats)
}

// repeats is how often the folds judge each row.
func (e *engine) repeats() float64 {
	tested := 0
	for _, f := range e.folds {
		tested += len(f.Test)
	}
	if e.p.Points == nil || e.p.Len() == 0 {
		return 1
	}
	return max(1, float64(tested)/float64(e.p.Len()))
}

// secondRows is the most rows times classes for which Auto asks for a second opinion: beyond, its
// sigmoids cost as much as the search, and shares of right classes have small errors.
const secondRows = 5000

// autoSecond is the second metric of Auto where the first is accuracy: the
// Brier score, a proper score of the same classes.
func autoSecond(p learn.Problem[any]) Metric {
	if p.Task == data.Regression || p.Len()*p.ClassCount() > secondRows {
		return Metric{}
	}
	return Brier()
}
