package stat

import (
	"math"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
)

// Tests by permutations say on a device what they say without: the same draws to rounding, the same
// p-value; and one that is lost or has no memory says so and leaves them to the processor.
func TestPermutationsOnDevice(t *testing.T) {
	x, y := normal(generator(1), 40, 2, 0, 1), normal(generator(2), 30, 2, 0.5, 1)
	z := normal(generator(3), 40, 3, 0, 1)
	for i := range z.Len() {
		z.At(i)[0] += x.At(i)[0] * x.At(i)[0]
	}
	k := kernel.Gaussian{Lengthscale: 1.5}
	scales := []kernel.Kernel[vec]{kernel.Gaussian{Lengthscale: 0.7}, kernel.Gaussian{Lengthscale: 2}}
	tests := map[string]func(s TestSettings) *TestResult{
		"MMD": func(s TestSettings) *TestResult {
			return must(MMD[vec]{Kernel: k, TestSettings: s}.Test(background, x, y))(t)
		},
		"biased": func(s TestSettings) *TestResult {
			return must(MMD[vec]{Kernel: k, Estimate: Biased, TestSettings: s}.Test(background, x, y))(t)
		},
		"block": func(s TestSettings) *TestResult {
			return must(MMD[vec]{Kernel: k, Estimate: Block, TestSettings: s}.Test(background, x, y))(t)
		},
		"gamma": func(s TestSettings) *TestResult {
			s.Null = NullGamma
			return must(MMD[vec]{Kernel: k, TestSettings: s}.Test(background, x, y))(t)
		},
		"aggregated MMD": func(s TestSettings) *TestResult {
			return &must(AggregatedMMD[vec]{Kernels: scales, TestSettings: s}.Test(background, x, y))(t).TestResult
		},
		"HSIC": func(s TestSettings) *TestResult {
			return must(HSIC[vec, vec]{KernelX: k, KernelY: k, TestSettings: s}.Test(background, x, z))(t)
		},
		"unbiased HSIC": func(s TestSettings) *TestResult {
			return must(HSIC[vec, vec]{KernelX: k, KernelY: k, Unbiased: true, TestSettings: s}.Test(background, x, z))(t)
		},
		"aggregated HSIC": func(s TestSettings) *TestResult {
			return &must(AggregatedHSIC[vec, vec]{KernelsX: scales, KernelsY: scales[:1], TestSettings: s}.Test(background, x,
				z))(t).TestResult
		},
	}
	for name, test := range tests {
		s := TestSettings{Permutations: 300, Seed: 4}
		want := test(s)
		for how, device := range map[string]*gram.Device{"on": gram.EmulatedDevice(1, 1<<30, 0),
			"little": gram.EmulatedDevice(1, 40<<10, 0), "lost": gram.EmulatedDevice(1, 1<<30, 1)} {
			s.Device = device
			got := test(s)
			if math.Abs(got.Statistic-want.Statistic) > 1e-12 || got.P != want.P || got.Reject != want.Reject {
				t.Errorf("%s, %s: %g with p = %g, want %g with %g", name, how, got.Statistic, got.P, want.Statistic, want.P)
			}
			for i, d := range got.Draws {
				if math.Abs(d-want.Draws[i]) > 1e-12 {
					t.Fatalf("%s, %s: draw %d is %g, want %g", name, how, i, d, want.Draws[i])
				}
			}
			for _, n := range device.Notes() {
				if !slices.Contains(got.Notes, n) {
					t.Errorf("%s, %s: %q was not said", name, how, n)
				}
			}
			if how == "lost" && len(device.Notes()) == 0 && name != "block" && name != "gamma" {
				t.Errorf("%s: the device was not asked", name)
			}
		}
	}
}
