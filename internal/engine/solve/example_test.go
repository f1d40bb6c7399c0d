package solve_test

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"gonum.org/v1/gonum/mat"
)

func ExampleCG() {
	a := linalg.DenseOp{A: linalg.Of(mat.NewDense(2, 2, []float64{2, 1, 1, 3}))}
	x, b := mat.NewDense(2, 1, nil), mat.NewDense(2, 1, []float64{3, 4})
	res, err := solve.CG{}.Solve(context.Background(), a, x, b)
	fmt.Printf("%.4f %.4f %v %v\n", x.At(0, 0), x.At(1, 0), res.Converged, err)
	// Output: 1.0000 1.0000 true <nil>
}

// parabola is ½‖x - (1, 2)‖².
type parabola struct{}

func (parabola) Dot(a, b []float64) float64 { return a[0]*b[0] + a[1]*b[1] }
func (p parabola) Eval(x, g []float64) float64 {
	g[0], g[1] = x[0]-1, x[1]-2
	return p.Dot(g, g) / 2
}
func (parabola) Hessian([]float64) func(dst, v []float64) {
	return func(dst, v []float64) { copy(dst, v) }
}

func ExampleLBFGS() {
	x := make([]float64, 2)
	m, err := solve.LBFGS(context.Background(), parabola{}, x, solve.Settings{})
	fmt.Printf("%.4f %v %v\n", x, m.Converged, err)
	// Output: [1.0000 2.0000] true <nil>
}

func ExampleNewton() {
	x := make([]float64, 2)
	m, err := solve.Newton(context.Background(), parabola{}, x, solve.Settings{})
	fmt.Printf("%.4f %v %v\n", x, m.Iterations, err)
	// Output: [1.0000 2.0000] 1 <nil>
}
