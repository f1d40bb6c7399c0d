package tune

import "github.com/mercer-ml/mercer/gram"

// Plan is what a search in Auto will do about the size of its problem.
type Plan struct {
	SearchRows int   // rows that take part in the search
	GramBytes  int64 // of a full Gram matrix in double precision
	Bytes      int64 // the memory budget
}

// Plan says what Auto will do with so many rows to learn from, before it
// starts.
func (o AutoOptions) Plan(rows int) Plan {
	p := Plan{SearchRows: min(rows, searchRows(o.Budget)), GramBytes: 8 * int64(rows) * int64(rows), Bytes: o.Bytes}
	if p.Bytes == 0 {
		p.Bytes = gram.DefaultBytes()
	}
	return p
}
