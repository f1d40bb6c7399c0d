package play

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	trees "github.com/mercer-ml/mercer/kernel/forest"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/fisher"
	"github.com/mercer-ml/mercer/learn/forest"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/learn/neighbours"
	"github.com/mercer-ml/mercer/learn/online"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/sparse"
	"github.com/mercer-ml/mercer/learn/svm"
	"gonum.org/v1/gonum/mat"
)

// Setting is a parameter of a learner for a slider.
type Setting struct {
	Name    string  `json:"name"`
	Label   string  `json:"label"`
	Default float64 `json:"default"`
	Low     float64 `json:"low"` // ends of the slider
	High    float64 `json:"high"`
	Log     bool    `json:"log,omitempty"`
	Integer bool    `json:"integer,omitempty"`
	Switch  bool    `json:"switch,omitempty"` // 0 or 1
}

type vec = kernel.Vec

// planeSettings is what a fit of a planeLearner is told.
type planeSettings struct {
	kernel kernel.Kernel[vec]
	params map[string]float64
	proba  bool
}

// planeModel is a fitted classifier of the plane, whatever made it.
type planeModel struct {
	model    learn.Model[vec]
	kernel   kernel.Kernel[vec] // that it was fitted with, found by the fit or given
	classes  []int
	decision func(ctx context.Context, x data.Points[vec]) (*mat.Dense, error)
	predict  func(ctx context.Context, x data.Points[vec]) ([]int, error)
	proba    func(ctx context.Context, x data.Points[vec]) (*mat.Dense, error) // nil: none
	keeps    string                                                            // what its support is called
	margins  bool                                                              // f = ±1 are the margins
	normed   bool                                                              // ‖f‖ means something
	detector bool
	mistakes []int
	readings []Reading

	likeliest bool // it predicts the class of the largest probability: one of them is enough
}

// planeLearner is a learner of the scene.
type planeLearner struct {
	Name     string    `json:"name"`
	Label    string    `json:"label"`
	Formula  string    `json:"formula"`
	Settings []Setting `json:"settings"`
	Proba    string    `json:"proba"`         // "always", "asked" or ""
	Own      bool      `json:"own,omitempty"` // it makes a kernel of its own, and asks for none
	detector bool
	fit      func(ctx context.Context, s planeSettings, x data.Points[vec], y []int) (*planeModel, error)
}

// outside is the class of a point that a detector finds strange.
const outside = -1

var price = Setting{Name: "C", Label: "C", Default: 1, Low: 1e-2, High: 1e4, Log: true}

func penalty(value float64) Setting {
	return Setting{Name: "lambda", Label: "λ", Default: value, Low: 1e-6, High: 1e2, Log: true}
}

func share(value float64) Setting {
	return Setting{Name: "nu", Label: "ν", Default: value, Low: 0.01, High: 0.99}
}

