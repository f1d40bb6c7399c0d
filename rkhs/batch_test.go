package rkhs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// TestRowsStandAlone: the value at a point has the same bits whatever points it is asked for with,
// far away ones too, however many, wherever it stands, at any number of threads.
func TestRowsStandAlone(t *testing.T) {
	kernels := map[string]kernel.Kernel[vec]{
		"gaussian": kernel.Gaussian{Lengthscale: 4}, "narrow gaussian": kernel.Gaussian{Lengthscale: 0.3},
		"linear": kernel.Linear{}, "poly": kernel.Polynomial{Degree: 3, Offset: 1},
		"laplace": kernel.Laplace{}, "l1": kernel.LaplaceL1{}, "matern": kernel.Matern{Nu: 2.5, Lengthscale: 3},
		"periodic":   kernel.Periodic{Period: 3},
		"chi":        kernel.Exp[vec](kernel.Scale[vec](-0.01, kernel.Linear{})),
		"sum":        kernel.Sum[vec](kernel.Gaussian{Lengthscale: 4}, kernel.Linear{}, kernel.Cosine{}),
		"product":    kernel.Product[vec](kernel.Gaussian{Lengthscale: 4}, kernel.Polynomial{Offset: 1}),
		"rational":   kernel.RationalQuadratic{Lengthscale: 2},
		"normalised": kernel.Normalize[vec](kernel.Polynomial{Offset: 1}),
	}
	for _, shape := range []struct{ centers, dim, outputs int }{{1500, 20, 1}, {40, 3, 1}, {30, 2, 3}, {300, 5, 7},
		{20, 600, 2}, {3, 1, 1}} {
		for name, k := range kernels {
			f := &Func[vec]{Kernel: k, Centers: points(shape.centers, shape.dim, 1),
				Coef: random(shape.centers, shape.outputs, 2), Bias: make([]float64, shape.outputs)}
			x := points(150, shape.dim, 3)
			for j := range x.At(149) {
				x.At(149)[j] = 1e3 // a point far from all others
			}
			for _, single := range []bool{false, true} {
				what := fmt.Sprintf("%s, %+v, single %v", name, shape, single)
				rowsStandAlone(t, what, f, x, EvalOptions{Single: single})
			}
		}
	}
}

func rowsStandAlone(t *testing.T, what string, f *Func[vec], x data.DenseRows, o EvalOptions) {
	t.Helper()
	evaluate := func(x data.Points[vec], o EvalOptions) *mat.Dense {
		out, err := f.Evaluate(t.Context(), x, o)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		return out
	}
	whole := evaluate(x, o)
	for _, size := range []int{1, 2, 3, 5, 8, 17, 64, 65, 130} {
		for start := 0; start+size <= x.Len(); start += max(size, 29) {
			index := make([]int, size)
			for i := range index {
				index[i] = start + i
			}
			part := evaluate(data.Gather(data.Points[vec](x), index), EvalOptions{Single: o.Single, Threads: 1 + size%3})
			for i := range size {
				for j := range f.Outputs() {
					if a, b := part.At(i, j), whole.At(start+i, j); math.Float64bits(a) != math.Float64bits(b) &&
						!(math.IsNaN(a) && math.IsNaN(b)) {
						t.Errorf("%s (%v): row %d of %d is %.17g, among all %.17g", what, simd.Current(), i, size, a, b)
						return
					}
				}
			}
		}
	}
}

// TestSparseRowsStandAlone is TestRowsStandAlone for sparse rows, few and many columns.
func TestSparseRowsStandAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for _, dim := range []int{30, 400, 100000} {
		draw := func(n, most int) data.SparseRows {
			rows := make([]data.SparseVec, n)
			for i := range rows {
				for j := rng.IntN(dim / 10); j < dim && len(rows[i].Index) < most; j += 1 + rng.IntN(dim/10) {
					rows[i].Index, rows[i].Value = append(rows[i].Index, int32(j)), append(rows[i].Value, rng.NormFloat64())
				}
			}
			return data.SparseOf(rows, dim)
		}
		centers, x := draw(200, 20), draw(90, 25)
		for _, k := range []kernel.Kernel[vec]{kernel.Gaussian{Lengthscale: 2}, kernel.Linear{}, kernel.LaplaceL1{},
			kernel.Sum[vec](kernel.Polynomial{Offset: 1}, kernel.Laplace{})} {
			on, err := kernel.OnSparse(k, dim)
			if err != nil {
				t.Fatal(err)
			}
			f := &Func[data.SparseVec]{Kernel: on, Centers: centers, Coef: random(200, 2, 2)}
			whole, err := f.Evaluate(t.Context(), x)
			if err != nil {
				t.Fatal(err)
			}
			for _, size := range []int{1, 2, 3, 9, 20} {
				for start := 0; start+size <= x.Len(); start += max(size, 13) {
					part, err := f.Evaluate(t.Context(), data.Gather(data.Points[data.SparseVec](x), par.Indices(start, start+size)))
					if err != nil {
						t.Fatal(err)
					}
					if !mat.Equal(part, whole.Slice(start, start+size, 0, 2)) {
						t.Fatalf("%T, %d columns: %d rows from %d alone are other than among all", k, dim, size, start)
					}
				}
			}
		}
	}
}

// TestExtremeRowStandsAlone: a point whose squares leave the range of float64 changes no bit of the
// others, and has its own values.
func TestExtremeRowStandsAlone(t *testing.T) {
	for _, k := range []kernel.Kernel[vec]{kernel.Gaussian{Lengthscale: 4}, kernel.Matern{Nu: 1.5, Lengthscale: 1e200},
		kernel.RationalQuadratic{Lengthscale: 2}} {
		f := &Func[vec]{Kernel: k, Centers: points(300, 4, 1), Coef: random(300, 2, 2)}
		x := points(90, 4, 3)
		x.At(7)[2] = 1e200
		rowsStandAlone(t, fmt.Sprintf("%T", k), f, x, EvalOptions{})
		out, err := f.Evaluate(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		if want := f.At(x.At(7)); math.Abs(out.At(7, 0)-want[0]) > 1e-9*(1+math.Abs(want[0])) {
			t.Errorf("%T: %g at the far point, by definition %g", k, out.At(7, 0), want[0])
		}
	}
}
