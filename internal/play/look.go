package play

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/stat/distuv"
)

type lookAsked struct {
	Kernel   KernelText `json:"kernel"`
	At       float64    `json:"at"` // x₀
	Low      float64    `json:"low"`
	High     float64    `json:"high"`
	Samples  int        `json:"samples"`  // functions drawn from GP(0, k)
	Seed     uint64     `json:"seed"`     // of functions and features
	Features int        `json:"features"` // m frequencies of the random-feature approximation; 0: none
	// of the Mercer expansion: "even" on the interval, or "normal" with a quarter of it as
	// deviation
	Measure string `json:"measure"`
	Terms   int    `json:"terms"` // eigenfunctions shown
}

// Looked is a kernel on an interval of the line.
type Looked struct {
	Kernel    KernelFacts `json:"kernel"`
	X         Drawn       `json:"x"`
	Section   Drawn       `json:"section"`            // k(x₀, ·)
	Samples   []Drawn     `json:"samples,omitempty"`  // functions
	Spectrum  Drawn       `json:"spectrum,omitempty"` // of K on the points of the measure, over n
	Sample    Drawn       `json:"sample"`             // those points
	Functions []Drawn     `json:"functions,omitempty"`
	// Expansion is Σ λⱼψⱼ(x₀)ψⱼ(·) over the terms shown.
	Expansion Drawn `json:"expansion,omitempty"`
	// Embedded is the first three coordinates of the empirical feature map along the interval.
	Embedded []Drawn   `json:"embedded,omitempty"`
	Random   Drawn     `json:"random,omitempty"` // ⟨φ(x₀), φ(·)⟩ of random features
	Readings []Reading `json:"readings"`
	Notes    []string  `json:"notes,omitempty"` // what this kernel does not have
}

// mercerPoints is how many points stand for a measure.
const mercerPoints = 128

// look shows what a kernel does.
func look(ctx context.Context, _ *Player, q lookAsked, send sender) error {
	k, facts, err := q.Kernel.vectors()
	if err != nil {
		return err
	}
	if !(q.Low < q.High) || math.Abs(q.Low) > 1e6 || math.Abs(q.High) > 1e6 {
		return &Fault{Field: "window", Message: fmt.Sprintf("the interval from %g to %g is empty or too long", q.Low, q.High)}
	}
	if !(math.Abs(q.At) <= 1e6) {
		return &Fault{Field: "at", Message: fmt.Sprintf("x₀ is %g", q.At)}
	}
	for _, n := range []struct {
		name        string
		value, most int
	}{{"samples", q.Samples, mostSamples}, {"features", q.Features, 5000}, {"terms", q.Terms, 20}} {
		if n.value < 0 || n.value > n.most {
			return &Fault{Field: n.name, Message: fmt.Sprintf("%d %s; from 0 to %d can be shown", n.value, n.name, n.most)}
		}
	}
	out := &Looked{Kernel: facts, X: spread(q.Low, q.High, curvePoints)}
	grid := line(out.X)
	if err := kernel.Check(k, grid); err != nil {
		return at("kernel", err)
	}
	if err := kernel.Check(k, line([]float64{q.At})); err != nil {
		return at("at", err)
	}
	out.Section = make(Drawn, len(out.X))
	for i, x := range out.X {
		out.Section[i] = k.Eval(vec{q.At}, vec{x})
	}
	if err := out.expand(ctx, k, q, grid); err != nil {
		return err
	}
	if err := out.drawFunctions(ctx, k, q, grid); err != nil {
		return err
	}
	if err := out.approximate(ctx, k, q, grid); err != nil {
		return err
	}
	return send("look", out)
}

