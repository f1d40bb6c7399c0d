package tune

import (
	"context"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
)

// ByGroups is how good the chosen setting is on rows of groups that a fit did not see, where a
// column names what several rows are of, patients with their visits, and nobody said so: rows held
// out at random have others of the same patient among those fitted on, and are too kind if new rows
// are of new patients.
type ByGroups struct {
	Column string
	Groups int
	Cell   Cell // the chosen one on folds of whole groups; without scores where Why says so
	Why    string
}

// judgeByGroups sets ByGroups where a column seems to name groups.
func (r *AutoResult) judgeByGroups(ctx context.Context, d *data.Dataset, o AutoOptions, c clock, end time.Time) {
	names := slices.DeleteFunc(d.Grouping(), func(name string) bool { return name == d.Target || name == d.Weights })
	if d.Groups != "" || o.Time != "" || len(names) == 0 || r.searched == nil {
		return
	}
	grouped := *d
	grouped.Groups = names[0]
	out := &ByGroups{Column: names[0]}
	r.ByGroups = out
	groups, err := grouped.RowGroups(r.searched)
	if err == nil {
		out.Groups = groupCount(groups)
		var folds []data.Fold
		if folds, err = data.Grouped(groups, min(5, out.Groups), o.Seed); err == nil {
			within, cancel := c.until(ctx, end)
			defer cancel()
			var found insideFolds
			if found, err = r.inside(within, d, folds); err == nil {
				out.Cell = r.Chosen
				out.Cell.Scores = found.scores
				out.Cell.summarise()
				r.because("rows of one %q stand on both sides of the test: with whole ones left out, the chosen setting has %s "+
					"%.4g ± %.2g over %d folds; give the column as groups to search and test so", out.Column, r.Metric.Name,
					out.Cell.Mean, out.Cell.SE, len(folds))
				return
			}
			if within.Err() != nil {
				out.Why = "there was no time for it"
			}
		}
	}
	if out.Why == "" {
		out.Why = fault.Plain(err).Error()
	}
	r.because("rows of one %q stand on both sides of the test, and how good the model is on others is not known (%s): "+
		"give the column as groups", out.Column, out.Why)
}
