package gram_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/kernel"
)

// affine is c·linear + b.
func affine(c, b float64) kernel.Kernel[kernel.Vec] {
	return kernel.Sum(kernel.Scale[kernel.Vec](c, kernel.Linear{}), kernel.Constant[kernel.Vec](b))
}

// networkError is the root mean square error of inner products of features, over all pairs.
func networkError(
	t *testing.T, k kernel.Kernel[kernel.Vec], x data.Points[kernel.Vec], m int, seeds int,
) (rms, bias float64) {
	n := 0.0
	sum := make([]float64, x.Len()*x.Len())
	for seed := range seeds {
		f, err := gram.NewNetworkMap(k, 3, m, uint64(seed))
		if err != nil {
			t.Fatal(err)
		}
		z, err := f.Features(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.Len() {
			for j := range x.Len() {
				v := 0.0
				for u := range f.Dim() {
					v += z.At(i, u) * z.At(j, u)
				}
				e := v - k.Eval(x.At(i), x.At(j))
				rms, n = rms+e*e, n+1
				sum[i*x.Len()+j] += e / float64(seeds)
			}
		}
	}
	for _, s := range sum {
		bias += s * s / float64(len(sum))
	}
	return math.Sqrt(rms / n), math.Sqrt(bias)
}

// The mean of the features' inner products is the kernel: over many networks of one layer the error
// of the mean is what is left of that of one, and four times the units halve the error.
func TestNetworkFeaturesHaveTheKernelAsMean(t *testing.T) {
	x := kerneltest.Vectors(5, 6, 3)
	for unit := kernel.StepUnit; unit <= kernel.ErfUnit; unit++ {
		k := kernel.NetworkOf[kernel.Vec]{Kernel: affine(0.5, 0.3), Activation: unit, Depth: 1}
		const seeds = 64
		few, bias := networkError(t, k, x, 50, seeds)
		many, _ := networkError(t, k, x, 200, seeds)
		if bias > 3*few/math.Sqrt(seeds) {
			t.Errorf("unit %d: the mean over %d networks is off by %v, one by %v", unit, seeds, bias, few)
		}
		if ratio := few / many; ratio < 1.5 || ratio > 2.7 {
			t.Errorf("unit %d: errors %v and %v of 50 and 200 units", unit, few, many)
		}
	}
}

// Deep networks come near their kernel as they get wide.
func TestDeepNetworkFeaturesConverge(t *testing.T) {
	x := kerneltest.Vectors(5, 4, 3)
	for unit := kernel.StepUnit; unit <= kernel.ErfUnit; unit++ {
		if unit == kernel.SquareUnit {
			continue // its fourth powers have no mean worth testing at these widths
		}
		k := kernel.NetworkOf[kernel.Vec]{Kernel: affine(0.5, 0.3), Activation: unit, Depth: 3}
		few, _ := networkError(t, k, x, 30, 16)
		many, _ := networkError(t, k, x, 270, 16)
		if ratio := few / many; ratio < 1.8 || ratio > 6 {
			t.Errorf("unit %d: errors %v and %v of 30 and 270 units", unit, few, many)
		}
	}
}

func TestNetworkFeaturesRefuse(t *testing.T) {
	for what, k := range map[string]kernel.Kernel[kernel.Vec]{
		"no network": kernel.Linear{}, "a gaussian": kernel.ArcSine[kernel.Vec](kernel.Gaussian{}, 1),
		"an order": kernel.ArcCosine[kernel.Vec](kernel.Linear{}, 7, 1),
	} {
		if _, err := gram.NewNetworkMap(k, 3, 4, 1); err == nil {
			t.Errorf("%s is accepted", what)
		}
	}
	if _, err := gram.NewNetworkMap(kernel.ArcSine[kernel.Vec](kernel.Linear{}, 1), 3, 0, 1); err == nil {
		t.Error("no units are accepted")
	}
	f, err := gram.NewNetworkMap(kernel.ArcSine[kernel.Vec](kernel.Linear{}, 1), 3, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Features(context.Background(), data.Slice[kernel.Vec]{{1, 2}}); err == nil {
		t.Error("two coordinates are accepted for three")
	}
}

func ExampleNewNetworkMap() {
	k := kernel.ArcCosine[kernel.Vec](kernel.Linear{}, 1, 1)
	f, err := gram.NewNetworkMap(k, 2, 20000, 1)
	if err != nil {
		panic(err)
	}
	x := data.Slice[kernel.Vec]{{1, 0}, {0, 1}}
	z, err := f.Features(context.Background(), x)
	if err != nil {
		panic(err)
	}
	sum := 0.0
	for u := range f.Dim() {
		sum += z.At(0, u) * z.At(1, u)
	}
	fmt.Printf("%.1f %.1f\n", sum, k.Eval(x[0], x[1]))
	// Output: 0.3 0.3
}
