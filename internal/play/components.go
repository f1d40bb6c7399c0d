package play

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/project"
	"gonum.org/v1/gonum/stat"
)

type componentsAsked struct {
	Points     PlanePoints `json:"points"`
	Kernel     KernelText  `json:"kernel"`
	Components int         `json:"components"`
	Window     Window      `json:"window"`
}

// Projected is the principal components of points of the plane.
type Projected struct {
	Kernel   KernelFacts `json:"kernel"`
	Share    []Number    `json:"share"`  // of the variance, along each component
	Scores   []Drawn     `json:"scores"` // of the points on each component
	Surface  Surface     `json:"surface"`
	Readings []Reading   `json:"readings"`
	Warnings []string    `json:"warnings,omitempty"`
}

// components shows kernel PCA: the score of every place of the window on each component.
func components(ctx context.Context, _ *Player, q componentsAsked, send sender) error {
	k, facts, err := onThePlane(q.Kernel, q.Points, q.Window, false)
	if err != nil {
		return err
	}
	if q.Components < 1 || q.Components > 8 {
		return &Fault{Field: "components", Message: fmt.Sprintf("%d components; 1 to 8 are shown", q.Components)}
	}
	if q.Points.Len() < 2 {
		return &Fault{Field: "points", Message: fmt.Sprintf("%d points; place two or more", q.Points.Len())}
	}
	m, err := project.PCA[vec]{Kernel: k, Components: q.Components}.Fit(ctx, q.Points.rows())
	if err != nil {
		return at("points", err)
	}
	out := &Projected{Kernel: facts, Scores: columns(m.Scores()), Warnings: m.Report().Warnings}
	kept := 0.0
	for _, v := range m.ExplainedRatio() {
		out.Share = append(out.Share, Number(v))
		kept += v
	}
	out.Readings = []Reading{reading("total-variance", "variance in feature space", m.TotalVariance()),
		reading("explained", fmt.Sprintf("share of %d components", len(out.Share)), kept)}
	for i, n := range []int{coarse, 64} {
		scores, err := m.Transform(ctx, q.Window.grid(n))
		if err != nil {
			return at("kernel", err)
		}
		out.Surface = Surface{Size: n, Window: q.Window, Values: columns(scores)}
		if i == 0 {
			err = send("components", out)
		} else {
			err = send("surface", out.Surface)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

type correlateAsked struct {
	Points       PlanePoints `json:"points"`
	Kernel       KernelText  `json:"kernel"` // on the first coordinate
	Second       KernelText  `json:"second"` // on the other
	Kappa        float64     `json:"kappa"`  // share of the trace; 0 means 0.01
	Permutations int         `json:"permutations"`
	Seed         uint64      `json:"seed"`
	Window       Window      `json:"window"`
}

// Correlated is the functions of the two coordinates that are most correlated.
type Correlated struct {
	Kernel   KernelFacts `json:"kernel"`
	Second   KernelFacts `json:"second"`
	X        Drawn       `json:"x"`
	F        Drawn       `json:"f"`
	Y        Drawn       `json:"y"`
	G        Drawn       `json:"g"`
	ScoresF  Drawn       `json:"scoresF"` // f(xᵢ)
	ScoresG  Drawn       `json:"scoresG"` // g(yᵢ)
	Draws    Drawn       `json:"draws,omitempty"`
	Readings []Reading   `json:"readings"`
}

// correlate is kernel CCA of the two coordinates.
func correlate(ctx context.Context, _ *Player, q correlateAsked, send sender) error {
	k, first, err := q.Kernel.vectors()
	if err != nil {
		return err
	}
	l, second, err := q.Second.vectors()
	if err != nil {
		return moved("second", err)
	}
	if err := q.Points.check(false); err != nil {
		return err
	}
	if err := q.Window.check(); err != nil {
		return err
	}
	if q.Points.Len() < 3 {
		return &Fault{Field: "points", Message: fmt.Sprintf("%d points; place three or more", q.Points.Len())}
	}
	if !(q.Kappa >= 0 && q.Kappa <= 10) || q.Permutations < 0 || q.Permutations > 2000 {
		return &Fault{Field: "kappa",
			Message: fmt.Sprintf("κ is %g of the trace, %d permutations; give κ from 0 to 10 and up to 2,000 permutations",
				q.Kappa, q.Permutations)}
	}
	n := float64(q.Points.Len())
	c := project.CCA{Seed: q.Seed, Kappa: q.Kappa * n}
	views := []project.View{project.NewView(k, q.Points.column(0)), project.NewView(l, q.Points.column(1))}
	m, err := c.Fit(ctx, views...)
	if err != nil {
		return at("points", err)
	}
	out := &Correlated{Kernel: first, Second: second, X: spread(q.Window.X0, q.Window.X1, curvePoints),
		Y: spread(q.Window.Y0, q.Window.Y1, curvePoints)}
	out.ScoresF, out.ScoresG = columns(m.Scores(0))[0], columns(m.Scores(1))[0]
	curves, err := m.Transform(ctx, project.NewView(k, line(out.X)), project.NewView(l, line(out.Y)))
	if err != nil {
		return at("kernel", err)
	}
	out.F, out.G = columns(curves[0])[0], columns(curves[1])[0]
	out.Readings = []Reading{reading("correlation", "canonical correlation (regularised)", m.Correlations()[0]),
		reading("sample-correlation", "correlation of f(x) and g(y)", stat.Correlation(out.ScoresF, out.ScoresG, nil))}
	if err := send("correlation", out); err != nil || q.Permutations == 0 {
		return err
	}
	t, err := c.Test(ctx, q.Permutations, views...)
	if err != nil {
		return err
	}
	return send("test", Tested{Statistic: Number(t.Statistic), Threshold: Number(t.Statistic), Draws: t.Null,
		Readings: []Reading{reading("p", "p-value", t.P)}})
}
