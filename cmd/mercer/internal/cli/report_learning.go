package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/tune"
)

// learning draws the score of the chosen setting against the number of rows it
// learns from, by cross-validation on the training rows.
func (p *reportPage) learning(ctx context.Context, d *data.Dataset, r *tune.AutoResult, budget time.Duration) error {
	c, err := r.LearningCurve(ctx, d, budget)
	var short *tune.TooShort
	switch {
	case errors.As(err, &short):
		p.Missing = append(p.Missing, tooLong(budget))
		return nil
	case err != nil || len(c.Rows) < 2:
		p.Missing = append(p.Missing, "There is no learning curve: parts of the rows are too few to learn from.")
		return nil
	}
	s := plot.Series{Name: "rows left out", Y: c.Score, Band: "± one standard error"}
	for i, n := range c.Rows {
		s.X = append(s.X, float64(n))
		s.Low, s.High = append(s.Low, c.Score[i]-c.SE[i]), append(s.High, c.Score[i]+c.SE[i])
	}
	f, err := plot.LearningCurve(r.Metric.Name, s)
	return p.add("Learning curve",
		fmt.Sprintf("Cross-validated %s of the chosen setting against the number of rows learnt from; the band is one "+
			"standard error. Where it still moves at the right, more rows would help.", r.Metric.Name), f, err)
}
