package gp

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/learn/coregion"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Joint is Gaussian process regression of several outputs as one process with the separable kernel
// k·B,
//
//	y_t = f_t(x) + b_t + ε_t,  cov(f_t(x), f_u(x')) = k(x, x')·B_tu,  ε_t ~ N(0, σ_t²),
//
// the intrinsic coregionalisation model. B, the noise of each output and the parameters of the
// kernel maximise the marginal likelihood of all outputs, unless they are fixed. K = UΛUᵀ is
// decomposed once for each kernel, after which any B and noise cost n·m². It gains over a process
// for each output where one output says something of another that it does not know itself: the
// other is noisier, or its prior is. With equal ratios of signal to noise in every direction of the
// outputs the predictions of both are the same.
type Joint struct {
	Kernel kernel.Kernel[any]

	Outputs *mat.SymDense // B, positive semi-definite, kept as it is; nil: found
	Rank    int           // of what is found: B = WWᵀ + diag with W of so many columns; 0: any B

	// σ_t²: where the search starts, or the values when fixed; nil: a tenth of the variance of each
	// output
	Noise      []float64
	FixedNoise bool // keep the noise as given

	Weights []float64 // wᵢ ≥ 0: how many rows a row counts as; nil means 1
	NoMean  bool      // b = 0, not found

	HyperOptions
	learn.Resources
}

// jointProblem is a Joint on memory of its own, each output in units of its deviation.
type jointProblem struct {
	Joint
	x     data.Points[any]
	y     linalg.Matrix[float64]
	units []float64
	form  coregion.Form

	at   []float64 // parameters of the kernel that the spectrum is of
	seen *coregion.Spectrum
}

// Fit learns from points and their outputs, a column of y each.
func (j Joint) Fit(ctx context.Context, x data.Points[any], y *mat.Dense) (*JointRegressor, error) {
	start := time.Now()
	p, err := j.problem(x, y)
	if err != nil {
		return nil, fmt.Errorf("gp: %w", err)
	}
	m, err := fitting.Heed(ctx, func() (*JointRegressor, error) { return p.fit(ctx, start) })
	if err != nil {
		return nil, fmt.Errorf("gp: %w", fitting.Explain(ctx, err, j.Kernel, p.x, j.Resources))
	}
	return m, nil
}

// problem checks the input, and takes each output in units of its own deviation.
func (j Joint) problem(x data.Points[any], y *mat.Dense) (*jointProblem, error) {
	if x == nil || x.Len() == 0 || y == nil || y.IsEmpty() {
		return nil, learn.ErrNoPoints
	}
	rows, m := y.Dims()
	if rows != x.Len() {
		return nil, fmt.Errorf("%d points but %d rows of outputs", x.Len(), rows)
	}
	columns := make([][]float64, m)
	for t := range columns {
		columns[t] = mat.Col(nil, t, y)
		if err := fitting.CheckTargets(x, columns[t]); err != nil {
			return nil, fmt.Errorf("output %d: %w", t, err)
		}
	}
	if err := kernel.Check(j.Kernel, x); err != nil {
		return nil, err
	}
	var err error
	if j.Resources, err = j.Resources.WithDefaults(); err != nil {
		return nil, err
	}
	if j.HyperOptions, err = j.HyperOptions.withDefaults(); err != nil {
		return nil, err
	}
	if err := j.check(m); err != nil {
		return nil, err
	}
	g := regression{Weights: j.Weights}
	if x, columns, err = g.weighty(x, columns...); err != nil {
		return nil, err
	}
	n := x.Len()
	p := &jointProblem{Joint: j, x: data.OwnSubset(x, par.Indices(0, n)), y: linalg.New[float64](n, m),
		units: make([]float64, m), form: coregion.Form{Outputs: m, Rank: j.Rank}}
	p.Weights = slices.Clone(g.Weights)
	p.Noise = make([]float64, m)
	for t := range columns {
		p.units[t] = math.Sqrt(spread(columns[t], g.Weights))
		for i, v := range columns[t] {
			p.y.Set(i, t, v/p.units[t])
		}
		if p.Noise[t] = 0.1; j.Noise != nil {
			p.Noise[t] = j.Noise[t] / (p.units[t] * p.units[t])
		}
	}
	return p, p.afford()
}

