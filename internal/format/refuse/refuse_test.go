package refuse

import (
	"errors"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// A refusal says its kind and its row, for a program that asks.
func TestRefusalsHaveAKindAndARow(t *testing.T) {
	for _, c := range []struct {
		fault *data.Error
		kind  error
		row   int
	}{
		{NotFinite("q", 4, math.NaN(), true), data.ErrNotFinite, 4},
		{TimeRange("t", 5), data.ErrValue, 5},
		{NotUTF8("s", 6, "\xff"), data.ErrFormat, 6},
	} {
		if !errors.Is(c.fault, c.kind) || c.fault.Row != c.row {
			t.Errorf("%v, want %q in row %d", c.fault, c.kind, c.row)
		}
	}
}
