package kernel_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

var three = data.Points[kernel.Vec](data.Slice[kernel.Vec]{{0, 0}, {3, 4}, {6, 8}})

func ExampleParams() {
	k := kernel.Sum(kernel.Scale[kernel.Vec](2, kernel.Gaussian{}),
		kernel.Kernel[kernel.Vec](kernel.Gaussian{Lengthscale: 3}))
	for _, p := range kernel.Params(k) {
		fmt.Println(p.Name, p.Value, p.Domain)
	}
	// Output:
	// scale.factor 2 [0, +Inf)
	// gaussian.lengthscale 1 (0, +Inf)
	// gaussian#2.lengthscale 3 (0, +Inf)
}

func ExampleValues() {
	fmt.Println(kernel.Values[kernel.Vec](kernel.Matern{Nu: 1.5, Lengthscale: 2}))
	// Output: [1.5 2]
}

func ExampleWith() {
	k, err := kernel.With[kernel.Vec](kernel.Gaussian{}, []float64{2})
	fmt.Println(k, err)
	_, err = kernel.With[kernel.Vec](kernel.Gaussian{}, []float64{-2})
	fmt.Println(err)
	// Output:
	// {2} <nil>
	// kernel: parameter gaussian.lengthscale = -2 is outside (0, +Inf)
}

func ExampleSet() {
	k, _ := kernel.Set[kernel.Vec](kernel.Matern{Nu: 1.5}, "matern.lengthscale", 4)
	fmt.Println(k)
	// Output: {1.5 4}
}

func ExampleValidate() {
	fmt.Println(kernel.Validate[kernel.Vec](kernel.Matern{Nu: -1}))
	// Output: kernel: matern: nu = -1, want a finite number > 0 (for ν = ∞ use gaussian)
}

func ExampleCheck() {
	fmt.Println(kernel.Check[kernel.Vec](kernel.Binomial{}, three))
	// Output: kernel: binomial: row 1 has ‖x‖² = 25, outside the ball ‖x‖² < 1 where the series converges (scale the points)
}

func ExampleCheckPair() {
	fmt.Println(kernel.CheckPair[kernel.Vec](kernel.Linear{}, three, data.Slice[kernel.Vec]{{1, 2, 3}}))
	// Output: kernel: row 0 of the second set has 3 coordinates, those of the first have 2
}

func ExamplePropertiesOf() {
	p := kernel.PropertiesOf(kernel.Sum[kernel.Vec](kernel.Linear{}, kernel.Gaussian{}))
	fmt.Println(p.PSD, p.Strict, p.Universal, p.Stationary, p.Bound)
	// Output: yes yes yes unknown +Inf
}

func ExamplePrepare() {
	t := kernel.Prepare[kernel.Vec](context.Background(), kernel.Linear{}, three, three)
	row := blas64.General{Rows: 1, Cols: 3, Stride: 3, Data: make([]float64, 3)}
	t.Tile(row, 1, 0) // row 1, all columns
	fmt.Println(row.Data)
	// Output: [0 25 50]
}

func ExampleSummer() {
	line := mat.NewDense(64, 1, nil)
	for i := range 64 {
		line.Set(i, 0, float64(i))
	}
	points := data.Rows(line)
	product, one := make([]float64, 64), make([]float64, 64)
	for i := range one {
		one[i] = 1
	}
	k := kernel.Scale[kernel.Vec](2, kernel.Gaussian{Lengthscale: 10})
	t := kernel.Prepare[kernel.Vec](context.Background(), k, points, points)
	if sums := t.(kernel.Summer).Sums(false); sums != nil {
		sums(0, 0, product, one)
	} else { // without assembly: a tile at a time
		row := blas64.General{Rows: 1, Cols: 64, Stride: 64, Data: make([]float64, 64)}
		t.Tile(row, 0, 0)
		for _, v := range row.Data {
			product[0] += v
		}
	}
	fmt.Printf("%.6f\n", product[0])
	// Output: 26.066283
}

func ExampleBlock() {
	dst := mat.NewDense(3, 3, nil)
	kernel.Block[kernel.Vec](context.Background(), kernel.Linear{}, dst, three, three)
	fmt.Println(mat.Formatted(dst))
	// Output:
	// ⎡  0    0    0⎤
	// ⎢  0   25   50⎥
	// ⎣  0   50  100⎦
}

