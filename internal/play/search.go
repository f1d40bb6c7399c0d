package play

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/tune"
)

type searchAsked struct {
	Points  PlanePoints `json:"points"`
	Kernel  KernelText  `json:"kernel"`
	Task    string      `json:"task"`    // "classify" or "regress"
	Learner string      `json:"learner"` // "svm", "ridge", "logistic"
	Across  SearchAxis  `json:"across"`  // a parameter of the kernel
	Up      SearchAxis  `json:"up"`      // one of the learner
	Folds   int         `json:"folds"`
	Seed    uint64      `json:"seed"`
}

// SearchAxis is a parameter to vary by equal ratios.
type SearchAxis struct {
	Name  string  `json:"name"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Steps int     `json:"steps"`
}

// Searched says what will be tried.
type Searched struct {
	Kernel   KernelFacts `json:"kernel"`
	X        Drawn       `json:"x"`
	Y        Drawn       `json:"y"`
	Metric   string      `json:"metric"`
	Maximize bool        `json:"maximize"`
}

// SearchCell is one place of the map with its score.
type SearchCell struct {
	X      Number   `json:"x"`
	Y      Number   `json:"y"`
	Mean   Number   `json:"mean"`
	SE     Number   `json:"se"`
	Folds  []Number `json:"folds"`
	Failed string   `json:"failed,omitempty"`
}

// Found is the end of a search.
type Found struct {
	Best     SearchCell `json:"best"`
	Readings []Reading  `json:"readings"`
}

func (a SearchAxis) values(field string) ([]float64, error) {
	if !(a.Low > 0 && a.Low < a.High && a.High < 1e12) || a.Steps < 2 || a.Steps > 40 {
		return nil, &Fault{Field: field,
			Message: fmt.Sprintf("%s from %g to %g in %d steps; give positive ends and 2 to 40 steps", a.Name, a.Low, a.High,
				a.Steps)}
	}
	return learn.LogSpace(a.Low, a.High, a.Steps), nil
}

// search judges every cell of a map by cross-validation; a cell is sent as soon as it is judged.
func search(ctx context.Context, _ *Player, q searchAsked, send sender) error {
	k, facts, err := q.Kernel.vectors()
	if err != nil {
		return err
	}
	if err := q.Points.check(q.Task == "classify"); err != nil {
		return err
	}
	across, err := q.Across.values("across")
	if err != nil {
		return err
	}
	up, err := q.Up.values("up")
	if err != nil {
		return err
	}
	if _, err := kernel.Set(k, q.Across.Name, q.Across.Low); err != nil {
		return at("across", err)
	}
	p, err := q.problem()
	if err != nil {
		return at("points", err)
	}
	if q.Folds < 2 || q.Folds > 20 || q.Folds > p.Len() {
		return &Fault{Field: "folds",
			Message: fmt.Sprintf("%d folds of %d points; give 2 to 20, no more than there are points", q.Folds, p.Len())}
	}
	metric := tune.Metrics(p.Task)[0]
	if err := send("plan", Searched{Kernel: facts, X: across, Y: up, Metric: metric.Name,
		Maximize: metric.Maximize}); err != nil {
		return err
	}
	best, judged, fits := tune.Cell{Mean: math.NaN()}, 0, 0
	for _, v := range across {
		// One kernel is one group of cells, which share its matrix: judged together, and shown
		// together.
		s := tune.NewSearch(p, tune.Try(q.Learner, k, tune.Over(q.Across.Name, v), tune.Over(q.Up.Name, up...)))
		s.Protocol, s.Metric, s.NoModel = tune.Protocol{Folds: q.Folds, Seed: q.Seed}, metric, true
		r, err := s.Run(ctx)
		if err != nil {
			return at("learner", err)
		}
		if r.Interrupted {
			return ctx.Err()
		}
		cells := make([]SearchCell, len(r.Cells))
		for i, c := range r.Cells {
			cells[i] = q.cell(c)
		}
		if err := send("cells", cells); err != nil {
			return err
		}
		judged, fits = judged+len(cells), fits+r.Fits
		if better(metric, r.Best.Mean, best.Mean) {
			best = r.Best
		}
	}
	b := q.cell(best)
	return send("found", Found{Best: b, Readings: []Reading{reading("best", "best "+metric.Name, best.Mean),
		reading("best-x", q.Across.Name, float64(b.X)),
		reading("best-y", q.Up.Name, float64(b.Y)), reading("cells", "cells judged", float64(judged)),
		reading("fits", "machines fitted", float64(fits))}})
}

// better says whether a score is better than the best so far, NaN where there is none.
func better(m tune.Metric, score, best float64) bool {
	switch {
	case math.IsNaN(score):
		return false
	case math.IsNaN(best):
		return true
	case m.Maximize:
		return score > best
	}
	return score < best
}

func (q searchAsked) cell(c tune.Cell) SearchCell {
	out := SearchCell{X: Number(c.Param(q.Across.Name)), Y: Number(c.Param(q.Up.Name)), Mean: Number(c.Mean),
		SE: Number(c.SE), Failed: c.Failed}
	for _, v := range c.Scores {
		out.Folds = append(out.Folds, Number(v))
	}
	return out
}

func (q searchAsked) problem() (learn.Problem[vec], error) {
	switch q.Task {
	case "classify":
		return learn.Classify(q.Points.rows(), q.Points.Class)
	case "regress":
		p := learn.Regress(q.Points.column(0), targets(q.Points))
		return p, p.Check()
	}
	return learn.Problem[vec]{Task: data.Unsupervised},
		&Fault{Field: "task", Message: fmt.Sprintf("no task %q; there are classify and regress", q.Task)}
}
