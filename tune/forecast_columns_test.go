package tune

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
)

// beside is a series y of n steps that a column x moves by 3 so many steps later, under a column
// "note" of nothing but one value.
func beside(n, later int) *data.Dataset {
	rng := rand.New(rand.NewPCG(4, 4))
	at, x, y, one := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		at[i], x[i], one[i] = float64(i), rng.NormFloat64(), 1
		if y[i] = 10 + 0.1*float64(i) + 0.1*rng.NormFloat64(); i >= later {
			y[i] += 3 * x[i-later]
		}
	}
	return &data.Dataset{Name: "beside", Columns: []data.Column{data.NumberColumn("t", at), data.NumberColumn("x", x),
		data.NumberColumn("y", y), data.NumberColumn("one", one)}}
}

// A column that is known ahead says what only it can say: the noise beside it is 0.1, and the
// series without it is 3 off. What a row to forecast lacks is asked for, unless the file had it.
func TestForecastWithWhatIsKnownAhead(t *testing.T) {
	d := beside(60, 0)
	o := ForecastOptions{Order: "t", Target: "y", Horizon: 4, Origins: 4, Ahead: []string{"x"}}
	r, err := Forecast(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Columns) != 1 || !r.Columns[0].Ahead() || !strings.Contains(r.Tries[r.Chosen].Name, "columns") ||
		r.Score.RMSE > 0.3 {
		t.Fatalf("columns %v, chosen %s, rmse %g", r.Columns, r.Tries[r.Chosen], r.Score.RMSE)
	}
	m, err := r.Model(model.Info{})
	if err != nil {
		t.Fatal(err)
	}
	var fault *data.Error
	if _, err := m.Predict(t.Context(), r.Lags.Next(2), model.Want{}); !errors.As(err, &fault) || fault.Row != 1 ||
		fault.Column != "x" || !strings.Contains(err.Error(), "is known ahead, and not given") {
		t.Errorf("without what is known ahead: %v", err)
	}
	next := r.Lags.Next(2)
	next.Columns = append(next.Columns, data.NumberColumn("x", []float64{2, -2}))
	p, err := m.Predict(t.Context(), next, model.Want{Interval: 0.9})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{16 + 6, 16.1 - 6} {
		if math.Abs(p.Values[i]-want) > 0.5 || p.High[i]-p.Low[i] > 2 {
			t.Errorf("step %d: %g from %g to %g, want %g", i+1, p.Values[i], p.Low[i], p.High[i], want)
		}
	}

	// The same without being told, of a file that goes on after the series.
	planned := beside(64, 0)
	for i := 60; i < 64; i++ {
		planned.Columns[2].Numbers[i] = math.NaN()
	}
	o.Ahead = nil
	if r, err = Forecast(t.Context(), planned, o); err != nil {
		t.Fatal(err)
	}
	if len(r.Lags.Values) != 60 || r.Filled != 0 || len(r.Columns) != 1 || !r.Columns[0].Ahead() {
		t.Fatalf("%d values, %d filled, columns %v", len(r.Lags.Values), r.Filled, r.Columns)
	}
	if m, err = r.Model(model.Info{}); err != nil {
		t.Fatal(err)
	}
	if p, err = m.Predict(t.Context(), r.Lags.Next(4), model.Want{}); err != nil {
		t.Fatal(err)
	}
	for i, v := range p.Values {
		if want := 10 + 0.1*float64(60+i) + 3*planned.Columns[1].Numbers[60+i]; math.Abs(v-want) > 0.5 {
			t.Errorf("step %d: %g, want %g", i+1, v, want)
		}
	}

	for want, ahead := range map[string]string{"of the series itself": "y", "no column": "price"} {
		o.Ahead = []string{ahead}
		if _, err := Forecast(t.Context(), d, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--ahead %s: %v", ahead, err)
		}
	}
}