// expand is the spectral decomposition of k on points that stand for a measure.
func (out *Looked) expand(ctx context.Context, k kernel.Kernel[vec], q lookAsked, grid data.Points[vec]) error {
	out.Sample = measure(q)
	sample := line(out.Sample)
	g, err := gram.New(ctx, k, sample, gram.Options{})
	if err != nil {
		return at("kernel", err)
	}
	spectrum, err := gram.Spectrum(g)
	if err != nil {
		return err
	}
	n := float64(len(spectrum))
	for i := range spectrum {
		spectrum[i] /= n
	}
	out.Spectrum = spectrum
	out.Readings = append(out.Readings, reading("largest-eigenvalue", "largest eigenvalue of K/n", spectrum[0]),
		reading("least-eigenvalue", "least eigenvalue of K/n", spectrum[len(spectrum)-1]),
		reading("effective", "eigenvalues above 1e-6 of the largest", above(spectrum, 1e-6*spectrum[0])))
	m, err := rkhs.NewMercer(ctx, k, sample, max(q.Terms, 3))
	if err != nil {
		out.Notes = append(out.Notes, "no Mercer expansion: "+err.Error())
		return nil
	}
	psi, err := m.Eigenfunctions().Evaluate(ctx, grid)
	if err != nil {
		return err
	}
	all := columns(psi)
	out.Functions = all[:min(q.Terms, len(all))]
	here, err := m.Eigenfunctions().Evaluate(ctx, line([]float64{q.At}))
	if err != nil {
		return err
	}
	out.Expansion = make(Drawn, len(out.X))
	for j, f := range out.Functions {
		for i := range out.Expansion {
			out.Expansion[i] += m.Eigenvalues()[j] * here.At(0, j) * f[i]
		}
	}
	features, err := m.Features().Evaluate(ctx, grid)
	if err != nil {
		return err
	}
	embedded := columns(features)
	out.Embedded = embedded[:min(3, len(embedded))]
	return nil
}

// measure is points whose empirical distribution stands for the measure of an expansion: quantiles
// at equal distances.
func measure(q lookAsked) []float64 {
	v := make([]float64, mercerPoints)
	for i := range v {
		u := (float64(i) + 0.5) / mercerPoints
		if q.Measure == "normal" {
			v[i] = distuv.Normal{Mu: (q.Low + q.High) / 2, Sigma: (q.High - q.Low) / 8}.Quantile(u)
		} else {
			v[i] = q.Low + (q.High-q.Low)*u
		}
	}
	return v
}

func above(values []float64, bound float64) float64 {
	n := 0
	for _, v := range values {
		if v > bound {
			n++
		}
	}
	return float64(n)
}

// drawFunctions draws from GP(0, k), where that is a distribution.
func (out *Looked) drawFunctions(ctx context.Context, k kernel.Kernel[vec], q lookAsked, grid data.Points[vec]) error {
	if q.Samples == 0 {
		return nil
	}
	m, err := gp.Regression[vec]{Kernel: k}.SamplePrior(ctx, grid, q.Samples, q.Seed)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		out.Notes = append(out.Notes, "no sample functions: "+err.Error())
		return nil
	}
	out.Samples = rows(m)
	return nil
}

// approximate compares k with m random Fourier features.
func (out *Looked) approximate(ctx context.Context, k kernel.Kernel[vec], q lookAsked, grid data.Points[vec]) error {
	if q.Features == 0 {
		return nil
	}
	m, err := gram.NewFourierMap(k, 1, q.Features, false, 0, q.Seed)
	if err != nil {
		out.Notes = append(out.Notes, "no random features: "+err.Error())
		return nil
	}
	here, err := m.Features(ctx, line([]float64{q.At}))
	if err != nil {
		return err
	}
	there, err := m.Features(ctx, grid)
	if err != nil {
		return err
	}
	out.Random = make(Drawn, len(out.X))
	worst := 0.0
	for i := range out.X {
		for j, v := range here.RawRowView(0) {
			out.Random[i] += v * there.At(i, j)
		}
		worst = max(worst, math.Abs(out.Random[i]-out.Section[i]))
	}
	out.Readings = append(out.Readings, reading("feature-error",
		fmt.Sprintf("largest error of %d random frequencies", q.Features), worst))
	return nil
}
