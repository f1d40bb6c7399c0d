package kernel

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// Sparse rows that lie far from the origin have the values of the differences, too, by pairs, by
// tiles and on a base, and the derivatives of points near it; a row without an entry where all others
// have one is compared as it is.
func TestSparseRowsFarFromTheOrigin(t *testing.T) {
	const n, d = 9, 3
	maha, err := NewMahalanobis(Gaussian{Lengthscale: 1.3},
		mat.NewSymDense(d, []float64{2, 1.9, 0.3, 1.9, 2, 0.4, 0.3, 0.4, 0.7}))
	if err != nil {
		t.Fatal(err)
	}
	ard := ARD{Kernel: Gaussian{}, Lengthscales: []float64{0.7, 1.3, 3.1}}
	at, moved := farPoints(n, d, 1<<30, 5)
	zero := make(Vec, d)
	rows := make(data.Slice[data.SparseVec], n)
	for i, x := range moved {
		rows[i] = data.SparseVec{Index: []int32{0, 1, 2}, Value: x}
	}
	other := append(data.Slice[data.SparseVec]{{Index: []int32{0, 2}, Value: []float64{moved[0][0], moved[0][2]}}, {}},
		rows...)
	for name, dense := range map[string]Kernel[Vec]{"mahalanobis": maha, "ard": ard,
		"sum": Sum[Vec](maha, Scale[Vec](0.5, ard)), "on": On(ARD{Kernel: Gaussian{}, Lengthscales: []float64{0.7, 3.1}}, 0,
			2)} {
		k, err := OnSparse(dense, d)
		if err != nil {
			t.Fatal(err)
		}
		tile := mat.NewDense(n+2, n, nil)
		if err := Block[data.SparseVec](t.Context(), k, tile, other, rows); err != nil {
			t.Fatal(err)
		}
		base := NewBase(k, data.Points[data.SparseVec](rows))
		row := make([]float64, n)
		for i, x := range other {
			if err := base.Row(t.Context(), row, x); err != nil {
				t.Fatal(err)
			}
			for j := range n {
				diff := make(Vec, d)
				expand(diff, x)
				for a := range diff {
					diff[a] -= moved[j][a]
				}
				want := dense.Eval(diff, zero)
				for what, got := range map[string]float64{"pair": k.Eval(x, rows[j]), "tile": tile.At(i, j),
					"row of a base": row[j]} {
					if math.Abs(got-want) > 1e-13 {
						t.Errorf("%s: %s of %d, %d is %.17g, by differences %.17g", name, what, i, j, got, want)
					}
				}
			}
		}
		w := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				w.Set(i, j, math.Sin(float64(i*n+j)))
			}
		}
		far, near := make([]float64, len(Params(k))), make([]float64, len(Params(k)))
		if err := ParamGradDot(t.Context(), k, far, nil, w, rows, rows); err != nil {
			t.Fatal(err)
		}
		if err := ParamGradDot(t.Context(), dense, near, nil, w, at, at); err != nil {
			t.Fatal(err)
		}
		for p := range far {
			if math.Abs(far[p]-near[p]) > 1e-12*(1+math.Abs(near[p])) {
				t.Errorf("%s: summed derivative %d is %.17g, near the origin %.17g", name, p, far[p], near[p])
			}
		}
	}
}
