package tune

import (
	"math"
	"sync/atomic"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
)

// Sums, products and multiples of one kernel have the values of their formula, and all of them
// together compare each pair of points once; where the budget has no room for a part the values are
// the same.
func TestPartsAreComparedOnce(t *testing.T) {
	const n = 60
	p := toy(n, data.Regression, 3)
	var evals atomic.Int64
	part := kernel.Kernel[kernel.Vec](plainCounted{&evals})
	one := kernel.Constant[kernel.Vec](1)
	kernels := []kernel.Kernel[kernel.Vec]{
		part, kernel.Scale(0.25, part), kernel.Sum(kernel.Scale(0.5, part), one, part),
		kernel.Product(kernel.Sum(one, kernel.Scale(2, part)), part, kernel.Sum(part, part)),
	}
	for _, budget := range []int64{1 << 30, 8*n*n - 1} {
		store := newMetricStore(p.Points, budget)
		store.parts.text = func(k kernel.Kernel[any]) (string, bool) {
			_, ok := kernel.Concrete(k).(plainCounted)
			return "counted", ok
		}
		evals.Store(0)
		for _, threads := range []int{1, 3} {
			for _, k := range kernels {
				double := linalg.New[float64](n, n)
				store.gram64(double, vec(k), threads)
				single := store.borrow()
				store.gram32(single, vec(k), threads)
				for i := range n {
					for j := range n {
						want := k.Eval(p.Points.At(i).(kernel.Vec), p.Points.At(j).(kernel.Vec))
						evals.Add(-int64(leaves(k)))
						if math.Abs(double.At(i, j)-want) > 1e-12*math.Abs(want) ||
							math.Abs(float64(single.At(i, j))-want) > 1e-6*math.Abs(want) {
							t.Fatalf("budget %d, %T at %d, %d: %g and %g, want %g", budget, k, i, j, double.At(i, j), single.At(i, j), want)
						}
					}
				}
			}
		}
		if got := evals.Load(); budget == 1<<30 && got > n*n {
			t.Errorf("%d values for %d pairs", got, n*n)
		} else if budget < 1<<30 && got < 8*n*n/2 {
			t.Errorf("%d values where nothing may be kept", got)
		}
	}
}

// leaves is how many kernels a sum or product is made of that are counted.
func leaves(k kernel.Kernel[kernel.Vec]) int {
	switch k := k.(type) {
	case kernel.SumOf[kernel.Vec]:
		return leavesOf(k.Terms)
	case kernel.ProductOf[kernel.Vec]:
		return leavesOf(k.Factors)
	case kernel.ScaleOf[kernel.Vec]:
		return leaves(k.Kernel)
	case plainCounted:
		return 1
	}
	return 0
}

func leavesOf(ks []kernel.Kernel[kernel.Vec]) (n int) {
	for _, k := range ks {
		n += leaves(k)
	}
	return n
}
