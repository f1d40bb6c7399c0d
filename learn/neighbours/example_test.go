package neighbours_test

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/neighbours"
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

func ExampleClassification() {
	ctx := context.Background()
	x, y := ring()
	m, err := neighbours.Classification[kernel.Vec, string]{Kernel: kernel.Gaussian{},
		Options: neighbours.Options{K: 3}}.Fit(ctx, x, y)
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

func ExampleRegression() {
	ctx := context.Background()
	x := data.Rows(mat.NewDense(4, 1, []float64{0, 1, 2, 10}))
	m, err := neighbours.Regression[kernel.Vec]{Kernel: kernel.Linear{}, Options: neighbours.Options{K: 2}}.Fit(ctx, x,
		[]float64{1, 3, 5, 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	values, err := m.Predict(ctx, data.Rows(mat.NewDense(2, 1, []float64{0.2, 9})))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(values)
	// Output: [2 52.5]
}

// A class is where its medoid is; the points are strings, and the kernel is one's own.
func ExampleMedoid() {
	ctx := context.Background()
	x := data.Slice[string]{"aaa", "aab", "aba", "zzz", "zzy", "yzz"}
	m, err := neighbours.Medoid[string, int]{Kernel: agreement{}}.Fit(ctx, x, []int{1, 1, 1, 2, 2, 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	labels, err := m.Predict(ctx, data.Slice[string]{"bab", "yzy"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Medoids(), labels)
	// Output: [0 3] [1 2]
}

// A class is where its mean is: nothing to tune but the kernel.
func ExampleCentroid() {
	ctx := context.Background()
	x := data.Rows(mat.NewDense(4, 1, []float64{0, 1, 5, 9}))
	m, err := neighbours.Centroid[kernel.Vec, string]{Kernel: kernel.Linear{}}.Fit(ctx, x,
		[]string{"low", "low", "high", "high"})
	if err != nil {
		fmt.Println(err)
		return
	}
	labels, err := m.Predict(ctx, data.Rows(mat.NewDense(2, 1, []float64{3.7, 3.8})))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(labels)
	// Output: [low high]
}

// agreement is the number of places in which two strings agree: a kernel of one's own.
type agreement struct{}

func (agreement) Eval(x, y string) float64 {
	n := 0.0
	for i := range min(len(x), len(y)) {
		if x[i] == y[i] {
			n++
		}
	}
	return n
}
