package spec

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/mercer-ml/mercer/kernel"
)

type vec = kernel.Vec

// leaf makes an entry for the kernels of one Go type.
func leaf[K kernel.Kernel[vec]](
	name, formula string, params []Parameter, build func(a *arguments) K, args func(K) []Arg,
) Entry {
	return Entry{
		Name: name, Formula: formula, Params: params,
		build: func(a *arguments) kernel.Kernel[any] { return kernel.OnVectors(build(a)) },
		args: func(k any) ([]Arg, bool) {
			own, ok := k.(K)
			if !ok {
				return nil, false
			}
			return args(own), true
		},
	}
}

// plain is a leaf without parameters.
func plain[K kernel.Kernel[vec]](name, formula string) Entry {
	return leaf(name, formula, nil, func(*arguments) (k K) { return k }, func(K) []Arg { return nil })
}

// scaled is a leaf whose length-scale may be a list, one for each coordinate
// (ARD): the list becomes kernel.ARD around a kernel of length-scale 1. with
// makes the kernel of one length-scale; args prints it, the length-scale first.
//
// widths are other ways to write the length-scale.
func scaled[K kernel.Kernel[vec]](
	name, formula string, more []Parameter, with func(a *arguments, lengthscale float64) K, args func(K) []Arg,
	widths ...width,
) Entry {
	scale := Parameter{"lengthscale", "1",
		"distance over which the function changes, > 0; a list gives one for each column, inf leaves it out"}
	return Entry{
		Name: name, Formula: formula, Params: append([]Parameter{scale}, more...), Others: parametersOf(widths),
		build: func(a *arguments) kernel.Kernel[any] {
			name, e, convert := a.width(widths)
			if e == nil {
				return kernel.OnVectors(with(a, 1))
			}
			if _, ok := e.(List); ok {
				ard := kernel.ARD{Kernel: with(a, 1), Lengthscales: a.asScales(name, e)}
				for i, v := range ard.Lengthscales {
					ard.Lengthscales[i] = convert(v)
				}
				return kernel.OnVectors(ard)
			}
			l := a.asNumber(name, e)
			if l == 0 { // the zero field means 1, but a zero that is written is a mistake
				a.fail(e.column(), name+" = 0, want > 0", "")
			}
			if name != "lengthscale" && !(l > 0) {
				a.fail(e.column(), fmt.Sprintf("%s = %g, want > 0", name, l), "")
			}
			return kernel.OnVectors(with(a, convert(l)))
		},
		args: func(k any) ([]Arg, bool) {
			if own, ok := k.(K); ok {
				return args(own), true
			}
			ard, ok := k.(kernel.ARD)
			if !ok {
				return nil, false
			}
			own, ok := ard.Kernel.(K)
			if !ok {
				return nil, false
			}
			inner := args(own)
			if inner[0].Value.(Number).Value != 1 {
				return nil, false // printed as ard(…), which keeps both
			}
			inner[0].Value = nums(ard.Lengthscales)
			return inner, true
		},
	}
}

func lengthscale(l float64) Arg { return named("lengthscale", num(or(l, 1))) }

// Vectors is the catalogue of kernels on vectors.
func Vectors() Catalogue {
	vectors.once.Do(func() {
		vectors.made = slices.Concat(innerProductKernels(), distanceKernels(), circleAndIntervalKernels(), histogramKernels(),
			categoryKernels(), basisKernels(), latentKernels(), vectorModelEntries(), wrappers())
	})
	return slices.Clip(vectors.made) // who appends gets a copy
}

// vectors is made once: every reading and printing of a kernel asks for it. It has no initial value
// since entries refer back to the catalogue.
var vectors struct {
	once sync.Once
	made Catalogue
}