// planeLearners are the learners of the scene, in the order of its menu.
func planeLearners() []planeLearner {
	return []planeLearner{
		{Name: "svm", Label: "support vector machine (C)", Formula: "½‖f‖² + C Σ max(0, 1 − yᵢf(xᵢ))",
			Settings: []Setting{price}, Proba: "asked",
			fit: func(ctx context.Context, s planeSettings, x data.Points[vec], y []int) (*planeModel, error) {
				return machine(ctx, svm.Classification[vec, int]{Kernel: s.kernel, C: s.params["C"], Probability: s.proba}, x, y)
			}},
		{Name: "nu-svm", Label: "support vector machine (ν)", Formula: "½‖f‖² − νρ + (1/n) Σ max(0, ρ − yᵢf(xᵢ))",
			Settings: []Setting{share(0.2)}, Proba: "asked",
			fit: func(ctx context.Context, s planeSettings, x data.Points[vec], y []int) (*planeModel, error) {
				return machine(ctx, svm.Classification[vec, int]{Kernel: s.kernel, Nu: s.params["nu"], Probability: s.proba}, x, y)
			}},
		{Name: "logistic", Label: "logistic regression", Formula: "Σ log(1 + exp(−yᵢf(xᵢ))) + (λ/2)‖f‖²",
			Settings: []Setting{penalty(0.1)}, Proba: "always",
			fit: func(ctx context.Context, s planeSettings, x data.Points[vec], y []int) (*planeModel, error) {
				m, err := logistic.Regression[vec, int]{Kernel: s.kernel, Lambda: s.params["lambda"], Intercept: true}.Fit(ctx, x,
					y)
				if err != nil {
					return nil, err
				}
				return classifier(m, s.kernel, "points kept"), nil
			}},
		{Name: "ridge", Label: "ridge regression on ±1", Formula: "Σ (yᵢ − f(xᵢ))² + λ‖f‖²",
			Settings: []Setting{penalty(0.1)},
			fit: func(ctx context.Context, s planeSettings, x data.Points[vec], y []int) (*planeModel, error) {
				m, err := ridge.Classification[vec, int]{Regression: ridge.Regression[vec]{Kernel: s.kernel,
					Lambda: s.params["lambda"], Intercept: true}}.Fit(ctx, x, y)
				if err != nil {
					return nil, err
				}
				return classifier(m, s.kernel, "points kept"), nil
			}},
		{Name: "gp", Label: "Gaussian process (Laplace)", Formula: "p(y = 1|x) = E σ(f(x)),  f ~ GP(0, k) given the points",
			Proba:    "always",
			Settings: []Setting{{Name: "learn", Label: "find the kernel's parameters", Switch: true, High: 1}}, fit: fitProcess},
		{Name: "perceptron", Label: "kernel perceptron, step by step",
			Formula: "at a mistake, yᵢf(xᵢ) ≤ 0:  f ← f + yᵢk(xᵢ, ·)", Settings: []Setting{
				{Name: "examples", Label: "examples seen", Default: 1000, Low: 1, High: 3000, Integer: true, Log: true},
				{Name: "voted", Label: "voted", Switch: true, High: 1}}, fit: fitPerceptron},
		{Name: "fisher", Label: "Fisher discriminant", Formula: "max ⟨w, S_B w⟩ / ⟨w, (S_W + μ) w⟩",
			Settings: []Setting{{Name: "mu", Label: "μ", Default: 1e-2, Low: 1e-6, High: 1, Log: true}},
			fit: func(ctx context.Context, s planeSettings, x data.Points[vec], y []int) (*planeModel, error) {
				m, err := fisher.Discriminant[vec, int]{Kernel: s.kernel, Share: s.params["mu"]}.Fit(ctx, x, y)
				if err != nil {
					return nil, err
				}
				return classifier(m, s.kernel, "points kept"), nil
			}},
		{Name: "knn", Label: "nearest neighbours", Formula: "the vote of the k nearest by k(x,x) − 2k(x,y) + k(y,y)",
			Settings: []Setting{{Name: "k", Label: "k", Default: 5, Low: 1, High: 50, Integer: true}}, Proba: "always",
			fit: func(ctx context.Context, s planeSettings, x data.Points[vec], y []int) (*planeModel, error) {
				o := neighbours.Options{K: min(int(s.params["k"]), x.Len())}
				m, err := neighbours.Classification[vec, int]{Kernel: s.kernel, Options: o}.Fit(ctx, x, y)
				if err != nil {
					return nil, err
				}
				out := classifier(m, s.kernel, "points kept")
				out.normed = false
				return out, nil
			}},
		{Name: "forest", Label: "forest (its trees are the kernel)",
			Formula: "p(c|x) = the mean over trees of the share of c in the leaf of x", Proba: "always", Own: true,
			fit: fitForest, Settings: []Setting{
				{Name: "trees", Label: "trees", Default: 100, Low: 1, High: 300, Integer: true, Log: true},
				{Name: "min", Label: "points of a leaf, at least", Default: 1, Low: 1, High: 50, Integer: true}}},
		{Name: "one-class", Label: "one class (where the points live)", Formula: "½‖f‖² − ρνn + Σ max(0, ρ − f(xᵢ))",
			Settings: []Setting{share(0.1)}, detector: true, fit: fitDetector},
		{Name: "rvm", Label: "relevance vector machine", Formula: "wⱼ ~ N(0, 1/αⱼ), α of the largest evidence",
			Proba: "always",
			fit: func(ctx context.Context, s planeSettings, x data.Points[vec], y []int) (*planeModel, error) {
				m, err := sparse.RVMClassification[vec, int]{Kernel: s.kernel}.Fit(ctx, x, y)
				if err != nil {
					return nil, err
				}
				return classifier(m, s.kernel, "relevance vectors"), nil
			}},
		{Name: "l1vm", Label: "L1 vector machine", Formula: "Σ log(1 + exp(−yᵢf(xᵢ))) + λ Σ |αⱼ|,  f = Σ αⱼk(xⱼ, ·) + b",
			Settings: []Setting{sparsePenalty}, Proba: "always",
			fit: func(ctx context.Context, s planeSettings, x data.Points[vec], y []int) (*planeModel, error) {
				m, err := sparse.L1VMClassification[vec, int]{Kernel: s.kernel,
					Options: sparse.Options{Lambda: s.params["lambda"]}}.Fit(ctx, x, y)
				if err != nil {
					return nil, err
				}
				return classifier(m, s.kernel, "vectors kept"), nil
			}},
		{Name: "l2vm", Label: "L2 vector machine", Formula: "Σ log(1 + exp(−yᵢf(xᵢ))) + (λ/2) Σ αⱼ²,  f = Σ αⱼk(xⱼ, ·) + b",
			Settings: []Setting{sparsePenalty}, Proba: "always",
			fit: func(ctx context.Context, s planeSettings, x data.Points[vec], y []int) (*planeModel, error) {
				m, err := sparse.L2VMClassification[vec, int]{Kernel: s.kernel,
					Options: sparse.Options{Lambda: s.params["lambda"]}}.Fit(ctx, x, y)
				if err != nil {
					return nil, err
				}
				return classifier(m, s.kernel, "vectors kept"), nil
			}},
	}
}

