package kernel_test

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

var x, y = kernel.Vec{1, 2}, kernel.Vec{3, 1}

func Example() {
	k := kernel.Sum(
		kernel.Scale[kernel.Vec](0.5, kernel.Gaussian{Lengthscale: 2}),
		kernel.Product[kernel.Vec](kernel.Linear{}, kernel.Periodic{Period: 4}))
	points := data.Rows(mat.NewDense(3, 2, []float64{0, 0, 1, 0, 0, 1}))
	gram := mat.NewDense(3, 3, nil)
	kernel.Block(context.Background(), k, gram, points, points)
	fmt.Printf("%.3f\n", mat.Formatted(gram))
	// Output:
	// ⎡0.500  0.441  0.441⎤
	// ⎢0.441  1.500  0.389⎥
	// ⎣0.441  0.389  1.500⎦
}

func ExampleSum() {
	k := kernel.Sum[kernel.Vec](kernel.Linear{}, kernel.Polynomial{Degree: 2})
	fmt.Println(k.Eval(x, y)) // 5 + 25
	// Output: 30
}

func ExampleCone() {
	k := kernel.Cone[kernel.Vec]([]float64{2, 0.1}, kernel.Linear{}, kernel.Polynomial{Degree: 2})
	fmt.Println(k.Eval(x, y)) // 2·5 + 0.1·25
	// Output: 12.5
}

func ExampleProduct() {
	k := kernel.Product[kernel.Vec](kernel.Linear{}, kernel.Polynomial{Degree: 2})
	fmt.Println(k.Eval(x, y))
	// Output: 125
}

func ExampleConstant() {
	k := kernel.Sum[kernel.Vec](kernel.Linear{}, kernel.Constant[kernel.Vec](3))
	fmt.Println(k.Eval(x, y))
	// Output: 8
}

func ExampleScale() {
	fmt.Println(kernel.Scale[kernel.Vec](0.5, kernel.Linear{}).Eval(x, y))
	// Output: 2.5
}

func ExamplePower() {
	fmt.Println(kernel.Power[kernel.Vec](kernel.Linear{}, 3).Eval(x, y))
	// Output: 125
}

func ExamplePowers() {
	k := kernel.Powers[kernel.Vec](kernel.Linear{}, 1, 0, 2) // 1 + 2k²
	fmt.Println(k.Eval(x, y))
	// Output: 51
}

func ExampleSeries() {
	// 1/(1-z/2) = Σ (z/2)ⁿ converges for |z| < 2; the Gaussian kernel stays below 1.
	k, err := kernel.Series[kernel.Vec](kernel.Gaussian{}, func(n int) float64 { return math.Pow(0.5, float64(n)) }, 2, 1,
		1e-6)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.5f, error at most %.0e\n", k.Eval(x, x), k.(kernel.PowersOf[kernel.Vec]).Error)
	// Output: 2.00000, error at most 1e-06
}

func ExampleExp() {
	k := kernel.Exp(kernel.Scale[kernel.Vec](0.1, kernel.Linear{}))
	fmt.Printf("%.4f\n", k.Eval(x, y))
	// Output: 1.6487
}

func ExampleMultiply() {
	f := func(x kernel.Vec) float64 { return x[0] }
	fmt.Println(kernel.Multiply[kernel.Vec](f, kernel.Linear{}).Eval(x, y)) // 1·5·3
	// Output: 15
}

func ExampleRankOne() {
	k := kernel.RankOne(func(s string) float64 { return float64(len(s)) })
	fmt.Println(k.Eval("kernel", "map"))
	// Output: 18
}

func ExampleNormalize() {
	k := kernel.Normalize[kernel.Vec](kernel.Linear{})
	fmt.Printf("%.4f %.0f\n", k.Eval(x, y), k.Eval(x, x))
	// Output: 0.7071 1
}

func ExampleSubstitute() {
	// The Gaussian kernel of the distance in the feature space of ⟨x, y⟩².
	k := kernel.Substitute[kernel.Vec](kernel.Gaussian{Lengthscale: 10}, kernel.Polynomial{Degree: 2})
	fmt.Printf("%.4f\n", k.Eval(x, y))
	// Output: 0.6873
}

func ExamplePullback() {
	k := kernel.Pullback[string](kernel.Linear{}, func(s string) kernel.Vec { return kernel.Vec{1, float64(len(s))} })
	fmt.Println(k.Eval("ab", "abc"))
	// Output: 7
}

func ExampleDirectSum() {
	k := kernel.DirectSum[kernel.Vec, kernel.Vec](kernel.Linear{}, kernel.Polynomial{Degree: 2})
	p := kernel.Pair[kernel.Vec, kernel.Vec]{First: x, Second: y}
	fmt.Println(k.Eval(p, p)) // ⟨x, x⟩ + ⟨y, y⟩²
	// Output: 105
}

func ExampleTensor() {
	k := kernel.Tensor[kernel.Vec, kernel.Vec](kernel.Linear{}, kernel.Linear{})
	p := kernel.Pair[kernel.Vec, kernel.Vec]{First: x, Second: y}
	fmt.Println(k.Eval(p, p)) // ⟨x, x⟩·⟨y, y⟩
	// Output: 50
}

func ExampleOn() {
	fmt.Println(kernel.On(kernel.Linear{}, 1).Eval(x, y)) // the second coordinate alone
	// Output: 2
}