func ExampleFill() {
	dst := mat.NewDense(3, 3, nil).RawMatrix()
	kernel.Fill(2, dst, kernel.Prepare[kernel.Vec](context.Background(), kernel.Linear{}, three, three))
	fmt.Println(dst.Data[6:])
	// Output: [0 50 100]
}

func ExampleFill32() {
	dst := blas32.General{Rows: 3, Cols: 3, Stride: 3, Data: make([]float32, 9)}
	kernel.Fill32(2, dst, kernel.Prepare[kernel.Vec](context.Background(), kernel.Linear{}, three, three))
	fmt.Println(dst.Data[6:])
	// Output: [0 50 100]
}

func ExampleFillSym() {
	dst := mat.NewDense(3, 3, nil).RawMatrix()
	kernel.FillSym(2, dst, kernel.Prepare[kernel.Vec](context.Background(), kernel.Linear{}, three, three))
	fmt.Println(dst.Data[5] == dst.Data[7])
	// Output: true
}

func ExampleDiag() {
	d := make([]float64, 3)
	kernel.Diag[kernel.Vec](context.Background(), kernel.Linear{}, d, three)
	fmt.Println(d)
	// Output: [0 25 100]
}

func ExampleInputGrad() {
	dst := make(kernel.Vec, 2)
	err := kernel.InputGrad(kernel.Polynomial{Degree: 2}, dst, x, y)
	fmt.Println(dst, err) // 2⟨x, y⟩y
	// Output: [30 10] <nil>
}

func ExampleParamGrads() {
	dst := []*mat.Dense{mat.NewDense(3, 3, nil)}
	err := kernel.ParamGrads[kernel.Vec](context.Background(), kernel.Gaussian{Lengthscale: 5}, dst, three, three)
	fmt.Printf("%.4f %v\n", dst[0].At(0, 1), err) // r²/ℓ³·e^{-r²/2ℓ²}
	// Output: 0.1213 <nil>
}

func ExampleParamGradDot_some() {
	// ν is held: its derivative, which has no closed form, is not computed.
	k := kernel.Matern{Nu: 1.5, Lengthscale: 5}
	grad := make([]float64, 2)
	w := mat.NewDense(3, 3, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1})
	err := kernel.ParamGradDot[kernel.Vec](context.Background(), k, grad, []bool{false, true}, w, three, three)
	fmt.Printf("%.4f %v\n", grad, err) // Σ 3r²/ℓ³·e^{-√3r/ℓ}
	// Output: [0.0000 0.5749] <nil>
}

func ExampleParamGradDot() {
	w := mat.NewDense(3, 3, []float64{0, 1, 0, 1, 0, 0, 0, 0, 0})
	grad := make([]float64, 1)
	err := kernel.ParamGradDot[kernel.Vec](context.Background(), kernel.Gaussian{Lengthscale: 5}, grad, nil, w, three,
		three)
	fmt.Printf("%.4f %v\n", grad[0], err)
	// Output: 0.2426 <nil>
}

func ExampleSpectralOf() {
	s, err := kernel.SpectralOf(kernel.Scale[kernel.Vec](3, kernel.Gaussian{}), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	rng := rand.New(rand.NewPCG(1, 2))
	w, sum := make([]float64, 1), 0.0
	for range 100000 {
		s.SampleFrequency(w, rng)
		sum += math.Cos(w[0] * 0.5)
	}
	fmt.Printf("%.1f %.1f\n", s.Mass()*sum/100000, 3*math.Exp(-0.125))
	// Output: 2.6 2.6
}

func ExampleLIBSVM() {
	k, _ := kernel.LIBSVM(2, 0.5, 0, 0) // -t 2 -g 0.5
	fmt.Println(k)
	// Output: {1}
}

func ExampleKernlab() {
	k, _ := kernel.Kernlab("laplacedot", map[string]float64{"sigma": 0.25})
	fmt.Println(k)
	// Output: {4}
}

func ExampleSklearn() {
	k, _ := kernel.Sklearn("Matern", map[string]float64{"nu": 2.5, "length_scale": 2})
	fmt.Println(k)
	// Output: {2.5 2}
}

func ExampleGPyTorch() {
	k, _ := kernel.GPyTorch("PeriodicKernel", map[string]float64{"period_length": 7, "lengthscale": 4})
	fmt.Println(k)
	// Output: {7 2}
}

func ExampleConvention() {
	fmt.Println(kernel.LIBSVMGamma.Gaussian(0.125), kernel.KernlabSigma.FromLengthscale(2))
	// Output: {2} 0.125
}

func ExampleWidthScale() {
	l, _ := kernel.WidthScale(three)
	fmt.Printf("%.4f\n", l)
	// Output: 2.9297
}

func ExampleWidthMedian() {
	l, _ := kernel.WidthMedian(three)
	fmt.Println(l)
	// Output: 5
}

func ExampleWidthQuantiles() {
	q, _ := kernel.WidthQuantiles(three, 0.1, 0.9)
	fmt.Println(q)
	// Output: [5 9]
}

// A context that ends leaves matrices unfinished; its error says so.
func ExampleBlock_cancelled() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	g := mat.NewDense(3, 3, nil)
	err := kernel.Block[kernel.Vec](ctx, kernel.Gaussian{Lengthscale: 5}, g, three, three)
	fmt.Println(g.At(0, 1), err)
	// Output: 0 context canceled
}

