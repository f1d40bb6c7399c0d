package spec

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/kernel"
)

// width is another way to write a length-scale (see kernel.Convention).
type width struct {
	name, meaning string
	lengthscale   func(v float64) float64
}

var (
	asLengthscale  = func(v float64) float64 { return v }
	inverse        = func(v float64) float64 { return 1 / v }
	gaussianWidths = []width{
		{"gamma", "exp(-γ‖x-y‖²), as LIBSVM and scikit-learn write it, and kernlab as sigma: ℓ = 1/√(2γ)",
			kernel.LIBSVMGamma.Lengthscale},
		{"sigma", "exp(-‖x-y‖²/(2σ²)): ℓ = σ", asLengthscale},
		{"bandwidth", "ℓ by the name it has in smoothing", asLengthscale},
		{"variance", "σ², of exp(-‖x-y‖²/(2σ²)): ℓ = √σ²", kernel.Variance.Lengthscale},
		{"kernelscale", "exp(-‖x-y‖²/s²), as MATLAB writes it: ℓ = s/√2", kernel.InverseWidthSquared.Lengthscale},
	}
	laplaceWidths = []width{
		{"gamma", "exp(-γ‖x-y‖), as scikit-learn writes it, and kernlab as sigma: ℓ = 1/γ", inverse},
		{"sigma", "ℓ by another name", asLengthscale},
		{"bandwidth", "ℓ by the name it has in smoothing", asLengthscale},
	}
)

func parametersOf(widths []width) []Parameter {
	var out []Parameter
	for _, w := range widths {
		out = append(out, Parameter{w.name, "", w.meaning})
	}
	return out
}

// width finds the length-scale however it is written: its name, its expression (nil: not given) and
// what makes a length-scale of it.
func (a *arguments) width(widths []width) (name string, e Expr, convert func(float64) float64) {
	name, convert = "lengthscale", asLengthscale
	e, given := a.get("lengthscale")
	for _, w := range widths {
		other, ok := a.get(w.name)
		switch {
		case ok && given:
			a.fail(other.column(), fmt.Sprintf("%s and %s are two ways to write one thing", name, w.name), "give one of them")
		case ok:
			name, e, convert, given = w.name, other, w.lengthscale, true
		}
	}
	if !given {
		return name, nil, convert
	}
	return name, e, convert
}

// foreign is what kernels are called elsewhere.
var foreign = map[string]string{
	"rbf": "gaussian", "se": "gaussian", "sqexp": "gaussian", "squaredexponential": "gaussian",
	"squared_exponential": "gaussian", "rbfdot": "gaussian", "gauss": "gaussian", "exponentiatedquadratic": "gaussian",
	"laplacian": "laplacel1", "laplacedot": "laplace", "ou": "laplace", "ornsteinuhlenbeck": "laplace",
	"absexp":  "laplace",
	"polydot": "poly", "tanh": "sigmoid", "tanhdot": "sigmoid", "mlp": "sigmoid",
	"dot": "linear", "dotproduct": "linear", "vanilladot": "linear", "inner": "linear",
	"matern12": "matern", "matern32": "matern", "matern52": "matern",
	"rationalquadratic": "rq", "ratquad": "rq", "cauchy": "rq", "expsinesquared": "periodic", "per": "periodic",
	"chi_squared": "chi2", "chisquare": "chi2", "histogram": "intersection", "hik": "intersection", "min": "intersection",
	"cosine_similarity": "cosine", "bias": "constant", "sum": "+", "product": "*", "scale": "*", "power": "^",
	"jaccard": "tanimoto",
}

// meantKernel suggests a kernel for a name that none has: what others call so, or what is written
// nearly so.
func meantKernel(name string, known []string) string {
	own, ok := foreign[strings.ToLower(name)]
	switch {
	case !ok:
		return didYouMean(name, known)
	case len(own) == 1: // a sign
		return fmt.Sprintf("write k₁ %s k₂", own)
	}
	return fmt.Sprintf("did you mean %q?", own)
}

// onCircle puts a kernel of angles on a circle of another length: x ↦ 2πx/T, which is kernel.ARD
// with the length-scale T/(2π). On R/TZ the Fourier coefficients are those of the angle, a shift by
// s is one of the angle by 2πs/T, and each derivative has a factor 2π/T (Gretton's notes, table 1).
func onCircle(a *arguments, k kernel.Kernel[vec]) kernel.Kernel[vec] {
	e, ok := a.get("period")
	if !ok {
		return k
	}
	t := a.asNumber("period", e)
	switch {
	case !(t > 0) || math.IsInf(t, 0):
		a.fail(e.column(), fmt.Sprintf("period = %g, want > 0", t), "")
	case t != 2*math.Pi:
		return kernel.ARD{Kernel: k, Lengthscales: []float64{t / (2 * math.Pi)}}
	}
	return k
}

// offCircle is a kernel of angles and the length of its circle as text; false where k is not one
// that onCircle makes.
func offCircle[K kernel.Kernel[vec]](k any) (own K, period []Arg, ok bool) {
	if own, ok = k.(K); ok {
		return own, nil, true
	}
	ard, is := k.(kernel.ARD)
	if !is || len(ard.Lengthscales) != 1 {
		return own, nil, false
	}
	if own, ok = ard.Kernel.(K); !ok {
		return own, nil, false
	}
	t, ok := periodOf(ard.Lengthscales[0])
	return own, []Arg{named("period", num(t))}, ok
}

// periodOf is the T of which T/(2π) has the bits of l, the shortest to write of those; a few have
// none.
func periodOf(l float64) (best float64, ok bool) {
	shortest := math.MaxInt
	t := l * 2 * math.Pi
	for range 4 {
		t = math.Nextafter(t, 0)
	}
	for range 9 {
		if n := len(strconv.FormatFloat(t, 'g', -1, 64)); t/(2*math.Pi) == l && n < shortest {
			best, shortest, ok = t, n, true
		}
		t = math.Nextafter(t, math.Inf(1))
	}
	return best, ok
}

var periodParam = Parameter{"period", "2π", "T > 0, length of the circle: x and x + T are one place"}

// angular is an entry for a kernel of angles, which has a period of one's own.
func angular[K kernel.Kernel[vec]](
	name, formula string, params []Parameter, build func(a *arguments) K, args func(K) []Arg,
) Entry {
	return Entry{
		Name: name, Formula: formula, Params: append(params, periodParam),
		build: func(a *arguments) kernel.Kernel[any] { return kernel.OnVectors(onCircle(a, build(a))) },
		args: func(k any) ([]Arg, bool) {
			own, period, ok := offCircle[K](k)
			if !ok {
				return nil, false
			}
			return append(args(own), period...), true
		},
	}
}
