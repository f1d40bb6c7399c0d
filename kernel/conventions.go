package kernel

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/mercer-ml/mercer/internal/fault"
)

// Convention is a way other tools and texts write the width of the Gaussian
// kernel. mercer's own is the length-scale ℓ in exp(-‖x-y‖²/(2ℓ²)).
//
//	convention             kernel                      ℓ
//	LIBSVMGamma            exp(-γ‖x-y‖²)               1/√(2γ)
//	SklearnGamma           exp(-γ‖x-y‖²)               1/√(2γ)      (rbf_kernel, SVC, KernelRidge)
//	SklearnLengthScale     exp(-‖x-y‖²/(2ℓ²))          ℓ            (gaussian_process.kernels.RBF)
//	KernlabSigma           exp(-σ‖x-y‖²)               1/√(2σ)      (rbfdot)
//	GPyTorchLengthscale    exp(-‖x-y‖²/(2ℓ²))          ℓ            (RBFKernel)
//	StandardDeviation      exp(-‖x-y‖²/(2σ²))          σ
//	Variance               exp(-‖x-y‖²/(2σ²))          √(σ²)        (σ² given; the "bandwidth" of Murphy 2012)
//	InverseWidthSquared    exp(-‖x-y‖²/γ²)             γ/√2         (Gretton's notes; MATLAB KernelScale)
//
// Other kernels:
//
//	tool          call                                        mercer
//	LIBSVM        -t 0                                        Linear{}
//	LIBSVM        -t 1 -g γ -r c -d p                         Polynomial{Gamma: γ, Offset: c, Degree: p}
//	LIBSVM        -t 2 -g γ                                   Gaussian{1/√(2γ)}
//	LIBSVM        -t 3 -g γ -r c                              Sigmoid{γ, c}
//	scikit-learn  laplacian_kernel(gamma=γ)                   LaplaceL1{1/γ}
//	scikit-learn  chi2_kernel(gamma=γ)                        ChiSquare{γ}
//	scikit-learn  Matern(length_scale=ℓ, nu=ν)                Matern{ν, ℓ}
//	scikit-learn  RationalQuadratic(length_scale=ℓ, alpha=α)  RationalQuadratic{α, ℓ}
//	scikit-learn  ExpSineSquared(length_scale=ℓ, periodicity=p)  Periodic{p, ℓ}, in one dimension
//	kernlab       rbfdot(sigma=σ)                             Gaussian{1/√(2σ)}
//	kernlab       laplacedot(sigma=σ)                         Laplace{1/σ}
//	kernlab       polydot(degree=p, scale=γ, offset=c)        Polynomial{γ, c, p}
//	kernlab       tanhdot(scale=γ, offset=c)                  Sigmoid{γ, c}
//	kernlab       vanilladot()                                Linear{}
//	GPyTorch      MaternKernel(nu=ν).lengthscale = ℓ          Matern{ν, ℓ}
//	GPyTorch      RQKernel: lengthscale ℓ, alpha α            RationalQuadratic{α, ℓ}
//	GPyTorch      PeriodicKernel: period_length p, lengthscale λ  Periodic{p, √λ}
type Convention int

// The conventions.
const (
	LIBSVMGamma Convention = iota
	SklearnGamma
	SklearnLengthScale
	KernlabSigma
	GPyTorchLengthscale
	StandardDeviation
	Variance
	InverseWidthSquared
)

// Lengthscale converts a width to mercer's ℓ. The width has to be > 0.
func (c Convention) Lengthscale(width float64) float64 {
	switch c {
	case LIBSVMGamma, SklearnGamma, KernlabSigma:
		return 1 / math.Sqrt(2*width)
	case Variance:
		return math.Sqrt(width)
	case InverseWidthSquared:
		return width / math.Sqrt2
	}
	return width
}

// FromLengthscale converts mercer's ℓ to a width.
func (c Convention) FromLengthscale(l float64) float64 {
	switch c {
	case LIBSVMGamma, SklearnGamma, KernlabSigma:
		return 1 / (2 * l * l)
	case Variance:
		return l * l
	case InverseWidthSquared:
		return l * math.Sqrt2
	}
	return l
}

// Gaussian is the Gaussian kernel of that width.
func (c Convention) Gaussian(width float64) Gaussian { return Gaussian{c.Lengthscale(width)} }

// LIBSVM is the kernel of svm-train's options -t, -g, -r and -d.
func LIBSVM(t int, gamma, coef0 float64, degree int) (Kernel[Vec], error) {
	if t != 0 && !(gamma > 0) {
		return nil, fault.Errorf("kernel", "LIBSVM -g %g, want > 0", gamma)
	}
	var k Kernel[Vec]
	switch t {
	case 0:
		k = Linear{}
	case 1:
		k = Polynomial{Gamma: gamma, Offset: coef0, Degree: degree}
	case 2:
		k = LIBSVMGamma.Gaussian(gamma)
	case 3:
		k = Sigmoid{Gamma: gamma, Offset: coef0}
	default:
		return nil, fault.Errorf("kernel",
			"LIBSVM -t %d, want 0 (linear), 1 (polynomial), 2 (radial basis function) or 3 (sigmoid)", t)
	}
	return k, Validate(k)
}

// arguments reads named arguments with defaults, and remembers what was asked for.
type arguments struct {
	tool, call string
	given      map[string]float64
	known      []string
}

func (a *arguments) get(name string, fallback float64) float64 {
	a.known = append(a.known, name)
	if v, ok := a.given[name]; ok {
		return v
	}
	return fallback
}

