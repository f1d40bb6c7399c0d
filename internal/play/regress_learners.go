package play

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/smooth"
)

// lineSettings is what a fit of a lineLearner is told.
type lineSettings struct {
	kernel  kernel.Kernel[vec] // nil for smoothers
	params  map[string]float64
	seed    uint64
	samples int
	window  Window
}

// lineLearner is a learner of the scene.
type lineLearner struct {
	Name     string    `json:"name"`
	Label    string    `json:"label"`
	Formula  string    `json:"formula"`
	Settings []Setting `json:"settings"` // the curve of errors is over the first
	Kernel   bool      `json:"kernel"`   // whether it takes one
	fit      func(ctx context.Context, s lineSettings, x data.Points[vec], y []float64) (*lineModel, error)
	// leaveOut is the errors at each value of the first setting without refits, folds those of ten
	// folds that share work; neither: ten folds are fitted at each.
	leaveOut, folds func(ctx context.Context, s lineSettings, x data.Points[vec], y, values []float64) ([]float64, error)
}

// lineLearners are the learners of the scene, in the order of its menu.
func lineLearners() []lineLearner {
	noise := Setting{Name: "noise", Label: "noise σₙ", Default: 0.1, Low: 1e-3, High: 1e2, Log: true}
	width := Setting{Name: "bandwidth", Label: "bandwidth h", Default: 0.5, Low: 1e-2, High: 1e2, Log: true}
	return []lineLearner{
		{Name: "ridge", Label: "ridge regression", Formula: "Σ (yᵢ − f(xᵢ))² + λ‖f‖²",
			Settings: []Setting{{Name: "lambda", Label: "λ", Default: 0.1, Low: 1e-8, High: 1e3, Log: true}}, Kernel: true,
			fit: fitRidge, leaveOut: leaveOutRidge},
		{Name: "gp", Label: "Gaussian process", Formula: "y = f(x) + ε,  f ~ GP(0, k),  ε ~ N(0, σₙ²)",
			Settings: []Setting{noise, {Name: "learn", Label: "find noise and kernel", Switch: true, High: 1}}, Kernel: true,
			fit: fitProcessLine, leaveOut: leaveOutProcess},
		{Name: "svr", Label: "support vector regression", Formula: "½‖f‖² + C Σ max(0, |yᵢ − f(xᵢ)| − ε)",
			Settings: []Setting{{Name: "C", Label: "C", Default: 1, Low: 1e-2, High: 1e4, Log: true},
				{Name: "epsilon", Label: "ε", Default: 0.1, Low: 1e-3, High: 1e2, Log: true}}, Kernel: true, fit: fitTube},
		{Name: "rvm", Label: "relevance vector machine",
			Formula: "f = Σ wⱼk(xⱼ, ·) + w₀,  wⱼ ~ N(0, 1/αⱼ), α of the largest evidence", Kernel: true, fit: fitRelevance},
		{Name: "l1vm", Label: "L1 vector machine", Formula: "½ Σ (yᵢ − f(xᵢ))² + λ Σ |αⱼ|,  f = Σ αⱼk(xⱼ, ·) + b",
			Settings: []Setting{sparsePenalty}, Kernel: true, fit: pathOf(lassoPath).fit, folds: pathOf(lassoPath).folds},
		{Name: "l2vm", Label: "L2 vector machine", Formula: "½ Σ (yᵢ − f(xᵢ))² + (λ/2) Σ αⱼ²,  f = Σ αⱼk(xⱼ, ·) + b",
			Settings: []Setting{sparsePenalty}, Kernel: true, fit: pathOf(squaredPath).fit, folds: pathOf(squaredPath).folds},
		{Name: "basis", Label: "basis functions at even centres", Formula: "Σ (yᵢ − wᵀφ(xᵢ) − b)² + λ‖w‖²,  φⱼ(x) = k(x, μⱼ)",
			Settings: []Setting{{Name: "lambda", Label: "λ", Default: 1e-3, Low: 1e-8, High: 1e3, Log: true},
				{Name: "centres", Label: "centres", Default: 10, Low: 1, High: 40, Integer: true},
				{Name: "normalised", Label: "normalised: φⱼ/Σφ", Switch: true, High: 1}}, Kernel: true, fit: fitBasis,
			leaveOut: leaveOutBasis},
		{Name: "local", Label: "local regression", Formula: "min Σ w((xᵢ − x)/h)(yᵢ − β₀ − β₁(xᵢ − x) − …)²,  f(x) = β₀",
			Settings: []Setting{{Name: "span", Label: "span", Default: 0.4, Low: 0.05, High: 1},
				{Name: "degree", Label: "degree", Default: 1, Low: 0, High: 4, Integer: true},
				{Name: "robust", Label: "robust", Switch: true, High: 1}}, fit: fitLocal},
		{Name: "nadaraya-watson", Label: "Nadaraya–Watson, with p(t|x)",
			Formula: "f(x) = Σ tᵢ w((x − xᵢ)/h) / Σ w((x − xᵢ)/h)", Settings: []Setting{width}, fit: fitAverage,
			leaveOut: leaveOutAverage},
		{Name: "spline", Label: "smoothing spline", Formula: "Σ (yᵢ − f(xᵢ))² + λ ∫ f″²",
			Settings: []Setting{{Name: "lambda", Label: "λ", Default: 0.1, Low: 1e-8, High: 1e6, Log: true},
				{Name: "order", Label: "order", Default: 2, Low: 1, High: 2, Integer: true}}, fit: fitSpline},
	}
}

