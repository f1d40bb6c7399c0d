package model

import (
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// Columns of histograms and distributions, which format 7 does not know, ask for format 8; others do
// not.
func TestDistributionsHaveAFormat(t *testing.T) {
	for kind, want := range map[data.Kind]bool{data.Histogram: true, data.Distribution: true, data.Graph: false,
		data.Numeric: false, data.Boolean: false} {
		if got := ofDistributions(&data.Encoder{Columns: []data.ColumnCode{{Kind: kind}}}); got != want {
			t.Errorf("%v: %v", kind, got)
		}
	}
	if ofDistributions(nil) || distributionsFormat > formatVersion {
		t.Error("a model without an encoder, or a format that is not read")
	}
}
