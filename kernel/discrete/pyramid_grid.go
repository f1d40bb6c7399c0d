package discrete

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/internal/field"
	"github.com/mercer-ml/mercer/kernel/internal/names"
)

// maxLevels keeps the number of a cell exact in a float64.
const maxLevels = 52

// grids numbers the cells of all levels that hold a point.
type grids struct {
	scale  float64 // 1/side
	origin kernel.Vec
	cells  []names.Numbers // by level
	key    []byte
}

// pyramid is for each level the cells of one set with the number of its points there, by the number
// of the cell.
type pyramid [][]filled

type filled struct{ cell, points int32 }

func newGrids(k PyramidMatch) *grids {
	return &grids{scale: 1 / field.Or(k.Side, 1), origin: k.Origin, cells: make([]names.Numbers, k.Levels+1)}
}

// next is grids that go on from these, which are not filled any more.
func (g *grids) next() *grids {
	out := &grids{scale: g.scale, origin: g.origin, cells: make([]names.Numbers, len(g.cells))}
	for i := range g.cells {
		out.cells[i] = g.cells[i].Next()
	}
	return out
}

// filledGrids is the sets of one side and the cells that they fill.
type filledGrids struct {
	grids    *grids
	pyramids []pyramid
}

func (g *grids) pyramids(ctx context.Context, x data.Points[[]kernel.Vec]) []pyramid {
	out := make([]pyramid, x.Len())
	for i := range out {
		if ctx.Err() != nil {
			break
		}
		out[i] = g.pyramid(x.At(i))
	}
	return out
}

func (g *grids) pyramid(x []kernel.Vec) pyramid {
	finest := make([][]int64, len(x))
	for i, p := range x {
		finest[i] = make([]int64, len(p))
		for c, v := range p {
			if g.origin != nil {
				v -= g.origin[c]
			}
			finest[i][c] = cell(v, g.scale)
		}
	}
	out := make(pyramid, len(g.cells))
	for level := range out {
		counts := make(map[int32]int32, len(x))
		for _, p := range finest {
			counts[g.number(level, p)]++
		}
		for c, n := range counts {
			out[level] = append(out[level], filled{c, n})
		}
		slices.SortFunc(out[level], func(a, b filled) int { return cmp.Compare(a.cell, b.cell) })
	}
	return out
}

// cell is the number of the finest cell along one axis; those of side 2ⁱ are its higher bits, since
// a shift rounds down as floor does.
func cell(v, scale float64) int64 { return int64(math.Floor(v * scale)) }

func (g *grids) number(level int, p []int64) int32 {
	g.key = g.key[:0]
	for _, c := range p {
		g.key = binary.LittleEndian.AppendUint64(g.key, uint64(c>>level))
	}
	return g.cells[level].Of(g.key)
}

// intersection is Σ min over cells in increasing order.
func intersection(a, b []filled) int {
	s := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch c := a[i].cell - b[j].cell; {
		case c < 0:
			i++
		case c > 0:
			j++
		default:
			s += int(min(a[i].points, b[j].points))
			i++
			j++
		}
	}
	return s
}
