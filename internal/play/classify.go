package play

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/tune"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

type classifyAsked struct {
	Points  PlanePoints        `json:"points"`
	Kernel  KernelText         `json:"kernel"`
	Learner string             `json:"learner"`
	Params  map[string]float64 `json:"params"`
	// class probabilities too, where the learner has none without more work
	Proba  bool   `json:"proba,omitempty"`
	Window Window `json:"window"`
}

// Classified is what is known as soon as the learner is done.
type Classified struct {
	Kernel   KernelFacts `json:"kernel"`
	Classes  []int       `json:"classes"`
	Support  []int       `json:"support"`            // points that the function keeps
	Weight   Drawn       `json:"weight"`             // Σ|α| of each, over all machines
	Wrong    []int       `json:"wrong"`              // points that are put into another class
	Mistakes []int       `json:"mistakes,omitempty"` // of the perceptron, in the order made
	Margins  bool        `json:"margins"`            // whether f = ±1 means something
	Readings []Reading   `json:"readings"`
	Warnings []string    `json:"warnings,omitempty"`
	Surface  Surface     `json:"surface"`
}

// Judged is what cross-validation says.
type Judged struct {
	Readings []Reading `json:"readings"`
}

// classify fits a classifier to points of the plane: first the numbers with a coarse surface, then
// the fine one, then what cross-validation says.
func classify(ctx context.Context, _ *Player, q classifyAsked, send sender) error {
	k, facts, err := onThePlane(q.Kernel, q.Points, q.Window, true)
	if err != nil {
		return err
	}
	l, params, err := planeLearnerOf(q.Learner, q.Params)
	if err != nil {
		return err
	}
	x := q.Points.rows()
	if err := kernel.Check(k, x); err != nil {
		return at("kernel", err)
	}
	s := planeSettings{kernel: k, params: params, proba: q.Proba}
	m, err := l.fit(ctx, s, x, q.Points.Class)
	if err != nil {
		return at("points", err)
	}
	out, err := m.describe(ctx, x, q.Points.Class)
	if err != nil {
		return err
	}
	out.Kernel = facts
	definite, err := definiteness(ctx, m.kernel, x)
	if err != nil {
		return err
	}
	out.Readings = append(out.Readings, definite...)
	if out.Surface, err = m.surface(ctx, q.Window, coarse); err != nil {
		return at("kernel", err)
	}
	if err := send("fit", out); err != nil {
		return err
	}
	surface, err := m.surface(ctx, q.Window, fine)
	if err != nil {
		return err
	}
	if err := send("surface", surface); err != nil {
		return err
	}
	if l.detector {
		return nil // nothing to be wrong about
	}
	judged, err := crossValidate(ctx, l, s, x, q.Points.Class)
	if err != nil {
		return err
	}
	return send("judged", judged)
}

// describe is the model in numbers.
func (m *planeModel) describe(ctx context.Context, x data.Points[kernel.Vec], y []int) (*Classified, error) {
	predicted, err := m.predict(ctx, x)
	if err != nil {
		return nil, err
	}
	out := &Classified{Classes: m.classes, Margins: m.margins, Mistakes: m.mistakes, Wrong: []int{}, Support: []int{}}
	for i, c := range predicted {
		if c != y[i] && !m.detector || m.detector && c == outside {
			out.Wrong = append(out.Wrong, i)
		}
	}
	label := "training error"
	if m.detector {
		label = "share outside"
	}
	out.Readings = append(out.Readings, reading("training-error", label, float64(len(out.Wrong))/float64(len(y))))
	f := m.model.Func()
	if kept, ok := m.model.(interface{ Support() []int }); ok && f != nil {
		out.Support = kept.Support()
		out.Weight = weights(f.Coef)
		out.Readings = append(out.Readings, reading("support", m.keeps, float64(len(out.Support))))
	}
	if f != nil && m.normed {
		norm := f.Norm()
		out.Readings = append(out.Readings, reading("norm", "‖f‖", norm))
		if m.margins && len(m.classes) == 2 && norm > 0 {
			out.Readings = append(out.Readings, reading("margin", "margin 1/‖f‖", 1/norm))
		}
	}
	r := m.model.Report()
	if r.Certified != "" {
		out.Readings = append(out.Readings, reading("certificate", r.Certified, r.Certificate))
	}
	out.Readings = append(out.Readings, m.readings...)
	out.Warnings = r.Warnings
	return out, nil
}

