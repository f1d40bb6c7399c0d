package cli

import (
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// Permutations over all pairs of many rows are as many as a minute has; those that were asked for,
// and those that matrices of low rank make cheap, are all done.
func TestIndependenceBound(t *testing.T) {
	for name, c := range map[string]struct {
		rows, columns int
		options       independenceOptions
		asked         bool
		permutations  int
	}{
		"few":             {rows: 500, columns: 3, permutations: 2000},
		"abalone":         {rows: 4177, columns: 8, permutations: 318}, // 5·10¹⁰/(18·4177²/2)
		"one width":       {rows: 4177, columns: 8, options: independenceOptions{Widths: "median"}, permutations: 2000},
		"many":            {rows: 9000, columns: 8, permutations: 199},
		"asked":           {rows: 4177, columns: 8, asked: true, permutations: 2000},
		"two columns":     {rows: 4177, columns: 1, permutations: 2000},
		"no permutations": {rows: 4177, columns: 8, options: independenceOptions{Method: "gamma"}, permutations: 2000},
		"shifts":          {rows: 4177, columns: 8, options: independenceOptions{Null: "shift"}, permutations: 2000},
	} {
		o := c.options
		if o.Widths == "" {
			o.Widths = "aggregate"
		}
		if o.Method == "" {
			o.Method = "hsic"
		}
		if o.Null == "" {
			o.Null = "permutation"
		}
		o.Permutations, o.Alpha = 2000, 0.05
		o.given = func(string) bool { return c.asked }
		var sides []*side
		for _, columns := range []int{c.columns, 1} {
			sides = append(sides, &side{table: &table{Rows: data.RowsOf(linalg.New[float64](c.rows, columns))}})
		}
		said := o.bound(sides)
		if o.Permutations != c.permutations || (said != "") != (c.permutations < 2000) {
			t.Errorf("%s: %d permutations, want %d; said %q", name, o.Permutations, c.permutations, said)
		}
	}
}
