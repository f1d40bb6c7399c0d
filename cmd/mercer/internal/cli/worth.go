package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/tune"
)

// reportWorth is a line of what the columns are worth.
type reportWorth struct{ Columns, Kind, Kernel, Weight, Alignment string }

// worthOf says by what each column of a table that mixes kinds is compared, and what it is worth.
func worthOf(r *tune.AutoResult) []reportWorth {
	var out []reportWorth
	for _, c := range r.Columns {
		names := strings.Join(c.Columns, ", ")
		if len(c.Columns) > 4 {
			names = fmt.Sprintf("%s, … (%d columns)", strings.Join(c.Columns[:3], ", "), len(c.Columns))
		}
		w := reportWorth{Columns: names, Kind: c.Kind, Kernel: spec.Rounded(c.Kernel),
			Weight: fmt.Sprintf("%.0f%%", 100*c.Weight), Alignment: fmt.Sprintf("%.3f", c.Alignment)}
		if len(r.Columns) == 1 {
			w.Alignment = "not measured" // there is nothing to weigh it against
		}
		switch {
		case c.Factor:
			w.Weight = "factor"
		case c.Weight < 1e-3:
			w.Weight = "not used"
		}
		out = append(out, w)
	}
	return out
}

// tellWorth prints it, where there is more than one thing to weigh.
func tellWorth(w io.Writer, r *tune.AutoResult) {
	if len(r.Columns) < 2 {
		return
	}
	if slices.ContainsFunc(r.Columns, func(c tune.ColumnWorth) bool { return c.Factor }) {
		fmt.Fprintln(w, "the kernel is the product of those of the columns:")
	} else {
		fmt.Fprintln(w, "weight of the columns in the sum of their kernels:")
	}
	for _, c := range worthOf(r) {
		fmt.Fprintf(w, "  %-8s %s: %s by %s\n", c.Weight, c.Columns, c.Kind, c.Kernel)
	}
}
