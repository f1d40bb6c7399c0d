package tune

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/learn"
)

// evidenceMetric is the log marginal likelihood log p(y | X, θ) that a search with
// Protocol.Evidence maximises (Rasmussen & Williams 2006, equations 2.30 and, by Laplace's method,
// 3.32). It is of the rows fitted on, so there is nothing to score predictions by.
func evidenceMetric() Metric {
	return Metric{Name: "evidence", Maximize: true, Score: func(learn.Predictions) float64 { return math.NaN() }}
}

// keptModel is the model of the best cell so far: by evidence each is fitted
// on all rows when it is judged, so the last fit is there already.
type keptModel struct {
	mu    sync.Mutex
	cell  string
	score float64
	model *Fitted
}

func (k *keptModel) offer(c *Cell, score float64, m *Fitted) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.model == nil || score > k.score {
		k.cell, k.score, k.model = key(c.Candidate, c.theta), score, m
	}
}

// of is the model of a cell, where it is the one that was kept.
func (k *keptModel) of(c Cell) (*Fitted, bool) {
	if k == nil {
		return nil, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.model, k.model != nil && k.cell == key(c.Candidate, c.theta)
}

// byEvidence sets the engine up to judge by marginal likelihood.
func (e *engine) byEvidence(s Search) error {
	for _, sp := range e.spaces {
		if !sp.entry.Evidence {
			return fault.Errorf("tune", "%s has no marginal likelihood for Protocol.Evidence; Gaussian processes have (gp)",
				sp.Learner)
		}
	}
	switch o := s.Protocol; {
	case s.Folds != nil || o.Folds > 0 || o.Repeats > 1 || o.LOO:
		return fault.Errorf("tune", "Protocol.Evidence judges by all rows; leave the folds out")
	case s.Metric.Score != nil && s.Metric.Name != evidenceMetric().Name:
		return fault.Errorf("tune", "Protocol.Evidence is a measure of its own; leave the metric %q out", s.Metric.Name)
	}
	all := make([]int, e.p.Len())
	for i := range all {
		all[i] = i
	}
	e.metric, e.folds, e.kept = evidenceMetric(), []data.Fold{{Train: all}}, &keptModel{}
	return nil
}

// evaluateEvidence maximises the marginal likelihood over the kernel's
// parameters and the noise, on all rows.
func evaluateEvidence(ctx context.Context, e *engine, s *space, c *learn.Cells, w *groupWork) error {
	m, err := fitOne(ctx, s, e.settings(s, c.Kernel, c.Params[0], c.Threads, false), e.p)
	if err != nil {
		return err
	}
	judged, ok := m.Model.(interface{ LogMarginal() float64 })
	if !ok {
		return fmt.Errorf("%s gives no marginal likelihood", s.name())
	}
	for _, c := range w.cells {
		c.Fits++
		c.Scores[0] = judged.LogMarginal()
		e.kept.offer(c, c.Scores[0], m)
	}
	return nil
}
