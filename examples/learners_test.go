package newcomer

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/fisher"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/learn/neighbours"
	"github.com/mercer-ml/mercer/learn/online"
	"github.com/mercer-ml/mercer/learn/rbf"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/sparse"
	"github.com/mercer-ml/mercer/learn/svm"
)

var (
	centre  = data.Slice[kernel.Vec]{{0, 0}, {3, 0}}
	quarter = data.Line([]float64{1.5708})
)

func Example_supportVectorMachine() {
	x, y := ring()
	m, err := svm.Classification[kernel.Vec, string]{Kernel: kernel.Gaussian{Lengthscale: 1}, C: 10}.Fit(ctx, x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Predict(ctx, centre))
	// Output: [in out] <nil>
}

func Example_ridgeRegression() {
	x, y := wave()
	m, err := ridge.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Lambda: 1e-3}.Fit(ctx, x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	at, err := m.Predict(ctx, quarter)
	fmt.Printf("%.2f %v\n", at, err)
	// Output: [1.00] <nil>
}

func Example_gaussianProcess() {
	x, y := wave()
	m, err := gp.Regression[kernel.Vec]{Kernel: kernel.Scale(1, kernel.Gaussian{Lengthscale: 1}), Noise: 1e-4}.Fit(ctx, x,
		y)
	if err != nil {
		fmt.Println(err)
		return
	}
	mean, err := m.Predict(ctx, quarter)
	fmt.Printf("%.2f %v\n", mean, err)
	near, _ := m.Std(ctx, quarter)
	far, _ := m.Std(ctx, data.Line([]float64{100}))
	fmt.Println("sure here, unsure far away:", near[0] < 0.1*far[0])
	// Output:
	// [1.00] <nil>
	// sure here, unsure far away: true
}

func Example_logisticRegression() {
	x, y := ring()
	m, err := logistic.Regression[kernel.Vec, string]{Kernel: kernel.Gaussian{Lengthscale: 1}, Lambda: 0.1,
		Intercept: true}.Fit(ctx, x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := m.Proba(ctx, centre)
	fmt.Println(m.Classes(), p.At(0, 0) > 0.9, p.At(1, 1) > 0.5, err)
	// Output: [in out] true true <nil>
}

func Example_otherLearners() {
	x, y := ring()
	k := kernel.Gaussian{Lengthscale: 1}
	perceptron, err := online.Perceptron[kernel.Vec, string]{Kernel: k}.Fit(ctx, x, y)
	fmt.Println(perceptron.Classes(), err)
	relevance, err := sparse.RVMClassification[kernel.Vec, string]{Kernel: k}.Fit(ctx, x, y)
	fmt.Println(len(relevance.Support()) < 10, err)
	network, err := rbf.Classification[kernel.Vec, string]{Kernel: k}.Fit(ctx, x, y)
	fmt.Println(network.Func().Centers.Len(), err)
	nearest, err := neighbours.Classification[kernel.Vec, string]{Kernel: k}.Fit(ctx, x, y)
	fmt.Println(nearest.Classes(), err)
	fmt.Println(nearest.Predict(ctx, centre))
	discriminant, err := fisher.Discriminant[kernel.Vec, string]{Kernel: k}.Fit(ctx, x, y)
	fmt.Println(len(discriminant.Ratios()), err)
	// Output:
	// [in out] <nil>
	// true <nil>
	// 10 <nil>
	// [in out] <nil>
	// [in out] <nil>
	// 1 <nil>
}

// An error names the row, whatever is wrong with a point.
func Example_wrongPoint() {
	x, y := ring()
	m, err := svm.Classification[kernel.Vec, string]{Kernel: kernel.Gaussian{}}.Fit(ctx, x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = m.Predict(ctx, data.Slice[kernel.Vec]{{0, 0}, {1, 2, 3}})
	fmt.Println(err)
	// Output: row 1 has 3 coordinates, row 0 has 2
}
