package tune

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/model"
)

func forecastSeries(t *testing.T, name string) *data.Dataset {
	t.Helper()
	d, err := load.Read(t.Context(), "testdata/forecast/"+name+".csv", load.Options{NoTarget: true})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// forecastPeer is what statsmodels 0.14 says of a series (bench/fixtures/forecast.py): the errors
// of its forecasts over the origins that Forecast judges by.
type forecastPeer struct {
	Horizon, Season, Origins int
	Naive, Smoothing         float64
}

func forecastPeers(t *testing.T) map[string]forecastPeer {
	t.Helper()
	text, err := os.ReadFile("testdata/forecast/peers.json")
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]forecastPeer
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// The seasonal naive forecast is that of a plain loop in Python over the same origins, and the
// model stands beside exponential smoothing: it is better than the naive forecast on all series,
// and within a tenth of the error of smoothing on all but gdp, eight quarters of which reach over
// the crisis of 2008 (1.20 times its error there).
func TestForecastBesideStatsmodels(t *testing.T) {
	names := []string{"airline", "nile"}
	if !testing.Short() {
		names = []string{"airline", "nile", "co2", "elnino", "sea50", "sunspots", "consumption", "gdp"}
	}
	peers := forecastPeers(t)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			peer := peers[name]
			r, err := Forecast(t.Context(), forecastSeries(t, name),
				ForecastOptions{Order: "date", Target: "value", Horizon: peer.Horizon})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("season %d, %s: rmse %.4g, naive %.4g, exponential smoothing %.4g", r.Season, r.Tries[r.Chosen], r.Score.RMSE,
				peer.Naive, peer.Smoothing)
			if r.Season != peer.Season || r.Tested != peer.Origins {
				t.Errorf("a season of %d (%s) and %d origins, want %d and %d", r.Season, r.Why, r.Tested, peer.Season, peer.Origins)
			}
			if math.Abs(r.Naive.RMSE-peer.Naive) > 1e-9*peer.Naive {
				t.Errorf("the seasonal naive forecast is off by %g, that of the peer by %g", r.Naive.RMSE, peer.Naive)
			}
			most := 1.1
			if name == "gdp" {
				most = 1.25
			}
			if r.Score.RMSE > most*peer.Smoothing || r.Score.RMSE > peer.Naive {
				t.Errorf("off by %g, exponential smoothing by %g, the naive forecast by %g", r.Score.RMSE, peer.Smoothing,
					peer.Naive)
			}
		})
	}
}

// Intervals hold what they say: each series is cut several times, all is done on what lies before,
// and what came is looked up. Errors of one cut go together, so that of a series the share may be
// off by what it is by chance where all errors of a cut are alike.
func TestForecastIntervalsCover(t *testing.T) {
	names, cuts := []string{"airline", "nile"}, 3
	if !testing.Short() {
		names, cuts = []string{"airline", "nile", "co2", "elnino", "gdp", "sea50", "sunspots", "consumption"}, 8
	}
	peers := forecastPeers(t)
	levels := []float64{0.5, 0.8, 0.9, 0.95}
	inside, all := make([]int, len(levels)), 0
	for _, name := range names {
		d, peer := forecastSeries(t, name), peers[name]
		own, n, made := make([]int, len(levels)), 0, 0.0
		for k := range cuts {
			cut := d.Len() - (k+1)*peer.Horizon
			if cut < d.Len()/2 {
				break
			}
			rows := make([]int, cut)
			for i := range rows {
				rows[i] = i
			}
			r, err := Forecast(t.Context(), d.Gather(rows), ForecastOptions{Order: "date", Target: "value",
				Horizon: peer.Horizon})
			if err != nil {
				t.Fatal(err)
			}
			m, err := r.Model(model.Info{})
			if err != nil {
				t.Fatal(err)
			}
			next := r.Lags.Next(peer.Horizon)
			for j, level := range levels {
				p, err := m.Predict(context.Background(), next, model.Want{Interval: level})
				if err != nil {
					t.Fatal(err)
				}
				for h := range p.Values {
					if y := d.Columns[1].Numbers[cut+h]; p.Low[h] <= y && y <= p.High[h] {
						own[j]++
						inside[j]++
					}
				}
			}
			n, made = n+peer.Horizon, made+1
		}
		all += n
		for j, level := range levels {
			share := float64(own[j]) / float64(n)
			t.Logf("%s: intervals of %g hold %.1f %% of %d", name, level, 100*share, n)
			if chance := 2.5 * math.Sqrt(level*(1-level)/made); math.Abs(share-level) > chance {
				t.Errorf("%s: intervals of %g hold %.3f of %d, more than %.3f off", name, level, share, n, chance)
			}
		}
	}
	most := 0.1
	if testing.Short() {
		most = 0.2
	}
	for j, level := range levels {
		share := float64(inside[j]) / float64(all)
		t.Logf("level %g holds %.3f of %d", level, share, all)
		if math.Abs(share-level) > most {
			t.Errorf("intervals of %g hold %.3f of %d", level, share, all)
		}
	}
}

