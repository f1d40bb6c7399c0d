package spec

import (
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/seq"
)

type series = seq.Series

// Series is the catalogue of kernels on time series.
func Series() Catalogue {
	width := field{"width", "", "1", "σ of the Gaussian between two steps, > 0"}
	level := field{"level", "", "3", "the highest level of the signature"}
	scale := field{"scale", "", "1", "multiplies the series, > 0"}
	static := field{"static", "", "linear()", "a kernel on vectors that lifts the steps"}
	return Catalogue{
		byFields[series, seq.GlobalAlignment]("gak", "Σ Π κ over all alignments of two series", width).shown(Anywhere,
			"gak()", "normalize(gak(width=0.8))"),
		byFields[series, seq.TriangularAlignment]("tga", "gak within a band around the diagonal", width,
			field{"band", "", "0", "steps that an alignment may be off; 0: any"}).
			shown(Anywhere, "normalize(tga(width=2, band=5))"),
		byFields[series, seq.Signature]("signature", "Σ ⟨S_m(x), S_m(y)⟩ over the levels m of the signatures", level,
			field{"order", "", "1", "how often a step may be repeated"}, scale, static).
			shown(Anywhere, "signature(level=4, order=2, scale=0.3)", "normalize(signature(static=gaussian(lengthscale=2)))"),
		byFields[series, seq.LowRankSignature]("lowranksignature", "signature by factors of low rank, linear in the length",
			level, field{"rank", "", "100", "numbers of a level"}, scale, field{"seed", "", "0", "of the projections"}, static,
			field{"landmarks", "", "[]", "points that stand for the static kernel"}).shown(Anywhere,
			"lowranksignature(level=2, rank=20, scale=0.3, seed=7)"),
		byFields[series, seq.SignaturePDE]("sigpde", "⟨S(x), S(y)⟩ of whole signatures",
			field{"grid", "", "0", "parts of a step; 0: exact in each cell"}, scale, static).
			shown(Anywhere, "normalize(sigpde(scale=0.2))", "sigpde(grid=2, scale=0.1, static=linear())"),
		byFields[series, seq.Warping]("dtw", "exp(-D²/(2σ²)), D of dynamic time warping; not positive semi-definite", width,
			field{"band", "", "0", "steps that an alignment may be off; 0: any"}).
			shown(Anywhere, "dtw(width=2, band=3)"),
		byFields[series, seq.FourierSeries]("fourierseries", "Π (1-q²)/(2(1-2q·cos(x_t-y_t)+q²)), series of one length",
			field{"decay", "", "0.5", "0 < q < 1"}).shown(Anywhere, "fourierseries(decay=0.3)"),
		byFields[series, seq.Windows]("windows", "mean of κ over all windows of both",
			field{"length", "", "1", "steps of a window"}, field{"kernel", "", "gaussian()", "κ on vectors"}).
			shown(Anywhere, "windows(length=3, kernel=gaussian(lengthscale=2))"),
		byFields[series, seq.Autoregressive]("autoregressive", "mean likelihood of both under autoregressive models",
			field{"lags", "", "1", "steps that a model looks back"}, field{"weight", "", "1", "of a series, > 0"},
			field{"prior", "", "0", "of the coefficients"}, field{"degrees", "", "0",
				"of the prior of the noise"}).shown(Anywhere, "autoregressive(lags=2)"),
		changed("withtime", "k of the series with the time as a channel", seq.Series.WithTime).shown(Anywhere,
			"withtime(sigpde(scale=0.2))"),
		changed("withstart", "k of the series with a step at 0 before the first", seq.Series.WithStart).shown(Anywhere,
			"withstart(signature(scale=0.3))"),
		changed("withlag", "k of the series with the step before as further channels", seq.Series.WithLag).shown(Anywhere,
			"withlag(sigpde(static=gaussian(lengthscale=0.5)))"),
		changed("leadlag", "k of the series beside itself a step later", seq.Series.LeadLag).shown(Anywhere,
			"leadlag(signature(scale=0.3))"),
		logarithm().shown(Anywhere, "log(gak(), scale=10)"),
		profile().shown(Anywhere, `profile(k=2, limit=3, alphabet="ab")`),
	}
}

// profile is the kernel of profiles on series whose steps are the probabilities of the letters.
func profile() Entry {
	e := byFields[seq.Profile, seq.ProfileKernel]("profile",
		"runs of k letters that are likely in both, of series whose steps are probabilities of letters",
		field{"k", "", "3", "letters of a run"},
		field{"limit", "", "", "of -Σ log p(letter)"}, alphabet)
	build, args := e.build, e.args
	e.build = func(a *arguments) kernel.Kernel[any] {
		k, _ := kernel.Typed[seq.Profile](build(a))
		return kernel.Erase[series](kernel.PullbackOf[series, seq.Profile]{Kernel: k, Map: profileOf, Name: e.Name})
	}
	e.args = func(k any) ([]Arg, bool) {
		own, ok := k.(kernel.PullbackOf[series, seq.Profile])
		if !ok {
			return nil, false
		}
		return args(own.Kernel)
	}
	return e
}

func profileOf(x series) seq.Profile {
	p := seq.Profile{P: make([][]float64, x.Len())}
	for i := range p.P {
		p.P[i] = x.At(i)
	}
	return p
}

// changed is a kernel of series that are changed before it sees them.
func changed(name, formula string, change func(series) series) Entry {
	return Entry{
		Name: name, Formula: formula, Params: []Parameter{innerKernel},
		build: func(a *arguments) kernel.Kernel[any] {
			k, _ := kernel.Retyped[series](a.kernel("kernel"))
			return kernel.Erase[series](kernel.PullbackOf[series, series]{Kernel: k, Map: change, Name: name})
		},
		print: func(c Catalogue, k kernel.Kernel[any]) (Expr, bool, error) {
			own, ok := kernel.Concrete(k).(kernel.PullbackOf[series, series])
			if !ok || own.Name != name {
				return nil, false, nil
			}
			inner, err := c.expr(kernel.Erase(own.Kernel))
			return Call{Name: name, Args: []Arg{{Value: inner}}}, true, err
		},
	}
}
