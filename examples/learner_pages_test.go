package newcomer_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/seq"
	"github.com/mercer-ml/mercer/learn/features"
	"github.com/mercer-ml/mercer/learn/fisher"
	"github.com/mercer-ml/mercer/learn/forest"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/learn/neighbours"
	"github.com/mercer-ml/mercer/learn/nystrom"
	"github.com/mercer-ml/mercer/learn/online"
	"github.com/mercer-ml/mercer/learn/rbf"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/sparse"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/rkhs"
)

// Random Fourier features: docs/learners/features.md.
func Example_learnerFeatures() {
	ctx := context.Background()
	at, y := make([]float64, 2000), make([]float64, 2000)
	for i := range at {
		at[i] = 6 * float64(i) / 2000
		y[i] = math.Sin(at[i])
	}
	rows := data.NewInMemory[kernel.Vec](data.Line(at), y, 1, nil) // or any other data.Source
	r := features.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Lambda: 1e-3,
		Options: features.Options{Frequencies: 50, Orthogonal: true}}
	m, err := r.FitSource(ctx, rows)
	if err != nil {
		log.Fatal(err)
	}
	top, err := m.Predict(ctx, data.Line([]float64{math.Pi / 2}))
	fmt.Printf("%.2f %v\n", top[0], err)
	// Output: 1.00 <nil>
}

// Kernel Fisher discriminant: docs/learners/fisher.md.
func Example_learnerFisher() {
	ctx := context.Background()
	x := data.Slice[kernel.Vec]{{0, 0}, {1, 0.2}, {2, 0}, {0, 1}, {1, 1.2}, {2, 1}}
	m, err := fisher.Discriminant[kernel.Vec, string]{Kernel: kernel.Linear{}, Mu: 1e-6}.Fit(ctx, x,
		[]string{"below", "below", "below", "above", "above", "above"})
	if err != nil {
		log.Fatal(err)
	}
	// along the first column the classes do not differ
	class, err := m.Predict(ctx, data.Slice[kernel.Vec]{{5, 0.3}, {-3, 0.9}})
	fmt.Println(class, len(m.Ratios()), err)
	// Output: [below above] 1 <nil>
}

// Forests: docs/learners/forest.md.
func Example_learnerForest() {
	ctx := context.Background()
	x := data.Slice[kernel.Vec]{{0, 1}, {1, 5}, {2, 2}, {3, 4}, {4, 1}, {5, 5}, {6, 2}, {7, 4}}
	m, err := forest.Classification[string]{}.Fit(ctx, x, []string{"low", "low", "low", "low", "high", "high", "high",
		"high"})
	if err != nil {
		log.Fatal(err)
	}
	class, err := m.Predict(ctx, data.Slice[kernel.Vec]{{1.2, 3}, {9, 3}})
	k := m.Forest() // a kernel as others are: the share of trees in which two points are in one leaf
	fmt.Println(class, k.Eval(kernel.Vec{0, 1}, kernel.Vec{1, 1}) > k.Eval(kernel.Vec{0, 1}, kernel.Vec{7, 1}), err)
	// Output: [low high] true <nil>
}

// Gaussian processes: docs/learners/gp.md.
func Example_learnerGp() {
	ctx := context.Background()
	x, y := data.Line([]float64{0, 1, 2, 3, 4, 5, 6}), []float64{0, 0.8, 0.9, 0.1, -0.8, -1, -0.3}
	m, err := gp.Regression[kernel.Vec]{Kernel: kernel.Scale[kernel.Vec](1, kernel.Gaussian{Lengthscale: 1}),
		Noise: 0.01}.Fit(ctx, x, y)
	if err != nil {
		log.Fatal(err)
	}
	at := data.Line([]float64{2.5, 20})
	mean, err := m.Predict(ctx, at)
	std, _ := m.Std(ctx, at)
	fmt.Printf("%.1f within %.2f, far away %.1f within %.2f, %v\n", mean[0], std[0], mean[1], std[1], err)
	// Output: 0.6 within 0.01, far away 0.0 within 1.16, <nil>
}

