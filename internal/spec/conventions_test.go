package spec

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/kernel"
)

// Widths in the conventions of others are the kernels that their formulas say.
func TestWidthsOfOthers(t *testing.T) {
	x, y := vec{0.3, -0.4}, vec{0.5, 0.1}
	square := kernel.SqDist.Between(x, y)
	for text, want := range map[string]float64{
		"gaussian(gamma=0.7)":        math.Exp(-0.7 * square),
		"gaussian(sigma=0.7)":        math.Exp(-square / (2 * 0.49)),
		"gaussian(bandwidth=0.7)":    math.Exp(-square / (2 * 0.49)),
		"gaussian(variance=0.7)":     math.Exp(-square / (2 * 0.7)),
		"gaussian(kernelscale=0.7)":  math.Exp(-square / 0.49),
		"gaussian(gamma=[0.7, 0.1])": math.Exp(-0.7*0.04 - 0.1*0.25),
		"laplace(gamma=0.7)":         math.Exp(-0.7 * math.Sqrt(square)),
		"laplace(sigma=0.7)":         math.Exp(-math.Sqrt(square) / 0.7),
		"laplacel1(gamma=0.7)":       math.Exp(-0.7 * 0.7),
		"laplacel1(bandwidth=0.7)":   math.Exp(-0.7 / 0.7),
	} {
		k, err := ParseKernel(text)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := k.Eval(x, y); math.Abs(got-want) > 1e-15 {
			t.Errorf("%s is %v, want %v", text, got, want)
		}
		printed, err := FormatKernel(k)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := ParseKernel(printed); err != nil || again.Eval(x, y) != k.Eval(x, y) {
			t.Errorf("%s prints as %s, which is another kernel (%v)", text, printed, err)
		}
	}
}

// A kernel on a circle of length T is that of the angle 2πx/T: 1 at a whole turn, and k̂₀ + 2Σ k̂_l
// cos(2πl(x-y)/T).
func TestPeriodsOfOnesOwn(t *testing.T) {
	at := func(text string, x, y float64) float64 {
		t.Helper()
		k, err := ParseKernel(text)
		if err != nil {
			t.Fatal(err)
		}
		return k.Eval(vec{x}, vec{y})
	}
	for _, period := range []string{"24", "0.3", "6.283185307179586", "7", "1e-3", "365.25"} {
		text := "fourier(coef=[1, 0.5, 0.2], period=" + period + ")"
		k, err := ParseKernel(text)
		if err != nil {
			t.Fatal(err)
		}
		printed, err := FormatKernel(k)
		if err != nil {
			t.Fatal(err)
		}
		if want := text; period != "6.283185307179586" && period != "1e-3" && printed != want {
			t.Errorf("%s prints as %s", text, printed)
		}
		again, err := ParseKernel(printed)
		if err != nil || again.Eval(vec{0.1}, vec{0.27}) != k.Eval(vec{0.1}, vec{0.27}) {
			t.Errorf("%s is another kernel when it is read again as %s (%v)", text, printed, err)
		}
	}
	w := 2 * math.Pi / 24
	if got, want := at("fourier(coef=[1, 0.5, 0.2], period=24)", 3,
		20), 1+math.Cos(17*w)+0.4*math.Cos(34*w); math.Abs(got-want) > 1e-14 {
		t.Errorf("fourier: %v, want %v", got, want)
	}
	if a, b := at("theta(sigma=0.4, period=24)", 1, 23), at("theta(sigma=0.4)", w, 23*w); math.Abs(a-b) > 1e-14 {
		t.Errorf("theta: %v, want %v", a, b)
	}
	if a, b := at("theta(period=24)", 1, 5), at("theta(period=24)", 1+24, 5-48); math.Abs(a-b) > 1e-13 {
		t.Errorf("theta is not periodic: %v, %v", a, b)
	}
}

// A name that others have for a kernel is answered with ours, and two ways to write one thing with
// a choice.
func TestNamesOfOthers(t *testing.T) {
	for text, want := range map[string]string{
		"rbf(gamma=1)": `did you mean "gaussian"?`, "SE()": `did you mean "gaussian"?`,
		"matern52()":              `did you mean "matern"?`,
		"sum(linear(), linear())": "write k₁ + k₂", "gausian()": `did you mean "gaussian"?`,
		"gaussian(gamma=1, lengthscale=2)": "two ways to write one thing", "gaussian(gamma=0)": "gamma = 0, want > 0",
		"gaussian(gamma=-1)":      "gamma = -1, want > 0",
		"gaussian(gamma=[1, -1])": "lengthscale", "matern(gamma=1, nu=1.5)": `no parameter "gamma"`,
		"theta(period=0)": "period = 0, want > 0", "fourier(coef=[1], period=-2)": "period = -2",
	} {
		_, err := ParseKernel(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	own := Vectors().Names()
	for name, ours := range foreign {
		if _, ok := Vectors().find(name); ok {
			t.Errorf("%q is a kernel here", name)
		}
		if len(ours) > 1 && !slices.Contains(own, ours) {
			t.Errorf("%q stands for %q, which is no kernel", name, ours)
		}
	}
}
