package tune

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/gp"
)

// seriesModel is a kernel for a series, and what it is fitted to.
type seriesModel struct {
	name    string
	lags    *data.Lags
	encoder *data.Encoder
	x       data.DenseRows // of the steps that have all lags, encoded
	y       []float64      // their values, or logarithms
	first   int            // step of the first of these
	start   kernel.Kernel[kernel.Vec]
	hold    []string // its parameters that are not searched
	course  string
	fitted  *gp.Regressor[kernel.Vec]
}

// candidates are kernels for the series: a drift and a walk with a season, trend and season, the
// same with values before, and all of them of logarithms where the series is positive.
func (r *ForecastResult) candidates(base *data.Lags) (out []*seriesModel) {
	positive := slices.Min(base.Values) > 0
	lags := shorter(lagSteps(base.Horizon, r.Season), len(base.Values))
	for _, log := range []bool{false, true} {
		if log && !positive {
			continue
		}
		plain := *base
		plain.Log = log
		for _, course := range []string{drift, walk, trend} {
			out = append(out, newSeries(&plain, r.Season, course, false))
		}
		if len(lags) > 0 {
			l := plain
			l.Steps = lags
			out = append(out, newSeries(&l, r.Season, trend, false))
		}
	}
	return out
}

// besides is a kernel with the columns beside the series, too: straight in them, and bent.
func (r *ForecastResult) besides(s *seriesModel, columns []data.LagColumn) []*seriesModel {
	l := *s.lags
	l.Beside = columns
	return []*seriesModel{newSeries(&l, r.Season, s.course, false), newSeries(&l, r.Season, s.course, true)}
}

// shorter is those of some lags that leave half of the values to learn from.
func shorter(lags []int, values int) []int {
	for len(lags) > 0 && 2*lags[len(lags)-1] > values {
		lags = lags[:len(lags)-1]
	}
	return lags
}

// The courses of a series, beside its season.
const (
	trend = "trend"
	walk  = "walk"
	drift = "drift"
)

// lagSteps is how far back values are looked at: the latest that are known of every row to
// forecast, and those of the seasons before.
func lagSteps(horizon, season int) []int {
	lags := []int{horizon, horizon + 1, horizon + 2}
	if season > 0 {
		whole := (horizon + season - 1) / season * season
		lags = append(lags, whole, whole+season)
	}
	slices.Sort(lags)
	return slices.Compact(lags)
}

// newSeries makes features of the series and a kernel with parameters to start from,
//
//	k = a·gaussian + b·linear + c·matern      a trend that bends, a straight one, what lasts some steps
//	  + d·periodic × gaussian                 a season that changes slowly
//	  + e·linear                              of the values before
//	  + f·linear (+ g·gaussian)               of columns beside the series
//
// (C. Rasmussen, C. Williams, Gaussian processes for machine learning, 2006, section 5.4.3). A walk
// goes on from where the series stands, but for what the evidence says that it returns from,
//
//	k = a·matern(1/2) + b·linear + c·matern(3/2)
//	  + d·periodic × matern(1/2)
//
// A drift is a walk that returns from nothing: as length-scales are held at three times the length
// of the series, a·matern(1/2) is a sum of steps and c·matern(3/2) a sum of slopes which are sums
// of steps. That is the model of exponential smoothing with a trend, the local linear trend (J.
// Durbin, S. Koopman, Time series analysis by state space methods, 2012, section 3.2).
func newSeries(l *data.Lags, season int, course string, bent bool) *seriesModel {
	d := l.Features()
	s := &seriesModel{lags: l, course: course}
	s.first = l.First()
	target, _ := d.Column(l.Target)
	s.y = slices.Clone(target.Numbers)
	if l.Log {
		for i, v := range s.y {
			s.y[i] = math.Log(v)
		}
	}
	_, spread := meanAndSpread(s.y)
	s.encoder = seriesEncoder(d, l)
	s.x = encodedSeries(s.encoder, d)
	n := float64(len(s.y))
	on := func(k kernel.Kernel[kernel.Vec], columns ...int) kernel.Kernel[kernel.Vec] {
		return kernel.On(k, columns...)
	}
	parts := []kernel.Kernel[kernel.Vec]{
		kernel.Scale(spread, on(kernel.Gaussian{Lengthscale: n / 3}, 0)),
		kernel.Scale(spread/(n*n), on(kernel.Linear{}, 0)),
		kernel.Scale(0.1*spread, on(kernel.Matern{Nu: 1.5, Lengthscale: math.Max(3, float64(season)/2)}, 0)),
	}
	names := []string{course}
	slowly := on(kernel.Gaussian{Lengthscale: n}, 0)
	if course != trend {
		slowly = on(kernel.Matern{Nu: 0.5, Lengthscale: 4 * n}, 0)
	}
	switch course {
	case walk:
		parts[0] = kernel.Scale(spread, on(kernel.Matern{Nu: 0.5, Lengthscale: n}, 0))
		parts[2] = kernel.Scale(spread, on(kernel.Matern{Nu: 1.5, Lengthscale: n}, 0))
	case drift:
		// Far within its length-scale ℓ, matern(1/2) has steps of variance 2/ℓ, and the slope of
		// matern(3/2) those of variance 4(√3/ℓ)³.
		_, step := meanAndSpread(changes(s.y))
		long, rate := 3*n, math.Sqrt(3)/(3*n)
		parts[0] = kernel.Scale(step*long/2, on(kernel.Matern{Nu: 0.5, Lengthscale: long}, 0))
		parts[2] = kernel.Scale(0.01*step/(4*rate*rate*rate), on(kernel.Matern{Nu: 1.5, Lengthscale: long}, 0))
		s.hold = heldAt(long, kernel.Sum(parts...))
	}
	if season > 0 {
		parts = append(parts, kernel.Scale(0.3*spread,
			kernel.Product(on(kernel.Periodic{Period: float64(season), Lengthscale: 1}, 0), slowly)))
		names = append(names, "season")
	}
	if k := len(l.Steps); k > 0 {
		columns := make([]int, k)
		for j := range columns {
			columns[j] = j + 1
		}
		parts = append(parts, kernel.Scale(0.3*spread/float64(k), on(kernel.Linear{}, columns...)))
		names = append(names, "lags")
	}
	if k := s.encoder.Dim - 1 - len(l.Steps); k > 0 {
		columns := make([]int, k)
		for j := range columns {
			columns[j] = 1 + len(l.Steps) + j
		}
		share := 0.3 * spread / float64(k)
		parts = append(parts, kernel.Scale(share, on(kernel.Linear{}, columns...)))
		names = append(names, "columns")
		if bent {
			parts = append(parts, kernel.Scale(share, on(kernel.Gaussian{Lengthscale: 2 * math.Sqrt(float64(k))}, columns...)))
			names[len(names)-1] = "bent columns"
		}
	}
	s.start, s.name = kernel.Sum(parts...), strings.Join(names, " + ")
	s.hold = append(s.hold, heldParameters(s.start)...)
	return s
}

