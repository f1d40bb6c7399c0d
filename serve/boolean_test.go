package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/celltext"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
)

// truthModel predicts y = 3b + n from a column b of truth values.
func truthModel(b data.Column) *model.Model {
	n, y := make([]float64, b.Len()), make([]float64, b.Len())
	for i := range n {
		n[i] = float64(i % 7)
		y[i] = n[i]
		if truth, _ := celltext.ParseTruth(b.String(i)); truth {
			y[i] += 3
		}
	}
	d := &data.Dataset{Columns: []data.Column{b, data.NumberColumn("n", n), data.NumberColumn("y", y)}, Target: "y"}
	e := must(data.FitEncoder(d, data.EncoderOptions{Task: data.Regression, Scaling: "none"}))
	x := must(e.TransformLabelled(d))
	fitted := must(ridge.Regression[kernel.Vec]{Kernel: kernel.Linear{}, Lambda: 1e-9}.Fit(context.Background(), x.Dense,
		x.Target))
	return must(model.New(fitted, model.Info{Encoder: e}))
}

// True and false are told apart whatever the model was fitted on, an older mercer's categories and
// numbers among them, and whatever the client sends.
func TestTrueIsNotFalse(t *testing.T) {
	words, numbers := make([]string, 21), make([]float64, 21)
	for i := range words {
		words[i], numbers[i] = "False", 0
		if i%2 == 0 {
			words[i], numbers[i] = "True", 1
		}
	}
	older := data.LevelColumn("b", words)
	models := map[string]*model.Model{"truth": truthModel(must(older.As(data.Boolean))), "words": truthModel(older),
		"numbers": truthModel(data.NumberColumn("b", numbers))}
	s := serving(t, serve.Options{}, models)
	for name := range models {
		for _, pair := range [][2]string{{"false", "true"}, {`"False"`, `"True"`}, {`"no"`, `"YES"`}, {"0", "1"}} {
			body := fmt.Sprintf(`[{"b": %s, "n": 2}, {"b": %s, "n": 2}]`, pair[0], pair[1])
			checkTruth(t, name+" asked with "+body, ask(t, s, "POST", "/predict/"+name, "application/json", []byte(body)))
			if strings.HasPrefix(pair[0], `"`) {
				csv := "b,n\n" + pair[0] + ",2\n" + pair[1] + ",2\n"
				if r := ask(t, s, "POST", "/predict/"+name, "text/csv", []byte(csv)); r.status != 200 {
					t.Errorf("%s asked with %q: %d %s", name, csv, r.status, r.text())
				} else {
					var low, high float64
					if _, err := fmt.Sscanf(strings.ReplaceAll(r.text(), "\n", " "), "prediction %g %g", &low, &high); err != nil ||
						math.Abs(low-2) > 1e-6 || math.Abs(high-5) > 1e-6 {
						t.Errorf("%s asked with %q: %s", name, csv, r.text())
					}
				}
			}
		}
		for _, input := range []string{
			`{"name": "b", "datatype": "BOOL", "shape": [2], "data": [false, true]}`,
			`{"name": "b", "datatype": "BYTES", "shape": [2], "data": ["FALSE", "t"]}`,
			`{"name": "b", "datatype": "INT64", "shape": [2], "data": [0, 1]}`,
			`{"name": "b", "datatype": "FP64", "shape": [2], "data": [0, 1]}`,
		} {
			body := `{"inputs": [` + input + `, {"name": "n", "datatype": "FP64", "shape": [2], "data": [2, 2]}]}`
			r := ask(t, s, "POST", "/v2/models/"+name+"/infer", "application/json", []byte(body))
			var a answered
			r.into(t, &a)
			if p := a.numbers(t, "prediction"); math.Abs(p[0]-2) > 1e-6 || math.Abs(p[1]-5) > 1e-6 {
				t.Errorf("%s asked with %s: %v", name, input, p)
			}
		}
	}
	var meta struct {
		Inputs []struct{ Name, Datatype string }
	}
	r := ask(t, s, "GET", "/v2/models/truth", "", nil)
	if r.into(t, &meta); fmt.Sprint(meta.Inputs) != "[{b BOOL} {n FP64}]" {
		t.Errorf("inputs %v", meta.Inputs)
	}
}

func checkTruth(t *testing.T, what string, r asked) {
	t.Helper()
	var rows []map[string]any
	if err := json.Unmarshal(r.body, &rows); err != nil || len(rows) != 2 {
		t.Errorf("%s: %d %s", what, r.status, r.text())
		return
	}
	for i, want := range []float64{2, 5} {
		if got, _ := rows[i]["prediction"].(float64); math.Abs(got-want) > 1e-6 {
			t.Errorf("%s: row %d is %v, want %g", what, i, rows[i], want)
		}
	}
}
