package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
)

// salesModel is a series of months, forecast by its value a year before.
func salesModel(t *testing.T) *model.Model {
	t.Helper()
	var at []time.Time
	var sold []float64
	for i := range 48 {
		at, sold = append(at, time.Date(2011, time.Month(1+i), 1, 0, 0, 0, 0, time.UTC)), append(sold, float64(100+i%12))
	}
	d := &data.Dataset{Name: "sales", Columns: []data.Column{data.TimeColumn("month", at),
		data.NumberColumn("sold", sold)}}
	l, _, err := data.FindLags(d, "month", "sold", 3)
	if err != nil {
		t.Fatal(err)
	}
	l.Steps = []int{12}
	features := l.Features()
	e := must(data.FitEncoder(features, data.EncoderOptions{Scaling: "none", Task: data.Regression}))
	e.Lags = l
	rows := make([]int, features.Len())
	for i := range rows {
		rows[i] = i
	}
	x := must(e.Transform(d.Gather(rows[12:]))) // rows are times
	y := sold[12:36]
	fitted := must(ridge.Regression[kernel.Vec]{Kernel: kernel.Linear{}, Lambda: 1e-10}.Fit(context.Background(), x.Dense,
		y))
	return must(model.New(fitted, model.Info{Encoder: e}))
}

// A server of a series takes times, and says what the next values are; one beyond its horizon is
// refused with what to do.
func TestForecastOverTheWire(t *testing.T) {
	s := serving(t, serve.Options{}, map[string]*model.Model{"sales": salesModel(t)})
	r := ask(t, s, "POST", "/predict/sales", "application/json", []byte(`[{"month":"2015-01-01"},{"month":"2015-03-01"}]`))
	var rows []map[string]float64
	if err := json.Unmarshal(r.body, &rows); err != nil || r.status != http.StatusOK || len(rows) != 2 {
		t.Fatalf("%d %s: %v", r.status, r.text(), err)
	}
	for i, want := range []float64{100, 102} {
		if off := rows[i]["prediction"] - want; off > 0.01 || off < -0.01 {
			t.Errorf("row %d: %v, want %g", i, rows[i], want)
		}
	}
	// The steps after the series need no times to be sent.
	r = ask(t, s, "POST", "/predict/sales?forecast=2", "", nil)
	var next []struct {
		Month      string
		Prediction float64
	}
	if err := json.Unmarshal(r.body, &next); err != nil || len(next) != 2 || next[0].Month != "2015-01-01" ||
		math.Abs(next[1].Prediction-101) > 0.01 {
		t.Errorf("%d %s: %v", r.status, r.text(), err)
	}
	r = ask(t, s, "POST", "/predict/sales?forecast=3", "", nil, "Accept", "text/csv")
	if lines := strings.Split(strings.TrimSpace(r.text()), "\n"); len(lines) != 4 || lines[0] != "month,prediction" ||
		!strings.HasPrefix(lines[3], "2015-03-01,102") {
		t.Errorf("%d %s", r.status, r.text())
	}
	for query, want := range map[string]string{"forecast=4": "1 to 3 steps", "forecast=x": "1 to 3 steps",
		"forecast=2&format=arrow": "csv or jsonl", "forecast=2&proba=1": "probabilities"} {
		if r := ask(t, s, "POST", "/predict/sales?"+query, "", nil); r.status != http.StatusBadRequest ||
			!strings.Contains(r.text(), want) {
			t.Errorf("%s: %d %s", query, r.status, r.text())
		}
	}
	if r := ask(t, s, "POST", "/predict/sales?forecast=2", "text/csv",
		[]byte("month\n2015-01-01\n")); r.status != http.StatusBadRequest ||
		!strings.Contains(r.text(), "leave the rows out") {
		t.Errorf("%d %s", r.status, r.text())
	}
	r = ask(t, s, "POST", "/predict/sales", "text/csv", []byte("month\n2015-04-01\n"))
	if r.status != http.StatusBadRequest || !strings.Contains(r.text(), "it forecasts 3") {
		t.Errorf("%d %s", r.status, r.text())
	}
	body := fmt.Sprintf(`{"inputs":[{"name":"month","datatype":"BYTES","shape":[1],"data":[%q]}],"outputs":[{"name":"prediction"}]}`,
		"2015-02-01")
	r = ask(t, s, "POST", "/v2/models/sales/infer", "application/json", []byte(body))
	var got answered
	if err := json.Unmarshal(r.body, &got); err != nil || r.status != http.StatusOK {
		t.Fatalf("%d %s: %v", r.status, r.text(), err)
	}
	if v := got.numbers(t, "prediction")[0]; v < 100.99 || v > 101.01 {
		t.Errorf("February is %g, want 101", v)
	}
	if r := ask(t, s, "GET", "/v2/models/sales", "", nil); !strings.Contains(r.text(), `"name":"month"`) {
		t.Errorf("the metadata is %s", r.text())
	}
	if r := ask(t, s, "GET", "/", "", nil); r.status != http.StatusOK {
		t.Errorf("the page: %d", r.status)
	}
}