// done refuses arguments nobody asked for, and values that make no kernel.
func (a *arguments) done(k Kernel[Vec]) (Kernel[Vec], error) {
	for name := range a.given {
		found := false
		for _, n := range a.known {
			found = found || n == name
		}
		if !found {
			sort.Strings(a.known)
			return nil, fault.Errorf("kernel", "%s %s has no argument %q (it has: %s)", a.tool, a.call, name,
				strings.Join(a.known, ", "))
		}
	}
	if err := Validate(k); err != nil {
		return nil, fmt.Errorf("%s %s: %w", a.tool, a.call, err)
	}
	return k, nil
}

// Kernlab is the kernel of a kernlab call such as Kernlab("rbfdot", map[string]float64{"sigma":
// 0.1}).
func Kernlab(call string, args map[string]float64) (Kernel[Vec], error) {
	a := &arguments{tool: "kernlab", call: call, given: args}
	switch call {
	case "rbfdot":
		return a.done(KernlabSigma.Gaussian(a.get("sigma", 1)))
	case "laplacedot":
		return a.done(Laplace{1 / a.get("sigma", 1)})
	case "polydot":
		return a.done(Polynomial{Gamma: a.get("scale", 1), Offset: a.get("offset", 1), Degree: int(a.get("degree", 1))})
	case "tanhdot":
		return a.done(Sigmoid{Gamma: a.get("scale", 1), Offset: a.get("offset", 1)})
	case "vanilladot":
		return a.done(Linear{})
	}
	return nil, fault.Errorf("kernel",
		"no kernlab kernel %q here (there are: rbfdot, laplacedot, polydot, tanhdot, vanilladot)", call)
}

// Sklearn is the kernel of a scikit-learn call: a name of pairwise_kernels ("rbf", "laplacian",
// "poly", "sigmoid", "linear", "cosine", "chi2", "additive_chi2") or a class of
// gaussian_process.kernels ("RBF", "Matern", "RationalQuadratic", "ExpSineSquared", "DotProduct").
// gamma has no default here: scikit-learn's is 1/columns.
func Sklearn(call string, args map[string]float64) (Kernel[Vec], error) {
	a := &arguments{tool: "scikit-learn", call: call, given: args}
	if _, ok := args["gamma"]; !ok {
		switch call {
		case "rbf", "laplacian", "poly", "sigmoid":
			return nil, fault.Errorf("kernel", "scikit-learn %s: gamma is needed (scikit-learn's default is 1/columns)", call)
		}
	}
	switch call {
	case "rbf":
		return a.done(SklearnGamma.Gaussian(a.get("gamma", 1)))
	case "laplacian":
		return a.done(LaplaceL1{1 / a.get("gamma", 1)})
	case "poly":
		return a.done(Polynomial{Gamma: a.get("gamma", 1), Offset: a.get("coef0", 1), Degree: int(a.get("degree", 3))})
	case "sigmoid":
		return a.done(Sigmoid{Gamma: a.get("gamma", 1), Offset: a.get("coef0", 1)})
	case "linear":
		return a.done(Linear{})
	case "cosine":
		return a.done(Cosine{})
	case "chi2":
		return a.done(ChiSquare{a.get("gamma", 1)})
	case "additive_chi2": // scikit-learn's is -Σ(x-y)²/(x+y), which is only conditionally positive definite
		return nil, fault.Errorf("kernel", "scikit-learn additive_chi2 is -χ², not a kernel; AdditiveChiSquare is Σ2xy/(x+y)")
	case "RBF":
		return a.done(SklearnLengthScale.Gaussian(a.get("length_scale", 1)))
	case "Matern":
		return a.done(Matern{Nu: a.get("nu", 1.5), Lengthscale: a.get("length_scale", 1)})
	case "RationalQuadratic":
		return a.done(RationalQuadratic{Alpha: a.get("alpha", 1), Lengthscale: a.get("length_scale", 1)})
	case "ExpSineSquared":
		return a.done(Periodic{Period: a.get("periodicity", 1), Lengthscale: a.get("length_scale", 1)})
	case "DotProduct":
		s := a.get("sigma_0", 1)
		return a.done(Sum[Vec](Constant[Vec](s*s), Linear{}))
	}
	return nil, fault.Errorf("kernel", "no scikit-learn kernel %q here", call)
}

// GPyTorch is the kernel of a GPyTorch class with its constrained values:
// "RBFKernel", "MaternKernel", "RQKernel", "PeriodicKernel", "LinearKernel",
// "CosineKernel" is not among them (it is no cosine similarity).
func GPyTorch(class string, args map[string]float64) (Kernel[Vec], error) {
	a := &arguments{tool: "GPyTorch", call: class, given: args}
	const softplus0 = math.Ln2 // what the raw parameter 0 stands for
	switch class {
	case "RBFKernel":
		return a.done(Gaussian{a.get("lengthscale", softplus0)})
	case "MaternKernel":
		return a.done(Matern{Nu: a.get("nu", 2.5), Lengthscale: a.get("lengthscale", softplus0)})
	case "RQKernel":
		return a.done(RationalQuadratic{Alpha: a.get("alpha", softplus0), Lengthscale: a.get("lengthscale", softplus0)})
	case "PeriodicKernel": // exp(-2 Σ sin²/λ): the length-scale is not squared
		return a.done(Periodic{Period: a.get("period_length", softplus0),
			Lengthscale: math.Sqrt(a.get("lengthscale", softplus0))})
	case "LinearKernel":
		return a.done(Scale[Vec](a.get("variance", softplus0), Linear{}))
	}
	return nil, fault.Errorf("kernel",
		"no GPyTorch kernel %q here (there are: RBFKernel, MaternKernel, RQKernel, PeriodicKernel, LinearKernel)", class)
}
