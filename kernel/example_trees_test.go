package kernel_test

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/kernel"
)

// The nodes of the algebra are values that can be looked into.

func ExampleSumOf() {
	k := kernel.SumOf[kernel.Vec]{Terms: []kernel.Kernel[kernel.Vec]{kernel.Linear{}, kernel.Gaussian{}}}
	fmt.Printf("%.4f %d terms\n", k.Eval(x, y), len(k.Terms))
	// Output: 5.0821 2 terms
}

func ExampleProductOf() {
	k := kernel.Product[kernel.Vec](kernel.Linear{}, kernel.Linear{}).(kernel.ProductOf[kernel.Vec])
	fmt.Println(k.Eval(x, y), len(k.Factors))
	// Output: 25 2
}

func ExampleConstantOf() {
	fmt.Println(kernel.ConstantOf[string]{C: 2}.Eval("any", "thing"))
	// Output: 2
}

func ExampleScaleOf() {
	fmt.Println(kernel.ScaleOf[kernel.Vec]{Factor: -1, Kernel: kernel.Linear{}}.Validate())
	// Output: kernel: scale: factor = -1, want a finite number ≥ 0
}

func ExamplePowerOf() {
	k := kernel.PowerOf[kernel.Vec]{Kernel: kernel.Linear{}, Exponent: 2}
	fmt.Println(k.Eval(x, y))
	// Output: 25
}

func ExamplePowersOf() {
	k := kernel.PowersOf[kernel.Vec]{Kernel: kernel.Linear{}, Coef: []float64{1, 2}}
	for _, p := range k.Params() {
		fmt.Println(p.Name, p.Value)
	}
	// Output:
	// polynomial.coef[0] 1
	// polynomial.coef[1] 2
}

func ExampleExpOf() {
	k := kernel.ExpOf[kernel.Vec]{Kernel: kernel.Gaussian{}}
	fmt.Printf("%.4f\n", k.Eval(x, x)) // e
	// Output: 2.7183
}

func ExampleMultiplyOf() {
	k := kernel.MultiplyOf[float64]{F: math.Sqrt, Kernel: kernel.Constant[float64](2)}
	fmt.Println(k.Eval(4, 9)) // 2·2·3
	// Output: 12
}

func ExampleNormalizeOf() {
	k := kernel.NormalizeOf[kernel.Vec]{Kernel: kernel.Polynomial{Degree: 2}}
	fmt.Printf("%.4f\n", k.Eval(x, y))
	// Output: 0.5000
}

func ExampleSubstituteOf() {
	k := kernel.SubstituteOf[kernel.Vec]{Outer: kernel.Gaussian{Lengthscale: 2}, Kernel: kernel.Linear{}}
	fmt.Printf("%.4f %.4f\n", k.Eval(x, y), kernel.Gaussian{Lengthscale: 2}.Eval(x, y))
	// Output: 0.5353 0.5353
}

func ExamplePullbackOf() {
	k := kernel.PullbackOf[string, kernel.Vec]{Kernel: kernel.Linear{},
		Map: func(s string) kernel.Vec { return kernel.Vec{float64(len(s))} }}
	fmt.Println(k.Eval("ab", "abc"))
	// Output: 6
}

func ExampleTanimotoOf() {
	k := kernel.Tanimoto[kernel.Vec](kernel.Gaussian{}).(kernel.TanimotoOf[kernel.Vec])
	l := k.With([]float64{2})
	fmt.Println(k.Params()[0].Name, kernel.Values(l), k.Validate(), k.CheckPoints(three), k.Properties().Bound,
		k.Eval(kernel.Vec{1}, kernel.Vec{1}))
	// Output: gaussian.lengthscale [2] <nil> <nil> 1 1
}

func ExampleNetworkOf() {
	k := kernel.ArcSine[kernel.Vec](kernel.Gaussian{}, 3).(kernel.NetworkOf[kernel.Vec])
	l := k.With([]float64{2})
	fmt.Println(k.Name(), k.Depth, k.Params()[0].Name, kernel.Values(l), k.Validate(), k.CheckPoints(three),
		k.Properties().Stationary)
	fmt.Printf("%.4f\n", k.Eval(kernel.Vec{1}, kernel.Vec{1}))
	// Output:
	// arcsine 3 gaussian.lengthscale [2] <nil> <nil> yes
	// 0.2552
}

// The units of networks: a step, a ramp, its square, and erf.
func ExampleActivation() {
	for unit := kernel.StepUnit; unit <= kernel.ErfUnit; unit++ {
		k := kernel.NetworkOf[kernel.Vec]{Kernel: kernel.Linear{}, Activation: unit}
		fmt.Printf("%.4f ", k.Eval(kernel.Vec{1, 0}, kernel.Vec{0, 1}))
	}
	// Output: 0.5000 0.3183 0.5000 0.0000
}