func lineLearnerOf(name string, given map[string]float64) (lineLearner, map[string]float64, error) {
	for _, l := range lineLearners() {
		if l.Name == name {
			params, err := settle(l.Settings, given)
			return l, params, err
		}
	}
	return lineLearner{}, nil, &Fault{Field: "learner", Message: fmt.Sprintf("no learner %q here", name)}
}

// largest are the places of the n largest values, in increasing order.
func largest(v []float64, n int) []int {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case v[a] > v[b]:
			return -1
		case v[a] < v[b]:
			return 1
		}
		return 0
	})
	order = order[:min(n, len(order))]
	slices.Sort(order)
	return order
}

func fitRidge(ctx context.Context, s lineSettings, x data.Points[vec], y []float64) (*lineModel, error) {
	m, err := ridge.Regression[vec]{Kernel: s.kernel, Lambda: s.params["lambda"], Intercept: true}.Fit(ctx, x, y)
	if err != nil {
		return nil, err
	}
	return &lineModel{predict: m.Predict, f: m.Func(), report: m.Report()}, nil
}

// fitProcessLine has two bands: of the function and of a new observation, each of two standard
// deviations.
func fitProcessLine(ctx context.Context, s lineSettings, x data.Points[vec], y []float64) (*lineModel, error) {
	held := s.params["learn"] == 0
	g := gp.Regression[vec]{Kernel: s.kernel, Noise: s.params["noise"] * s.params["noise"], FixedNoise: held,
		HyperOptions: gp.HyperOptions{FixedKernel: held, MaxIterations: 40}}
	m, err := g.Fit(ctx, x, y)
	if err != nil {
		return nil, err
	}
	return &lineModel{predict: m.Predict, f: m.Func(), report: m.Report(),
		more: func(ctx context.Context, out *Regressed, grid data.Points[vec]) error {
			inner, err := m.Std(ctx, grid)
			if err != nil {
				return err
			}
			outer, err := m.ObservationStd(ctx, grid)
			if err != nil {
				return err
			}
			out.Band, out.Wide = "±2 standard deviations of f, and of a new observation",
				[]Drawn{make(Drawn, len(inner)), make(Drawn, len(inner))}
			out.Low, out.High = make(Drawn, len(inner)), make(Drawn, len(inner))
			for i, f := range out.F {
				out.Low[i], out.High[i] = f-2*inner[i], f+2*inner[i]
				out.Wide[0][i], out.Wide[1][i] = f-2*outer[i], f+2*outer[i]
			}
			out.Readings = append(out.Readings, reading("evidence", "log evidence", m.LogMarginal()),
				reading("noise", "noise σₙ", math.Sqrt(m.Noise())))
			if !held {
				text, err := spec.FormatKernel(m.Kernel())
				if err != nil {
					return err
				}
				out.Readings = append(out.Readings, readText("found", "kernel found", text))
			}
			if s.samples == 0 {
				return nil
			}
			prior, err := (gp.Regression[vec]{Kernel: m.Kernel()}).SamplePrior(ctx, grid, s.samples, s.seed)
			if err != nil {
				return err
			}
			posterior, err := m.Sample(ctx, grid, s.samples, s.seed)
			if err != nil {
				return err
			}
			out.Prior, out.Posterior = rows(prior), rows(posterior)
			return nil
		}}, nil
}

