package cli

import (
	"fmt"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/tune"
)

// growthNote is the models that competed at the end of a search on part of the rows, in a line each
// of a model file.
func growthNote(r *tune.AutoResult) string {
	var lines []string
	for _, g := range r.Growth {
		line := fmt.Sprintf("%s on %s rows, %s centres", g.Learner, phrase.Thousands(g.Rows), phrase.Thousands(g.Centers))
		if !math.IsNaN(g.Score) {
			line += fmt.Sprintf(": %s %s", r.Metric.Name, number(g.Score))
		}
		lines = append(lines, line+fmt.Sprintf(" (%.3g s, %s)", g.Seconds, sizeText(g.Bytes)))
	}
	return strings.Join(lines, "; ")
}

// reportGrowth is a line of the table of the report.
type reportGrowth struct{ Learner, Rows, Centers, Score, Seconds, Memory, Residual string }

// growth shows error against centres and against rows, with time and memory.
func (p *reportPage) growth(r *tune.AutoResult) error {
	var byCenters, byRows plot.Series
	byCenters.Name, byRows.Name = "more centres, all rows", "more rows, all of them centres"
	for _, g := range r.Growth {
		p.Growth = append(p.Growth, reportGrowth{g.Learner, phrase.Thousands(g.Rows), phrase.Thousands(g.Centers),
			number(g.Score), fmt.Sprintf("%.2f", g.Seconds), sizeText(g.Bytes), fmt.Sprintf("%.2g", g.Residual)})
		if math.IsNaN(g.Score) {
			continue
		}
		s := &byRows
		if g.Learner == "nystrom" {
			s = &byCenters
		}
		s.X, s.Y = append(s.X, float64(g.Centers)), append(s.Y, g.Score)
	}
	var series []plot.Series
	for _, s := range []plot.Series{byCenters, byRows} {
		if len(s.X) > 1 {
			series = append(series, s)
		}
	}
	if len(series) == 0 {
		return nil
	}
	if same, v := allSame(series); same {
		p.Missing = append(p.Missing,
			fmt.Sprintf("There is no picture of growth: more centres change nothing, %s is %s with all of them.", r.Metric.Name,
				number(v)))
		return nil
	}
	f, err := plot.Lines("centres", r.Metric.Name, fmt.Sprintf("%s against the number of centres", r.Metric.Name), true,
		series...)
	return p.add("Growth",
		fmt.Sprintf("%s on rows that none of these models was fitted to, against the points that they are made of. The "+
			"table below has the time and memory of each.", r.Metric.Name), f, err)
}

// allSame says whether all series are one value, which is no picture.
func allSame(series []plot.Series) (bool, float64) {
	v := series[0].Y[0]
	for _, s := range series {
		for _, y := range s.Y {
			if y != v {
				return false, v
			}
		}
	}
	return true, v
}

// growthJSON is the models with null for scores that there are none of.
func growthJSON(r *tune.AutoResult) []map[string]any {
	out := []map[string]any{}
	for _, g := range r.Growth {
		out = append(out, map[string]any{"learner": g.Learner, "rows": g.Rows, "centers": g.Centers, "score": orNull(g.Score),
			"seconds": g.Seconds, "bytes": g.Bytes, "residual": orNull(g.Residual)})
	}
	return out
}
