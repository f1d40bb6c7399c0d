package tune

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/model"
)

// ForecastOptions says what is forecast.
type ForecastOptions struct {
	Order, Target string
	Horizon       int // steps ahead
	Season        int // steps of a season; 0: found from the series, below 0: none
	Origins       int // times from which it is forecast to judge; 0 means 12
	// Ahead names columns of numbers that are known ahead: a row to forecast brings them. So are
	// those that the table has for the whole horizon after the series. All others are looked at as
	// far back as the horizon, where that is better.
	Ahead   []string
	Threads int
	Budget  time.Duration // once it is over no further kernel is tried; 0: there is none
	clock   clock
}

// ForecastTry is a kernel that was tried: parts of a sum, whose parameters are those of the largest
// evidence.
type ForecastTry struct {
	Name string  // its parts: "trend", "walk" or "drift", "season", "lags"
	Log  bool    // of logarithms
	RMSE float64 // over the origins that it is chosen by; NaN where it could not be fitted
	// Typical is the geometric mean over these origins of the rmse from each. It is what chooses:
	// each origin has a say, whereas the errors of a series that grows, or of one bad year, are most
	// of the mean of squares (geometric means of errors: R. Hyndman, A. Koehler, 2006).
	Typical float64
	Err     error // why not
}

// ForecastScore is how far forecasts are off over origins.
type ForecastScore struct {
	RMSE, MAE float64
	// Scaled is MAE in units of that of the seasonal naive forecast of one step within the series
	// (mean absolute scaled error: R. Hyndman, A. Koehler, Another look at measures of forecast
	// accuracy, 2006).
	Scaled float64
	ByStep []float64 // RMSE of each step ahead
}

// ForecastResult is a model of a series, chosen and judged from rolling origins.
type ForecastResult struct {
	Season int    // 0: none
	Why    string // how that was found
	Filled int    // steps without a value, on a line between their neighbours
	Left   int    // steps at the beginning that were left out
	Tries  []ForecastTry
	Chosen int
	Choice int           // origins that it was chosen by, the older ones
	Tested int           // origins that it is judged by, after those; 0: the same, as there are few
	Score  ForecastScore // on these
	Naive  ForecastScore // of the seasonal naive forecast on the same
	Held   int           // forecasts that were compared with what came
	Kernel string        // of the model
	Noise  float64
	Lags   *data.Lags // of the model
	// Columns are those that were tried beside the series, and Untried how many kernels the budget
	// left no time for.
	Columns []data.LagColumn
	Untried int
	fitted  *seriesModel
	origins [][]float64 // standardised errors
}

// mostSteps bounds the steps that parameters are found from: the evidence takes n³ of time, again
// and again. A long horizon needs more steps to be judged, which are fitted to once for each
// origin, up to mostKept.
const (
	mostSteps = 600
	mostKept  = 2000
)

