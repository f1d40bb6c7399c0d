package cli

import (
	"fmt"
	"io"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/tune"
)

// tellPlan says before the work starts that a Gram matrix would not fit into
// the memory budget, and what is done instead.
func tellPlan(w io.Writer, d *data.Dataset, o tune.AutoOptions) {
	rows := d.Len()
	if o.Holdout > 0 {
		rows -= int(o.Holdout * float64(rows))
	}
	p := o.Plan(rows)
	if p.GramBytes <= p.Bytes {
		return
	}
	fmt.Fprintf(w, "n = %s: a full Gram matrix needs %s; budget %s\n", data.Thousands(rows), sizeText(p.GramBytes), sizeText(p.Bytes))
	fmt.Fprintf(w, "searching on %s rows; fits keep the kernel columns that the budget holds and\ncompute the others anew (more: --memory)\n", data.Thousands(p.SearchRows))
}
