package model

import (
	"slices"

	"github.com/mercer-ml/mercer/data"
)

// termsFormat is that of models of texts by pairs of words or runs of letters, which an older
// mercer would count by their words.
const termsFormat = 8

func newTerms(e *data.Encoder) bool {
	return e != nil && slices.ContainsFunc(e.Columns, func(c data.ColumnCode) bool { return c.Terms != "" })
}
