package all_test

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/fisher"
	"github.com/mercer-ml/mercer/learn/neighbours"
	"github.com/mercer-ml/mercer/learn/online"
	"github.com/mercer-ml/mercer/learn/ridge"
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

// wave is 60 points of a sine.
func wavePoints() (data.Points[kernel.Vec], []float64) {
	x, y := mat.NewDense(60, 1, nil), make([]float64, 60)
	for i := range y {
		x.Set(i, 0, float64(i)/10)
		y[i] = math.Sin(x.At(i, 0)) + 0.05*math.Cos(float64(17*i))
	}
	return data.Rows(x), y
}

var (
	centre = data.Rows(mat.NewDense(2, 2, []float64{0, 0, 2, 0.3}))
	three  = data.Rows(mat.NewDense(1, 1, []float64{3}))
)

func ExamplePerceptron() {
	x, y := ring()
	m, err := online.Perceptron[kernel.Vec, string]{Kernel: kernel.Polynomial{Degree: 2, Offset: 1}}.Fit(context.Background(), x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Predict(nil, centre), m.Report().Converged)
	// Output: [inside outside] true
}

func ExampleLinearPerceptron() {
	x := data.Rows(mat.NewDense(4, 2, []float64{0, 0, 1, 0, 3, 3, 4, 2}))
	m, err := online.LinearPerceptron[kernel.Vec, int]{PerceptronOptions: online.PerceptronOptions{Intercept: true}}.Fit(context.Background(), x, []int{0, 0, 1, 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Predict(nil, x))
	// Output: [0 0 1 1]
}

func ExampleOnline_Observe() {
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

func ExampleNormaClassifier() {
	x, y := ring()
	m, err := online.NormaClassification[kernel.Vec, string]{Norma: online.Norma[kernel.Vec]{Kernel: kernel.Gaussian{}, Loss: online.LogisticLoss, Passes: 5}}.Fit(context.Background(), x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Predict(nil, centre))
	// Output: [inside outside]
}

func ExampleRVM() {
	x, y := wavePoints()
	m, err := sparse.RVM[kernel.Vec]{Kernel: kernel.Gaussian{}}.Fit(context.Background(), x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("few of 60: %t, f(3) = %.1f ± %.1f\n", len(m.Support()) < 10, m.Predict(nil, three)[0], math.Sqrt(m.Variance(nil, three)[0]))
	// Output: few of 60: true, f(3) = 0.1 ± 0.0
}

func ExampleRVMClassifier() {
	x, y := ring()
	m, err := sparse.RVMClassification[kernel.Vec, string]{Kernel: kernel.Gaussian{}}.Fit(context.Background(), x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Predict(nil, centre), len(m.Support()) < 10)
	// Output: [inside outside] true
}

func ExampleL1VM() {
	x, y := wavePoints()
	m, err := sparse.L1VM[kernel.Vec]{Kernel: kernel.Gaussian{}, Options: sparse.Options{Lambda: 0.1}}.Fit(context.Background(), x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("f(3) = %.1f, fewer than 60: %t\n", m.Predict(nil, three)[0], len(m.Support()) < 60)
	// Output: f(3) = 0.1, fewer than 60: true
}

func ExampleL1VMClassifier() {
	x, y := ring()
	m, err := sparse.L1VMClassification[kernel.Vec, string]{Kernel: kernel.Gaussian{}}.Fit(context.Background(), x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Predict(nil, centre))
	// Output: [inside outside]
}

func ExampleL2VM() {
	x, y := wavePoints()
	m, err := sparse.L2VM[kernel.Vec]{Kernel: kernel.Gaussian{}, Options: sparse.Options{Lambda: 0.01}}.Fit(context.Background(), x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("f(3) = %.1f, %d points kept\n", m.Predict(nil, three)[0], len(m.Support()))
	// Output: f(3) = 0.1, 60 points kept
}

func ExampleL2VMClassifier() {
	x, y := ring()
	m, err := sparse.L2VMClassification[kernel.Vec, string]{Kernel: kernel.Gaussian{}}.Fit(context.Background(), x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Predict(nil, centre))
	// Output: [inside outside]
}

func ExampleInterpolation() {
	x := data.Rows(mat.NewDense(3, 1, []float64{0, 1, 2}))
	m, err := ridge.Interpolation[kernel.Vec]{Kernel: kernel.Gaussian{}}.Fit(context.Background(), x, []float64{1, -1, 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", m.Predict(nil, x))
	// Output: [1.000 -1.000 4.000]
}

func ExampleKNN() {
	x, y := ring()
	m, err := neighbours.Classification[kernel.Vec, string]{Kernel: kernel.Gaussian{}, Options: neighbours.Options{K: 3}}.Fit(context.Background(), x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Predict(nil, centre))
	// Output: [inside outside]
}

func ExampleKNNRegression() {
	x := data.Rows(mat.NewDense(4, 1, []float64{0, 1, 2, 10}))
	m, err := neighbours.Regression[kernel.Vec]{Kernel: kernel.Linear{}, Options: neighbours.Options{K: 2}}.Fit(context.Background(), x, []float64{1, 3, 5, 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Predict(nil, data.Rows(mat.NewDense(2, 1, []float64{0.2, 9}))))
	// Output: [2 52.5]
}

func ExampleNearestMedoid() {
	x := data.Slice[string]{"aaa", "aab", "aba", "zzz", "zzy", "yzz"}
	m, err := neighbours.Medoid[string, int]{Kernel: agreement{}}.Fit(context.Background(), x, []int{1, 1, 1, 2, 2, 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Medoids(), m.Predict(nil, data.Slice[string]{"bab", "yzy"}))
	// Output: [0 3] [1 2]
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

func ExampleFisher() {
	x, y := ring()
	m, err := fisher.Discriminant[kernel.Vec, string]{Kernel: kernel.Gaussian{}}.Fit(context.Background(), x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Predict(nil, centre), len(m.Ratios()))
	// Output: [inside outside] 1
}