// weights is Σ|α| of each centre over the outputs.
func weights(coef *mat.Dense) Drawn {
	r, c := coef.Dims()
	out := make(Drawn, r)
	for i := range out {
		for j := range c {
			out[i] += math.Abs(coef.At(i, j))
		}
	}
	return out
}

// surface evaluates the model on a grid of the window.
func (m *planeModel) surface(ctx context.Context, w Window, n int) (Surface, error) {
	out := Surface{Size: n, Window: w}
	grid := w.grid(n)
	decision, err := m.decision(ctx, grid)
	if err != nil {
		return out, err
	}
	two := len(m.classes) == 2
	if two { // the sign is the class, or which probability is larger: nothing is evaluated twice
		out.Values = columns(decision)[:1]
	} else {
		out.Values = []Drawn{m.lead(decision)}
	}
	if !two && !m.likeliest {
		if out.Class, err = m.predict(ctx, grid); err != nil {
			return out, err
		}
	}
	if m.proba == nil {
		return out, nil
	}
	p, err := m.proba(ctx, grid)
	if err != nil {
		return out, err
	}
	if two {
		out.Values = append(out.Values, columns(p)[1])
		return out, nil
	}
	r, _ := p.Dims()
	best := make(Drawn, r)
	for i := range best {
		row := p.RawRowView(i)
		at := floats.MaxIdx(row)
		best[i] = row[at]
		if m.likeliest {
			out.Class = append(out.Class, m.classes[at])
		}
	}
	out.Values = append(out.Values, best)
	return out, nil
}

// lead is how far the best class is ahead of the next in each row of decision values.
func (m *planeModel) lead(decision *mat.Dense) Drawn {
	r, c := decision.Dims()
	out := make(Drawn, r)
	score := make([]float64, len(m.classes))
	scorer, scored := m.model.(learn.ClassScorer)
	for i := range out {
		row := decision.RawRowView(i)
		switch {
		case scored:
			scorer.ClassScores(score, row)
		case c == len(score):
			copy(score, row)
		default:
			fitting.VoteScores(score, row)
		}
		first, second := math.Inf(-1), math.Inf(-1)
		for _, v := range score {
			if v > first {
				first, second = v, first
			} else {
				second = max(second, v)
			}
		}
		out[i] = first - second
	}
	return out
}

// definiteness is whether the kernel is positive semi-definite, as its properties or its matrix of
// these points say.
func definiteness(ctx context.Context, k kernel.Kernel[kernel.Vec], x data.Points[kernel.Vec]) ([]Reading, error) {
	known := kernel.PropertiesOf(k).PSD
	if known == kernel.Yes {
		return []Reading{readText("psd", "kernel PSD", "yes")}, nil
	}
	found, err := gram.Examine(ctx, k, x, 0)
	if err != nil {
		return nil, err
	}
	word := "on these points"
	if !found.OK {
		word = "no"
	}
	return []Reading{
		{Name: "psd", Label: "kernel PSD", Value: Number(math.NaN()), Text: word,
			Note: fmt.Sprintf("by its properties: %v", known)},
		reading("least-eigenvalue", "least eigenvalue of K", found.Min),
	}, nil
}

// crossValidate is the share of points that models of the others put into the wrong class, in five
// folds.
func crossValidate(
	ctx context.Context, l planeLearner, s planeSettings, x data.Points[kernel.Vec], y []int,
) (*Judged, error) {
	p, err := learn.Classify(x, y)
	if err != nil {
		return nil, at("points", err)
	}
	folds, err := tune.Split(tune.Protocol{Folds: min(5, x.Len())}, p)
	if err != nil {
		return &Judged{[]Reading{readText("cv-error", "5-fold error", "too few points")}}, nil
	}
	wrong, judged := 0, 0
	s.proba = false
	for _, f := range folds {
		m, err := l.fit(ctx, s, data.Gather(x, f.Train), data.Take(y, f.Train))
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return &Judged{[]Reading{readText("cv-error", "5-fold error", "too few points")}}, nil
		}
		predicted, err := m.predict(ctx, data.Gather(x, f.Test))
		if err != nil {
			return nil, err
		}
		for i, c := range predicted {
			judged++
			if c != y[f.Test[i]] {
				wrong++
			}
		}
	}
	return &Judged{[]Reading{reading("cv-error", fmt.Sprintf("%d-fold error", len(folds)),
		float64(wrong)/float64(judged))}}, nil
}
