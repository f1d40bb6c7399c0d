package ridge

import (
	"context"
	"fmt"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/learn/coregion"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/internal/learn/refusal"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Ridge regression of several targets in the space of the separable kernel k·B is
//
//	minimise over f, b   Σᵢ wᵢ Σ_t (y_it - f_t(xᵢ) - b_t)²/σ_t² + λ‖f‖²_{k·B},
//
// with every target in units of its deviation. Where B is given, all σ_t are 1. Else B and the σ_t
// are those of highest evidence for the kernel (package coregion), so that λ = 1 is the mean of
// that Gaussian process, and λ is for the folds to choose.

// isJoint says whether targets are to be one function of the space of k·B.
func isJoint(params map[string]float64, p learn.Problem[any]) bool {
	return len(p.More) > 0 && (params["outputs"] != 0 || p.Outputs != nil)
}

// checkJoint refuses to join what is one, and options that have no meaning there.
func checkJoint(params map[string]float64, p learn.Problem[any]) error {
	switch {
	case params["outputs"] != 0 && len(p.More) == 0:
		return fmt.Errorf("ridge: outputs=joint is for several targets, and there is one; leave it out, or name more targets")
	case isJoint(params, p) && params["bound"] != 0:
		return fmt.Errorf("ridge: bound is for one target; the norm of each has its own λ")
	}
	return nil
}

// couplingSteps is the most steps in which B and the σ_t climb the evidence.
const couplingSteps = 200

// coupling is what all λ of one kernel on some rows share.
type coupling struct {
	s     *coregion.Spectrum
	units []float64
	b     linalg.Matrix[float64]
	noise []float64
}

// couple decomposes the kernel matrix k, which is overwritten, and finds B where it is not given.
func couple(
	ctx context.Context, threads int, k linalg.Matrix[float64], p learn.Problem[any], intercept bool,
) (*coupling, error) {
	m := p.Targets()
	c := &coupling{units: make([]float64, m), b: linalg.New[float64](m, m), noise: make([]float64, m)}
	y := targetsOf(p)
	for t := range m {
		c.units[t], c.noise[t] = p.Target(t).Deviation(), 0.1
		for i := range y.Rows {
			y.Set(i, t, y.At(i, t)/c.units[t])
		}
	}
	var err error
	if c.s, err = coregion.Decompose(ctx, threads, k, y, p.FitWeights(), intercept); err != nil {
		return nil, err
	}
	if err := gram.Definite(c.s.Values); err != nil {
		return nil, err // as a fit would be refused, or doubted
	}
	settleSpectrum(c.s.Values, 0)
	if p.Outputs != nil {
		for t := range m {
			c.noise[t] = 1
			for u := range m {
				c.b.Set(t, u, p.Outputs.At(t, u))
			}
		}
		return c, nil
	}
	form := coregion.Form{Outputs: m}
	v, noise, err := form.Climb(ctx, c.s, form.Apart(1), c.noise, true, couplingSteps)
	if err != nil {
		return nil, err
	}
	c.b, c.noise = form.Of(v), noise
	return c, nil
}

// at is the coefficients and constants at λ, in the units of the targets.
func (c *coupling) at(lambda float64) (linalg.Matrix[float64], []float64, error) {
	noise := make([]float64, len(c.noise))
	for t, v := range c.noise {
		noise[t] = lambda * v
	}
	st, err := c.s.At(c.b, noise)
	if err != nil {
		return linalg.Matrix[float64]{}, nil, err
	}
	coef := st.Coefficients()
	for t, u := range c.units {
		st.Mean[t] *= u
		for i := range coef.Rows {
			coef.Row(i)[t] *= u
		}
	}
	return coef, st.Mean, nil
}

// fitJoint fits a problem of several targets.
func fitJoint(ctx context.Context, r Regression[any], p learn.Problem[any]) (learn.Model[any], error) {
	start := time.Now()
	m, err := fitting.Heed(ctx, func() (*Regressor[any], error) {
		if err := p.Check(); err != nil {
			return nil, err
		}
		p, _ := p.Weighty()
		if err := kernel.Check(r.Kernel, p.Points); err != nil {
			return nil, err
		}
		res, err := r.Resources.WithDefaults()
		if err != nil {
			return nil, err
		}
		n := p.Len()
		if need := jointBytes(n); need > res.Bytes {
			return nil, &learn.OverBudget{Learner: "ridge", Points: n, Needs: need, Budget: res.Bytes,
				Instead: "give it more memory, take fewer points, or fit the targets apart"}
		}
		if p.Weights != nil {
			if _, err := fitting.Prices(1, n, p.Weights); err != nil {
				return nil, err
			}
		}
		lambda := r.Lambda
		if err := fitting.SetOrDefault("Lambda", &lambda, 1); err != nil {
			return nil, err
		}
		if r.PerPoint {
			lambda *= float64(n)
		}
		own := data.OwnSubset(p.Points, par.Indices(0, n))
		k := linalg.New[float64](n, n)
		kernel.FillSym(res.Threads, blas64.General(k), kernel.Prepare(ctx, r.Kernel, own, own))
		c, err := couple(ctx, res.Threads, k, p, r.Intercept)
		if err != nil {
			return nil, err
		}
		coef, bias, err := c.at(lambda)
		if err != nil {
			return nil, err
		}
		f := &rkhs.Func[any]{Kernel: r.Kernel, Centers: own, Coef: linalg.Dense(coef),
			Bias: fitting.BiasOrNil(r.Intercept, bias)}
		report := learn.Report{Learner: "ridge", Converged: true, Certified: "none: one eigendecomposition",
			Bytes: jointBytes(n), Elapsed: time.Since(start),
			Warnings: fitting.Doubts(ctx, r.Kernel, own, res), Notes: []string{c.tell(p)}}
		return newRegressor(f, report), fitting.FiniteCoefficients(f)
	})
	if err != nil {
		return nil, fmt.Errorf("ridge: %w", fitting.Explain(ctx, err, r.Kernel, p.Points, r.Resources))
	}
	return m, nil
}

// jointBytes is a Gram matrix, its eigenvectors and the work of both.
func jointBytes(n int) int64 { return 5 * 8 * int64(n) * int64(n) }

// tell says how the targets are coupled.
func (c *coupling) tell(p learn.Problem[any]) string {
	how := "found by evidence"
	if p.Outputs != nil {
		how = "given"
	}
	b := mat.NewSymDense(c.b.Rows, nil)
	for t := range c.b.Rows {
		for u := range t + 1 {
			b.SetSym(t, u, c.b.At(t, u))
		}
	}
	return fmt.Sprintf("one function of %d outputs, whose correlations are %s: %s", len(c.units), how,
		refusal.CorrelationsText(b))
}
