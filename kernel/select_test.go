package kernel_test

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	. "github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
)

// Rows and columns cut out of prepared tiles have the values they had in the
// whole, for every kernel, dense and sparse.
func TestSelectEqualsTheWhole(t *testing.T) {
	rows, cols := []int{7, 0, 3, 11, 12, 2}, []int{5, 6, 1, 19}
	check := func(name string, whole Tiles) {
		n, _ := whole.Dims()
		all := linalg.New[float64](n, n)
		whole.Tile(blas64.General(all), 0, 0)
		cut := whole.(Selector).Select(rows, cols)
		got := linalg.New[float64](len(rows), len(cols))
		cut.Tile(blas64.General(got), 0, 0)
		for a, i := range rows {
			for b, j := range cols {
				if v, w := got.At(a, b), all.At(i, j); !(math.Abs(v-w) <= 1e-7*(1+math.Abs(w))) {
					t.Errorf("%s: (%d, %d) is %g after the cut, %g before", name, i, j, v, w)
					return
				}
			}
		}
	}
	for _, s := range subjects() {
		x := s.sample.points()
		check(s.name, Prepare(context.Background(), s.k, x, x))
		var sparse []data.SparseVec
		for i := range x.Len() {
			var r data.SparseVec
			for j, v := range x.At(i) {
				r.Index, r.Value = append(r.Index, int32(j)), append(r.Value, v)
			}
			sparse = append(sparse, r)
		}
		k, err := OnSparse(s.k, len(x.At(0)))
		if err != nil {
			t.Fatal(err)
		}
		p := data.Points[data.SparseVec](data.SparseOf(sparse, len(x.At(0))))
		check(s.name+" sparse", Prepare(context.Background(), k, p, p))
	}
}
