package kernel_test

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

func ExampleLinear() {
	fmt.Println(kernel.Linear{}.Eval(x, y)) // 1·3 + 2·1
	// Output: 5
}

func ExamplePolynomial() {
	fmt.Println(kernel.Polynomial{Gamma: 1, Offset: 1, Degree: 2}.Eval(x, y)) // (5 + 1)²
	// Output: 36
}

func ExampleQuadraticForm() {
	k := kernel.QuadraticForm{A: mat.NewSymDense(2, []float64{2, 1, 1, 3})}
	fmt.Println(k.Eval(x, y), k.Validate())
	// Output: 19 <nil>
}

func ExampleExponential() {
	fmt.Printf("%.4f\n", kernel.Exponential{Gamma: 0.1}.Eval(x, y)) // e^{0.1·5}
	// Output: 1.6487
}

func ExampleTaylor() {
	k := kernel.Taylor{Coef: []float64{1, 1, 0.5}, Radius: 30} // the beginning of e^z
	fmt.Println(k.Eval(x, y), k.CheckPoints(data.Slice[kernel.Vec]{{6, 0}}))
	// Output: 18.5 kernel: taylor: row 0 has ‖x‖² = 36, outside the ball ‖x‖² < 30 where the series converges (scale the points)
}

func ExampleBinomial() {
	k := kernel.Binomial{Alpha: 2}
	fmt.Printf("%.4f\n", k.Eval(kernel.Vec{0.5, 0}, kernel.Vec{0.5, 0.1})) // (1 - 0.25)⁻²
	// Output: 1.7778
}

func ExampleSigmoid() {
	k := kernel.Sigmoid{Gamma: 0.1, Offset: -0.5}
	fmt.Println(k.Eval(x, y), "positive definite:", k.Properties().PSD)
	// Output: 0 positive definite: no
}

func ExampleDotProduct() {
	k := kernel.DotProduct{Kappa: math.Cosh, Slope: math.Sinh}
	fmt.Printf("%.4f\n", k.Eval(kernel.Vec{1}, kernel.Vec{1}))
	// Output: 1.5431
}

func ExampleGaussian() {
	k := kernel.Gaussian{Lengthscale: 2}
	fmt.Printf("%s %.4f\n", k.Name(), k.Eval(x, y)) // exp(-5/8)
	// Output: gaussian 0.5353
}

func ExampleLaplace() {
	fmt.Printf("%.4f\n", kernel.Laplace{Lengthscale: 2}.Eval(x, y)) // exp(-√5/2)
	// Output: 0.3269
}

func ExampleLaplaceL1() {
	fmt.Printf("%.4f\n", kernel.LaplaceL1{Lengthscale: 2}.Eval(x, y)) // exp(-3/2)
	// Output: 0.2231
}

func ExampleRationalQuadratic() {
	fmt.Printf("%.4f\n", kernel.RationalQuadratic{Alpha: 1, Lengthscale: 1}.Eval(x, y)) // (1 + 5/2)⁻¹
	// Output: 0.2857
}

func ExampleMultiquadric() {
	fmt.Printf("%.4f\n", kernel.Multiquadric{Lengthscale: 1}.Eval(x, y)) // √(1 + 5)
	// Output: 2.4495
}

func ExampleInterpolates() {
	fmt.Println(kernel.Interpolates[kernel.Vec](kernel.Multiquadric{}), kernel.Interpolates[kernel.Vec](kernel.Sigmoid{}))
	// Output: true false
}

func ExamplePeriodic() {
	k := kernel.Periodic{Period: 7, Lengthscale: 1}
	fmt.Printf("%.4f %.4f\n", k.Eval(kernel.Vec{1}, kernel.Vec{2}), k.Eval(kernel.Vec{1}, kernel.Vec{9}))
	// Output: 0.6863 0.6863
}

func ExampleFourier() {
	k := kernel.Fourier{Coef: []float64{1, 0.5}} // 1 + cos(x-y)
	phi := make(kernel.Vec, 3)
	k.Features(phi, kernel.Vec{0})
	fmt.Println(k.Eval(kernel.Vec{0}, kernel.Vec{0}), phi)
	// Output: 2 [1 1 0]
}

func ExampleTheta() {
	k := kernel.Theta{Sigma: 0.5}
	fmt.Printf("%.4f %.4f\n", k.Eval(kernel.Vec{0}, kernel.Vec{0}), k.Eval(kernel.Vec{0}, kernel.Vec{2 * math.Pi}))
	// Output: 0.7979 0.7979
}

func ExampleSinc() {
	fmt.Printf("%.4f\n", kernel.Sinc{Bandwidth: 1}.Eval(kernel.Vec{0}, kernel.Vec{math.Pi / 2})) // 2/π
	// Output: 0.6366
}

func ExampleSobolev() {
	k := kernel.Sobolev{Order: 1}
	fmt.Println(k.Eval(kernel.Vec{0.25}, kernel.Vec{0.5})) // 1 + min
	// Output: 1.25
}

func ExampleRadialSobolev() {
	fmt.Printf("%.4f\n", kernel.RadialSobolev{}.Eval(kernel.Vec{0.5}, kernel.Vec{1}))
	// Output: 0.3834
}

