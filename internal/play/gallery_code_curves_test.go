package play_test

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/sparse"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/smooth"
)

func Example_regression() {
	x, y := curve("sinc", 60, 0.1)
	penalised(x, y, kernel.Gaussian{Lengthscale: 1}, 0.1)
	// Output: λ = 0.1: training RMSE 0.0962, ‖f‖ = 1.767
}

func Example_sobolev() {
	x, y := curve("mcycle", 0, 0)
	m, err := ridge.Spline{Lambda: 100, Order: 2}.Fit(ctx, x, y)
	must(err)
	f, err := m.Predict(ctx, x)
	must(err)
	for i := range f {
		f[i] -= y[i]
	}
	fmt.Printf("training RMSE %.3f\n", learn.RootMeanSquare(f, nil))
	// Output: training RMSE 23.618
}

func Example_fits() {
	x, y := curve("sinc", 60, 0.1)
	for _, lambda := range []float64{1e-6, 0.1, 100} {
		penalised(x, y, kernel.Gaussian{Lengthscale: 0.6}, lambda)
	}
	// Output:
	// λ = 1e-06: training RMSE 0.0753, ‖f‖ = 102.841
	// λ = 0.1: training RMSE 0.0836, ‖f‖ = 1.150
	// λ = 100: training RMSE 0.3349, ‖f‖ = 0.071
}

func Example_lambda() {
	x, y := curve("bumps", 80, 0.15)
	k := kernel.Gaussian{Lengthscale: 1}
	for _, lambda := range []float64{10, 0.1, 1e-6} {
		penalised(x, y, k, lambda)
	}
	path, err := ridge.Regression[kernel.Vec]{Kernel: k, Intercept: true}.Path(ctx, x, y)
	must(err)
	lambda, loo, err := path.Best(learn.LogSpace(1e-8, 1e3, 25)) // every λ from one eigendecomposition
	must(err)
	fmt.Printf("λ = %.3g has the least error of points left out: %.3f\n", lambda, math.Sqrt(loo))
	// Output:
	// λ = 10: training RMSE 0.4031, ‖f‖ = 0.946
	// λ = 0.1: training RMSE 0.2068, ‖f‖ = 2.431
	// λ = 1e-06: training RMSE 0.1203, ‖f‖ = 205.355
	// λ = 1.96e-06 has the least error of points left out: 0.174
}

func Example_sigma() {
	x, y := curve("bumps", 80, 0.15)
	for _, sigma := range []float64{0.1, 0.5, 5} {
		penalised(x, y, kernel.Gaussian{Lengthscale: sigma}, 0.1)
	}
	// Output:
	// λ = 0.1: training RMSE 0.0892, ‖f‖ = 4.054
	// λ = 0.1: training RMSE 0.1269, ‖f‖ = 2.910
	// λ = 0.1: training RMSE 0.5547, ‖f‖ = 6.185
}

func Example_sine() {
	x, y := curve("sine", 100, 0.2)
	for _, text := range []string{"gaussian(lengthscale=1)", "laplace(lengthscale=1)",
		"poly(degree=3, gamma=1, offset=1)"} {
		penalised(x, y, parse(text), 0.1)
	}
	// Output:
	// λ = 0.1: training RMSE 0.1868, ‖f‖ = 1.754
	// λ = 0.1: training RMSE 0.1366, ‖f‖ = 2.907
	// λ = 0.1: training RMSE 0.1927, ‖f‖ = 0.507
}

func Example_tophat() {
	x, y := curve("tophat", 200, 0)
	// The features cos ℓx and sin ℓx for ℓ = 0 … 10: 21 in all.
	penalised(x, y, parse("fourier(coef=[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])"), 1e-3)
	// Output: λ = 0.001: training RMSE 0.1001, ‖f‖ = 0.490
}

// atEvenCentres is ridge regression on features k(x, μⱼ) at ten even centres.
func atEvenCentres(x data.Points[kernel.Vec], y []float64, width float64, normalised bool) {
	low, high := math.Inf(1), math.Inf(-1)
	for i := range y {
		low, high = min(low, x.At(i)[0]), max(high, x.At(i)[0])
	}
	k := kernel.Gaussian{Lengthscale: width}
	features := kernel.Features(func(x kernel.Vec) kernel.Vec {
		phi, sum := make(kernel.Vec, 10), 0.0
		for j := range phi {
			phi[j] = k.Eval(x, kernel.Vec{low + (high-low)*float64(j)/9})
			sum += phi[j]
		}
		for j := range phi {
			if normalised && sum != 0 {
				phi[j] /= sum
			}
		}
		return phi
	})
	penalised(x, y, features, 1e-3)
}

func Example_design() {
	x, y := curve("sine", 100, 0.2)
	for _, width := range []float64{0.1, 0.5, 50} {
		atEvenCentres(x, y, width, false)
	}
	// Output:
	// λ = 0.001: training RMSE 0.5378, ‖f‖ = 3.457
	// λ = 0.001: training RMSE 0.1863, ‖f‖ = 1.792
	// λ = 0.001: training RMSE 0.5270, ‖f‖ = 83.106
}

func Example_normalisation() {
	x, y := curve("sine", 100, 0.2)
	atEvenCentres(x, y, 0.3, true)
	// Output: λ = 0.001: training RMSE 0.1824, ‖f‖ = 2.272
}

