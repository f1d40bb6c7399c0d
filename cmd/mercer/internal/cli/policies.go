package cli

import (
	"fmt"
	"io"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
	"github.com/spf13/pflag"
)

// policyOptions are the flags of verbs that use a model: what becomes of rows that it was not fitted for.
type policyOptions struct{ Missing, Unseen string }

func (o *policyOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.Missing, "missing", "", "missing values: error, drop (no prediction for the row) or mean; default: as the model was fitted, and drop where it refuses them")
	f.StringVar(&o.Unseen, "unseen", "zero", "categories that the model never saw: zero (none of those it knows) or error")
}

// apply gives a model the policies.
func (o *policyOptions) apply(m *model.Model) (*model.Model, error) {
	missing := data.MissingPolicy(o.Missing)
	switch missing {
	case "", data.MissingRefuse, data.MissingDrop, data.MissingMean:
	default:
		return nil, usage("--missing: %q; give error, drop or mean", o.Missing)
	}
	unseen := data.UnseenPolicy(o.Unseen)
	if unseen != data.UnseenRefuse && unseen != data.UnseenZero {
		return nil, usage("--unseen: %q; give zero or error", o.Unseen)
	}
	return m.ForNewRows(missing, unseen)
}

// doubtfulRows counts the rows that the policies are about.
type doubtfulRows struct {
	empty, filled, unseen int
	columns               []data.UnseenCount
}

// add counts a chunk of so many rows.
func (r *doubtfulRows) add(rows int, p *model.Prediction) {
	r.empty += rows - p.Len()
	r.filled += p.Filled
	r.unseen += p.UnseenRows
	for _, c := range p.Unseen {
		known := false
		for i := range r.columns {
			if r.columns[i].Column == c.Column {
				r.columns[i].Rows += c.Rows
				known = true
			}
		}
		if !known {
			r.columns = append(r.columns, c)
		}
	}
}

// tell says what became of them.
func (r *doubtfulRows) tell(w io.Writer, file string) {
	if r.empty > 0 {
		fmt.Fprintf(w, "%s: %s missing values and no prediction (others: --missing mean | error)\n", file, count(r.empty, "row has", "rows have"))
	}
	if r.filled > 0 {
		fmt.Fprintf(w, "%s: %s missing values, filled in with means (others: --missing drop | error)\n", file, count(r.filled, "row has", "rows have"))
	}
	if r.unseen > 0 {
		fmt.Fprintf(w, "%s: %s a category that the model never saw, taken for none of those it knows (--unseen error refuses it)\n", file, count(r.unseen, "row has", "rows have"))
		for _, c := range r.columns {
			fmt.Fprintf(w, "  %s: %s, %q first\n", c.Column, count(c.Rows, "row", "rows"), clipped(c.Value))
		}
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
	r := doubtfulRows{filled: x.Filled, unseen: x.UnseenRows, columns: x.Unseen}
	r.tell(a.Err, file)
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
	return data.Thousands(n) + " " + many
}
