package tune

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/learn"
)

// Plan is what a search in Auto will do about the size of its problem.
type Plan struct {
	SearchRows int   // rows that take part in the search
	GramBytes  int64 // of a full Gram matrix in double precision
	Bytes      int64 // the memory budget
}

// Plan says what Auto will do with so many rows to learn from, before it
// starts.
func (o AutoOptions) Plan(rows int) Plan {
	p := Plan{GramBytes: 8 * int64(rows) * int64(rows), Bytes: o.Bytes}
	if p.Bytes == 0 {
		p.Bytes = gram.DefaultBytes()
	}
	most, _ := searchRows(o.Budget, p.Bytes)
	p.SearchRows = min(rows, most)
	return p
}

// besideRows is the memory that is left for matrices beside the encoded rows: those, a part of them that a search or a fold
// gathers, and the copy that a fitted model is to have of its own. What leaves nothing is refused.
func besideRows(bytes int64, x *data.Encoded) (int64, error) {
	if bytes == 0 {
		bytes = gram.DefaultBytes()
	}
	rows := 3 * x.Bytes()
	least := rows + leastBytes(x.Len())
	if bytes < least {
		return 0, fault.In("tune", &learn.OverBudget{Learner: "a search", Points: x.Len(), Needs: least, Budget: bytes, Instead: "give it more memory or take fewer rows"})
	}
	return bytes - rows, nil
}

// leastBytes is what a fit on n rows needs, with the numbers that every solver has for each of them.
func leastBytes(n int) int64 { return 1<<18 + 256*int64(n) }
