// Package columntest compares columns that a reader made with what another
// program wrote, for the tests of the file formats.
package columntest

import (
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
)

// Differs says where a column is not what was written, from row first on. want
// is as encoding/json reads it: null where the value is missing, which an empty text is too.
func Differs(c *data.Column, want []any, first int) error {
	if want == nil {
		return fmt.Errorf("column %s was not written", c.Name)
	}
	for i := range c.Len() {
		w := want[first+i]
		same := false
		switch {
		case w == nil || w == "":
			same = c.IsMissing(i)
		case c.Kind == data.Numeric:
			same = c.Numbers[i] == w.(float64)
		case c.Kind == data.Boolean: // written as 0 and 1
			same = float64(c.Codes[i]) == w.(float64)
		case c.Kind == data.Time:
			same = c.Micros[i] == int64(w.(float64))
		case c.Kind == data.Sequence:
			q := w.([]any)
			same = !c.IsMissing(i) && slices.EqualFunc(c.Sequences[i], q,
				func(x float64, y any) bool { return x == y.(float64) })
		default:
			same = c.String(i) == w.(string)
		}
		if !same {
			return fmt.Errorf("column %s, row %d is %q, missing %v; written was %v", c.Name, first+i, c.String(i),
				c.IsMissing(i), w)
		}
	}
	return nil
}
