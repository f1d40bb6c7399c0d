package tune

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/learn"
)

// besideRows is the memory that is left for matrices beside the encoded rows: those, a part of them
// that a search or a fold gathers, and the copy that a fitted model is to have of its own. What
// leaves nothing is refused.
func besideRows(bytes int64, x *data.Encoded) (int64, error) {
	if bytes == 0 {
		bytes = gram.DefaultBytes()
	}
	rows := 3 * x.Bytes()
	least := rows + leastBytes(x.Len())
	if bytes < least {
		return 0, fault.In("tune", &learn.OverBudget{Learner: "a search", Points: x.Len(), Needs: least, Budget: bytes,
			Instead: "give it more memory or take fewer rows"})
	}
	return bytes - rows, nil
}

// leastBytes is what a fit on n rows needs, with the numbers that every solver has for each of
// them.
func leastBytes(n int) int64 { return 1<<18 + 256*int64(n) }
