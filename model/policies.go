package model

import (
	"errors"
	"fmt"

	"github.com/mercer-ml/mercer/data"
)

// WithPolicies is the model with other policies for missing values and for categories that it never saw; an empty one stays as it is. What
// was fitted does not change: a mean is that of the rows fitted on, and indicators, which are features, cannot be added.
func (m *Model) WithPolicies(missing data.MissingPolicy, unseen data.UnseenPolicy) (*Model, error) {
	e := m.info.Encoder
	if e == nil {
		return m, nil
	}
	own := *e
	if missing == data.MissingIndicator && own.Options.Missing != missing {
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