// planeLearnerOf finds a learner and fills its settings with defaults.
func planeLearnerOf(name string, given map[string]float64) (planeLearner, map[string]float64, error) {
	for _, l := range planeLearners() {
		if l.Name == name {
			params, err := settle(l.Settings, given)
			return l, params, err
		}
	}
	return planeLearner{}, nil, &Fault{Field: "learner", Message: fmt.Sprintf("no learner %q here", name)}
}

// settle checks settings that were given, and takes the default of others.
func settle(settings []Setting, given map[string]float64) (map[string]float64, error) {
	out := map[string]float64{}
	for _, s := range settings {
		v, ok := given[s.Name]
		if !ok {
			v = s.Default
		}
		if math.IsNaN(v) || math.IsInf(v, 0) || (s.Log || s.Low > 0) && v <= 0 || v < 0 {
			return nil, &Fault{Field: "params." + s.Name, Message: fmt.Sprintf("%s is %g; give a number above 0", s.Label, v)}
		}
		if s.Integer && v != math.Trunc(v) {
			return nil, &Fault{Field: "params." + s.Name, Message: fmt.Sprintf("%s is %g; give a whole number", s.Label, v)}
		}
		out[s.Name] = v
	}
	return out, nil
}

// classifier is what all classifiers have in common.
func classifier(m learn.Classifier[vec, int], k kernel.Kernel[vec], keeps string) *planeModel {
	out := &planeModel{model: m, kernel: k, classes: m.Classes(), decision: m.Decision, predict: m.Predict, keeps: keeps,
		normed: true}
	if p, ok := m.(learn.Probabilistic[vec]); ok && p.HasProba() {
		out.proba = p.Proba
	}
	return out
}

func machine(ctx context.Context, c svm.Classification[vec, int], x data.Points[vec], y []int) (*planeModel, error) {
	m, err := c.Fit(ctx, x, y)
	if err != nil {
		return nil, err
	}
	out := classifier(m, c.Kernel, "support vectors")
	out.margins = true
	out.readings = append(out.readings, reading("duality-gap", "duality gap", m.DualityGap()))
	return out, nil
}

// fitProcess keeps the kernel as it is, or climbs the evidence and says what it found.
func fitProcess(ctx context.Context, s planeSettings, x data.Points[vec], y []int) (*planeModel, error) {
	c := gp.Classification[vec, int]{Kernel: s.kernel, Samples: 200,
		HyperOptions: gp.HyperOptions{FixedKernel: s.params["learn"] == 0, MaxIterations: 30}}
	m, err := c.Fit(ctx, x, y)
	if err != nil {
		return nil, err
	}
	out := classifier(m, m.Kernel(), "points kept")
	out.likeliest = true
	out.readings = append(out.readings, reading("evidence", "log evidence", m.LogMarginal()))
	if s.params["learn"] != 0 {
		text, err := spec.FormatKernel(m.Kernel())
		if err != nil {
			return nil, err
		}
		out.readings = append(out.readings, readText("found", "kernel found", text))
	}
	return out, nil
}

// fitPerceptron stops after so many examples, in the order of the points.
func fitPerceptron(ctx context.Context, s planeSettings, x data.Points[vec], y []int) (*planeModel, error) {
	o := online.PerceptronOptions{Intercept: true, Voted: s.params["voted"] != 0, Examples: int(s.params["examples"]),
		Passes: 3000}
	m, err := online.Perceptron[vec, int]{Kernel: s.kernel, PerceptronOptions: o}.Fit(ctx, x, y)
	if err != nil {
		return nil, err
	}
	out := classifier(m, s.kernel, "points with a mistake")
	made := 0
	for _, n := range m.Mistakes() {
		made += n
	}
	out.readings = append(out.readings, reading("mistakes", "mistakes made", float64(made)))
	if len(out.classes) == 2 {
		out.mistakes = m.MistakeSequence(0)
	}
	return out, nil
}

// fitForest grows trees by the classes: the kernel that it is drawn and judged with is its own.
func fitForest(ctx context.Context, s planeSettings, x data.Points[vec], y []int) (*planeModel, error) {
	m, err := forest.Classification[int]{Growth: trees.Growth{Trees: int(s.params["trees"]),
		Min: int(s.params["min"])}}.Fit(ctx, x, y)
	if err != nil {
		return nil, err
	}
	out := classifier(m, m.Forest(), "points kept")
	out.normed, out.likeliest = false, true
	return out, nil
}

// fitDetector takes all points for one class.
func fitDetector(ctx context.Context, s planeSettings, x data.Points[vec], y []int) (*planeModel, error) {
	m, err := svm.OneClass[vec]{Kernel: s.kernel, Nu: s.params["nu"]}.Fit(ctx, x)
	if err != nil {
		return nil, err
	}
	predict := func(ctx context.Context, x data.Points[vec]) ([]int, error) {
		in, err := m.Predict(ctx, x)
		out := make([]int, len(in))
		for i, inside := range in {
			if !inside {
				out[i] = outside
			}
		}
		return out, err
	}
	return &planeModel{model: m, kernel: s.kernel, classes: []int{outside, 0}, decision: m.Decision, predict: predict,
		keeps: "support vectors", normed: true, detector: true}, nil
}
