package kernel_test

import (
	"context"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	. "github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// dear is a kernel that prepares its points and writes down the rectangles it is asked for.
type dear struct {
	mu    *sync.Mutex
	tiles *[][4]int
}

func (dear) Eval(x, y int) float64 { return math.Cos(float64(x)) * math.Cos(float64(y)) }

func (k dear) PreparePoints(ctx context.Context, x, y data.Points[int]) Rectangle {
	fill := PreparePairs(ctx, x, y, func(x int) float64 { return math.Cos(float64(x)) },
		func(u, v float64) float64 { return u * v })
	return func(dst *mat.Dense, i, j int) {
		r, c := dst.Dims()
		k.mu.Lock()
		*k.tiles = append(*k.tiles, [4]int{i, j, r, c})
		k.mu.Unlock()
		fill(dst, i, j)
	}
}

// Values that are made a pair at a time come in tiles of 16 to 64 points while there are few of
// them, so that several goroutines share them; how they are cut, and every bit, is the same for any
// number of goroutines.
func TestSmallTilesForDearKernels(t *testing.T) {
	for _, c := range []struct{ rows, cols, side int }{{100, 100, 16}, {500, 500, 32}, {40, 300, 19}, {1000, 1000, 63}} {
		var want []float64
		var cut [][4]int
		for _, threads := range datatest.Threads() {
			k := dear{new(sync.Mutex), new([][4]int)}
			x := data.Points[int](data.Indices(c.rows))
			y := x
			if c.cols != c.rows {
				y = data.Indices(c.cols)
			}
			dst := mat.NewDense(c.rows, c.cols, nil)
			if err := Fill(threads, dst.RawMatrix(), Prepare(context.Background(), Kernel[int](k), x, y)); err != nil {
				t.Fatal(err)
			}
			down, across := (c.rows+c.side-1)/c.side, (c.cols+c.side-1)/c.side
			tiles := down * across
			if c.rows == c.cols {
				tiles = down * (down + 1) / 2
			}
			if len(*k.tiles) != tiles {
				t.Errorf("%d×%d, %d threads: %d tiles, want %d of %d", c.rows, c.cols, threads, len(*k.tiles), tiles, c.side)
			}
			slices.SortFunc(*k.tiles, func(a, b [4]int) int { return slices.Compare(a[:], b[:]) })
			if want == nil {
				want, cut = dst.RawMatrix().Data, *k.tiles
			}
			if !slices.Equal(cut, *k.tiles) || !slices.Equal(want, dst.RawMatrix().Data) {
				t.Errorf("%d×%d: %d threads cut or fill otherwise than 1", c.rows, c.cols, threads)
			}
		}
		for i := range c.rows {
			if got := want[i*c.cols]; got != (dear{}).Eval(i, 0) {
				t.Fatalf("%d×%d: value (%d, 0) is %g", c.rows, c.cols, i, got)
			}
		}
	}
}