func innerProductKernels() []Entry {
	gamma := Parameter{"gamma", "1", "factor of the inner product, > 0"}
	return []Entry{
		plain[kernel.Linear]("linear", "⟨x,y⟩").shown(Anywhere, "linear()"),
		leaf("poly", "(γ⟨x,y⟩+c)^p",
			[]Parameter{{"degree", "2", "p = 1, 2, 3, …"}, gamma, {"offset", "0", "c ≥ 0"}},
			func(a *arguments) kernel.Polynomial {
				return kernel.Polynomial{Degree: a.integer("degree", 2), Gamma: a.number("gamma", 1), Offset: a.number("offset", 0)}
			},
			func(k kernel.Polynomial) []Arg {
				return []Arg{named("degree", num(or(float64(k.Degree), 2))), named("gamma", num(or(k.Gamma, 1))),
					named("offset", num(k.Offset))}
			}).shown(Anywhere, "poly(degree=3, gamma=0.5, offset=1)"),
		leaf("exponential", "e^{γ⟨x,y⟩}", []Parameter{gamma},
			func(a *arguments) kernel.Exponential { return kernel.Exponential{Gamma: a.number("gamma", 1)} },
			func(k kernel.Exponential) []Arg { return []Arg{named("gamma", num(or(k.Gamma, 1)))} }).shown(Anywhere,
			"exponential(gamma=0.1)"),
		leaf("taylor", "Σ aₙ⟨x,y⟩ⁿ", []Parameter{{"coef", "", "a₀, a₁, …, all ≥ 0"},
			{"radius", "0", "the series converges for |⟨x,y⟩| below this; 0 when it is a finite sum"}},
			func(a *arguments) kernel.Taylor {
				return kernel.Taylor{Coef: a.list("coef"), Radius: a.number("radius", 0)}
			},
			func(k kernel.Taylor) []Arg {
				return []Arg{named("coef", nums(k.Coef)), named("radius", num(k.Radius))}
			}).shown(Ball, "taylor(coef=[1, 0.5, 0.25], radius=2)"),
		leaf("binomial", "(1-⟨x,y⟩)^{-α}, ‖x‖ < 1", []Parameter{{"alpha", "1", "α > 0"}},
			func(a *arguments) kernel.Binomial { return kernel.Binomial{Alpha: a.number("alpha", 1)} },
			func(k kernel.Binomial) []Arg { return []Arg{named("alpha", num(or(k.Alpha, 1)))} }).shown(Ball,
			"binomial(alpha=0.5)"),
		leaf("sigmoid", "tanh(γ⟨x,y⟩+c)", []Parameter{gamma, {"offset", "0", "c"}},
			func(a *arguments) kernel.Sigmoid {
				return kernel.Sigmoid{Gamma: a.number("gamma", 1), Offset: a.number("offset", 0)}
			},
			func(k kernel.Sigmoid) []Arg {
				return []Arg{named("gamma", num(or(k.Gamma, 1))), named("offset", num(k.Offset))}
			}).shown(Anywhere, "sigmoid(gamma=0.1, offset=-1)"),
		plain[kernel.Hartley]("hartley", "cos⟨x,y⟩+sin⟨x,y⟩").shown(Anywhere, "hartley()"),
		plain[kernel.Cosine]("cosine", "⟨x,y⟩/(‖x‖‖y‖)").shown(Anywhere, "cosine()"),
		leaf("quadratic", "xᵀAy", []Parameter{{"a", "", "rows of A, symmetric positive semi-definite"}},
			func(a *arguments) kernel.QuadraticForm { return kernel.QuadraticForm{A: symmetric(a, "a")} },
			func(k kernel.QuadraticForm) []Arg { return []Arg{named("a", symmetricRows(k.A))} }).shown(Anywhere,
			"quadratic(a=[[2, 0.1, 0], [0.1, 1, 0.2], [0, 0.2, 1]])"),
	}
}