// meanAndSpread is the mean and the variance of values, 1 for one that is constant.
func meanAndSpread(y []float64) (mean, spread float64) {
	for _, v := range y {
		mean += v / float64(len(y))
	}
	for _, v := range y {
		spread += (v - mean) * (v - mean) / float64(len(y))
	}
	if !(spread > 0) {
		spread = 1
	}
	return mean, spread
}

// changes is each value less the one before it.
func changes(y []float64) []float64 {
	out := make([]float64, len(y)-1)
	for i := range out {
		out[i] = y[i+1] - y[i]
	}
	return out
}

// heldAt names the length-scales of a value.
func heldAt(value float64, k kernel.Kernel[kernel.Vec]) (hold []string) {
	for _, p := range kernel.Params(k) {
		if strings.HasSuffix(p.Name, ".lengthscale") && p.Value == value {
			hold = append(hold, p.Name)
		}
	}
	return hold
}

// seriesEncoder leaves steps as they are, so that kernels count in them, and standardises lags and
// columns.
func seriesEncoder(d *data.Dataset, l *data.Lags) *data.Encoder {
	e, err := data.FitEncoder(d, data.EncoderOptions{Scaling: "none", Task: data.Regression})
	if err != nil {
		panic(fmt.Sprintf("tune: columns of finite numbers: %v", err))
	}
	for j := 1; j < len(e.Columns); j++ {
		c, _ := d.Column(e.Columns[j].Name)
		mean, spread := meanAndSpread(c.Numbers)
		e.Columns[j].Scale = []data.Affine{{Center: mean, Factor: 1 / math.Sqrt(spread)}}
		e.Columns[j].Fill = []float64{0}
	}
	for j := range e.Columns {
		e.Columns[j].Range = nil // rows to forecast lie beyond it
	}
	e.Lags = l
	return e
}

// encodedSeries is the features of rows that have them already.
func encodedSeries(e *data.Encoder, d *data.Dataset) data.DenseRows {
	m := linalg.New[float64](d.Len(), e.Dim)
	for j, c := range e.Columns {
		from, _ := d.Column(c.Name)
		for i, v := range from.Numbers {
			m.Set(i, j, c.Scale[0].Apply(v))
		}
	}
	return data.RowsOf(m)
}