// A column that is not known ahead is looked at as far back as the horizon: one that moves the
// series so much later says all of it, and travels in the file.
func TestForecastWithWhatWasBefore(t *testing.T) {
	r, err := Forecast(t.Context(), beside(80, 4), ForecastOptions{Order: "t", Target: "y", Horizon: 4, Origins: 4})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Columns) != 1 || r.Columns[0].Ahead() || !strings.Contains(r.Tries[r.Chosen].Name, "columns") ||
		r.Score.RMSE > 0.5 {
		t.Fatalf("columns %v, chosen %s, rmse %g", r.Columns, r.Tries[r.Chosen], r.Score.RMSE)
	}
	m, err := r.Model(model.Info{})
	if err != nil {
		t.Fatal(err)
	}
	file := t.TempDir() + "/m.mercer"
	if err := m.Save(file); err != nil {
		t.Fatal(err)
	}
	back, err := model.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	want, err := m.Predict(t.Context(), r.Lags.Next(4), model.Want{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := back.Predict(t.Context(), back.Info().Encoder.Lags.Next(4), model.Want{})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range want.Values {
		if got.Values[i] != v {
			t.Errorf("step %d: %v from the file, %v before", i+1, got.Values[i], v)
		}
	}
}

// tickingClock goes on by a second whenever it is asked.
type tickingClock struct{ asked int }

func (c *tickingClock) now() time.Time {
	c.asked++
	return time.Unix(int64(c.asked), 0)
}

func (c *tickingClock) after(time.Duration, func()) (stop func() bool) {
	return func() bool { return true }
}

func (c *tickingClock) until(ctx context.Context, _ time.Time) (context.Context, context.CancelFunc) {
	return context.WithCancel(ctx)
}

// Kernels for which there is no time are not tried, and said; the first always is. A long horizon
// is judged on more steps than parameters are found from, up to a bound that is said.
func TestForecastKeepsToItsTime(t *testing.T) {
	d := beside(60, 0)
	o := ForecastOptions{Order: "t", Target: "y", Horizon: 4, Origins: 4}
	for budget, tried := range map[time.Duration]int{1: 1, 6 * time.Second: 3} {
		o.Budget, o.clock = budget, &tickingClock{}
		r, err := Forecast(t.Context(), d, o)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Tries) != tried || r.Tries[0].Name != "drift" || r.Untried != 10-tried {
			t.Errorf("%v: %d tried, %d not, of ten; want %d", budget, len(r.Tries), r.Untried, tried)
		}
	}
	long := &data.Dataset{Name: "long", Columns: []data.Column{data.NumberColumn("t", make([]float64, 5000)),
		data.NumberColumn("y", make([]float64, 5000))}}
	for i := range 5000 {
		long.Columns[0].Numbers[i], long.Columns[1].Numbers[i] = float64(i), wavy(i)
	}
	if _, err := Forecast(t.Context(), long, ForecastOptions{Order: "t", Target: "y", Horizon: 1200}); err == nil ||
		!strings.Contains(err.Error(), "at most 2000 steps of a series are fitted to") {
		t.Errorf("a horizon of 1200: %v", err)
	}
	if testing.Short() {
		return
	}
	r, err := Forecast(t.Context(), long, ForecastOptions{Order: "t", Target: "y", Horizon: 320, Season: -1, Origins: 2,
		Budget: 1, clock: &tickingClock{}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Lags.Values) != 800 || r.Left != 4200 || r.Lags.Start != 4200 || r.Held != 640 {
		t.Errorf("%d values from %g, %d left out, %d judged", len(r.Lags.Values), r.Lags.Start, r.Left, r.Held)
	}
}

// A logarithm has to be a fifth better, and what chooses is the geometric mean of what origins say.
func TestForecastChoice(t *testing.T) {
	for _, c := range []struct {
		plain, log float64
		want       int
	}{{1, 0.9, 0}, {1, 0.79, 1}, {math.NaN(), 5, 1}, {math.NaN(), math.NaN(), -1}} {
		if got := choose([]ForecastTry{{Typical: c.plain}, {Typical: c.log, Log: true}}); got != c.want {
			t.Errorf("%g, and %g of the logarithm: %d is chosen, want %d", c.plain, c.log, got, c.want)
		}
	}
	// rmse of 5 from one origin and of 20 from the other
	said := []rolled{{origin: 0, value: []float64{7, 1}}, {origin: 1, value: []float64{21, 22}}}
	if got := typical(said, []float64{0, 1 + 1,
		2}); math.Abs(got-math.Sqrt(math.Sqrt((49+1)/2.0)*math.Sqrt((19*19+20*20)/2.0))) > 1e-12 {
		t.Errorf("typical is %g", got)
	}
}

// Ups and downs that came four times are no season; of six times they are.
func TestForecastSeasonsComeOften(t *testing.T) {
	for period, want := range map[int]int{50: 0, 33: 33} {
		l := &data.Lags{Unit: "number", Step: 1}
		for i := range 200 {
			l.Values = append(l.Values, math.Sin(2*math.Pi*float64(i)/float64(period)))
		}
		r := &ForecastResult{}
		if r.season(l, 0); r.Season != want {
			t.Errorf("a period of %d in 200 steps: a season of %d (%s), want %d", period, r.Season, r.Why, want)
		}
	}
}

// A drift is a sum of steps and a sum of slopes: its kernels have the variances of the first and
// the second differences of a local linear trend.
func TestDriftIsALocalLinearTrend(t *testing.T) {
	const n, season = 100, 0
	l := &data.Lags{Order: "t", Target: "y", Kind: data.Numeric, Unit: "number", Step: 1, Horizon: 3}
	rng := rand.New(rand.NewPCG(1, 1))
	for range n {
		l.Values = append(l.Values, rng.NormFloat64())
	}
	s := newSeries(l, season, drift, false)
	_, step := meanAndSpread(changes(l.Values))
	if len(s.hold) < 2 {
		t.Fatalf("held are %v", s.hold)
	}
	parts := kernel.Parts(s.start)
	at := func(k kernel.Kernel[kernel.Vec], i, j int) float64 {
		return k.Eval(kernel.Vec{float64(i)}, kernel.Vec{float64(j)})
	}
	for i := 10; i < n; i += 20 {
		k := parts[0]
		if got := at(k, i, i) - 2*at(k, i, i+1) + at(k, i+1, i+1); math.Abs(got-step) > 0.01*step {
			t.Errorf("steps of the level have the variance %g, want %g", got, step)
		}
		k = parts[2]
		got, second := 0.0, []float64{1, -2, 1}
		for a, u := range second {
			for b, v := range second {
				got += u * v * at(k, i+a, i+b)
			}
		}
		// ∫∫ of a slope that walks: two thirds of the variance of its steps
		if want := 0.01 * step * 2 / 3; math.Abs(got-want) > 0.02*want {
			t.Errorf("second differences have the variance %g, want %g", got, want)
		}
	}
}
