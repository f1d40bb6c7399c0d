package spec_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// The pair product of every kernel of the catalogue and of the algebra, on dense rows and on sparse
// ones, is Kᵀ(Kv) by the double loop.
func TestPairProductOfEverySample(t *testing.T) {
	for _, e := range append(spec.Algebra(), spec.Vectors()...) {
		for _, text := range e.Samples {
			k, err := spec.ParseKernel(text)
			if err != nil {
				t.Fatal(err)
			}
			x := pointsOf(e.Domain)
			checkPair(t, text, k, x, k, x)
			d := len(x.At(0))
			if s, err := kernel.OnSparse(k, d); err == nil {
				rows := make([]data.SparseVec, x.Len())
				for i := range rows {
					for j, v := range x.At(i) {
						if v != 0 {
							rows[i].Index, rows[i].Value = append(rows[i].Index, int32(j)), append(rows[i].Value, v)
						}
					}
				}
				checkPair(t, text+" on sparse rows", s, data.Points[data.SparseVec](data.SparseOf(rows, d)), k, x)
			}
		}
	}
}

func checkPair[T any](
	t *testing.T, name string, k kernel.Kernel[T], x data.Points[T], meaning kernel.Kernel[kernel.Vec],
	points data.Points[kernel.Vec],
) {
	t.Helper()
	n, m := x.Len(), 5
	rng := rand.New(rand.NewPCG(1, 1))
	v := mat.NewDense(m, 1, nil)
	for i := range m {
		v.Set(i, 0, rng.NormFloat64())
	}
	want, size := make([]float64, m), make([]float64, m)
	for i := range n {
		kv, most := 0.0, 0.0
		for j := range m {
			e := meaning.Eval(points.At(i), points.At(j)) * v.At(j, 0)
			kv, most = kv+e, most+math.Abs(e)
		}
		for j := range m {
			e := meaning.Eval(points.At(i), points.At(j))
			want[j] += e * kv
			size[j] += math.Abs(e) * most
		}
	}
	for precision, tol := range map[gram.Precision]float64{gram.Double: 1e-9, gram.Single: 1e-3} {
		p, err := gram.NewPair(k, data.Source[T](data.NewInMemory(x, nil, 0, nil)), data.Gather(x, []int{0, 1, 2, 3, 4}),
			gram.PairOptions{Precision: precision})
		if err != nil {
			t.Fatal(err)
		}
		got := mat.NewDense(m, 1, nil)
		if err := p.MulTo(t.Context(), got, v, gram.Copy[T]); err != nil {
			t.Fatal(err)
		}
		for j := range m {
			if !(math.Abs(got.At(j, 0)-want[j]) <= tol*size[j]) {
				t.Errorf("%s, %v: %g at centre %d, want %g", name, precision, got.At(j, 0), j, want[j])
			}
		}
	}
}