// Forecast fits Gaussian processes whose kernels are sums of a trend, a season and values that lie
// before, chooses by the errors of forecasts from older origins, judges by later ones, and fits the
// choice to all of the series. An origin is a time at which nothing later is known (rolling-origin
// evaluation: L. Tashman, Out-of-sample tests of forecasting accuracy, 2000); parameters of kernels
// are found three times: from what lies before the first of the origins that choose, before the
// middle of them, and before the first that judges.
func Forecast(ctx context.Context, d *data.Dataset, o ForecastOptions) (*ForecastResult, error) {
	if o.Horizon < 1 {
		return nil, fault.Errorf("tune", "a horizon of %d steps; give 1 or more", o.Horizon)
	}
	base, filled, err := data.FindLags(d, o.Order, o.Target, o.Horizon)
	if err != nil {
		return nil, err
	}
	r := &ForecastResult{Filled: filled}
	if n, keep := len(base.Values), min(max(mostSteps, 5*o.Horizon/2), mostKept); n > keep {
		r.Left = n - keep
		base.Start += base.Step * float64(r.Left)
		base.Values = base.Values[r.Left:]
	}
	r.season(base, o.Season)
	plan, err := newRolling(len(base.Values), r.Left, o, r.Season)
	if err != nil {
		return nil, fault.In("tune", err)
	}
	if r.Columns, err = r.beside(d, base, o.Ahead); err != nil {
		return nil, err
	}
	clock := clockOr(o.clock)
	begun := clock.now()
	var judged [][]rolled
	var series []*seriesModel
	try := func(all []*seriesModel) error {
		for _, s := range all {
			// This takes as long as one before it, and so do test and last fit of the choice.
			spent := clock.now().Sub(begun)
			if n := time.Duration(len(series)); o.Budget > 0 && n > 0 && spent+2*spent/n > o.Budget {
				r.Untried++
				continue
			}
			t := ForecastTry{Name: s.name, Log: s.lags.Log, RMSE: math.NaN(), Typical: math.NaN()}
			var said []rolled
			if said, t.Err = s.judge(ctx, plan.origins[:plan.choice], o.Threads); t.Err == nil {
				t.RMSE = scoreOf(said, base.Values, r.Season, o.Horizon).RMSE
				t.Typical = typical(said, base.Values)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r.Tries, judged, series = append(r.Tries, t), append(judged, said), append(series, s)
		}
		if r.Chosen = choose(r.Tries); r.Chosen < 0 {
			return fault.Errorf("tune", "no kernel could be fitted to the series: %w", r.Tries[0].Err)
		}
		return nil
	}
	if err := try(r.candidates(base)); err != nil {
		return nil, err
	}
	if len(r.Columns) > 0 {
		if err := try(r.besides(series[r.Chosen], r.Columns)); err != nil {
			return nil, err
		}
	}
	r.fitted = series[r.Chosen]
	r.Choice, r.Tested = plan.choice, len(plan.origins)-plan.choice
	at := judged[r.Chosen]
	late := at
	if r.Tested > 0 {
		// What is tested is a model of what was known then, parameters and all.
		later := plan.origins[plan.choice:]
		if late, err = r.fitted.roll(ctx, later, o.Threads); err != nil {
			return nil, err
		}
		at = append(at, late...)
	}
	r.Score = scoreOf(late, base.Values, r.Season, o.Horizon)
	r.Naive = scoreOf(naive(late, base.Values, r.Season), base.Values, r.Season, o.Horizon)
	r.Held = len(late) * o.Horizon
	for _, one := range at {
		r.origins = append(r.origins, one.standardised)
	}
	if err := r.fitted.find(ctx, len(base.Values), o.Threads); err != nil {
		return nil, err
	}
	r.Lags, r.Noise = r.fitted.lags, r.fitted.fitted.Noise()
	m, err := r.Model(model.Info{})
	if err != nil {
		return nil, err
	}
	r.Kernel = m.Kernel()
	return r, nil
}

// mostBeside bounds the columns that are looked at beside a series.
const mostBeside = 50

// beside finds the columns of numbers beside a series, and which are known ahead.
func (r *ForecastResult) beside(d *data.Dataset, base *data.Lags, ahead []string) (out []data.LagColumn, err error) {
	back := shorter(lagSteps(base.Horizon, r.Season), len(base.Values))
	for _, name := range ahead {
		if name == base.Order || name == base.Target {
			return nil, fault.Errorf("tune", "column %q is of the series itself, and not known ahead beside it", name)
		}
		if _, err := d.Column(name); err != nil {
			return nil, err
		}
	}
	for _, c := range d.Columns {
		told := slices.Contains(ahead, c.Name)
		if c.Name == base.Order || c.Name == base.Target || !told && (c.Kind != data.Numeric || c.Missing() == c.Len()) {
			continue
		}
		column, err := base.Column(d, c.Name, nil)
		if err != nil {
			return nil, err
		}
		if !told && len(column.Values) < len(base.Values)+base.Horizon {
			if len(back) == 0 {
				continue
			}
			if column, err = base.Column(d, c.Name, back); err != nil {
				return nil, err
			}
		}
		if slices.Max(column.Values) > slices.Min(column.Values) {
			out = append(out, column)
		}
	}
	if len(out) > mostBeside {
		return nil, fault.Errorf("tune", "%d columns of numbers beside the series; %d is the most, leave the others out",
			len(out), mostBeside)
	}
	return out, nil
}

// Model is the forecast as a model file holds it: rows are times, and what stands before them is in
// the file.
func (r *ForecastResult) Model(info model.Info) (*model.Model, error) {
	s := r.fitted
	info.Encoder, info.Rows = s.encoder, len(s.y)
	if s.lags.Log {
		info.TargetMap = &data.TargetMap{Kind: "log"}
	}
	if info.Spec == "" {
		info.Spec = fmt.Sprintf("gp, %s", r.Tries[r.Chosen])
	}
	info.Residuals = model.ThinResiduals(r.residuals())
	return model.New(s.fitted, info)
}

// residuals is the errors from all origins, and those of one more, as large as any. Errors of one
// origin go together, so that what is to come is not one more error but one more origin, which a
// quantile that holds what it says has to count (R. Dunn, L. Wasserman, A. Ramdas,
// Distribution-free prediction sets for two-layer hierarchical models, 2022, pooling of
// distributions).
func (r *ForecastResult) residuals() []float64 {
	all := slices.Concat(r.origins...)
	largest := slices.Max(all)
	for range r.origins[0] {
		all = append(all, largest)
	}
	return all
}

// String is the parts of the kernel.
func (t ForecastTry) String() string {
	if t.Log {
		return t.Name + " of the logarithm"
	}
	return t.Name
}

// TestOrigins says what the score is over.
func (r *ForecastResult) TestOrigins() string {
	if r.Tested == 0 {
		return fmt.Sprintf("%d origins, which it was chosen by, too", r.Choice)
	}
	return fmt.Sprintf("%d later origins", r.Tested)
}

// choose is the try that is least off from a typical origin, -1 where none could be fitted.
// Logarithms have to be better by a fifth: of series that grow they are often the nearest for a
// while, and the farthest off as soon as growth is no longer a share of what there is.
func choose(tries []ForecastTry) int {
	best, at := math.Inf(1), -1
	for i, t := range tries {
		v := t.Typical
		if t.Log {
			v /= 0.8
		}
		if v < best {
			best, at = v, i
		}
	}
	return at
}

// typical is the geometric mean of the rmse from each origin.
func typical(all []rolled, values []float64) float64 {
	sum := 0.0
	for _, one := range all {
		off := 0.0
		for h, v := range one.value {
			off = math.Hypot(off, values[one.origin+h]-v)
		}
		sum += math.Log(math.Max(off/math.Sqrt(float64(len(one.value))), math.SmallestNonzeroFloat64))
	}
	return math.Exp(sum / float64(len(all)))
}

// scoreOf judges forecasts.
func scoreOf(all []rolled, values []float64, season, horizon int) ForecastScore {
	out := ForecastScore{ByStep: make([]float64, horizon)}
	n := 0.0
	for _, one := range all {
		for h, v := range one.value {
			off := values[one.origin+h] - v
			out.RMSE, out.MAE, n = out.RMSE+off*off, out.MAE+math.Abs(off), n+1
			out.ByStep[h] += off * off / float64(len(all))
		}
	}
	for h, v := range out.ByStep {
		out.ByStep[h] = math.Sqrt(v)
	}
	out.RMSE, out.MAE = math.Sqrt(out.RMSE/n), out.MAE/n
	step, scale := max(season, 1), 0.0
	for p := step; p < len(values); p++ {
		scale += math.Abs(values[p]-values[p-step]) / float64(len(values)-step)
	}
	out.Scaled = out.MAE / scale
	return out
}

// naive is the value of the same place in the last season that was seen; without a season the last
// value.
func naive(all []rolled, values []float64, season int) []rolled {
	m := max(season, 1)
	var out []rolled
	for _, one := range all {
		said := rolled{origin: one.origin}
		for h := range one.value {
			said.value = append(said.value, values[one.origin+h-m*(h/m+1)])
		}
		out = append(out, said)
	}
	return out
}
