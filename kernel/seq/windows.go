package seq

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// FourierSeries is the Fourier kernel on series of one length,
//
//	k(x, y) = Π_t (1-q²)/(2·(1 - 2q·cos(x_t-y_t) + q²)),   0 < q < 1,
//
// q = Decay (0.5 when zero), the product over all steps and channels (S. Rüping, SVM kernels for
// time series analysis, 2001, after V. Vapnik 1998): an inner product of trigonometric series whose
// terms of frequency j weigh q^j. Numbers that differ by 2π are alike: scale the series. Empty
// series have the value 1. Series of different lengths are refused; their value is NaN.
type FourierSeries struct {
	Decay float64
}

// Name is "fourierseries".
func (FourierSeries) Name() string { return "fourierseries" }

// Eval returns the product of the Fourier kernels of all numbers.
func (k FourierSeries) Eval(x, y Series) float64 {
	if mismatched(x, y) || len(x.values) != len(y.values) {
		return math.NaN()
	}
	q, log := or(k.Decay, 0.5), 0.0
	for i, v := range x.values {
		// In logarithms: the product of many factors may leave the range of float64 on its way.
		log += math.Log((1 - q*q) / (2 * (1 - 2*q*math.Cos(v-y.values[i]) + q*q)))
	}
	return math.Exp(log)
}

// PreparePoints takes the pairs as they are.
func (k FourierSeries) PreparePoints(ctx context.Context, x, y data.Points[Series]) kernel.Rectangle {
	return preparePairs(ctx, x, y, func(s Series) Series { return s }, k.Eval)
}

// Params is q.
func (k FourierSeries) Params() []kernel.Param {
	return []kernel.Param{{Name: "fourierseries.decay", Value: or(k.Decay, 0.5),
		Domain: kernel.Domain{Low: 0, High: 1, OpenLow: true, OpenHigh: true}}}
}

// With sets q.
func (FourierSeries) With(theta []float64) kernel.Kernel[Series] { return FourierSeries{theta[0]} }

// Validate refuses q outside (0, 1).
func (k FourierSeries) Validate() error {
	return mustBe(k.Decay >= 0 && k.Decay < 1, "fourierseries", "decay", k.Decay, "a number in (0, 1)")
}

// CheckPoints refuses numbers that are not finite, different channels and different lengths.
func (FourierSeries) CheckPoints(x data.Points[Series]) error {
	if err := checkSeries("fourierseries", x); err != nil {
		return err
	}
	for i := range x.Len() {
		if n, m := x.At(i).Len(), x.At(0).Len(); n != m {
			return fmt.Errorf("seq: fourierseries: row %d has %d steps, row 0 has %d; cut or resample them to one length", i, n,
				m)
		}
	}
	return nil
}

// Properties of a stationary kernel of period 2π.
func (k FourierSeries) Properties() kernel.Properties {
	p := sums()
	p.Continuous, p.Stationary = kernel.Yes, kernel.Yes
	return p
}

// Windows compares all windows of Length steps (1 when zero) of two series by a kernel on vectors,
//
//	k(x, y) = 1/(w_x·w_y) Σᵢ Σⱼ κ(x[i:i+Length], y[j:j+Length]),
//
// w the number of windows: what matters is which shapes occur, not when (the subsequence kernels of
// S. Rüping 2001). κ = Kernel, Gaussian with length-scale 1 when nil, sees the steps of a window
// side by side. A series shorter than Length has the value 0 with all series.
type Windows struct {
	Length int
	Kernel kernel.Kernel[kernel.Vec]
}

func (k Windows) inner() kernel.Kernel[kernel.Vec] {
	if k.Kernel == nil {
		return kernel.Gaussian{}
	}
	return k.Kernel
}

// Name is "windows".
func (Windows) Name() string { return "windows" }

// windowed is a series and its windows, which share its memory.
type windowed struct {
	Series
	windows [][]float64
}

func (k Windows) cut(s Series) windowed {
	out := windowed{Series: s}
	n := or(k.Length, 1)
	for i := 0; i+n <= s.Len(); i++ {
		out.windows = append(out.windows, s.values[i*s.channels:(i+n)*s.channels])
	}
	return out
}

// Eval returns the mean of κ over all pairs of windows.
func (k Windows) Eval(x, y Series) float64 { return k.pair(k.cut(x), k.cut(y)) }

func (k Windows) pair(x, y windowed) float64 {
	if x.less(y.Series) {
		x, y = y, x
	}
	u, v := x.windows, y.windows
	if len(u) == 0 || len(v) == 0 {
		return 0
	}
	if len(u[0]) != len(v[0]) {
		return math.NaN()
	}
	inner, sum := k.inner(), 0.0
	for _, a := range u {
		for _, b := range v {
			sum += inner.Eval(a, b)
		}
	}
	return sum / (float64(len(u)) * float64(len(v)))
}

// PreparePoints cuts each series once.
func (k Windows) PreparePoints(ctx context.Context, x, y data.Points[Series]) kernel.Rectangle {
	return preparePairs(ctx, x, y, k.cut, k.pair)
}

// Params are those of κ.
func (k Windows) Params() []kernel.Param { return kernel.Params(k.inner()) }

// With sets those of κ.
func (k Windows) With(theta []float64) kernel.Kernel[Series] {
	return Windows{k.Length, staticWith(k.inner(), theta)}
}

// Validate refuses windows shorter than 1 step, and asks κ.
func (k Windows) Validate() error {
	return firstError(mustBe(k.Length >= 0, "windows", "length", k.Length, "at least 1"), kernel.Validate(k.inner()))
}

// CheckPoints refuses numbers that are not finite, different channels, and windows that κ refuses.
func (k Windows) CheckPoints(x data.Points[Series]) error {
	if err := checkSeries("windows", x); err != nil {
		return err
	}
	for i := range x.Len() {
		if err := kernel.Check(k.inner(),
			data.Points[kernel.Vec](data.Slice[kernel.Vec](k.cut(x.At(i)).windows))); err != nil {
			return fmt.Errorf("seq: windows: row %d, its windows as points of the inner kernel: %w", i, err)
		}
	}
	return nil
}

// Properties of a mean of κ: positive semi-definite where κ is.
func (k Windows) Properties() kernel.Properties {
	p := sums()
	of := kernel.PropertiesOf(k.inner())
	p.PSD, p.Bound = of.PSD, of.Bound
	return p
}
