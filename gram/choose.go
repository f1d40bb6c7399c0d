package gram

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
)

// choice is a layout with the reason it was taken.
type choice struct {
	Options
	r, c      int
	symmetric bool
	single    bool
	why       string
	ctx       context.Context // of the tiles; nil: to the end
}

// ended is the error of a context that ended before the matrix was made.
func (c choice) ended() error {
	if c.ctx == nil {
		return nil
	}
	return c.ctx.Err()
}

// bytesOf is what a layout keeps for an r×c matrix of entries of the given
// size.
func bytesOf(l Layout, r, c int, size int64) float64 {
	switch l {
	case Full:
		return float64(r) * float64(c) * float64(size)
	case Half:
		entries := 0.0
		for i := 0; i < r; i += halfTile {
			end := min(i+halfTile, r)
			entries += float64(end-i) * float64(end)
		}
		return entries * float64(size)
	}
	return 0
}

// choose picks the fastest layout in the budget.
func choose(r, c int, symmetric bool, o Options) (choice, error) {
	if o.Bytes == 0 {
		o.Bytes = par.DefaultBytes()
	}
	ch := choice{Options: o, r: r, c: c, symmetric: symmetric, single: o.Precision == Single}
	if o.Layout == Half && !symmetric {
		return ch, fault.Errorf("gram", "layout half needs K(X, X); K(X, Y) has no symmetry to use")
	}
	if o.Layout != Auto {
		need := bytesOf(o.Layout, r, c, ch.size())
		if need > float64(o.Bytes) && o.Precision == Either {
			ch.single = true
			need = bytesOf(o.Layout, r, c, 4)
		}
		if need > float64(o.Bytes) {
			return ch, fault.Errorf("gram",
				"layout %v of a %d×%d matrix in %s needs %s, the budget is %s; give it more memory, or leave the layout open",
				o.Layout, r, c, ch.precision(), human(need), human(float64(o.Bytes)))
		}
		ch.why = "asked for"
		return ch, nil
	}
	sizes := []int64{8}
	switch o.Precision {
	case Single:
		sizes = []int64{4}
	case Either:
		sizes = []int64{8, 4}
	}
	least := math.Inf(1)
	for _, size := range sizes {
		for _, l := range []Layout{Full, Half} {
			if l == Half && !symmetric {
				continue
			}
			need := bytesOf(l, r, c, size)
			if need <= float64(o.Bytes) {
				ch.Layout, ch.single = l, size == 4
				ch.why = fmt.Sprintf("needs %s of a budget of %s", human(need), human(float64(o.Bytes)))
				return ch, nil
			}
			least = math.Min(least, need)
		}
	}
	ch.Layout = Lazy
	if o.ByColumn {
		ch.Layout = Columns
	}
	ch.why = fmt.Sprintf("to store it takes %s, the budget is %s", human(least), human(float64(o.Bytes)))
	return ch, nil
}

func (c choice) size() int64 {
	if c.single {
		return 4
	}
	return 8
}

func (c choice) precision() Precision {
	if c.single {
		return Single
	}
	return Double
}

// build makes the chosen layout over t; diag is the diagonal of a symmetric
// matrix.
func (c choice) build(t kernel.Tiles, diag []float64) (Accessor, error) {
	if c.single {
		return buildAs(c, tiles[float32]{t, single(t)}, diag)
	}
	return buildAs(c, tiles[float64]{t, double(t)}, diag)
}

func buildAs[F linalg.Float](c choice, t tiles[F], diag []float64) (Accessor, error) {
	switch c.Layout {
	case Full:
		s, err := newFull(c, t)
		return asDense(s), err
	case Half:
		return newHalf(c, t, diag)
	case Columns:
		return newCached(c, t, diag), nil
	default:
		return &lazy[F]{tiles: t, choice: c, diag: diag}, nil
	}
}

// describe is the line Describe gives for this choice.
func (c choice) describe() string {
	return fmt.Sprintf("%v %v, %d×%d: %s", c.Layout, c.precision(), c.r, c.c, c.why)
}

// human writes a number of bytes for people.
func human(b float64) string {
	const unit = 1024
	if b < unit {
		return fmt.Sprintf("%.0f B", b)
	}
	for _, u := range []string{"KiB", "MiB", "GiB", "TiB"} {
		b /= unit
		if b < unit || u == "TiB" {
			return fmt.Sprintf("%.3g %s", b, u)
		}
	}
	return ""
}
