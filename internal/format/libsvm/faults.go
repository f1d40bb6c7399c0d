package libsvm

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/sparsetext"
)

// fault says what is wrong with a row, and what to do.
func (r *Reader) fault(f *sparsetext.Fault) error {
	e := &data.Error{File: r.name, Line: f.Line, Byte: f.Byte + 1, Kind: data.ErrSyntax}
	notFinite := func(what, advice string) {
		e.Kind, e.Value, e.Advice = data.ErrNotFinite, f.Text, advice
		e.Reason = fmt.Sprintf("%s is %q, which is not a finite number", what, clip(f.Text))
	}
	switch f.Sort {
	case sparsetext.Number:
		notFinite("label", "a row is: label index:value index:value …")
	case sparsetext.Value:
		notFinite("value", "correct it, or leave the feature out (it is then 0)")
	case sparsetext.Pair:
		e.Reason, e.Advice = fmt.Sprintf("%q is not index:value", clip(f.Text)),
			"write features as index:value with blanks between"
	case sparsetext.Whole:
		e.Reason, e.Advice = fmt.Sprintf("index is %q, which is not a whole number", clip(f.Text)), "indices count from 1"
	case sparsetext.Low: // LIBSVM's precomputed kernels carry the row number at index 0
		e.Reason, e.Advice = fmt.Sprintf("index is %d", f.Index),
			"indices count from 1; for files that count from 0 (or a precomputed kernel) say so"
	case sparsetext.High:
		e.Reason, e.Advice = fmt.Sprintf("index is %d, above %d", f.Index, MaxIndex), "renumber the features"
	case sparsetext.Order:
		e.Reason, e.Advice = fmt.Sprintf("index %d after %d", f.Index, f.Before), "indices must increase along a row"
	case sparsetext.LateQid:
		e.Reason, e.Advice = "qid after a feature", "put qid right after the label"
	}
	return e
}

func clip(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}
