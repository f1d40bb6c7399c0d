package svm

import (
	"context"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// rowStore keeps whole rows of the kernel matrix that several machines, fitted
// one after another, read: what one computed the next finds. It stops adding
// rows when its budget is used up.
type rowStore struct {
	kept   [][]float32 // by training point
	budget int64
	bytes  int64
}

func newRowStore(n int, budget int64) *rowStore {
	return &rowStore{kept: make([][]float32, n), budget: budget}
}

// rowMaker computes whole rows; it is the kernelMatrix without its type.
type rowMaker interface {
	wholeRows(ctx context.Context, dst linalg.Matrix[float32], rows []int) error
}

func (m *kernelMatrix[T]) wholeRows(ctx context.Context, dst linalg.Matrix[float32], rows []int) error {
	return fillTiles(ctx, m.threads, dst, m.cut(nil, rows, nil))
}

// rows returns the rows of the given points, computing those not kept.
func (s *rowStore) rows(ctx context.Context, m rowMaker, points []int) ([][]float32, error) {
	out := make([][]float32, len(points))
	var missing, at []int
	for a, p := range points {
		if out[a] = s.kept[p]; out[a] == nil {
			missing, at = append(missing, p), append(at, a)
		}
	}
	if len(missing) == 0 {
		return out, nil
	}
	fresh := linalg.New[float32](len(missing), len(s.kept))
	if err := m.wholeRows(ctx, fresh, missing); err != nil {
		return nil, err
	}
	size := int64(len(s.kept)) * 4
	for r, p := range missing {
		out[at[r]] = fresh.Row(r)
		if s.bytes+size <= s.budget {
			s.kept[p] = fresh.Row(r)
			s.bytes += size
		}
	}
	return out, nil
}