func Example_sincMachines() {
	x, y := curve("sinc", 100, 0.1)
	k := kernel.Gaussian{Lengthscale: 0.3}
	l2, err := sparse.L2VM[kernel.Vec]{Kernel: k, Options: sparse.Options{Lambda: 0.5}}.Fit(ctx, x, y)
	must(err)
	l1, err := sparse.L1VM[kernel.Vec]{Kernel: k, Options: sparse.Options{Lambda: 0.5}}.Fit(ctx, x, y)
	must(err)
	r, err := sparse.RVM[kernel.Vec]{Kernel: k}.Fit(ctx, x, y)
	must(err)
	s, err := svm.Regression[kernel.Vec]{Kernel: k, C: 2, Epsilon: 0.1}.Fit(ctx, x, y)
	must(err)
	fmt.Printf("points kept: L2VM %d, L1VM %d, RVM %d, SVM %d\n", len(l2.Support()), len(l1.Support()), len(r.Support()),
		len(s.Support()))
	// Output: points kept: L2VM 100, L1VM 9, RVM 10, SVM 40
}

func Example_nadarayaWatson() {
	x, y := curve("branches", 120, 0.1)
	m, err := smooth.NadarayaWatson{Bandwidth: 0.2}.Fit(ctx, x, y)
	must(err)
	at, err := m.Conditional(ctx, data.Slice[kernel.Vec]{{1}})
	must(err)
	fmt.Printf("at x = 1 the mean of p(t|x) is %.2f, its peaks are near %.1f; %.2f degrees of freedom\n", at[0].Mean(),
		at[0].Modes(), m.Freedom())
	// Output: at x = 1 the mean of p(t|x) is 0.09, its peaks are near [1.5 -1.4]; 8.40 degrees of freedom
}

func Example_local() {
	x, y := curve("mcycle", 0, 0)
	m, err := smooth.LocalRegression{Smoother: density.TriCube, Degree: 1, Span: 0.3}.Fit(ctx, x, y)
	must(err)
	fmt.Printf("%.2f degrees of freedom, residual error %.2f\n", m.Freedom(), m.Sigma())
	// Output: 7.83 degrees of freedom, residual error 23.67
}

func Example_bumps() {
	x, y := curve("sinc", 15, 0.1)
	penalised(x, y, kernel.Gaussian{Lengthscale: 1}, 1)
	// Output: λ = 1: training RMSE 0.1837, ‖f‖ = 0.513
}

func Example_process() {
	x, y := curve("sinc", 20, 0.1)
	m, err := gp.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Noise: 0.01, FixedNoise: true,
		HyperOptions: gp.HyperOptions{FixedKernel: true}}.Fit(ctx, x, y)
	must(err)
	functions, err := m.Sample(ctx, x, 4, 1) // of the posterior
	must(err)
	n, _ := functions.Dims()
	fmt.Printf("log evidence %.3f, %d functions drawn\n", m.LogMarginal(), n)
	// Output: log evidence -1.040, 4 functions drawn
}

// windows is a density estimate.
func windows(x data.Points[kernel.Vec], s density.Smoother, h float64) {
	m, err := density.KDE{Smoother: s, Bandwidth: h}.Fit(ctx, x)
	must(err)
	p, err := m.Density(ctx, data.Slice[kernel.Vec]{{-1}, {0.5}, {2}})
	must(err)
	fmt.Printf("%v, h = %.3g: p = %.3f at −1, ½ and 2\n", s, h, p)
}

func Example_parzen() {
	x, _ := curve("peaks", 50, 0.5)
	for _, h := range []float64{0.1, 0.4, 1.6} {
		windows(x, density.Gaussian, h)
	}
	m, err := density.KDE{Rule: density.SilvermanRule}.Fit(ctx, x)
	must(err)
	fmt.Printf("Silverman's rule: h = %.4f\n", m.Bandwidths()[0])
	// Output:
	// gaussian, h = 0.1: p = [0.403 0.082 0.337] at −1, ½ and 2
	// gaussian, h = 0.4: p = [0.295 0.099 0.195] at −1, ½ and 2
	// gaussian, h = 1.6: p = [0.160 0.155 0.116] at −1, ½ and 2
	// Silverman's rule: h = 0.6818
}

func Example_smoothers() {
	x, _ := curve("peaks", 50, 0.5)
	for _, s := range []density.Smoother{density.Gaussian, density.Epanechnikov, density.TriCube, density.Boxcar} {
		windows(x, s, 0.7)
	}
	m, err := density.KDE{Smoother: density.Boxcar, Rule: density.SilvermanRule}.Fit(ctx, x)
	must(err)
	fmt.Printf("Silverman's rule for a boxcar: h = %.4f\n", m.Bandwidths()[0])
	// Output:
	// gaussian, h = 0.7: p = [0.236 0.130 0.157] at −1, ½ and 2
	// epanechnikov, h = 0.7: p = [0.316 0.098 0.206] at −1, ½ and 2
	// tricube, h = 0.7: p = [0.326 0.082 0.223] at −1, ½ and 2
	// boxcar, h = 0.7: p = [0.271 0.129 0.171] at −1, ½ and 2
	// Silverman's rule for a boxcar: h = 1.1863
}