func distanceKernels() []Entry {
	return []Entry{
		scaled("gaussian", "exp(-‖x-y‖²/(2ℓ²))", nil,
			func(_ *arguments, l float64) kernel.Gaussian { return kernel.Gaussian{Lengthscale: l} },
			func(k kernel.Gaussian) []Arg { return []Arg{lengthscale(k.Lengthscale)} }, gaussianWidths...).shown(Anywhere,
			"gaussian(lengthscale=2)", "gaussian(lengthscale=[1, 0.3, 2])", "gaussian(lengthscale=[1, inf, 2])"),
		scaled("laplace", "exp(-‖x-y‖/ℓ)", nil,
			func(_ *arguments, l float64) kernel.Laplace { return kernel.Laplace{Lengthscale: l} },
			func(k kernel.Laplace) []Arg { return []Arg{lengthscale(k.Lengthscale)} }, laplaceWidths...).shown(Anywhere,
			"laplace(lengthscale=0.7)"),
		scaled("laplacel1", "exp(-Σ|xᵢ-yᵢ|/ℓ)", nil,
			func(_ *arguments, l float64) kernel.LaplaceL1 { return kernel.LaplaceL1{Lengthscale: l} },
			func(k kernel.LaplaceL1) []Arg { return []Arg{lengthscale(k.Lengthscale)} }, laplaceWidths...).shown(Anywhere,
			"laplacel1(lengthscale=0.9)"),
		scaled("matern", "2^{1-ν}/Γ(ν)·z^ν·K_ν(z), z = √(2ν)‖x-y‖/ℓ",
			[]Parameter{{"nu", "", "smoothness ν > 0; 0.5, 1.5 and 2.5 are fastest"}},
			func(a *arguments, l float64) kernel.Matern {
				return kernel.Matern{Nu: a.number("nu", math.NaN()), Lengthscale: l}
			},
			func(k kernel.Matern) []Arg { return []Arg{lengthscale(k.Lengthscale), named("nu", num(k.Nu))} }).shown(Anywhere,
			"matern(lengthscale=3, nu=2.5)", "matern(lengthscale=[3, 1, 2], nu=1.7)"),
		scaled("wendland", "polynomial in r = ‖x-y‖/ℓ up to r = 1, 0 beyond",
			[]Parameter{{"smoothness", "1", "0, 1 or 2: C⁰, C² or C⁴"}, {"dim", "3", "the most columns it is used on"}},
			func(a *arguments, l float64) kernel.Wendland {
				return kernel.Wendland{Lengthscale: l, Smoothness: a.integer("smoothness", 1), Dim: a.integer("dim", 3)}
			},
			func(k kernel.Wendland) []Arg {
				return []Arg{lengthscale(k.Lengthscale), named("smoothness", num(float64(k.Smoothness))),
					named("dim", num(or(float64(k.Dim), 3)))}
			}).shown(Anywhere, "wendland(lengthscale=4, smoothness=1, dim=3)", "wendland(lengthscale=4, smoothness=2, dim=5)",
			"wendland(lengthscale=[3, 4, 5], smoothness=1, dim=3)"),
		scaled("rq", "(1+‖x-y‖²/(2αℓ²))^{-α}", []Parameter{{"alpha", "1", "weight of the tails, α > 0"}},
			func(a *arguments, l float64) kernel.RationalQuadratic {
				return kernel.RationalQuadratic{Alpha: a.number("alpha", 1), Lengthscale: l}
			},
			func(k kernel.RationalQuadratic) []Arg {
				return []Arg{lengthscale(k.Lengthscale), named("alpha", num(or(k.Alpha, 1)))}
			}).shown(Anywhere, "rq(lengthscale=2, alpha=0.3)"),
		scaled("multiquadric", "√(1+‖x-y‖²/ℓ²), to interpolate with", nil,
			func(_ *arguments, l float64) kernel.Multiquadric { return kernel.Multiquadric{Lengthscale: l} },
			func(k kernel.Multiquadric) []Arg { return []Arg{lengthscale(k.Lengthscale)} }).shown(Anywhere,
			"multiquadric(lengthscale=2)", "multiquadric(lengthscale=[1, 0.3, 2])"),
		leaf("thinplate", "Green's functions r^{2m-d}(log r) of ∫|Dᵐf|², and f at few places",
			[]Parameter{{"order", "0", "m, 2m > d; 0: the least, at least 2"}, {"origin", "[]", "of the places; [] means 0"},
				{"unit", "1", "between the places, > 0"}},
			func(a *arguments) kernel.ThinPlate {
				k := kernel.ThinPlate{Order: a.integer("order", 0), Unit: a.number("unit", 1)}
				if _, given := a.get("origin"); given {
					if origin := a.list("origin"); len(origin) > 0 {
						k.Origin = origin
					}
				}
				return k
			},
			func(k kernel.ThinPlate) []Arg {
				args := []Arg{named("order", num(float64(k.Order)))}
				if k.Origin != nil {
					args = append(args, named("origin", nums(k.Origin)))
				}
				return append(args, named("unit", num(or(k.Unit, 1))))
			}).shown(Anywhere, "thinplate(order=2, unit=1)", "thinplate(order=3, origin=[0.5, -1, 0], unit=2)"),
	}
}

