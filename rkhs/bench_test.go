package rkhs

import (
	"fmt"
	"testing"

	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// BenchmarkOneRow is a prediction at one point after another, of 2000 centres in 20 dimensions.
func BenchmarkOneRow(b *testing.B) {
	x, dst := points(1, 20, 3), mat.NewDense(1, 1, nil)
	for name, k := range map[string]kernel.Kernel[vec]{
		"gaussian": kernel.Gaussian{Lengthscale: 4},
		"periodic": kernel.Periodic{Period: 3},
		"ard":      kernel.ARD{Kernel: kernel.Gaussian{}, Lengthscales: make20()},
	} {
		for _, prepared := range []bool{false, true} {
			f := &Func[vec]{Kernel: k, Centers: points(2000, 20, 1), Coef: random(2000, 1, 2)}
			if prepared {
				f.Prepare()
			}
			b.Run(fmt.Sprintf("%s/prepared=%v", name, prepared), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					mustEvaluate(b, f, dst, x)
				}
			})
		}
	}
}

func make20() []float64 {
	l := make([]float64, 20)
	for i := range l {
		l[i] = 1 + float64(i)
	}
	return l
}

// BenchmarkEval is the evaluation of 5000 centres at 100 000 points in 20
// dimensions, the shape of scikit-learn's KernelRidge.predict.
func BenchmarkEval(b *testing.B) {
	f := &Func[vec]{Kernel: kernel.Gaussian{Lengthscale: 4}, Centers: points(5000, 20, 1), Coef: random(5000, 1, 2)}
	x, dst := points(100000, 20, 3), mat.NewDense(100000, 1, nil)
	for name, single := range map[string]bool{"float64": false, "float32": true} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				mustEvaluate(b, f, dst, x, EvalOptions{Single: single})
			}
		})
	}
}
