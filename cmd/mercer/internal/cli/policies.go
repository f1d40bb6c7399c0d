package cli

import (
	"fmt"
	"io"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/model"
	"github.com/spf13/pflag"
)

// policyOptions are the flags of verbs that use a model: what becomes of rows that it was not
// fitted for.
type policyOptions struct{ Missing, Unseen string }

func (o *policyOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.Missing, "missing", "",
		"missing values: error, drop (no prediction for the row) or mean; default: as the model was fitted, and drop where "+
			"it refuses them")
	f.StringVar(&o.Unseen, "unseen", "zero", "categories that the model never saw: zero (none of those it knows) or error")
}

// apply gives a model the policies.
func (o *policyOptions) apply(m *model.Model) (*model.Model, error) {
	missing := data.MissingPolicy(o.Missing)
	switch missing {
	case "", "error", "drop", "mean":
	default:
		return nil, usage("--missing: %q; give error, drop or mean", o.Missing)
	}
	unseen := data.UnseenPolicy(o.Unseen)
	if unseen != "error" && unseen != "zero" {
		return nil, usage("--unseen: %q; give zero or error", o.Unseen)
	}
	return m.ForNewRows(missing, unseen)
}

// tellPolicies says what became of the rows that the policies are about.
func tellPolicies(w io.Writer, file string, r *model.Doubtful) {
	if r.Empty > 0 {
		fmt.Fprintf(w, "%s: %s missing values and no prediction (others: --missing mean | error)\n", file,
			count(r.Empty, "row has", "rows have"))
	}
	if r.Filled > 0 {
		fmt.Fprintf(w, "%s: %s missing values, filled in with means (others: --missing drop | error)\n", file,
			count(r.Filled, "row has", "rows have"))
	}
	tellFar(w, file, r)
	if r.AloneRows > 0 {
		fmt.Fprintf(w,
			"%s: %s in a part of the graph without a known answer, and is told what is told of nobody in particular\n", file,
			count(r.AloneRows, "node lies", "nodes lie"))
	}
	if r.UnseenRows > 0 {
		fmt.Fprintf(w,
			"%s: %s a category that the model never saw, taken for none of those it knows (--unseen error refuses it)\n", file,
			count(r.UnseenRows, "row has", "rows have"))
		for _, c := range r.Unseen {
			near := ""
			if c.Near != "" {
				near = fmt.Sprintf("; the model knows %q: write them alike in the file if they are", clipped(c.Near))
			}
			fmt.Fprintf(w, "  %s: %s, %q first%s\n", c.Column, count(c.Rows, "row", "rows"), clipped(c.Value), near)
		}
	}
}

// tellFar says how many rows lie far outside of what a model was fitted on.
func tellFar(w io.Writer, file string, r *model.Doubtful) {
	if r.FarRows > 0 {
		fmt.Fprintf(w,
			"%s: %s a number or a date far outside of those that the model was fitted on: what it says there is a guess\n", file,
			count(r.FarRows, "row has", "rows have"))
	}
}

// tellDoubtful says of the rows that a model is judged by which of them it was not fitted for.
func (a *App) tellDoubtful(m *model.Model, d *data.Dataset, rows []int, file string) error {
	e := m.Info().Encoder
	if e == nil {
		return nil
	}
	x, err := e.Transform(d.Gather(rows))
	if err != nil {
		return inputErrorFor(err, true)
	}
	tellPolicies(a.Err, file, &model.Doubtful{Filled: x.Filled, UnseenRows: x.UnseenRows, Unseen: x.Unseen,
		FarRows: x.FarRows})
	return nil
}

// clipped shortens a value for a line.
func clipped(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return phrase.Thousands(n) + " " + many
}
