package serve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
)

// A model with a threshold names by it over the wire, too, on every endpoint, and says so.
func TestThresholdIsServed(t *testing.T) {
	d := &data.Dataset{Name: "t", Target: "y", Columns: []data.Column{data.NumberColumn("x", []float64{0, 1, 2, 3, 4, 5}),
		data.LevelColumn("y", []string{"no", "no", "no", "yes", "no", "yes"})}}
	e := must(data.FitEncoder(d, data.EncoderOptions{}))
	x := must(e.TransformLabelled(d))
	fitted := must(logistic.Regression[kernel.Vec, int]{Kernel: kernel.Linear{}, Intercept: true}.Fit(t.Context(), x.Dense,
		x.Codes()))
	plain := must(model.New(fitted, model.Info{Encoder: e}))
	low := must(plain.WithThreshold(&model.Threshold{Class: "yes", At: 0.05, Why: "a test"}))
	s := serving(t, serve.Options{}, map[string]*model.Model{"plain": plain, "low": low})
	for name, want := range map[string]string{"plain": "no", "low": "yes"} {
		got := answered{}
		ask(t, s, "POST", "/v2/models/"+name+"/infer", "application/json",
			[]byte(`{"inputs":[{"name":"x","shape":[1],"datatype":"FP64","data":[2]}]}`)).into(t, &got)
		if label := got.texts(t, "prediction")[0]; label != want {
			t.Errorf("%s: %q, want %q", name, label, want)
		}
		if r := ask(t, s, "POST", "/predict/"+name, "application/json", []byte(`{"x": 2}`)); !strings.Contains(r.text(),
			fmt.Sprintf("%q", want)) {
			t.Errorf("%s: %s, want %q", name, r.text(), want)
		}
		said := ask(t, s, "GET", "/v2/models/"+name, "", nil).text()
		if strings.Contains(said, `"threshold"`) != (name == "low") {
			t.Errorf("%s: %s", name, said)
		}
	}
	if page := ask(t, s, "GET", "/", "", nil, "Accept", "text/html").text(); !strings.Contains(page,
		"is named from a probability of 0.05 on (a test)") {
		t.Errorf("the page does not say it: %s", page)
	}
}