func ExampleFeatures() {
	k := kernel.Features(func(x kernel.Vec) kernel.Vec { return kernel.Vec{x[0], x[1], x[0] * x[1]} })
	fmt.Println(k.Eval(x, y))
	// Output: 11
}

func ExampleNewMahalanobis() {
	k, err := kernel.NewMahalanobis(kernel.Gaussian{}, mat.NewSymDense(2, []float64{4, 0, 0, 1}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f\n", k.Eval(x, y)) // exp(-½(2²/4 + 1²/1))
	// Output: 0.3679
}

func ExamplePrecomputedTest() {
	train := mat.NewDense(2, 2, []float64{1, 0.5, 0.5, 1})
	test := mat.NewDense(1, 2, []float64{0.2, 0.7})
	k, err := kernel.PrecomputedTest(train, test)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(k.Eval(0, 1), k.Eval(2, 1)) // object 2 is the first test object
	// Output: 0.5 0.7
}

func ExampleOnSparse() {
	k, err := kernel.OnSparse(kernel.Linear{}, 1000)
	if err != nil {
		fmt.Println(err)
		return
	}
	a := data.SparseVec{Index: []int32{3, 700}, Value: []float64{1, 2}}
	b := data.SparseVec{Index: []int32{5, 700}, Value: []float64{1, 4}}
	fmt.Println(k.Eval(a, b))
	// Output: 8
}

func ExampleParts() {
	k := kernel.Sum[kernel.Vec](kernel.Linear{}, kernel.Gaussian{})
	for _, p := range kernel.Parts(k) {
		fmt.Println(p.(kernel.Named).Name())
	}
	// Output:
	// linear
	// gaussian
}

func ExampleARD() {
	k := kernel.ARD{Kernel: kernel.Gaussian{}, Lengthscales: []float64{2, 1}}
	for _, p := range k.Params() {
		fmt.Println(p.Name, p.Value)
	}
	// Output:
	// gaussian.lengthscale[0] 2
	// gaussian.lengthscale[1] 1
}

func ExampleMatern() {
	k := kernel.Matern{Nu: 2.5, Lengthscale: 3}
	fmt.Printf("%.4f\n", k.Eval(x, y))
	// Output: 0.6786
}

func ExampleSeparable() {
	k := kernel.Separable[kernel.Vec]{Kernel: kernel.Linear{}, B: mat.NewSymDense(2, []float64{2, 1, 1, 3})}
	m := mat.NewDense(2, 2, nil)
	k.EvalTo(m, x, y)
	fmt.Println(mat.Formatted(m))
	// Output:
	// ⎡10   5⎤
	// ⎣ 5  15⎦
}

func ExampleTanimoto() {
	k := kernel.Tanimoto[kernel.Vec](kernel.Linear{}) // of sets |A∩B|/|A∪B|
	fmt.Println(k.Eval(kernel.Vec{1, 1, 0, 0}, kernel.Vec{0, 1, 1, 1}))
	// Output: 0.25
}

func ExamplePullbackInjective() {
	// The logarithm takes different numbers to different numbers: what the Gaussian kernel is, this
	// one is too.
	k := kernel.PullbackInjective[float64, kernel.Vec](kernel.Gaussian{},
		func(x float64) kernel.Vec { return kernel.Vec{math.Log(x)} })
	p := kernel.PropertiesOf(k)
	fmt.Printf("%.4f strict %v, characteristic %v\n", k.Eval(1, math.E), p.Strict, p.Characteristic)
	// Output: 0.6065 strict yes, characteristic yes
}

func ExampleBilinear() {
	fmt.Println(kernel.Bilinear[kernel.Vec](kernel.Scale[kernel.Vec](2, kernel.Linear{})),
		kernel.Bilinear[kernel.Vec](kernel.Polynomial{}))
	// Output: true false
}

// What a message calls a kernel.
func ExampleNameOf() {
	k := kernel.Sum(kernel.Kernel[kernel.Vec](kernel.Gaussian{Lengthscale: 2}), kernel.Linear{})
	fmt.Println(kernel.NameOf(k), kernel.NameOf(kernel.Erase(k)))
	// Output: gaussian + linear gaussian + linear
}

// The covariance of networks with two layers of infinitely many units max(0, z), with biases.
func ExampleArcCosine() {
	k := kernel.ArcCosine(kernel.Sum[kernel.Vec](kernel.Linear{}, kernel.Constant[kernel.Vec](1)), 1, 2)
	fmt.Printf("%.4f %.4f\n", k.Eval(kernel.Vec{1, 2}, kernel.Vec{2, -1}), k.Eval(kernel.Vec{1, 2}, kernel.Vec{1, 2}))
	fmt.Println(kernel.PropertiesOf(k).Analytic)
	// Output:
	// 3.2878 6.0000
	// no
}

// Williams's kernel of networks with one layer of infinitely many units erf z.
func ExampleArcSine() {
	k := kernel.ArcSine(kernel.Sum[kernel.Vec](kernel.Linear{}, kernel.Constant[kernel.Vec](1)), 1)
	fmt.Printf("%.4f\n", k.Eval(kernel.Vec{1, 2}, kernel.Vec{2, -1}))
	fmt.Println(kernel.PropertiesOf(k).Analytic)
	// Output:
	// 0.0983
	// yes
}