func ExampleRebuild() {
	k := kernel.Sum[kernel.Vec](kernel.Scale[kernel.Vec](2, kernel.Linear{}), kernel.Gaussian{})
	var widen func(k kernel.Kernel[kernel.Vec]) kernel.Kernel[kernel.Vec]
	widen = func(k kernel.Kernel[kernel.Vec]) kernel.Kernel[kernel.Vec] {
		if _, ok := k.(kernel.Gaussian); ok {
			return kernel.Gaussian{Lengthscale: 10}
		}
		return kernel.Rebuild(k, widen)
	}
	for _, p := range kernel.Params(widen(k)) {
		fmt.Println(p.Name, p.Value)
	}
	// Output:
	// scale.factor 2
	// gaussian.lengthscale 10
}

func ExampleCheckNext() {
	// three has passed Check; new points are looked at alone.
	fmt.Println(kernel.CheckNext[kernel.Vec](kernel.Linear{}, three, data.Slice[kernel.Vec]{{1, 2, 3}}))
	// Output: kernel: row 0 has 3 coordinates, want 2
}

func ExampleCompoundSpectral() {
	s, err := kernel.SpectralOf(kernel.Sum[kernel.Vec](kernel.Gaussian{}, kernel.Power[kernel.Vec](kernel.Laplace{}, 2)),
		1)
	if err != nil {
		panic(err)
	}
	sum := s.(kernel.CompoundSpectral)
	counts := make([]int, 2)
	sum.SampleCounts(counts, rand.New(rand.NewPCG(1, 1)))
	fmt.Println(len(sum.Parts()), sum.Mass(), counts[0]+counts[1]) // a frequency of one of both
	// Output: 2 2 1
}

func ExampleMappedSpectral() {
	s, err := kernel.SpectralOf(kernel.ARD{Kernel: kernel.Gaussian{}, Lengthscales: []float64{1, 4}}, 2)
	if err != nil {
		panic(err)
	}
	mapped := s.(kernel.MappedSpectral)
	inner, dim := mapped.Inner()
	w := make([]float64, 2)
	mapped.Pull(w, []float64{1, 1})
	fmt.Println(inner.Mass(), dim, w)
	// Output: 1 2 [1 0.25]
}

func ExampleIsotropicSpectral() {
	s, err := kernel.SpectralOf(kernel.Matern{Nu: 1.5}, 3)
	if err != nil {
		panic(err)
	}
	fmt.Println(s.(kernel.IsotropicSpectral).Isotropic())
	// Output: true
}

func ExampleInputGradDot() {
	x := data.Rows(mat.NewDense(2, 1, []float64{0, 1}))
	y := data.Rows(mat.NewDense(1, 1, []float64{2}))
	weights := mat.NewDense(2, 1, []float64{1, 10})
	slopes := mat.NewDense(1, 1, nil)
	if err := kernel.InputGradDot(context.Background(), kernel.Linear{}, slopes, weights, x, y); err != nil {
		panic(err)
	}
	fmt.Println(slopes.At(0, 0)) // of 1·(0·y) + 10·(1·y) by y
	// Output: 10
}

func ExampleDiagGradDot() {
	x := data.Rows(mat.NewDense(2, 1, []float64{1, 2}))
	k := kernel.Scale[kernel.Vec](3, kernel.Linear{})
	slopes := make([]float64, 1)
	if err := kernel.DiagGradDot[kernel.Vec](context.Background(), k, slopes, nil, []float64{1, 1}, x); err != nil {
		panic(err)
	}
	fmt.Println(slopes[0]) // of 3·1² + 3·2² by the factor
	// Output: 5
}