// fit fits the process to the values before an origin: with parameters of the largest evidence from
// k on, or as they are.
func (s *seriesModel) fit(
	ctx context.Context, k kernel.Kernel[kernel.Vec], noise float64, origin int, fixed bool, threads int,
) (*gp.Regressor[kernel.Vec], error) {
	from, n := 0, origin-s.first
	if !fixed { // of a long series the last steps say what parameters are now
		from = max(n-mostSteps, 0)
	}
	raw := s.x.RawMatrix()
	raw.Rows = n - from
	raw.Data = raw.Data[from*raw.Stride : n*raw.Stride]
	g := gp.Regression[kernel.Vec]{Kernel: k, Noise: noise, FitMean: true, FixedNoise: fixed,
		HyperOptions: gp.HyperOptions{FixedKernel: fixed, Hold: s.hold, MaxIterations: 60, Tol: 1e-3},
		Resources:    learn.Resources{Threads: threads, TrustKernel: true}}
	return g.Fit(ctx, data.RowsOf(raw), s.y[from:n])
}

// heldParameters are those that are known, or have no derivative: the period, and the smoothness.
func heldParameters(k kernel.Kernel[kernel.Vec]) (hold []string) {
	for _, p := range kernel.Params(k) {
		if strings.Contains(p.Name, "period.") || strings.HasSuffix(p.Name, ".period") || strings.HasSuffix(p.Name, ".nu") {
			hold = append(hold, p.Name)
		}
	}
	return hold
}

// rolled is the forecasts from one origin, in the unit of the series.
type rolled struct {
	origin       int
	value        []float64
	standardised []float64 // errors, in units of the standard deviation that was expected
}

// rolling is the origins, increasing: the first so many are chosen by.
type rolling struct {
	origins []int
	choice  int
}

// newRolling puts origins into the second half of the series, the last a horizon before its end,
// at most a horizon apart.
func newRolling(n, left int, o ForecastOptions, season int) (*rolling, error) {
	count := o.Origins
	if count <= 0 {
		count = 12
	}
	least := max(n/2, 8, 2*season+2)
	last := n - o.Horizon
	if last < least && left > 0 {
		return nil, fmt.Errorf("a horizon of %d steps is too long: at most %d steps of a series are fitted to, and half of "+
			"them lie before the first forecast; count in longer steps, or forecast fewer", o.Horizon, n)
	}
	if last < least {
		return nil, fmt.Errorf("%d values are too few to forecast %d steps and see how far off that is: it takes %d; "+
			"forecast fewer steps, or give more of the series", n, o.Horizon, least+o.Horizon)
	}
	apart := o.Horizon
	if count > 1 {
		apart = min(max((last-least)/(count-1), 1), max(o.Horizon, 1))
	}
	p := &rolling{}
	for at := last; at >= least && len(p.origins) < count; at -= apart {
		p.origins = append(p.origins, at)
	}
	slices.Reverse(p.origins)
	if p.choice = len(p.origins) / 2; len(p.origins) < 4 {
		p.choice = len(p.origins)
	}
	return p, nil
}

// find is the parameters of the largest evidence of what lies before an origin, from those that were
// found before on.
func (s *seriesModel) find(ctx context.Context, origin, threads int) (err error) {
	k, noise := s.start, 0.0
	if s.fitted != nil {
		k, noise = s.fitted.Kernel(), s.fitted.Noise()
	}
	s.fitted, err = s.fit(ctx, k, noise, origin, false, threads)
	return err
}

// judge forecasts from origins that choose. Parameters are found before each half of them: those of
// a series that grows are not what they were long before.
func (s *seriesModel) judge(ctx context.Context, origins []int, threads int) ([]rolled, error) {
	half := len(origins) / 2
	first, err := s.roll(ctx, origins[:half], threads)
	if err != nil {
		return nil, err
	}
	then, err := s.roll(ctx, origins[half:], threads)
	return append(first, then...), err
}

// roll finds parameters from what lies before the first of some origins, and forecasts from all of
// them.
func (s *seriesModel) roll(ctx context.Context, origins []int, threads int) (out []rolled, err error) {
	if len(origins) == 0 {
		return nil, nil
	}
	if err := s.find(ctx, origins[0], threads); err != nil {
		return nil, err
	}
	k, noise := s.fitted.Kernel(), s.fitted.Noise()
	for _, origin := range origins {
		m, err := s.fit(ctx, k, noise, origin, true, threads)
		if err != nil {
			return nil, err
		}
		ahead := make([]int, s.lags.Horizon)
		for h := range ahead {
			ahead[h] = origin - s.first + h
		}
		rows := data.Gather[[]float64](s.x, ahead)
		value, err := m.Predict(ctx, rows)
		if err != nil {
			return nil, err
		}
		std, err := m.ObservationStd(ctx, rows)
		if err != nil {
			return nil, err
		}
		one := rolled{origin: origin, value: value}
		for h, v := range value {
			one.standardised = append(one.standardised, math.Abs(s.y[ahead[h]]-v)/std[h])
			if s.lags.Log {
				one.value[h] = math.Exp(v)
			}
		}
		out = append(out, one)
	}
	return out, nil
}
