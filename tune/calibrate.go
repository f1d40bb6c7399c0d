package tune

import (
	"github.com/mercer-ml/mercer/internal/learn/plattscale"
	"github.com/mercer-ml/mercer/learn"
)

// calibration turns the scores of machines that give no probabilities into
// probabilities: for each fold by sigmoids (Platt 2000) fitted to the scores that the
// machines of the other folds gave their own left-out points, so that no
// score is calibrated on its own truth.
type calibration struct{ kept [][]*learn.Predictions } // by cell and fold

func newCalibration(needed bool, cells, folds int) *calibration {
	if !needed {
		return nil
	}
	c := &calibration{make([][]*learn.Predictions, cells)}
	for i := range c.kept {
		c.kept[i] = make([]*learn.Predictions, folds)
	}
	return c
}

func (c *calibration) keep(cell, fold int, p learn.Predictions) { c.kept[cell][fold] = &p }

// score judges what was kept.
func (c *calibration) score(cells []*Cell, m Metric) {
	if c == nil {
		return
	}
	for i, folds := range c.kept {
		for f, p := range folds {
			if p == nil {
				continue
			}
			p.Prob = calibrated(p, folds, f)
			cells[i].Scores[f] = m.Score(*p)
		}
	}
}

// calibrated is the probabilities of fold f: a sigmoid for each class against
// the rest, normalised to sum 1; for two classes one sigmoid.
func calibrated(p *learn.Predictions, folds []*learn.Predictions, f int) []float64 {
	k := p.Classes
	prob := make([]float64, len(p.Score))
	for c := range k {
		if k == 2 && c == 0 {
			continue
		}
		var score []float64
		var positive []bool
		for g, q := range folds {
			if q == nil || g == f && len(folds) > 1 {
				continue
			}
			for i, y := range q.Truth {
				score, positive = append(score, q.Score[i*k+c]), append(positive, int(y) == c)
			}
		}
		s := plattscale.FitSigmoid(score, positive, nil)
		for i := range p.Truth {
			prob[i*k+c] = s.At(p.Score[i*k+c])
		}
	}
	for i := range p.Truth {
		normalise(prob[i*k : (i+1)*k])
	}
	return prob
}
