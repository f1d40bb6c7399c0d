package play_test

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/learn/neighbours"
	"github.com/mercer-ml/mercer/learn/online"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/sparse"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/tune"
)

func Example_classification() {
	x, y := plane("moons", 160, 0.1)
	machine(x, y, kernel.Gaussian{Lengthscale: 0.5}, 10)
	// Output: 13 support vectors of 160, ‖f‖ = 6.605
}

func Example_logistic() {
	x, y := plane("moons", 160, 0.1)
	m, err := logistic.Regression[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 0.5}, Lambda: 0.1,
		Intercept: true}.Fit(ctx, x, y)
	must(err)
	p, err := m.Proba(ctx, data.Slice[kernel.Vec]{{0.5, 0.25}})
	must(err)
	fmt.Printf("between the moons %.2f and %.2f; ‖f‖ = %.3f\n", p.At(0, 0), p.At(0, 1), m.Func().Norm())
	// Output: between the moons 0.57 and 0.43; ‖f‖ = 11.885
}

func Example_margin() {
	x, y := plane("blobs", 150, 1)
	machine(x, y, kernel.Linear{}, 1)
	// Output: 8 support vectors of 150, ‖f‖ = 2.116
}

func Example_tuning() {
	x, y := plane("spirals", 200, 0.02)
	p, err := learn.Classify(x, y)
	must(err)
	s := tune.NewSearch(p, tune.Try[kernel.Vec]("svm", kernel.Gaussian{},
		tune.Over("gaussian.lengthscale", learn.LogSpace(0.02, 5, 16)...), tune.Over("C", learn.LogSpace(0.1, 1000, 12)...)))
	s.Protocol, s.NoModel = tune.Protocol{Folds: 5, Seed: 1}, true
	r, err := s.Run(ctx)
	must(err)
	fmt.Printf("%d cells, best accuracy %.3f\n", len(r.Cells), r.Best.Mean)
	// Output: 192 cells, best accuracy 1.000
}

// perceptron stops after so many examples.
func perceptron(x data.Points[kernel.Vec], y []int, k kernel.Kernel[kernel.Vec], examples int, voted bool) {
	m, err := online.Perceptron[kernel.Vec, int]{Kernel: k, PerceptronOptions: online.PerceptronOptions{Intercept: true,
		Voted: voted, Examples: examples, Passes: 3000}}.Fit(ctx, x, y)
	must(err)
	fmt.Printf("%d mistakes in %d examples\n", m.Mistakes()[0], examples)
}

func Example_perceptron() {
	x, y := plane("circles", 160, 0.05)
	perceptron(x, y, kernel.Gaussian{Lengthscale: 0.5}, 20, false)
	// Output: 9 mistakes in 20 examples
}

func Example_voted() {
	x, y := plane("moons", 160, 0.25)
	perceptron(x, y, kernel.Gaussian{Lengthscale: 0.5}, 400, true)
	// Output: 59 mistakes in 400 examples
}

func Example_boundaries() {
	x, y := plane("banana", 160, 0.35)
	k := kernel.Gaussian{Lengthscale: 1}
	perceptron(x, y, k, 1000, false)
	machine(x, y, k, 1)
	m, err := logistic.Regression[kernel.Vec, int]{Kernel: k, Lambda: 0.1, Intercept: true}.Fit(ctx, x, y)
	must(err)
	fmt.Printf("logistic regression: ‖f‖ = %.3f\n", m.Func().Norm())
	// Output:
	// 126 mistakes in 1000 examples
	// 52 support vectors of 160, ‖f‖ = 3.879
	// logistic regression: ‖f‖ = 10.541
}

