package fisher_test

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/fisher"
	"gonum.org/v1/gonum/mat"
)

// ring is 40 points: a disc, and a ring around it.
func ring() (data.Points[kernel.Vec], []string) {
	x, y := mat.NewDense(40, 2, nil), make([]string, 40)
	for i := range y {
		r, angle := 0.5, float64(i)*2.4
		y[i] = "inside"
		if i%2 == 1 {
			r, y[i] = 2, "outside"
		}
		x.SetRow(i, []float64{r * math.Cos(angle), r * math.Sin(angle)})
	}
	return data.Rows(x), y
}

func ExampleDiscriminant() {
	ctx := context.Background()
	x, y := ring()
	m, err := fisher.Discriminant[kernel.Vec, string]{Kernel: kernel.Gaussian{}}.Fit(ctx, x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	labels, err := m.Predict(ctx, data.Rows(mat.NewDense(2, 2, []float64{0, 0, 2, 0.3})))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(labels, len(m.Ratios()))
	// Output: [inside outside] 1
}
