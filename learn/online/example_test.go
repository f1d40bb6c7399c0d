package online_test

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/online"
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

// The disc and the ring around it are apart in the feature space of quadratics, so that the
// perceptron ends without a mistake.
func ExamplePerceptron() {
	ctx := context.Background()
	x, y := ring()
	m, err := online.Perceptron[kernel.Vec, string]{Kernel: kernel.Polynomial{Degree: 2, Offset: 1}}.Fit(ctx, x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	labels, err := m.Predict(ctx, data.Rows(mat.NewDense(2, 2, []float64{0, 0, 2, 0.3})))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(labels, m.Report().Converged)
	// Output: [inside outside] true
}

func ExampleLinearPerceptron() {
	ctx := context.Background()
	x := data.Rows(mat.NewDense(4, 2, []float64{0, 0, 1, 0, 3, 3, 4, 2}))
	m, err := online.LinearPerceptron[kernel.Vec,
		int]{PerceptronOptions: online.PerceptronOptions{Intercept: true}}.Fit(ctx, x, []int{0, 0, 1, 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	labels, err := m.Predict(ctx, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(labels)
	// Output: [0 0 1 1]
}

// Examples come one at a time, and the machine never keeps more than its budget of them.
func ExampleMachine_Observe() {
	o, err := online.Norma[kernel.Vec]{Kernel: kernel.Gaussian{}, Schedule: online.Constant, Eta: 0.5, Budget: 20}.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	x, y := ring()
	for i := range y {
		sign := 1.0
		if y[i] == "outside" {
			sign = -1
		}
		if _, err := o.Observe(x.At(i), sign); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(o.Decision(kernel.Vec{0, 0}) > 0, o.Decision(kernel.Vec{2, 0}) > 0, len(o.State().Centers))
	// Output: true false 20
}

// Online regression, in five passes over the data.
func ExampleNorma() {
	ctx := context.Background()
	x := data.Line([]float64{0, 1, 2, 3, 4, 5})
	y := []float64{1, 1, 1, -1, -1, -1}
	m, err := online.Norma[kernel.Vec]{Kernel: kernel.Gaussian{}, Loss: online.Squared, Eta: 0.5, Passes: 5}.Fit(ctx, x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	values, err := m.Predict(ctx, data.Line([]float64{0.5, 4.5}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(values[0] > 0.5, values[1] < -0.5)
	// Output: true true
}

func ExampleNormaClassification() {
	ctx := context.Background()
	x, y := ring()
	m, err := online.NormaClassification[kernel.Vec, string]{Norma: online.Norma[kernel.Vec]{Kernel: kernel.Gaussian{},
		Loss: online.LogisticLoss, Passes: 5}}.Fit(ctx, x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	labels, err := m.Predict(ctx, data.Rows(mat.NewDense(2, 2, []float64{0, 0, 2, 0.3})))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(labels)
	// Output: [inside outside]
}
