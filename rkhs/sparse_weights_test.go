package rkhs

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Functions of the linear kernel may have weights of all columns as their centres, while the rows
// that they are asked of have few entries: these are not spelled out, and a row alone has the bits
// that it has among others.
func TestWeightsOfManyColumns(t *testing.T) {
	const columns, rows, entries = 20000, 1000, 30
	rng := rand.New(rand.NewPCG(1, 2))
	for _, outputs := range []int{1, 12} {
		w := make([]data.SparseVec, outputs)
		for k := range w {
			for j := range columns {
				w[k].Index, w[k].Value = append(w[k].Index, int32(j)), append(w[k].Value, rng.NormFloat64())
			}
		}
		x := make([]data.SparseVec, rows)
		for i := range x {
			for e := range entries {
				x[i].Index = append(x[i].Index, int32(e*columns/entries+rng.IntN(columns/entries)))
				x[i].Value = append(x[i].Value, rng.NormFloat64())
			}
		}
		k, err := kernel.OnSparse(kernel.Linear{}, columns)
		if err != nil {
			t.Fatal(err)
		}
		coef := mat.NewDense(outputs, outputs, nil)
		for k := range outputs {
			coef.Set(k, k, 1)
		}
		f := (&Func[data.SparseVec]{Kernel: k, Centers: data.SparseOf(w, columns), Coef: coef}).Prepare()
		all, alone := mat.NewDense(rows, outputs, nil), mat.NewDense(1, outputs, nil)
		some := data.SparseOf(x, columns)
		mustEvaluate(t, f, all, data.Points[data.SparseVec](some)) // prepares the weights
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		mustEvaluate(t, f, all, data.Points[data.SparseVec](some))
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 8*rows*columns/4 {
			t.Errorf("%d outputs: %d bytes for %d entries", outputs, taken, rows*entries)
		}
		for i := range 20 {
			mustEvaluate(t, f, alone, data.Points[data.SparseVec](data.SparseOf(x[i:i+1], columns)))
			for k := range outputs {
				sum := 0.0
				for e, j := range x[i].Index {
					sum += x[i].Value[e] * w[k].Value[j]
				}
				if got := all.At(i, k); math.Abs(got-sum) > 1e-10 || got != alone.At(0, k) {
					t.Errorf("row %d, output %d: %g, alone %g, want %g", i, k, got, alone.At(0, k), sum)
				}
			}
		}
	}
}