func circleAndIntervalKernels() []Entry {
	return []Entry{
		leaf("periodic", "exp(-2Σsin²(π(xᵢ-yᵢ)/p)/ℓ²)", []Parameter{{"period", "1", "p > 0"}, {"lengthscale", "1", "ℓ > 0"}},
			func(a *arguments) kernel.Periodic {
				return kernel.Periodic{Period: a.number("period", 1), Lengthscale: a.number("lengthscale", 1)}
			},
			func(k kernel.Periodic) []Arg {
				return []Arg{named("period", num(or(k.Period, 1))), lengthscale(k.Lengthscale)}
			}).shown(Anywhere, "periodic(period=12, lengthscale=0.5)"),
		angular("fourier", "k̂₀+2Σk̂_l·cos(l(x-y)) on a circle", []Parameter{{"coef", "", "k̂₀, k̂₁, …, all ≥ 0"}},
			func(a *arguments) kernel.Fourier { return kernel.Fourier{Coef: a.list("coef")} },
			func(k kernel.Fourier) []Arg { return []Arg{named("coef", nums(k.Coef))} }).shown(Angle,
			"fourier(coef=[1, 0.5, 0.25])", "fourier(coef=[1, 0.5], period=24)"),
		angular("theta", "(1/2π)Σe^{-σ²l²/2}e^{il(x-y)} on a circle", []Parameter{{"sigma", "1", "σ > 0, as an angle"}},
			func(a *arguments) kernel.Theta { return kernel.Theta{Sigma: a.number("sigma", 1)} },
			func(k kernel.Theta) []Arg { return []Arg{named("sigma", num(or(k.Sigma, 1)))} }).shown(Angle, "theta(sigma=0.8)",
			"theta(sigma=0.3)", "theta(sigma=0.8, period=12)"),
		leaf("sinc", "Πsin(a(xᵢ-yᵢ))/(a(xᵢ-yᵢ))", []Parameter{{"bandwidth", "1", "a > 0"}},
			func(a *arguments) kernel.Sinc { return kernel.Sinc{Bandwidth: a.number("bandwidth", 1)} },
			func(k kernel.Sinc) []Arg { return []Arg{named("bandwidth", num(or(k.Bandwidth, 1)))} }).shown(Anywhere,
			"sinc(bandwidth=3)"),
		leaf("sobolev", "spline kernel of order m on [0,1]", []Parameter{{"order", "1", "m = 1 or 2"}},
			func(a *arguments) kernel.Sobolev { return kernel.Sobolev{Order: a.integer("order", 1)} },
			func(k kernel.Sobolev) []Arg { return []Arg{named("order", num(or(float64(k.Order), 1)))} }).shown(Cube,
			"sobolev(order=1)", "sobolev(order=2)", "sinc(bandwidth=1.5)*on(sobolev(order=2), columns=[0]) + chi2(gamma=1)"),
		plain[kernel.RadialSobolev]("radialsobolev", "e^{-max(x,y)}·sinh(min(x,y))/(xy), x > 0").shown(Cube,
			"radialsobolev()"),
	}
}

func histogramKernels() []Entry {
	return []Entry{
		leaf("chi2", "exp(-γΣ(xᵢ-yᵢ)²/(xᵢ+yᵢ)), x ≥ 0", []Parameter{{"gamma", "1", "γ > 0"}},
			func(a *arguments) kernel.ChiSquare { return kernel.ChiSquare{Gamma: a.number("gamma", 1)} },
			func(k kernel.ChiSquare) []Arg { return []Arg{named("gamma", num(or(k.Gamma, 1)))} }).shown(Cube, "chi2(gamma=0.5)"),
		plain[kernel.AdditiveChiSquare]("addchi2", "Σ2xᵢyᵢ/(xᵢ+yᵢ), x ≥ 0").shown(Cube, "addchi2()"),
		plain[kernel.Intersection]("intersection", "Σmin(xᵢ,yᵢ), x ≥ 0").shown(Cube, "intersection()"),
	}
}

// weighted adds weights, where there are any.
func weighted(args []Arg, weights []float64) []Arg {
	if weights == nil {
		return args
	}
	return append(args, named("weights", nums(weights)))
}

