package sparse_test

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/sparse"
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

// wavePoints is 60 points of a sine.
func wavePoints() (data.Points[kernel.Vec], []float64) {
	x, y := mat.NewDense(60, 1, nil), make([]float64, 60)
	for i := range y {
		x.Set(i, 0, float64(i)/10)
		y[i] = math.Sin(x.At(i, 0)) + 0.05*math.Cos(float64(17*i))
	}
	return data.Rows(x), y
}

// Of sixty points a few are kept, and the machine knows how sure it is.
func ExampleRVM() {
	ctx := context.Background()
	x, y := wavePoints()
	m, err := sparse.RVM[kernel.Vec]{Kernel: kernel.Gaussian{}}.Fit(ctx, x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	values, err := m.Predict(ctx, data.Line([]float64{3}))
	if err != nil {
		fmt.Println(err)
		return
	}
	variance, err := m.Variance(ctx, data.Line([]float64{3}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("few of 60: %t, f(3) = %.1f ± %.1f\n", len(m.Support()) < 10, values[0], math.Sqrt(variance[0]))
	// Output: few of 60: true, f(3) = 0.1 ± 0.0
}

func ExampleRVMClassification() {
	ctx := context.Background()
	x, y := ring()
	m, err := sparse.RVMClassification[kernel.Vec, string]{Kernel: kernel.Gaussian{}}.Fit(ctx, x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	labels, err := m.Predict(ctx, data.Rows(mat.NewDense(2, 2, []float64{0, 0, 2, 0.3})))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(labels, len(m.Support()) < 10)
	// Output: [inside outside] true
}

func ExampleL1VM() {
	ctx := context.Background()
	x, y := wavePoints()
	m, err := sparse.L1VM[kernel.Vec]{Kernel: kernel.Gaussian{}, Options: sparse.Options{Lambda: 0.1}}.Fit(ctx, x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	values, err := m.Predict(ctx, data.Line([]float64{3}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("f(3) = %.1f, fewer than 60: %t\n", values[0], len(m.Support()) < 60)
	// Output: f(3) = 0.1, fewer than 60: true
}

func ExampleL1VMClassification() {
	ctx := context.Background()
	x, y := ring()
	m, err := sparse.L1VMClassification[kernel.Vec, string]{Kernel: kernel.Gaussian{}}.Fit(ctx, x, y)
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

func ExampleL2VM() {
	ctx := context.Background()
	x, y := wavePoints()
	m, err := sparse.L2VM[kernel.Vec]{Kernel: kernel.Gaussian{}, Options: sparse.Options{Lambda: 0.01}}.Fit(ctx, x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	values, err := m.Predict(ctx, data.Line([]float64{3}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("f(3) = %.1f, %d points kept\n", values[0], len(m.Support()))
	// Output: f(3) = 0.1, 60 points kept
}

func ExampleL2VMClassification() {
	ctx := context.Background()
	x, y := ring()
	m, err := sparse.L2VMClassification[kernel.Vec, string]{Kernel: kernel.Gaussian{}}.Fit(ctx, x, y)
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