// Logistic regression: docs/learners/logistic.md.
func Example_learnerLogistic() {
	ctx := context.Background()
	x := data.Slice[kernel.Vec]{{0, 0}, {1, 0}, {0, 1}, {4, 4}, {5, 4}, {4, 5}}
	m, err := logistic.Regression[kernel.Vec, string]{Kernel: kernel.Gaussian{Lengthscale: 2}, Lambda: 0.1,
		Intercept: true}.Fit(ctx, x, []string{"low", "low", "low", "high", "high", "high"})
	if err != nil {
		log.Fatal(err)
	}
	p, err := m.Proba(ctx, data.Slice[kernel.Vec]{{0.5, 0.5}, {2.3, 2.3}})
	fmt.Printf("%v: %.2f for sure, %.2f in between, %v\n", m.Classes(), p.RawRowView(0), p.RawRowView(1), err)
	// Output: [high low]: [0.08 0.92] for sure, [0.48 0.52] in between, <nil>
}

// Neighbours, means and local lines: docs/learners/neighbours.md.
func Example_learnerNeighbours() {
	ctx := context.Background()
	words := data.Slice[string]{"painting", "paintings", "painter", "sculpture", "sculptor", "sculpted"}
	k := kernel.Normalize[string](seq.Spectrum{K: 3})
	m, err := neighbours.Classification[string, string]{Kernel: k, Options: neighbours.Options{K: 3}}.Fit(ctx, words,
		[]string{"p", "p", "p", "s", "s", "s"})
	if err != nil {
		log.Fatal(err)
	}
	class, err := m.Predict(ctx, data.Slice[string]{"painted", "sculptural"}) // a kernel is all that a distance needs
	fmt.Println(class, err)
	// Output: [p s] <nil>
}

// Few centres for many rows: Nyström, FALKON, Snacks: docs/learners/nystrom.md.
func Example_learnerNystrom() {
	ctx := context.Background()
	at, y := make([]float64, 2000), make([]float64, 2000)
	for i := range at {
		at[i] = 6 * float64(i) / 2000
		y[i] = math.Sin(at[i])
	}
	r := nystrom.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Lambda: 1e-3,
		Options: nystrom.Options{Centers: 20}}
	m, err := r.Fit(ctx, data.Line(at), y) // FitSource takes rows from elsewhere, block after block
	if err != nil {
		log.Fatal(err)
	}
	top, err := m.Predict(ctx, data.Line([]float64{math.Pi / 2}))
	fmt.Printf("%.2f from at most 20 points: %v, %v\n", top[0], m.Func().Centers.Len() <= 20, err)
	// Output: 1.00 from at most 20 points: true, <nil>
}

// Perceptrons and online learning: docs/learners/online.md.
func Example_learnerOnline() {
	machine, err := online.Norma[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Loss: online.Squared, Lambda: 1e-4,
		Eta: 0.5, Schedule: online.Constant, Budget: 40}.Start()
	if err != nil {
		log.Fatal(err)
	}
	for t := range 2000 {
		x := float64(t%40) / 6
		// returns what it predicted before it saw the value
		if _, err := machine.Observe(kernel.Vec{x}, math.Sin(x)); err != nil {
			log.Fatal(err)
		}
	}
	f := machine.Model().Func()
	fmt.Printf("%.1f at the top, from %d terms\n", f.At(kernel.Vec{math.Pi / 2})[0], f.Centers.Len())
	// Output: 0.9 at the top, from 40 terms
}

// Radial basis function networks: docs/learners/rbf.md.
func Example_learnerRbf() {
	ctx := context.Background()
	x, y := data.Line([]float64{0, 1, 2, 3, 4, 5, 6}), []float64{0, 0.8, 0.9, 0.1, -0.8, -1, -0.3}
	net := rbf.Network[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1.5},
		Options: rbf.Options{Centers: 3, Choice: rbf.OrthogonalLeastSquares, Lambda: 1e-3}}
	m, err := net.Fit(ctx, x, y)
	if err != nil {
		log.Fatal(err)
	}
	at, err := m.Predict(ctx, data.Line([]float64{1.5}))
	fmt.Printf("%.1f from %d centres, %v\n", at[0], m.Func().Centers.Len(), err)
	// Output: 1.1 from 3 centres, <nil>
}

// Why every model is a sum of kernels at points: docs/learners/representer.md.
func Example_learnerRepresenter() {
	ctx := context.Background()
	x, y := data.Line([]float64{0, 1, 2, 3, 4, 5, 6}), []float64{0, 1, 2, 90, 4, 5, 6} // one is wrong
	k := kernel.Sum[kernel.Vec](kernel.Linear{}, kernel.Scale[kernel.Vec](0.01, kernel.Gaussian{Lengthscale: 1}))
	f, certificate, err := rkhs.Representer[kernel.Vec]{Kernel: k, Loss: rkhs.HuberLoss{Delta: 0.1}, Lambda: 1e-3,
		WithBias: true}.Solve(ctx, x, y)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f %v\n", f.At(kernel.Vec{3})[0], certificate.Converged)
	// Output: 3.1 true
}

