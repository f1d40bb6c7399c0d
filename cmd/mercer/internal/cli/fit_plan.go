package cli

import (
	"fmt"
	"io"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/tune"
)

// tellPlan says before the work starts that a Gram matrix would not fit into
// the memory budget, and what is done instead.
func tellPlan(w io.Writer, d *data.Dataset, o tune.AutoOptions, memory memoryPlan) {
	rows := d.Len()
	if o.Holdout > 0 {
		rows -= int(o.Holdout * float64(rows))
	}
	whole := 8 * int64(rows) * int64(rows)
	if whole <= memory.total {
		return
	}
	fmt.Fprintf(w, "n = %s: a full Gram matrix needs %s; budget %s\n", phrase.Thousands(rows), sizeText(whole),
		sizeText(memory.total))
	fmt.Fprintf(w, "fits keep the kernel columns that the budget holds and compute the others anew\n(more: --memory)\n")
}