// A forecast goes through a file: it is nothing but a table of times then, and has the same bits.
func TestForecastInAFile(t *testing.T) {
	r, err := Forecast(t.Context(), forecastSeries(t, "nile"),
		ForecastOptions{Order: "date", Target: "value", Horizon: 4, Season: -1, Origins: 3})
	if err != nil {
		t.Fatal(err)
	}
	if r.Season != 0 || r.Tested != 0 || len(r.Score.ByStep) != 4 {
		t.Errorf("%+v", r)
	}
	m, err := r.Model(model.Info{})
	if err != nil {
		t.Fatal(err)
	}
	file := t.TempDir() + "/nile.mercer"
	if err := m.Save(file); err != nil {
		t.Fatal(err)
	}
	back, err := model.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	lags := back.Info().Encoder.Lags
	want, err := m.Predict(t.Context(), r.Lags.Next(4), model.Want{Interval: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	got, err := back.Predict(t.Context(), lags.Next(4), model.Want{Interval: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	for i := range want.Values {
		if got.Values[i] != want.Values[i] || got.Low[i] != want.Low[i] {
			t.Errorf("step %d: %v from %v, want %v from %v", i+1, got.Values[i], got.Low[i], want.Values[i], want.Low[i])
		}
	}
	if _, err := back.Predict(t.Context(), lags.Next(5), model.Want{}); err == nil ||
		!strings.Contains(err.Error(), "it forecasts 4") {
		t.Errorf("beyond the horizon: %v", err)
	}
}

// Series that are hardly any: a constant one, a straight line, too short a one, a horizon of
// nothing, a stop.
func TestForecastOfLittle(t *testing.T) {
	line := func(n int, f func(i int) float64) *data.Dataset {
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = float64(i), f(i)
		}
		return &data.Dataset{Name: "line", Columns: []data.Column{data.NumberColumn("t", x), data.NumberColumn("y", y)}}
	}
	o := ForecastOptions{Order: "t", Target: "y", Horizon: 3, Origins: 3}
	for name, c := range map[string]struct {
		f    func(i int) float64
		want float64
	}{"constant": {func(int) float64 { return 7 }, 7}, "straight": {func(i int) float64 { return 2*float64(i) - 5 },
		2*42 - 5}} {
		r, err := Forecast(t.Context(), line(40, c.f), o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m, err := r.Model(model.Info{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.Predict(t.Context(), r.Lags.Next(3), model.Want{})
		if err != nil || math.Abs(p.Values[2]-c.want) > 0.05 {
			t.Errorf("%s: %v, %v, want %g in the end", name, p, err, c.want)
		}
	}
	if _, err := Forecast(t.Context(), line(9, wavy), o); err == nil ||
		!strings.Contains(err.Error(), "too few to forecast 3 steps") {
		t.Errorf("nine values: %v", err)
	}
	if _, err := Forecast(t.Context(), line(40, wavy), ForecastOptions{Order: "t", Target: "y"}); err == nil {
		t.Error("a horizon of nothing is taken")
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Forecast(stopped, line(40, wavy), o); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

func wavy(i int) float64 { return math.Sin(float64(i)) + float64(i%5) }
