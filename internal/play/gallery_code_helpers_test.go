package play_test

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/play"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/svm"
	"gonum.org/v1/gonum/mat"
)

// The Examples of the files gallery_code_*_test.go are what the gallery shows in Go, with the
// functions of this file that they call. Each is run as a test, and what it prints is what the
// scene shows: the tests in the browser compare.

var ctx = context.Background()

// plane is points of a set of the playground, and their classes.
func plane(name string, n int, noise float64) (data.Points[kernel.Vec], []int) {
	p, err := play.Draw(name, n, noise, 1)
	must(err)
	return data.Rows(mat.NewDense(p.Len(), 2, p.XY)), p.Class
}

// curve is inputs and targets of a set of the playground.
func curve(name string, n int, noise float64) (data.Points[kernel.Vec], []float64) {
	p, err := play.Draw(name, n, noise, 1)
	must(err)
	x, y := mat.NewDense(p.Len(), 1, nil), make([]float64, p.Len())
	for i := range y {
		x.Set(i, 0, p.XY[2*i])
		y[i] = p.XY[2*i+1]
	}
	return data.Rows(x), y
}

// parse reads a kernel.
func parse(text string) kernel.Kernel[kernel.Vec] {
	k, err := spec.ParseKernel(text)
	must(err)
	return k
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// kernelOn shows a kernel on an interval: its value at two points, and the eigenvalues of K/n at
// 128 even ones.
func kernelOn(text string, low, high float64) {
	k, x := parse(text), data.Slice[kernel.Vec]{}
	for i := range 128 {
		x = append(x, kernel.Vec{low + (high-low)*(float64(i)+0.5)/128})
	}
	g, err := gram.New(ctx, k, x, gram.Options{})
	must(err)
	values, err := gram.Spectrum(g)
	must(err)
	fmt.Printf("%s: k = %.4f at a quarter and the middle; largest eigenvalue of K/n %.4f\n", text,
		k.Eval(x.At(32), x.At(64)), values[0]/128)
}

// penalised is kernel ridge regression.
func penalised(x data.Points[kernel.Vec], y []float64, k kernel.Kernel[kernel.Vec], lambda float64) {
	m, err := ridge.Regression[kernel.Vec]{Kernel: k, Lambda: lambda, Intercept: true}.Fit(ctx, x, y)
	must(err)
	f, err := m.Predict(ctx, x)
	must(err)
	off := make([]float64, len(y))
	for i := range off {
		off[i] = y[i] - f[i]
	}
	fmt.Printf("λ = %.3g: training RMSE %.4f, ‖f‖ = %.3f\n", lambda, learn.RootMeanSquare(off, nil), m.Func().Norm())
}

// machine is a support vector machine.
func machine(x data.Points[kernel.Vec], y []int, k kernel.Kernel[kernel.Vec], c float64) {
	m, err := svm.Classification[kernel.Vec, int]{Kernel: k, C: c}.Fit(ctx, x, y)
	must(err)
	fmt.Printf("%d support vectors of %d, ‖f‖ = %.3f\n", len(m.Support()), x.Len(), m.Func().Norm())
}