// Ridge regression: docs/learners/ridge.md.
func Example_learnerRidge() {
	ctx := context.Background()
	x, y := data.Line([]float64{0, 1, 2, 3, 4}), []float64{0, 0.8, 0.9, 0.1, -0.8}
	path, err := ridge.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Intercept: true}.Path(ctx, x, y)
	if err != nil {
		log.Fatal(err)
	}
	lambda, loo, err := path.Best([]float64{1e-4, 1e-3, 1e-2, 1e-1, 1}) // every refit without one point, and none is made
	fmt.Printf("λ = %g, mean squared error left out %.2f, %v\n", lambda, loo, err)
	// Output: λ = 0.0001, mean squared error left out 0.15, <nil>
}

// Sparse Gaussian processes: docs/learners/sparse-gp.md.
func Example_learnerSparseGp() {
	ctx := context.Background()
	at, y := make([]float64, 1000), make([]float64, 1000)
	for i := range at {
		at[i] = 6 * float64(i) / 1000
		y[i] = math.Sin(at[i]) + 0.1*math.Sin(float64(i*i)) // what the second term adds passes for noise
	}
	r := gp.SparseRegression[kernel.Vec]{Kernel: kernel.Scale[kernel.Vec](1, kernel.Gaussian{Lengthscale: 1}),
		InducingOptions: gp.InducingOptions{Inducing: 10}}
	m, err := r.Fit(ctx, data.Line(at), y)
	if err != nil {
		log.Fatal(err)
	}
	top, err := m.Predict(ctx, data.Line([]float64{math.Pi / 2}))
	fmt.Printf("%.1f, noise %.2f, %v\n", top[0], math.Sqrt(m.Noise()), err)
	// Output: 1.0, noise 0.07, <nil>
}

// Sparse vector machines: docs/learners/sparse.md.
func Example_learnerSparse() {
	ctx := context.Background()
	at, y := make([]float64, 60), make([]float64, 60)
	for i := range at {
		at[i] = float64(i)/6 - 5
		y[i] = math.Exp(-at[i]*at[i]) + 0.02*math.Sin(float64(i*i)) // a bump, and something like noise
	}
	m, err := sparse.RVM[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 0.7}}.Fit(ctx, data.Line(at), y)
	if err != nil {
		log.Fatal(err)
	}
	top, err := m.Predict(ctx, data.Line([]float64{0}))
	fmt.Printf("%.1f from fewer than ten points of 60: %v, %v\n", top[0], len(m.Support()) < 10, err)
	// Output: 1.0 from fewer than ten points of 60: true, <nil>
}

// Smoothing splines: docs/learners/spline.md.
func Example_learnerSpline() {
	ctx := context.Background()
	x, y := data.Line([]float64{0, 1, 2, 3, 4, 5}), []float64{0.1, 0.9, 2.2, 2.9, 4.1, 4.9}
	m, err := ridge.Spline{}.Fit(ctx, x, y) // λ by generalised cross-validation
	if err != nil {
		log.Fatal(err)
	}
	at, err := m.Predict(ctx, data.Line([]float64{2.5, 8})) // a natural spline goes on as a straight line
	fmt.Printf("%.1f %v\n", at, err)
	// Output: [2.5 7.9] <nil>
}

// Support vector machines: docs/learners/svm.md.
func Example_learnerSvm() {
	ctx := context.Background()
	x := data.Slice[kernel.Vec]{{0, 0}, {1, 1}, {0, 1}, {1, 0}}
	m, err := svm.Classification[kernel.Vec, string]{Kernel: kernel.Gaussian{Lengthscale: 0.5}, C: 10}.Fit(ctx, x,
		[]string{"same", "same", "differ", "differ"})
	if err != nil {
		log.Fatal(err)
	}
	class, err := m.Predict(ctx, data.Slice[kernel.Vec]{{0.1, 0.1}, {0.9, 0.1}})
	fmt.Println(class, len(m.Support()), err)
	// Output: [same differ] 4 <nil>
}
