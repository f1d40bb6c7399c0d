package play

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
)

type regressAsked struct {
	Points  PlanePoints        `json:"points"` // input and target
	Kernel  KernelText         `json:"kernel"`
	Learner string             `json:"learner"`
	Params  map[string]float64 `json:"params"`
	Window  Window             `json:"window"`
	Bumps   bool               `json:"bumps,omitempty"`   // the terms αᵢk(xᵢ, ·) too
	Samples int                `json:"samples,omitempty"` // of a Gaussian process, from prior and posterior
	Seed    uint64             `json:"seed,omitempty"`
}

// Regressed is a fitted curve.
type Regressed struct {
	Kernel    *KernelFacts `json:"kernel,omitempty"`
	X         Drawn        `json:"x"`
	F         Drawn        `json:"f"`
	Low       Drawn        `json:"low,omitempty"` // a band around f, or a tube
	High      Drawn        `json:"high,omitempty"`
	Band      string       `json:"band,omitempty"`      // what the band is
	Wide      []Drawn      `json:"wide,omitempty"`      // band of new observations, low and high
	Prior     []Drawn      `json:"prior,omitempty"`     // sample functions
	Posterior []Drawn      `json:"posterior,omitempty"` // given the points
	Bumps     []Drawn      `json:"bumps,omitempty"`
	Bias      Number       `json:"bias"`
	Support   []int        `json:"support,omitempty"`
	Density   *Surface     `json:"density,omitempty"` // p(t|x)
	Basis     []Drawn      `json:"basis,omitempty"`   // functions that f is made of, as they are before they are weighted
	Design    *Design      `json:"design,omitempty"`  // those at the points
	Readings  []Reading    `json:"readings"`
	Warnings  []string     `json:"warnings,omitempty"`
}

// Curve is the error of points left out, as the first setting of a learner varies.
type Curve struct {
	Setting string `json:"setting"`
	How     string `json:"how"` // "leave one out", "10-fold"
	Values  Drawn  `json:"values"`
	Errors  Drawn  `json:"errors"` // root mean square
	Best    Number `json:"best"`
}

// How finely curves are drawn, and how many terms of a sum can be told apart.
const (
	curvePoints  = 240
	densityCells = 48
	mostBumps    = 80
	mostSamples  = 12
)

// regress fits a curve: first the curve with all that is drawn around it, then the error as the
// slider moves.
func regress(ctx context.Context, _ *Player, q regressAsked, send sender) error {
	if err := q.Points.check(false); err != nil {
		return err
	}
	if err := q.Window.check(); err != nil {
		return err
	}
	if q.Samples < 0 || q.Samples > mostSamples {
		return &Fault{Field: "samples", Message: fmt.Sprintf("%d sample functions; up to %d can be told apart", q.Samples,
			mostSamples)}
	}
	l, params, err := lineLearnerOf(q.Learner, q.Params)
	if err != nil {
		return err
	}
	s := lineSettings{params: params, seed: q.Seed, samples: q.Samples, window: q.Window}
	out := &Regressed{X: spread(q.Window.X0, q.Window.X1, curvePoints), Bias: Number(math.NaN())}
	if l.Kernel {
		k, facts, err := q.Kernel.vectors()
		if err != nil {
			return err
		}
		if err := kernel.Check(k, q.Points.column(0)); err != nil {
			return at("kernel", err)
		}
		s.kernel, out.Kernel = k, &facts
	}
	x, y := q.Points.column(0), targets(q.Points)
	m, err := l.fit(ctx, s, x, y)
	if err != nil {
		return at("points", err)
	}
	if err := m.draw(ctx, out, s, q.Bumps); err != nil {
		return at("kernel", err)
	}
	fitted, err := m.predict(ctx, x)
	if err != nil {
		return err
	}
	out.Readings = append([]Reading{reading("training-rmse", "training RMSE", rootMeanSquare(y, fitted))}, out.Readings...)
	if err := send("fit", out); err != nil || x.Len() < 3 || len(l.Settings) == 0 {
		return err
	}
	curve, err := l.curve(ctx, s, x, y)
	if err != nil {
		return at("points", err)
	}
	return send("curve", curve)
}

func targets(p PlanePoints) []float64 {
	y := make([]float64, p.Len())
	for i := range y {
		y[i] = p.XY[2*i+1]
	}
	return y
}

func rootMeanSquare(a, b []float64) float64 {
	d := make([]float64, len(a))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	return learn.RootMeanSquare(d, nil)
}

// lineModel is a fitted curve, whatever made it.
type lineModel struct {
	predict func(ctx context.Context, x data.Points[vec]) ([]float64, error)
	f       *rkhs.Func[vec]           // nil where the curve is no sum of kernels at points
	terms   func(x []float64) []Drawn // of a curve that is another sum; nil: those of f
	bias    []float64                 // of such a curve
	support []int
	report  learn.Report
	more    func(ctx context.Context, out *Regressed, x data.Points[vec]) error // bands, samples, densities
}

// draw fills in the picture.
func (m *lineModel) draw(ctx context.Context, out *Regressed, s lineSettings, bumps bool) error {
	x := line(out.X)
	if s.kernel != nil {
		if err := kernel.Check(s.kernel, x); err != nil {
			return err // the window goes beyond the kernel's domain
		}
	}
	f, err := m.predict(ctx, x)
	if err != nil {
		return err
	}
	out.F, out.Support, out.Warnings = f, m.support, m.report.Warnings
	bias, sum := m.bias, m.terms
	if m.f != nil {
		out.Readings = append(out.Readings, reading("norm", "‖f‖", m.f.Norm()))
		bias, sum = m.f.Bias, func(x []float64) []Drawn { return terms(m.f, x) }
	}
	if bias != nil {
		out.Bias = Number(bias[0])
	}
	if bumps && sum != nil {
		out.Bumps = sum(out.X)
	}
	if m.more == nil {
		return nil
	}
	return m.more(ctx, out, x)
}

// terms are αᵢk(cᵢ, x) of the centres with the largest |α|.
func terms(f *rkhs.Func[vec], x []float64) []Drawn {
	n := f.Centers.Len()
	if n > mostBumps {
		n = mostBumps
	}
	var out []Drawn
	for _, i := range largest(weights(f.Coef), n) {
		alpha, bump := f.Coef.At(i, 0), make(Drawn, len(x))
		for j, v := range x {
			bump[j] = alpha * f.Kernel.Eval(f.Centers.At(i), vec{v})
		}
		out = append(out, bump)
	}
	return out
}
