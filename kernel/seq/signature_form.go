package seq

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// WithStart is the series with a step of zeros before the first: its signature then knows where it
// begins.
func (s Series) WithStart() Series {
	return Series{append(make([]float64, s.Channels()), s.values...), s.Channels()}
}

// WithTime is the series with one more channel in front that goes from 0 to 1: its signature then
// knows how fast it goes.
func (s Series) WithTime() Series {
	n, c := s.Len(), s.Channels()
	out := Series{make([]float64, 0, n*(c+1)), c + 1}
	for i := range n {
		t := 0.0
		if n > 1 {
			t = float64(i) / float64(n-1)
		}
		out.values = append(append(out.values, t), s.At(i)...)
	}
	return out
}

// WithLag is the series whose steps have the channels of the step before beside their own, the
// first its own twice: a static kernel then compares not only where two series are but how they
// came there (C. Toth, H. Oberhauser, Bayesian learning from sequential data using Gaussian
// processes with signature covariances, 2020, section 5: lags).
func (s Series) WithLag() Series {
	n, c := s.Len(), s.Channels()
	out := Series{make([]float64, 0, 2*n*c), 2 * c}
	for i := range n {
		out.values = append(append(out.values, s.At(i)...), s.At(max(i-1, 0))...)
	}
	return out
}

// LeadLag is the path of twice the channels in which the first half goes ahead and the second
// follows a step behind: the area between the two is the quadratic variation, which the signature
// of the series alone does not see (I. Chevyrev, A. Kormilitzin, A primer on the signature method
// in machine learning, 2016, section 2.2).
func (s Series) LeadLag() Series {
	n, c := s.Len(), s.Channels()
	out := Series{make([]float64, 0, 2*max(2*n-1, 0)*c), 2 * c}
	for i := range n {
		if i > 0 {
			out.values = append(append(out.values, s.At(i)...), s.At(i-1)...)
		}
		out.values = append(append(out.values, s.At(i)...), s.At(i)...)
	}
	return out
}

// Params are Scale, Level, and the parameters of the static kernel.
func (k Signature) Params() []kernel.Param {
	p := []kernel.Param{positive("signature.scale", or(k.Scale, 1)), whole("signature.level", k.level(), 1)}
	return append(p, staticParams(k.Static)...)
}

// With sets Scale, Level and the parameters of the static kernel.
func (k Signature) With(theta []float64) kernel.Kernel[Series] {
	k.Scale, k.Level, k.Static = theta[0], int(theta[1]), staticWith(k.Static, theta[2:])
	return k
}

// Validate refuses Level or Order < 0 and Scale < 0, and asks the static kernel.
func (k Signature) Validate() error {
	return firstError(
		mustBe(k.Level >= 0, "signature", "level", k.Level, "at least 1"),
		mustBe(k.Order >= 0, "signature", "order", k.Order, "at least 1"),
		mustBe(k.Scale >= 0 && finite(k.Scale), "signature", "scale", k.Scale, "a finite number > 0"),
		staticValid(k.Static))
}

// CheckPoints refuses numbers that are not finite, different channels, and steps that the static
// kernel refuses.
func (k Signature) CheckPoints(x data.Points[Series]) error {
	return checkStatic("signature", k.Static, or(k.Scale, 1), x)
}

// Properties of an inner product of signatures.
func (k Signature) Properties() kernel.Properties { return staticProperties(k.Static) }

// The part of a signature kernel that is its static kernel; nil is the inner product.

func staticParams(static kernel.Kernel[kernel.Vec]) []kernel.Param {
	if static == nil {
		return nil
	}
	return kernel.Params(static)
}

func staticWith(static kernel.Kernel[kernel.Vec], theta []float64) kernel.Kernel[kernel.Vec] {
	if t, ok := static.(kernel.Tunable[kernel.Vec]); ok {
		return t.With(theta)
	}
	return static
}

func staticValid(static kernel.Kernel[kernel.Vec]) error {
	if static == nil {
		return nil
	}
	return kernel.Validate(static)
}

func staticProperties(static kernel.Kernel[kernel.Vec]) kernel.Properties {
	p := sums()
	if static != nil {
		p.PSD = kernel.PropertiesOf(static).PSD
	}
	return p
}

// checkStatic checks the series, and their steps as points of the static kernel.
func checkStatic(name string, static kernel.Kernel[kernel.Vec], scale float64, x data.Points[Series]) error {
	if err := checkSeries(name, x); err != nil || static == nil {
		return err
	}
	for i := range x.Len() {
		s := x.At(i)
		steps := make(data.Slice[kernel.Vec], s.Len())
		for t := range steps {
			for _, v := range s.At(t) {
				steps[t] = append(steps[t], scale*v)
			}
		}
		if err := kernel.Check(static, data.Points[kernel.Vec](steps)); err != nil {
			return fmt.Errorf("seq: %s: row %d, its steps as points of the static kernel: %w", name, i, err)
		}
	}
	return nil
}
