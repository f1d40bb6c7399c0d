package stat_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/stat"
	"gonum.org/v1/gonum/mat"
)

func sample(seed uint64, n int, mean float64) data.DenseRows {
	rng := rand.New(rand.NewPCG(seed, 0))
	m := mat.NewDense(n, 1, nil)
	for i := range n {
		m.Set(i, 0, mean+rng.NormFloat64())
	}
	return data.Rows(m)
}

func ExampleMMD() {
	before, after := sample(1, 60, 0), sample(2, 50, 1)
	k, _ := stat.MedianKernel(before, after)
	r, err := stat.MMD[kernel.Vec]{Kernel: k, TestSettings: stat.TestSettings{Seed: 1}}.Test(context.Background(), before,
		after)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("p = %.3f, reject %v, n = %v\n", r.P, r.Reject, r.Sizes)
	// Output: p = 0.001, reject true, n = [60 50]
}

func ExampleAggregatedMMD() {
	before, after := sample(1, 60, 0), sample(2, 50, 1)
	ks, _ := stat.GaussianScales(before, after, 10)
	r, err := stat.AggregatedMMD[kernel.Vec]{Kernels: ks}.Test(context.Background(), before, after)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(r.Each), "kernels, reject", r.Reject)
	// Output: 10 kernels, reject true
}

func ExampleHSIC() {
	x := sample(1, 80, 0)
	y := mat.NewDense(80, 1, nil)
	for i := range 80 {
		v := x.At(i)[0]
		y.Set(i, 0, v*v) // dependent, but not correlated
	}
	k := kernel.Gaussian{Lengthscale: 1}
	r, err := stat.HSIC[kernel.Vec, kernel.Vec]{KernelX: k, KernelY: k}.Test(context.Background(), x, data.Rows(y))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("reject independence:", r.Reject)
	// Output: reject independence: true
}

// Any kernel will do: here words are compared by their first letter and length.
func ExampleMMD_strings() {
	x := data.Slice[string]{"ant", "ape", "asp", "auk", "ant", "ass", "ape", "auk"}
	y := data.Slice[string]{"bee", "bat", "bear", "boar", "bee", "bat", "bear", "boar"}
	k := kernel.Pullback[string, kernel.Vec](kernel.Gaussian{Lengthscale: 1}, func(s string) kernel.Vec {
		return kernel.Vec{float64(s[0]), float64(len(s))}
	})
	r, err := stat.MMD[string]{Kernel: k}.Test(context.Background(), x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("reject equality:", r.Reject)
	// Output: reject equality: true
}

func ExampleDHSIC() {
	k := kernel.Gaussian{Lengthscale: 1}
	a, b := sample(1, 60, 0), sample(2, 60, 0)
	c := mat.NewDense(60, 1, nil)
	for i := range 60 { // the sign of c is decided by both others together
		c.Set(i, 0, a.At(i)[0]*b.At(i)[0])
	}
	r, err := stat.DHSIC{}.Test(context.Background(), stat.NewVariable[kernel.Vec](k, a),
		stat.NewVariable[kernel.Vec](k, b), stat.NewVariable[kernel.Vec](k, data.Rows(c)))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("reject joint independence:", r.Reject)
	// Output: reject joint independence: true
}

func ExampleDependence() {
	k := kernel.Gaussian{Lengthscale: 1}
	a := stat.NewVariable[kernel.Vec](k, sample(1, 60, 0))
	rho, err := stat.Dependence{Measure: stat.Correlation, Kappa: 1e-3}.Value(context.Background(), a, a)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("correlation with itself: %.2f\n", rho)
	// Output: correlation with itself: 1.00
}

func ExampleConditionalIndependence() {
	z, e, f := sample(1, 100, 0), sample(2, 100, 0), sample(3, 100, 0)
	x, y := mat.NewDense(100, 1, nil), mat.NewDense(100, 1, nil)
	for i := range 100 { // both follow z
		x.Set(i, 0, z.At(i)[0]+0.3*e.At(i)[0])
		y.Set(i, 0, z.At(i)[0]+0.3*f.At(i)[0])
	}
	k := kernel.Gaussian{Lengthscale: 1}
	r, err := stat.ConditionalIndependence[kernel.Vec]{Kernels: []kernel.Kernel[kernel.Vec]{k}}.Test(context.Background(),
		data.Rows(x), data.Rows(y), z)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("given z, reject independence:", r.Reject)
	// Output: given z, reject independence: false
}

func ExampleWitness() {
	x, y := sample(1, 40, 0), sample(2, 40, 3)
	f, err := stat.Witness[kernel.Vec](context.Background(), kernel.Gaussian{Lengthscale: 1}, x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	top, _ := stat.LargestDifferences(context.Background(), f, x, y, 1)
	fmt.Println(f.At(kernel.Vec{0})[0] > 0, f.At(kernel.Vec{3})[0] < 0, len(top))
	// Output: true true 1
}

func ExampleSelectByPower() {
	x, y := sample(1, 100, 0), sample(2, 100, 0.8)
	ks, _ := stat.GaussianScales(x, y, 5)
	sel, err := stat.SelectByPower(context.Background(), ks, x, y, stat.PowerOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := stat.MMD[kernel.Vec]{Kernel: sel.Kernel}.Test(context.Background(), sel.TestX, sel.TestY)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sel.TestX.Len(), "points left, reject", r.Reject)
	// Output: 50 points left, reject true
}

func ExamplePooledWidths() {
	x, y := data.Line([]float64{0, 1}), data.Line([]float64{2, 3})
	ks, _ := stat.PooledWidths(x, y, 3)
	for _, k := range ks {
		fmt.Printf("%.3g ", k.(kernel.Gaussian).Lengthscale)
	}
	// Output: 0.375 1.5 6
}
