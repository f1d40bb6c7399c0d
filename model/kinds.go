package model

import (
	"slices"

	"github.com/mercer-ml/mercer/data"
)

// kindsFormat is that of models with columns of truth values, which an older mercer has as
// categories or as numbers, and would find damaged.
const kindsFormat = 6

// distributionsFormat is that of models with columns of histograms or distributions, which an older
// mercer does not know.
const distributionsFormat = 8

// ofDistributions says that columns are of kinds that format 7 does not know.
func ofDistributions(e *data.Encoder) bool {
	return e != nil && slices.ContainsFunc(e.Columns, func(c data.ColumnCode) bool {
		return c.Kind == data.Histogram ||
			c.Kind == data.Distribution
	})
}

// newKinds says that columns are of kinds that format 5 does not know.
func newKinds(e *data.Encoder) bool {
	return e != nil && slices.ContainsFunc(e.Columns, func(c data.ColumnCode) bool { return c.Kind == data.Boolean })
}
