package kernel

// Stationary is the translation-invariant kernel κ(x - y) for any even function
// κ on Rᵈ. It is positive definite exactly when κ is the Fourier transform of a finite
// measure ≥ 0 (Bochner 1932); that is for the user to know.
type Stationary struct {
	Kappa func(difference Vec) float64
}

// Name is "stationary".
func (Stationary) Name() string { return "stationary" }

// Eval returns κ(x - y).
func (k Stationary) Eval(x, y Vec) float64 {
	var small [16]float64
	d := small[:0]
	for i, v := range x {
		d = append(d, v-y[i])
	}
	return k.Kappa(d)
}

// Radial is κ(‖x-y‖²) for any function κ. It is positive definite in every dimension exactly
// when κ is completely monotone (Schoenberg 1938).
type Radial struct {
	Kappa func(squaredDistance float64) float64
	// Slope is κ', when known; gradients by x are exact with it and differences without.
	Slope func(squaredDistance float64) float64
}

// Name is "radial".
func (Radial) Name() string { return "radial" }

// Eval returns κ(‖x-y‖²).
func (k Radial) Eval(x, y Vec) float64 { return k.Kappa(SqDist.Between(x, y)) }

// Metric is the squared distance.
func (Radial) Metric() Metric { return SqDist }

// Profile maps m to κ(m).
func (k Radial) Profile(m []float64) { mapInPlace(m, k.Kappa) }

// ProfileGrad gives κ', by a difference when Slope is nil.
func (k Radial) ProfileGrad(dm []float64, _ [][]float64, m []float64) {
	slopes(dm, m, k.Kappa, k.Slope, true)
}

// Properties of a function of the distance.
func (k Radial) Properties() Properties {
	p := nothingKnown()
	p.Stationary, p.Isotropic, p.Bound = Yes, Yes, k.Kappa(0)
	return p
}

// Properties of a function of the difference.
func (Stationary) Properties() Properties {
	p := nothingKnown()
	p.Stationary = Yes
	return p
}
