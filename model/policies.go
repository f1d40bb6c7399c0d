package model

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
)

// WithPolicies is the model with other policies for missing values and for categories that it never
// saw; an empty one stays as it is. What was fitted does not change: a mean is that of the rows
// fitted on, and indicators, which are features, cannot be added.
func (m *Model) WithPolicies(missing data.MissingPolicy, unseen data.UnseenPolicy) (*Model, error) {
	e := m.info.Encoder
	if e == nil {
		return m, nil
	}
	own := *e
	if missing == "indicator" && own.Options.Missing != missing {
		return nil, errors.New("model: it was fitted without indicators of missing values, and cannot be used with them")
	}
	if missing != "" {
		own.Options.Missing = missing
	}
	if unseen != "" {
		own.Options.Unseen = unseen
	}
	if err := own.Check(); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	out := *m
	out.info.Encoder = &own
	return &out, nil
}

// ForNewRows is the model with the policies for rows that it was not fitted on. An empty policy for
// missing values is the model's own, and to drop the row where that refuses them; an empty one for
// categories takes a new one for none of those it knows: one gap, or one new category, is no reason
// to refuse a file whole.
func (m *Model) ForNewRows(missing data.MissingPolicy, unseen data.UnseenPolicy) (*Model, error) {
	if e := m.info.Encoder; missing == "" && e != nil && e.Options.Missing == "error" {
		missing = "drop"
	}
	return m.WithPolicies(missing, cmp.Or(unseen, data.UnseenPolicy("zero")))
}

// Doubtful counts, over the chunks of a stream, the rows that the policies are about.
type Doubtful struct {
	Empty      int                `json:"empty,omitempty"`       // without a prediction, for missing values
	Filled     int                `json:"filled,omitempty"`      // with missing values that were filled in
	UnseenRows int                `json:"unseen_rows,omitempty"` // with a category that the model never saw
	Unseen     []data.UnseenCount `json:"unseen,omitempty"`      // those by column
	AloneRows  int                `json:"alone_rows,omitempty"`  // of nodes about which nothing is known
	// with a number or a time far outside of those that the model was fitted on
	FarRows int `json:"far_rows,omitempty"`
}

// Add counts a chunk of so many rows.
func (d *Doubtful) Add(rows int, p *Prediction) {
	d.Empty += rows - p.Len()
	d.Filled += p.Filled
	d.UnseenRows += p.UnseenRows
	d.FarRows += p.FarRows
	d.AloneRows += p.AloneRows
	for _, c := range p.Unseen {
		i := slices.IndexFunc(d.Unseen, func(known data.UnseenCount) bool { return known.Column == c.Column })
		if i < 0 {
			d.Unseen = append(d.Unseen, c)
			continue
		}
		d.Unseen[i].Rows += c.Rows
	}
}
