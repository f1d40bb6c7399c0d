package data

import (
	"errors"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/celltext"
)

// What a column of strings is taken for depends on its values alone: every row keeps its place,
// missing values stay missing, the same column declared as what it was guessed to be is the same,
// and a column of dates is read in one layout.
func FuzzInferKinds(f *testing.F) {
	for _, s := range []string{
		"1|2|NA|3.5", "a|b|a||b", "2021-01-02|2021-12-31|", "01/07/2021|25/08/2021", "1/2/2006 15:04|2/1/2006 15:04",
		"1,2,3|4,5,6|[7;8]", "15:04:05|00:00:00",
		"2 Jan 2006|Jan 2, 2006", "1e400|2", "0x10|1_000", "\xff\xfe|a", "2021-01-02T03:04:05Z|2021-01-02T03:04:05+02:00",
		"nan|inf|-Inf", " 1 | 2 ",
		strings.Repeat("w", 50) + "|" + strings.Repeat("v", 60),
	} {
		f.Add(s, uint8(0))
		f.Add(s, uint8(3))
	}
	f.Fuzz(func(t *testing.T, text string, declared uint8) {
		values := strings.Split(text, "|")
		if len(values) > 200 {
			return
		}
		set := func() *Dataset { return &Dataset{Name: "t", Columns: []Column{TextColumn("c", values)}} }
		d := set()
		if err := InferKinds(d, Inference{}); err != nil {
			t.Fatalf("a column that nobody declared: %v", err)
		}
		c := &d.Columns[0]
		if c.Len() != len(values) {
			t.Fatalf("%d values of %d", c.Len(), len(values))
		}
		for i, s := range values {
			if c.Kind != Text && celltext.IsNA(s) && !c.IsMissing(i) {
				t.Fatalf("row %d, %q, is not missing in a column of kind %v", i, s, c.Kind)
			}
		}
		again := set()
		if err := InferKinds(again, Inference{Told: Kinds(map[string]Kind{"c": c.Kind})}); err != nil {
			t.Fatalf("declared as the %v it is: %v", c.Kind, err)
		}
		for i := range values {
			if a, b := c.String(i), again.Columns[0].String(i); a != b {
				t.Fatalf("row %d is %q, and declared %q", i, a, b)
			}
		}
		forced := set()
		err := InferKinds(forced, Inference{Told: Kinds(map[string]Kind{"c": Kind(declared % uint8(len(kindNames)))})})
		var fault *Error
		if err != nil && !errors.As(err, &fault) {
			t.Fatalf("an error of no kind: %v", err)
		}
		if err == nil && forced.Columns[0].Len() != len(values) {
			t.Fatalf("declared: %d values of %d", forced.Columns[0].Len(), len(values))
		}
	})
}
