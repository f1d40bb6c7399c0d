package rkhs

import (
	"testing"

	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// BenchmarkEval is the evaluation of 5000 centres at 100 000 points in 20
// dimensions, the shape of scikit-learn's KernelRidge.predict.
func BenchmarkEval(b *testing.B) {
	f := &Func[vec]{Kernel: kernel.Gaussian{Lengthscale: 4}, Centers: points(5000, 20, 1), Coef: random(5000, 1, 2)}
	x, dst := points(100000, 20, 3), mat.NewDense(100000, 1, nil)
	for name, single := range map[string]bool{"float64": false, "float32": true} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f.EvalWith(dst, x, EvalOptions{Single: single})
			}
		})
	}
}