// check refuses options that cannot be.
func (j Joint) check(m int) error {
	switch {
	case j.Rank < 0 || j.Rank > m:
		return fmt.Errorf("Rank is %d; give a number from 1 to the %d outputs, or 0", j.Rank, m)
	case j.Outputs != nil && j.Rank > 0:
		return fmt.Errorf("Rank is %d, but B is given", j.Rank)
	case j.Noise != nil && len(j.Noise) != m:
		return fmt.Errorf("%d outputs but %d noise variances", m, len(j.Noise))
	case j.Noise == nil && j.FixedNoise:
		return fmt.Errorf("FixedNoise without Noise; give the variance of each output")
	}
	for t, v := range j.Noise {
		if !(v > 0) || math.IsInf(v, 0) {
			return fmt.Errorf("noise variance of output %d is %g; give a positive number", t, v)
		}
	}
	if j.Outputs == nil {
		return nil
	}
	if j.Outputs.SymmetricDim() != m {
		return fmt.Errorf("B is of order %d, and there are %d outputs", j.Outputs.SymmetricDim(), m)
	}
	return (kernel.Separable[any]{Kernel: j.Kernel, B: j.Outputs}).Validate()
}

// afford refuses what has no room: K, its eigenvectors and the work of both, and the slopes.
func (p *jointProblem) afford() error {
	n := int64(p.x.Len())
	if need := 8 * 6 * n * n; need > p.Bytes {
		return &learn.OverBudget{Learner: "gp", Points: int(n), Needs: need, Budget: p.Bytes,
			Instead: "give it more memory, take fewer points, or fit the outputs apart"}
	}
	return nil
}

// given is B in units of the deviations; ok is false where it is to be found.
func (p *jointProblem) given() (b linalg.Matrix[float64], ok bool) {
	if p.Outputs == nil {
		return b, false
	}
	b = linalg.New[float64](len(p.units), len(p.units))
	for t, u := range p.units {
		for s, v := range p.units {
			b.Set(t, s, p.Outputs.At(t, s)/(u*v))
		}
	}
	return b, true
}

// spectrum decomposes the matrix of a kernel, or remembers it.
func (p *jointProblem) spectrum(ctx context.Context, k kernel.Kernel[any]) (*coregion.Spectrum, error) {
	theta := kernel.Values(k)
	if p.seen != nil && slices.Equal(theta, p.at) {
		return p.seen, nil
	}
	p.seen = nil // its room is for the next
	n := p.x.Len()
	gram := linalg.New[float64](n, n)
	kernel.FillSym(p.Threads, blas64.General(gram), kernel.Prepare(ctx, k, p.x, p.x))
	s, err := coregion.Decompose(ctx, p.Threads, gram, p.y, p.Weights, !p.NoMean)
	if err != nil {
		return nil, err
	}
	p.at, p.seen = theta, s
	return s, nil
}

// JointEvidence is the log marginal likelihood of several outputs with its derivatives.
type JointEvidence struct {
	LogMarginal float64
	Kernel      []float64     // by the parameters of the kernel, in the order of kernel.Params
	Outputs     *mat.SymDense // G such that it moves by Σ G_tu dB_tu
	Noise       []float64     // by the noise variance of each output
}

// Evidence computes the log marginal likelihood of the outputs at the parameters as given, of which
// Outputs and Noise must be there, without finding any.
func (j Joint) Evidence(ctx context.Context, x data.Points[any], y *mat.Dense) (JointEvidence, error) {
	p, err := j.problem(x, y)
	if err == nil && (j.Outputs == nil || j.Noise == nil) {
		err = fmt.Errorf("the evidence is that of an Outputs and a Noise; give both")
	}
	if err != nil {
		return JointEvidence{}, fmt.Errorf("gp: %w", err)
	}
	e, err := fitting.Heed(ctx, func() (e JointEvidence, err error) {
		b, _ := p.given()
		s, err := p.spectrum(ctx, p.Kernel)
		if err != nil {
			return e, err
		}
		st, err := s.At(b, p.Noise)
		if err != nil {
			return e, err
		}
		e.LogMarginal = p.density(st)
		e.Kernel = make([]float64, len(kernel.Params(p.Kernel)))
		g, err := st.KernelSlopes(ctx)
		if err == nil && len(e.Kernel) > 0 {
			err = kernel.ParamGradDot(ctx, p.Kernel, e.Kernel, nil, linalg.Dense(g), p.x, p.x)
		}
		byB, byNoise := st.OutputSlopes()
		e.Outputs, e.Noise = mat.NewSymDense(len(p.units), nil), byNoise
		for t, u := range p.units {
			e.Noise[t] /= u * u
			for s, v := range p.units {
				e.Outputs.SetSym(t, s, byB.At(t, s)/(u*v))
			}
		}
		return e, err
	})
	if err != nil {
		return JointEvidence{}, fmt.Errorf("gp: %w", err)
	}
	return e, nil
}

// density is the evidence of the outputs as they were given, not in units of their deviations.
func (p *jointProblem) density(st *coregion.State) float64 {
	rows, value := float64(p.x.Len()), st.Value
	if p.Weights != nil {
		rows = fitting.Sum(p.Weights)
	}
	for _, u := range p.units {
		value -= rows * math.Log(u)
	}
	return value
}
