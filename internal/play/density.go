package play

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/learn"
)

type densityAsked struct {
	Points     PlanePoints `json:"points"`     // of which the first coordinate counts
	Method     string      `json:"method"`     // "parzen" or "neighbours"
	Smoother   string      `json:"smoother"`   // of windows
	Bandwidth  float64     `json:"bandwidth"`  // h
	Neighbours int         `json:"neighbours"` // k
	Window     Window      `json:"window"`
}

// Estimated is a density at three widths, with the windows that it is the sum of.
type Estimated struct {
	X         Drawn             `json:"x"`
	Estimates []DensityEstimate `json:"estimates"`
	U         Drawn             `json:"u"`        // where smoothing kernels are drawn
	Profiles  []Profile         `json:"profiles"` // all of them
	Readings  []Reading         `json:"readings"`
}

// DensityEstimate is the density at one width.
type DensityEstimate struct {
	Width   Number  `json:"width"` // h, or k
	P       Drawn   `json:"p"`
	Windows []Drawn `json:"windows,omitempty"` // k_h(x − xᵢ)/n
}

// Profile is a smoothing kernel.
type Profile struct {
	Name string `json:"name"`
	K    Drawn  `json:"k"`
}

// densityFactors are the widths shown beside the one asked for: what too narrow and too wide a
// window does.
var densityFactors = []float64{0.25, 1, 4}

// estimate shows Parzen windows, or the density by nearest neighbours.
func estimate(ctx context.Context, _ *Player, q densityAsked, send sender) error {
	if err := q.Points.check(false); err != nil {
		return err
	}
	if err := q.Window.check(); err != nil {
		return err
	}
	n := q.Points.Len()
	if n < 2 {
		return &Fault{Field: "points", Message: fmt.Sprintf("%d points; place two or more", n)}
	}
	smoother, err := density.ParseSmoother(q.Smoother)
	if err != nil {
		return at("smoother", err)
	}
	out := &Estimated{X: spread(q.Window.X0, q.Window.X1, curvePoints), U: spread(-3, 3, 241)}
	for _, s := range density.Smoothers() {
		k := make(Drawn, len(out.U))
		for i, u := range out.U {
			k[i] = s.Eval(u)
		}
		out.Profiles = append(out.Profiles, Profile{s.String(), k})
	}
	x := q.Points.column(0)
	switch q.Method {
	case "parzen":
		err = out.windows(ctx, q, smoother, x)
	case "neighbours":
		err = out.balls(ctx, q, x)
	default:
		err = &Fault{Field: "method", Message: fmt.Sprintf("no method %q; there are parzen and neighbours", q.Method)}
	}
	if err != nil {
		return at("points", err)
	}
	if err := send("density", out); err != nil || q.Method != "parzen" {
		return err
	}
	return likelihoods(ctx, q, smoother, x, send)
}

// windows is p(x) = (1/n) Σ k((x − xᵢ)/h)/h for each h.
func (out *Estimated) windows(ctx context.Context, q densityAsked, s density.Smoother, x data.Points[vec]) error {
	if !(q.Bandwidth > 0 && q.Bandwidth <= 1e9) {
		return &Fault{Field: "bandwidth", Message: fmt.Sprintf("the bandwidth is %g; give a number above 0", q.Bandwidth)}
	}
	for _, factor := range densityFactors {
		h := factor * q.Bandwidth
		m, err := density.KDE{Smoother: s, Bandwidth: h}.Fit(ctx, x)
		if err != nil {
			return err
		}
		p, err := m.Density(ctx, line(out.X))
		if err != nil {
			return err
		}
		e := DensityEstimate{Width: Number(h), P: p}
		if x.Len() <= mostBumps {
			for i := range x.Len() {
				w := make(Drawn, len(out.X))
				for j, v := range out.X {
					w[j] = s.Eval((v-x.At(i)[0])/h) / (h * float64(x.Len()))
				}
				e.Windows = append(e.Windows, w)
			}
		}
		out.Estimates = append(out.Estimates, e)
	}
	for _, rule := range []density.BandwidthRule{density.SilvermanRule, density.RobustRule, density.SheatherJonesRule,
		density.LikelihoodRule, density.LeastSquaresRule} {
		m, err := density.KDE{Smoother: s, Rule: rule}.Fit(ctx, x)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil { // points that are all the same have no width
			out.Readings = append(out.Readings, Reading{Name: rule.String(), Label: "h by " + rule.String(),
				Value: Number(math.NaN()), Text: "none", Note: err.Error()})
			continue
		}
		out.Readings = append(out.Readings, reading(rule.String(), "h by "+rule.String(), m.Bandwidths()[0]))
	}
	return nil
}

// balls is p(x) = k/(n·V), V the length of the interval around x that holds the k nearest points.
func (out *Estimated) balls(ctx context.Context, q densityAsked, x data.Points[vec]) error {
	if q.Neighbours < 1 || q.Neighbours > x.Len() {
		return &Fault{Field: "neighbours", Message: fmt.Sprintf("%d neighbours of %d points; give 1 to %d", q.Neighbours,
			x.Len(), x.Len())}
	}
	for _, factor := range densityFactors {
		k := min(max(int(math.Round(factor*float64(q.Neighbours))), 1), x.Len())
		m, err := density.KNN{K: k}.Fit(ctx, x)
		if err != nil {
			return err
		}
		p, err := m.Density(ctx, line(out.X))
		if err != nil {
			return err
		}
		out.Estimates = append(out.Estimates, DensityEstimate{Width: Number(k), P: p})
	}
	out.Readings = []Reading{reading("root", "√n", math.Sqrt(float64(x.Len())))}
	return nil
}

// likelihoods is the mean log-density of each point under the windows of the others, over
// bandwidths.
func likelihoods(ctx context.Context, q densityAsked, s density.Smoother, x data.Points[vec], send sender) error {
	spread := q.Window.X1 - q.Window.X0
	out := Curve{Setting: "bandwidth", How: "leave one out", Values: learn.LogSpace(spread/1000, spread, 41),
		Best: Number(math.NaN())}
	best, n := math.Inf(-1), float64(x.Len())
	for _, h := range out.Values {
		m, err := density.KDE{Smoother: s, Bandwidth: h}.Fit(ctx, x)
		if err != nil {
			return err
		}
		p, err := m.Density(ctx, x)
		if err != nil {
			return err
		}
		mean := 0.0
		for _, v := range p { // a point leaves its own window out
			mean += math.Log(max(n*v-s.Eval(0)/h, 0)/(n-1)) / n
		}
		out.Errors = append(out.Errors, mean)
		if mean > best {
			best, out.Best = mean, Number(h)
		}
	}
	return send("curve", out)
}
