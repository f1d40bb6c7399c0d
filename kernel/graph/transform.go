package graph

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/kernel"
)

// Transform is a function r(λ) ≥ 0 of the eigenvalues of a Laplacian, decreasing, that makes a
// kernel on nodes of it: K = Σ r(λᵢ)φᵢφᵢᵀ (A. Smola and R. Kondor, Kernels and regularization on
// graphs, COLT 2003; O. Chapelle, J. Weston and B. Schölkopf, Cluster kernels for semi-supervised
// learning, NIPS 2002).
type Transform interface {
	Name() string
	// At is r(λ), for eigenvalues in [0, largest].
	At(lambda, largest float64) float64
	Params() []kernel.Param
	// With is the transform with other parameters.
	With(theta []float64) Transform
	// Validate says whether r ≥ 0 and decreasing on [0, largest].
	Validate(largest float64) error
}

// Regularised is the regularised Laplacian, r(λ) = 1/(λ + ε) with ε = Epsilon (1 when zero).
type Regularised struct{ Epsilon float64 }

// Name is "regularised".
func (Regularised) Name() string { return "regularised" }

// At is 1/(λ + ε).
func (r Regularised) At(lambda, _ float64) float64 { return 1 / (lambda + orDefault(r.Epsilon, 1)) }

// Params is ε.
func (r Regularised) Params() []kernel.Param {
	return []kernel.Param{positive("regularised.epsilon", orDefault(r.Epsilon, 1))}
}

// With sets ε.
func (Regularised) With(theta []float64) Transform { return Regularised{theta[0]} }

// Validate refuses ε < 0.
func (r Regularised) Validate(float64) error {
	return mustBePositive("regularised", "epsilon", r.Epsilon)
}

// Diffusion is the diffusion kernel, r(λ) = exp(-σ²λ/2) with σ = Sigma (1 when zero): heat that
// spreads along the edges for a time σ²/2 (R. Kondor and J. Lafferty, Diffusion kernels on graphs
// and other discrete input spaces, ICML 2002).
type Diffusion struct{ Sigma float64 }

// Name is "diffusion".
func (Diffusion) Name() string { return "diffusion" }

// At is exp(-σ²λ/2).
func (r Diffusion) At(lambda, _ float64) float64 {
	s := orDefault(r.Sigma, 1)
	return math.Exp(-s * s * lambda / 2)
}

// Params is σ.
func (r Diffusion) Params() []kernel.Param {
	return []kernel.Param{positive("diffusion.sigma", orDefault(r.Sigma, 1))}
}

// With sets σ.
func (Diffusion) With(theta []float64) Transform { return Diffusion{theta[0]} }

// Validate refuses σ < 0.
func (r Diffusion) Validate(float64) error { return mustBePositive("diffusion", "sigma", r.Sigma) }

// WalkSteps is the p-step random walk, r(λ) = (α − λ)^p with p = Steps (1 when zero) and α = Alpha,
// which may not be below the eigenvalues: at least 2 for the normalised Laplacian. When zero it is
// Laplacian.Largest.
type WalkSteps struct {
	Alpha float64
	Steps int
}

// Name is "walksteps".
func (WalkSteps) Name() string { return "walksteps" }

// At is (α − λ)^p.
func (r WalkSteps) At(lambda, largest float64) float64 {
	return math.Pow(max(orDefault(r.Alpha, largest)-lambda, 0), float64(max(r.Steps, 1)))
}

// Params is p; α is bound to the graph.
func (r WalkSteps) Params() []kernel.Param {
	return []kernel.Param{{Name: "walksteps.steps", Value: float64(max(r.Steps, 1)),
		Domain: kernel.Domain{Low: 1, High: 1000, Integer: true}}}
}

// With sets p.
func (r WalkSteps) With(theta []float64) Transform { return WalkSteps{r.Alpha, int(theta[0])} }

// Validate refuses p < 0 and α below the eigenvalues.
func (r WalkSteps) Validate(largest float64) error {
	if err := mustBeCount("walksteps", "steps", r.Steps); err != nil {
		return err
	}
	if math.IsNaN(r.Alpha) || math.IsInf(r.Alpha, 0) || r.Alpha != 0 && r.Alpha < largest {
		return fmt.Errorf("kernel: walksteps: alpha = %g, want at least %g, a bound on the eigenvalues of the Laplacian",
			r.Alpha, largest)
	}
	return nil
}

// InverseCosine is r(λ) = cos(λπ/4), for the normalised Laplacian.
type InverseCosine struct{}

// Name is "inversecosine".
func (InverseCosine) Name() string { return "inversecosine" }

// At is cos(λπ/4).
func (InverseCosine) At(lambda, _ float64) float64 { return max(math.Cos(lambda*math.Pi/4), 0) }

// Params is empty.
func (InverseCosine) Params() []kernel.Param { return nil }

// With changes nothing.
func (r InverseCosine) With([]float64) Transform { return r }

// Validate refuses eigenvalues above 2, where the cosine is negative.
func (InverseCosine) Validate(largest float64) error {
	if largest > 2 {
		return fmt.Errorf("kernel: inversecosine: eigenvalues may be as large as %g, and cos(λπ/4) < 0 above 2; take the "+
			"normalised Laplacian", largest)
	}
	return nil
}

// Cutoff is the step function, r(λ) = 1 for λ ≤ Cut and 0 above: the projection to the smoothest
// functions. With Cut = 0 nodes are alike where they are in one component.
type Cutoff struct{ Cut float64 }

// Name is "cutoff".
func (Cutoff) Name() string { return "cutoff" }

// At is 1 up to the cut (and what rounding adds to it), then 0.
func (r Cutoff) At(lambda, largest float64) float64 {
	if lambda <= r.Cut+cutRounding*largest {
		return 1
	}
	return 0
}

// cutRounding is how far above the cut an eigenvalue may be found that is on it.
const cutRounding = 1e-9

// Params is the cut.
func (r Cutoff) Params() []kernel.Param {
	return []kernel.Param{{Name: "cutoff.cut", Value: r.Cut, Domain: kernel.Domain{Low: 0, High: math.Inf(1)}}}
}

// With sets the cut.
func (Cutoff) With(theta []float64) Transform { return Cutoff{theta[0]} }

// Validate refuses a cut < 0.
func (r Cutoff) Validate(float64) error {
	if !(r.Cut >= 0) || math.IsInf(r.Cut, 0) {
		return fmt.Errorf("kernel: cutoff: cut = %g, want a finite number ≥ 0", r.Cut)
	}
	return nil
}