func Example_xorLogistic() {
	x, y := plane("xor", 120, 0.35)
	for _, k := range []kernel.Kernel[kernel.Vec]{kernel.Linear{}, kernel.Polynomial{Degree: 2, Gamma: 1, Offset: 1},
		kernel.Gaussian{Lengthscale: 1}} {
		m, err := logistic.Regression[kernel.Vec, int]{Kernel: k, Lambda: 0.1, Intercept: true}.Fit(ctx, x, y)
		must(err)
		predicted, err := m.Predict(ctx, x)
		must(err)
		wrong := 0
		for i, c := range predicted {
			if c != y[i] {
				wrong++
			}
		}
		fmt.Printf("%v: training error %.3f\n", k, float64(wrong)/float64(len(y)))
	}
	// Output:
	// {}: training error 0.475
	// {1 1 2}: training error 0.000
	// {1}: training error 0.000
}

func Example_machines() {
	x, y := plane("spirals", 200, 0.02)
	k := kernel.Gaussian{Lengthscale: 0.3}
	l2, err := sparse.L2VMClassification[kernel.Vec, int]{Kernel: k, Options: sparse.Options{Lambda: 5}}.Fit(ctx, x, y)
	must(err)
	l1, err := sparse.L1VMClassification[kernel.Vec, int]{Kernel: k, Options: sparse.Options{Lambda: 1}}.Fit(ctx, x, y)
	must(err)
	r, err := sparse.RVMClassification[kernel.Vec, int]{Kernel: k}.Fit(ctx, x, y)
	must(err)
	fmt.Printf("points kept: L2VM %d, L1VM %d, RVM %d\n", len(l2.Support()), len(l1.Support()), len(r.Support()))
	machine(x, y, k, 10)
	// Output:
	// points kept: L2VM 200, L1VM 22, RVM 11
	// 36 support vectors of 200, ‖f‖ = 11.146
}

func Example_neighbours() {
	x, y := plane("moons", 160, 0.25)
	m, err := neighbours.Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 0.5},
		Options: neighbours.Options{K: 15}}.Fit(ctx, x, y)
	must(err)
	predicted, err := m.Predict(ctx, x)
	must(err)
	wrong := 0
	for i, c := range predicted {
		if c != y[i] {
			wrong++
		}
	}
	fmt.Printf("training error %.4f\n", float64(wrong)/float64(len(y)))
	// Output: training error 0.0813
}

func Example_multiclass() {
	x, y := plane("blobs", 150, 2.5)
	k := kernel.Gaussian{Lengthscale: 1}
	pairs, err := svm.Classification[kernel.Vec, int]{Kernel: k, C: 10}.Fit(ctx, x, y) // each pair of classes
	must(err)
	rest, err := ridge.Classification[kernel.Vec, int]{Regression: ridge.Regression[kernel.Vec]{Kernel: k, Lambda: 0.1,
		Intercept: true}}.Fit(ctx, x, y)
	must(err)
	for _, m := range []learn.Classifier[kernel.Vec, int]{pairs, rest} {
		predicted, err := m.Predict(ctx, x)
		must(err)
		wrong := 0
		for i, c := range predicted {
			if c != y[i] {
				wrong++
			}
		}
		fmt.Printf("%d classes, training error %.4f\n", len(m.Classes()), float64(wrong)/float64(len(y)))
	}
	// Output:
	// 3 classes, training error 0.0733
	// 3 classes, training error 0.0467
}

func Example_xor() {
	x := data.Slice[kernel.Vec]{{-1, -1}, {1, 1}, {-1, 1}, {1, -1}}
	// (1 + ⟨x, y⟩)² has the feature x₁x₂, which tells the classes apart.
	machine(x, []int{0, 0, 1, 1}, kernel.Polynomial{Degree: 2, Gamma: 1, Offset: 1}, 100)
	// Output: 4 support vectors of 4, ‖f‖ = 0.707
}

func Example_ellipse() {
	x, y := plane("circles", 160, 0.05)
	machine(x, y, kernel.Polynomial{Degree: 2, Gamma: 1, Offset: 1}, 10)
	// Output: 7 support vectors of 160, ‖f‖ = 6.125
}
