package tune

import (
	"context"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/gp"
)

// fitGP finds kernel parameters and noise by marginal likelihood, from each of
// the starts; the highest end counts. Where the options say where to start (a
// neighbouring fold ended there) that is the only one.
func fitGP[T any](ctx context.Context, starts []GPStart, out *Fitted[T], p Problem[T], o fitOptions) error {
	if len(starts) == 0 || o.near {
		starts = []GPStart{{}}
	}
	from, best := out.Kernel, math.Inf(-1)
	var fault error
	for _, s := range starts {
		m, err := climb(ctx, withLength(from, s.Length), s.Noise, p, o)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			fault = err
		case out.Model() == nil || m.value > best:
			m.into(out)
			best = m.value
		}
	}
	if out.Model() == nil {
		return fault
	}
	return nil
}

// nearSteps is the most steps of a search that starts where that of a
// neighbouring fold ended.
const nearSteps = 30

// climbed is a process at the end of one search.
type climbed[T any] struct {
	value      float64 // log marginal likelihood
	kernel     kernel.Kernel[T]
	regressor  *gp.Regressor[T]
	classifier *gp.Classifier[T, int]
}

func (c climbed[T]) into(out *Fitted[T]) {
	out.Kernel = c.kernel
	if c.classifier != nil {
		out.Classifier = c.classifier
		return
	}
	m := c.regressor
	out.Regressor = m
	out.logDensity = func(x data.Points[T], y []float64) []float64 {
		mean, variance := m.Predict(nil, x), m.Variance(nil, x)
		density := make([]float64, len(y))
		for i := range density {
			v := variance[i] + m.Noise()
			density[i] = -0.5*(y[i]-mean[i])*(y[i]-mean[i])/v - 0.5*math.Log(2*math.Pi*v)
		}
		return density
	}
}

// climb searches from one place; noise is a share of the variance of the targets.
func climb[T any](ctx context.Context, k kernel.Kernel[T], noise float64, p Problem[T], o fitOptions) (climbed[T], error) {
	if p.Task.Classification() {
		m, err := gp.Classification[T, int]{Kernel: k, Resources: o.resources()}.Fit(ctx, p.Points, p.codes())
		if err != nil {
			return climbed[T]{}, err
		}
		return climbed[T]{value: m.LogMarginal(), kernel: m.Kernel(), classifier: m}, nil
	}
	g := gp.Regression[T]{Kernel: k, Noise: o.noise, FitMean: true, Resources: o.resources()}
	if o.near {
		g.MaxIterations = nearSteps
	}
	if noise > 0 {
		d := deviation(p)
		g.Noise = noise * d * d
	}
	m, err := g.Fit(ctx, p.Points, p.Y)
	if err != nil {
		return climbed[T]{}, err
	}
	return climbed[T]{value: m.LogMarginal(), kernel: m.Kernel(), regressor: m}, nil
}

// withLength is a kernel with all of its length-scales times a factor; 0 means 1.
func withLength[T any](k kernel.Kernel[T], factor float64) kernel.Kernel[T] {
	if factor == 0 || factor == 1 {
		return k
	}
	theta := kernel.Values(k)
	for i, p := range kernel.Params(k) {
		if strings.Contains(p.Name, "lengthscale") {
			theta[i] *= factor
		}
	}
	scaled, err := kernel.With(k, theta)
	if err != nil {
		return k // outside the kernel's domain: start from where it is
	}
	return scaled
}
