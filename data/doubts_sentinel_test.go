package data

import (
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/mend"
)

func TestSentinelsAreDoubted(t *testing.T) {
	column := func(values ...float64) *Dataset {
		x := make([]float64, 0, 40)
		for i := range 40 - len(values) {
			x = append(x, float64(i%9)+0.5)
		}
		return &Dataset{Name: "t", Columns: []Column{NumberColumn("depth", append(x, values...))}}
	}
	for _, c := range []struct {
		d    *Dataset
		want string
	}{
		{column(-999, -999, -999), `column "depth" is -999 in 3 rows, far from all others (0.5 to 8.5)`},
		{column(9999, 9999), `column "depth" is 9999 in 2 rows`},
		{column(-9, -9), `column "depth" is -9 in 2 rows`},
		{column(-999), ""},                      // one row may be true
		{column(-7, -7), ""},                    // no such number
		{column(-998, -999, -999, 99, 100), ""}, // not apart
		{column(9, 9), ""},
	} {
		got := ""
		for _, e := range c.d.Doubts() {
			if e.Remedy == mend.NA {
				got = e.Reason
				if e.Value == "" || e.Column != "depth" {
					t.Errorf("%+v", e)
				}
			}
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
