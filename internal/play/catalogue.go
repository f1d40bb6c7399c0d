package play

import (
	"context"

	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
)

// Catalogue is what menus of the page are made of.
type Catalogue struct {
	// by what they are on: plane, line, strings, trees, graphs, bags, series, rankings
	Kernels  map[string][]KernelFact `json:"kernels"`
	Algebra  []KernelFact            `json:"algebra"`
	Classify []planeLearner          `json:"classify"`
	Regress  []lineLearner           `json:"regress"`
	Sets     []SetFact               `json:"sets"`
	Own      string                  `json:"own,omitempty"` // name of the person's own data set
	Limits   map[string]int          `json:"limits"`

	Smoothers []SmootherFact `json:"smoothers"`
}

// SmootherFact is a smoothing kernel.
type SmootherFact struct {
	Name    string `json:"name"`
	Formula string `json:"formula"`
}

// smootherFacts has them in the order of package density.
func smootherFacts() []SmootherFact {
	formulas := map[density.Smoother]string{
		density.Gaussian: "exp(−u²/2)/√(2π)", density.Epanechnikov: "¾(1 − u²) on |u| ≤ 1",
		density.TriCube: "70/81·(1 − |u|³)³ on |u| ≤ 1", density.Boxcar: "½ on |u| ≤ 1",
		density.Biweight: "15/16·(1 − u²)² on |u| ≤ 1", density.Triweight: "35/32·(1 − u²)³ on |u| ≤ 1",
		density.Triangular: "1 − |u| on |u| ≤ 1", density.Cosine: "π/4·cos(πu/2) on |u| ≤ 1",
		density.Logistic: "1/(eᵘ + 2 + e⁻ᵘ)", density.Exponential: "½·exp(−|u|)",
	}
	var out []SmootherFact
	for _, s := range density.Smoothers() {
		out = append(out, SmootherFact{s.String(), formulas[s]})
	}
	return out
}

// KernelFact is a name of the kernel language.
type KernelFact struct {
	Name    string   `json:"name"`
	Formula string   `json:"formula"`
	Sample  string   `json:"sample"`           // a text that can be edited
	Domain  string   `json:"domain,omitempty"` // where it is defined, if not everywhere
	Params  []string `json:"params,omitempty"`
}

type nothingAsked struct{}

// catalogue lists kernels, learners and sets.
func catalogue(_ context.Context, p *Player, _ nothingAsked, send sender) error {
	out := Catalogue{
		Kernels: map[string][]KernelFact{"plane": vectorKernels(1, 2), "line": vectorKernels(1)},
		Algebra: facts(spec.Algebra()), Classify: planeLearners(), Regress: lineLearners(),
		Smoothers: smootherFacts(), Limits: map[string]int{"points": mostPoints, "classes": mostClasses, "text": mostText},
	}
	for name, c := range catalogues {
		out.Kernels[name] = facts(c())
	}
	for _, d := range drawings() {
		out.Sets = append(out.Sets, d.SetFact)
	}
	out.Sets = append(out.Sets, SetFact{Name: "iris", Label: "iris, petals",
		For: []string{"classify", "search", "cluster", "components"}},
		SetFact{Name: "mcycle", Label: "motorcycle crash", For: []string{"regress", "search-line"}},
		SetFact{Name: "faithful", Label: "geyser", For: []string{"regress", "search-line", "independence", "correlate",
			"density"}})
	if p.Own != nil {
		out.Own = p.Own.Name
	}
	return send("catalogue", out)
}

func facts(c spec.Catalogue) []KernelFact {
	var out []KernelFact
	for _, e := range c {
		f := KernelFact{Name: e.Name, Formula: e.Formula, Domain: string(e.Domain)}
		if len(e.Samples) > 0 {
			f.Sample = e.Samples[0]
		}
		for _, p := range e.Params {
			f.Params = append(f.Params, p.Name)
		}
		out = append(out, f)
	}
	return out
}

// vectorKernels are the kernels of vectors with a text that makes sense on points of these
// dimensions, so that a menu can offer them as they are.
func vectorKernels(dimensions ...int) []KernelFact {
	var out []KernelFact
	for _, f := range facts(spec.Vectors()) {
		for _, text := range []string{f.Name + "()", f.Sample} {
			k, err := spec.ParseKernel(text)
			if err == nil && takes(k, dimensions) {
				f.Sample = text
				out = append(out, f)
				break
			}
		}
	}
	return out
}

// takes says whether a kernel is defined at the middle of the unit cube of each dimension, and
// around it.
func takes(k kernel.Kernel[vec], dimensions []int) bool {
	for _, d := range dimensions {
		for _, v := range []float64{0.3, 0.5} {
			x := make([]float64, d)
			for i := range x {
				x[i] = v
			}
			if kernel.Check(k, single(x)) != nil {
				return false
			}
		}
	}
	return true
}