func fitTube(ctx context.Context, s lineSettings, x data.Points[vec], y []float64) (*lineModel, error) {
	m, err := svm.Regression[vec]{Kernel: s.kernel, C: s.params["C"], Epsilon: s.params["epsilon"]}.Fit(ctx, x, y)
	if err != nil {
		return nil, err
	}
	return &lineModel{predict: m.Predict, f: m.Func(), support: m.Support(), report: m.Report(),
		more: func(_ context.Context, out *Regressed, _ data.Points[vec]) error {
			out.Band, out.Low, out.High = "the tube f ± ε, in which errors are free", make(Drawn, len(out.F)),
				make(Drawn, len(out.F))
			for i, f := range out.F {
				out.Low[i], out.High[i] = f-m.Tube(), f+m.Tube()
			}
			out.Readings = append(out.Readings, reading("support", "support vectors", float64(len(m.Support()))),
				reading("duality-gap", "duality gap", m.DualityGap()))
			return nil
		}}, nil
}

func fitLocal(ctx context.Context, s lineSettings, x data.Points[vec], y []float64) (*lineModel, error) {
	c := smooth.LocalRegression{Smoother: density.TriCube, Span: s.params["span"], Degree: int(s.params["degree"]),
		Robust: 3 * int(s.params["robust"])}
	m, err := c.Fit(ctx, x, y)
	if err != nil {
		return nil, err
	}
	return &lineModel{predict: m.Predict, report: m.Report(),
		more: func(ctx context.Context, out *Regressed, grid data.Points[vec]) error {
			bands, err := m.Bands(ctx, grid, 0.95)
			if err != nil {
				return err
			}
			out.Band, out.Low, out.High = "95 % interval of the curve", make(Drawn, len(bands)), make(Drawn, len(bands))
			for i, b := range bands {
				out.Low[i], out.High[i] = b.Lower, b.Upper
			}
			out.Readings = append(out.Readings, reading("freedom", "degrees of freedom", m.Freedom()),
				reading("sigma", "residual error", m.Sigma()))
			return nil
		}}, nil
}

func fitAverage(ctx context.Context, s lineSettings, x data.Points[vec], y []float64) (*lineModel, error) {
	m, err := smooth.NadarayaWatson{Bandwidth: s.params["bandwidth"]}.Fit(ctx, x, y)
	if err != nil {
		return nil, err
	}
	return &lineModel{predict: m.Predict, report: m.Report(),
		more: func(ctx context.Context, out *Regressed, _ data.Points[vec]) error {
			out.Readings = append(out.Readings, reading("freedom", "degrees of freedom", m.Freedom()),
				reading("target-bandwidth", "width in t", m.TargetBandwidth()))
			var err error
			out.Density, err = conditional(ctx, m, s.window)
			return err
		}}, nil
}

// conditional is p(t|x) on a grid of the window.
func conditional(ctx context.Context, m *smooth.NadarayaWatsonModel, w Window) (*Surface, error) {
	n := densityCells
	x := make([]float64, n)
	for j := range x {
		x[j] = w.X0 + (w.X1-w.X0)*(float64(j)+0.5)/float64(n)
	}
	at, err := m.Conditional(ctx, line(x))
	if err != nil {
		return nil, err
	}
	p := make(Drawn, n*n)
	for i := range n {
		t := w.Y0 + (w.Y1-w.Y0)*(float64(i)+0.5)/float64(n)
		for j, c := range at {
			p[i*n+j] = c.Density(t)
		}
	}
	return &Surface{Size: n, Window: w, Values: []Drawn{p}}, nil
}

func fitSpline(ctx context.Context, s lineSettings, x data.Points[vec], y []float64) (*lineModel, error) {
	m, err := ridge.Spline{Lambda: s.params["lambda"], Order: int(s.params["order"])}.Fit(ctx, x, y)
	if err != nil {
		return nil, err
	}
	return &lineModel{predict: m.Predict, report: m.Report()}, nil
}
