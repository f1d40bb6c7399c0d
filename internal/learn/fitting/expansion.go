package fitting

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Expansion collects the coefficients of each output over the points that
// any of them uses. beta[o] has a number for each point of x, bias may be nil.
func Expansion[T any](k kernel.Kernel[T], x data.Points[T], beta [][]float64, bias []float64) (*rkhs.Func[T], []int) {
	used := []int{}
	for j := range x.Len() {
		for _, b := range beta {
			if b[j] != 0 {
				used = append(used, j)
				break
			}
		}
	}
	centres := used
	if len(used) == 0 {
		centres = []int{0} // an expansion has at least one centre; its coefficients are 0
	}
	coef := mat.NewDense(len(centres), len(beta), nil)
	for a, j := range centres {
		for o, b := range beta {
			coef.Set(a, o, b[j])
		}
	}
	return &rkhs.Func[T]{Kernel: k, Centers: data.OwnSubset(x, centres), Coef: coef, Bias: bias}, used
}

// BiasOrNil is bias where there is an intercept: a function without one has no biases at all.
func BiasOrNil(intercept bool, bias []float64) []float64 {
	if intercept {
		return bias
	}
	return nil
}
