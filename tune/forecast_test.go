package tune

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
)

func forecastSeries(t *testing.T, name string) *data.Dataset {
	t.Helper()
	d, err := load.Read(t.Context(), "testdata/forecast/"+name+".csv", load.Options{NoTarget: true})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// forecastPeer is what statsmodels says of a series (bench/fixtures/forecast.py).
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

func TestForecastPeers(t *testing.T) {
	for name, peer := range forecastPeers(t) {
		t.Run(name, func(t *testing.T) {
			r, err := Forecast(t.Context(), forecastSeries(t, name), ForecastOptions{Order: "date", Target: "value", Horizon: peer.Horizon})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s: season %d (%s), %v, rmse %.4g, naive %.4g (%.4g), smoothing %.4g, kernel %s", name, r.Season, r.Why, r.Tries, r.Score.RMSE, r.Naive.RMSE, peer.Naive, peer.Smoothing, r.Kernel)
			for _, try := range r.Tries {
				t.Log(try, try.RMSE, try.Err)
			}
			if math.Abs(r.Naive.RMSE-peer.Naive) > 1e-9*peer.Naive {
				t.Errorf("the seasonal naive forecast is off by %g, statsmodels' by %g", r.Naive.RMSE, peer.Naive)
			}
		})
	}
}