func ExampleCosine() {
	fmt.Printf("%.4f\n", kernel.Cosine{}.Eval(x, y))
	// Output: 0.7071
}

func ExampleChiSquare() {
	fmt.Printf("%.4f\n", kernel.ChiSquare{Gamma: 0.5}.Eval(x, y)) // exp(-½(4/4 + 1/3))
	// Output: 0.5134
}

func ExampleAdditiveChiSquare() {
	fmt.Printf("%.4f\n", kernel.AdditiveChiSquare{}.Eval(x, y)) // 6/4 + 4/3
	// Output: 2.8333
}

func ExampleIntersection() {
	fmt.Println(kernel.Intersection{}.Eval(x, y)) // 1 + 1
	// Output: 2
}

func ExampleMonomials() {
	fmt.Println(kernel.Monomials{Degree: 2}.Eval(kernel.Vec{2}, kernel.Vec{3})) // 1 + 6 + 36
	// Output: 43
}

func ExampleGaussianBasis() {
	k := kernel.GaussianBasis{Centers: []float64{0, 1}, Width: 1}
	fmt.Printf("%.4f\n", k.Eval(kernel.Vec{0}, kernel.Vec{1}))
	// Output: 1.2131
}

func ExampleSigmoidBasis() {
	k := kernel.SigmoidBasis{Centers: []float64{0}, Width: 1}
	fmt.Println(k.Eval(kernel.Vec{0}, kernel.Vec{0})) // ½·½
	// Output: 0.25
}

func ExampleSinusoids() {
	k := kernel.Sinusoids{Degree: 2, Period: 12}                         // months of a year, the year and its half
	fmt.Printf("%.3f\n", k.Eval(kernel.Vec{1}, kernel.Vec{2}))           // cos 30° + cos 60°
	fmt.Printf("%.3f\n", k.Eval(kernel.Vec{1}, kernel.Vec{1 + 12*1000})) // the same month
	// Output:
	// 1.366
	// 2.000
}

func ExampleThinPlate() {
	// in the plane: r² log r, and straight planes free at three places
	k := kernel.ThinPlate{}
	fmt.Println(k.Anchors(2))                                             // k is 1 of each with itself, 0 with the others
	fmt.Printf("%.3f\n", k.Eval(kernel.Vec{0, 0}, kernel.Vec{0.25, 0.5})) // 1 - 0.25 - 0.5, a plane
	// Output:
	// [[0 0] [0 1] [1 0]]
	// 0.250
}

func ExampleStationary() {
	k := kernel.Stationary{Kappa: func(d kernel.Vec) float64 { return math.Cos(d[0]) * math.Cos(d[1]) }}
	fmt.Printf("%.4f\n", k.Eval(x, y))
	// Output: -0.2248
}

func ExampleRadial() {
	k := kernel.Radial{Kappa: func(r2 float64) float64 { return 1 / (1 + r2) }}
	fmt.Printf("%.4f\n", k.Eval(x, y))
	// Output: 0.1667
}

func ExampleOnColumns() {
	k := kernel.OnColumns{Kernel: kernel.Linear{}, Columns: []int{1}}
	fmt.Println(k.Eval(x, y), k.CheckPoints(data.Slice[kernel.Vec]{{1}}))
	// Output: 2 kernel: on: column 1 is selected but row 0 has 1 columns
}

func ExampleSparseOf() {
	k, _ := kernel.OnSparse(kernel.Gaussian{Lengthscale: 2}, 100)
	fmt.Println(k.(kernel.SparseOf).Name(), k.(kernel.SparseOf).Dim)
	// Output: gaussian 100
}

func ExampleOverlap() {
	// Colour, size and shape, as codes; the last was never seen.
	a, b := kernel.Vec{2, 0, -1}, kernel.Vec{2, 1, -1}
	fmt.Printf("%.3f %.3f\n", kernel.Overlap{}.Eval(a, b), kernel.Overlap{Weights: []float64{3, 1, 1}}.Eval(a, b))
	// Output: 0.333 0.600
}

func ExampleCategorical() {
	// A number and two categories: alike in the number and in one category.
	k := kernel.Product(kernel.On(kernel.Gaussian{}, 0), kernel.On(kernel.Categorical{Decay: 0.5}, 1, 2))
	fmt.Printf("%.4f\n", k.Eval(kernel.Vec{1.5, 2, 0}, kernel.Vec{1.5, 2, 1})) // e^{-1/2}
	// Output: 0.6065
}

func ExampleWendland() {
	k := kernel.Wendland{Lengthscale: 2, Smoothness: 1} // (1-r)⁴(4r+1), r = ‖x-y‖/2
	fmt.Println(k.Eval(kernel.Vec{0}, kernel.Vec{1}), k.Eval(kernel.Vec{0}, kernel.Vec{2.5}))
	fmt.Println(kernel.Check[kernel.Vec](k, data.Slice[kernel.Vec]{{1, 2, 3, 4}}))
	// Output:
	// 0.1875 0
	// kernel: wendland: row 0 has 4 coordinates, the kernel is positive definite on at most 3; set dim=4
}

func ExampleHartley() {
	k := kernel.Hartley{}
	fmt.Printf("%.4f", k.Eval(kernel.Vec{1, 2}, kernel.Vec{0.5, 0.1}))
	// Output: 1.4091
}