// categoryKernels are on codes 0, 1, 2, … of categories; a negative code is a
// category never seen.
func categoryKernels() []Entry {
	weights := Parameter{"weights", "[]", "of the columns, ≥ 0; [] means 1 for each"}
	list := func(a *arguments) []float64 {
		if _, given := a.get("weights"); !given {
			return nil
		}
		if w := a.list("weights"); len(w) > 0 {
			return w
		}
		return nil
	}
	return []Entry{
		leaf("overlap", "Σwⱼδ(xⱼ,yⱼ)/Σwⱼ, codes of categories", []Parameter{weights},
			func(a *arguments) kernel.Overlap { return kernel.Overlap{Weights: list(a)} },
			func(k kernel.Overlap) []Arg { return weighted(nil, k.Weights) }).shown(Codes, "overlap()",
			"overlap(weights=[1, 0, 2.5])"),
		leaf("categorical", "Πexp(-θwⱼ(1-δ(xⱼ,yⱼ))), codes of categories", []Parameter{{"decay", "1", "θ > 0"}, weights},
			func(a *arguments) kernel.Categorical {
				return kernel.Categorical{Decay: a.number("decay", 1), Weights: list(a)}
			},
			func(k kernel.Categorical) []Arg {
				return weighted([]Arg{named("decay", num(or(k.Decay, 1)))}, k.Weights)
			}).shown(Codes, "categorical(decay=0.7)", "categorical(decay=2, weights=[1, 0.5, 2])",
			"on(gaussian(lengthscale=1), columns=[0])*on(categorical(decay=0.5), columns=[1, 2])"),
	}
}

func basisKernels() []Entry {
	params := []Parameter{{"centers", "", "μ₁, μ₂, …"}, {"width", "1", "s > 0"}}
	return []Entry{
		leaf("polynomialbasis", "φ(x)ᵀφ(y), φ = (1, xᵢ, xᵢ², …)", []Parameter{{"degree", "1", "highest power"}},
			func(a *arguments) kernel.Monomials {
				return kernel.Monomials{Degree: a.integer("degree", 1)}
			},
			func(k kernel.Monomials) []Arg { return []Arg{named("degree", num(or(float64(k.Degree), 1)))} }).shown(Anywhere,
			"polynomialbasis(degree=3)"),
		leaf("gaussianbasis", "φ(x)ᵀφ(y), φⱼ = exp(-(x-μⱼ)²/(2s²))", params,
			func(a *arguments) kernel.GaussianBasis {
				return kernel.GaussianBasis{Centers: a.list("centers"), Width: a.number("width", 1)}
			},
			func(k kernel.GaussianBasis) []Arg {
				return []Arg{named("centers", nums(k.Centers)), named("width", num(or(k.Width, 1)))}
			}).shown(Anywhere, "gaussianbasis(centers=[0, 0.5, 1], width=0.2)"),
		leaf("sigmoidbasis", "φ(x)ᵀφ(y), φⱼ = 1/(1+e^{-(x-μⱼ)/s})", params,
			func(a *arguments) kernel.SigmoidBasis {
				return kernel.SigmoidBasis{Centers: a.list("centers"), Width: a.number("width", 1)}
			},
			func(k kernel.SigmoidBasis) []Arg {
				return []Arg{named("centers", nums(k.Centers)), named("width", num(or(k.Width, 1)))}
			}).shown(Anywhere, "sigmoidbasis(centers=[0, 1], width=0.4)"),
		leaf("sinusoidbasis", "Σᵢ Σ_{l≤L} cos(2πl(xᵢ-yᵢ)/p), φ = (sin, cos, sin 2 …)",
			[]Parameter{{"degree", "1", "L, the highest frequency"}, {"period", "2π", "p > 0"}},
			func(a *arguments) kernel.Sinusoids {
				return kernel.Sinusoids{Degree: a.integer("degree", 1), Period: a.number("period", 2*math.Pi)}
			},
			func(k kernel.Sinusoids) []Arg {
				return []Arg{named("degree", num(or(float64(k.Degree), 1))), named("period", num(or(k.Period, 2*math.Pi)))}
			}).shown(Anywhere, "sinusoidbasis(degree=3, period=4)"),
	}
}
