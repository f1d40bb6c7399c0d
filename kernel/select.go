package kernel

import "github.com/mercer-ml/mercer/data"

// Selector is an optional interface of Tiles that can cut rows and columns out
// of what they prepared, for the price of copying those points alone.
type Selector interface {
	Tiles
	// Select is the tiles of x[rows[0]], x[rows[1]], … against y[cols[0]],
	// y[cols[1]], …; a nil list means all, in order.
	Select(rows, cols []int) Tiles
}

// Select cuts rows and columns out of a pair-by-pair evaluation.
func (p pairTiles[T]) Select(rows, cols []int) Tiles {
	if rows != nil {
		p.x = data.Gather(p.x, rows)
	}
	if cols != nil {
		p.y = data.Gather(p.y, cols)
	}
	return p
}
