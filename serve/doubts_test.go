package serve_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
)

// What is doubtful about a row is said in the body that answers it.
func TestDoubtsAreInTheBody(t *testing.T) {
	shop := data.LevelColumn("b", strings.Split("x y x y x y x y x y", " "))
	s := serving(t, serve.Options{}, map[string]*model.Model{"m": truthModel(shop)}) // n is 0 to 6
	r := ask(t, s, "POST", "/predict/m", "application/json",
		[]byte(`[{"b": "x", "n": 2}, {"b": "new", "n": 2}, {"b": "x", "n": 900}, {"b": "x", "n": null}, {"b": "x", "n": 8}, {"b": null, "n": 2}]`))
	var rows []struct {
		Prediction any
		Remarks    []string
	}
	if err := json.Unmarshal(r.body, &rows); err != nil || len(rows) != 6 {
		t.Fatalf("%d %s", r.status, r.text())
	}
	for i, want := range []string{"", `b is "new", which the model never saw`,
		"n is 900, far outside of what the model was fitted on (0 to 6)", "n is missing, and there is no prediction", "",
		"b is missing, and there is no prediction"} {
		got := strings.Join(rows[i].Remarks, "; ")
		if want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("row %d: remarks %q, want %q", i, got, want)
		}
		if (rows[i].Prediction == nil) != strings.Contains(want, "no prediction") {
			t.Errorf("row %d: prediction %v", i, rows[i].Prediction)
		}
	}
	body := `{"inputs": [{"name": "b", "datatype": "BYTES", "shape": [3], "data": ["x", "new", "x"]}, {"name": "n", "datatype": "FP64", "shape": [3], "data": [2, 2, -900]}]}`
	r = ask(t, s, "POST", "/v2/models/m/infer", "application/json", []byte(body))
	var a struct{ Parameters map[string]any }
	if r.into(t, &a); a.Parameters["unseen_rows"] != 1.0 || a.Parameters["far_rows"] != 1.0 ||
		!strings.Contains(fmt.Sprint(a.Parameters["remarks"]), "row 2: b is") {
		t.Errorf("parameters %v", a.Parameters)
	}
	r = ask(t, s, "POST", "/v2/models/m/infer", "application/json",
		[]byte(strings.ReplaceAll(strings.ReplaceAll(body, "new", "x"), "-900", "1")))
	if strings.Contains(r.text(), "parameters") {
		t.Errorf("remarks about nothing: %s", r.text())
	}
	r = ask(t, s, "POST", "/predict/m", "text/csv", []byte("b,n\nnew,2\n"))
	if got := serve.RemarksOf(r.header); got.UnseenRows != 1 {
		t.Errorf("the header of a table says %+v", got)
	}
}

// Every format of an answer says what is doubtful about the same rows: JSON and tensors always, CSV
// in a column of its own where it is asked for, which is there then whatever the rows are.
func TestDoubtsInEveryFormat(t *testing.T) {
	shop := data.LevelColumn("b", strings.Split("x y x y x y x y x y", " "))
	s := serving(t, serve.Options{}, map[string]*model.Model{"m": truthModel(shop)})
	for _, c := range []struct{ path, kind, body string }{
		{"?remarks=1", "text/csv", "b,n\nx,2\nnew,2\nx,900\nx,\n"},
		{"?remarks=1&keep=1", "text/csv", "b,n,remarks\nx,2,a\nnew,2,b\nx,900,c\nx,,d\n"},
		{"?remarks=1", "text/tab-separated-values", "b\tn\nx\t2\nnew\t2\nx\t900\nx\t\n"},
		{"?remarks=1&format=csv&delimiter=;", "", "b;n\nx;2\nnew;2\nx;900\nx;\n"},
		{"", "application/jsonl", `{"b":"x","n":2}` + "\n" + `{"b":"new","n":2}` + "\n" + `{"b":"x","n":900}` + "\n" +
			`{"b":"x","n":null}` + "\n"},
		{"?remarks=1", "application/jsonl", `{"b":"x","n":2}` + "\n" + `{"b":"new","n":2}` + "\n" +
			`{"b":"x","n":900}` + "\n" + `{"b":"x","n":null}` + "\n"},
		{"", "application/json", `[{"b":"x","n":2},{"b":"new","n":2},{"b":"x","n":900},{"b":"x","n":null}]`},
	} {
		r := ask(t, s, "POST", "/predict/m"+c.path, c.kind, []byte(c.body))
		lines := strings.Split(strings.TrimSpace(r.text()), "\n")
		if len(lines) == 5 { // a header
			lines = lines[1:]
		}
		if r.status != 200 || len(lines) != 4 {
			t.Fatalf("%s %s: %d %s", c.kind, c.path, r.status, r.text())
		}
		for i, want := range []string{"", "which the model never saw", "far outside of what the model was fitted on",
			"n is missing, and there is no prediction"} {
			if got := strings.Count(lines[i], want); want != "" && got != 1 || want == "" && strings.Contains(lines[i], " is ") {
				t.Errorf("%s %s: row %d is %q, want %q", c.kind, c.path, i, lines[i], want)
			}
		}
	}
	plain := ask(t, s, "POST", "/predict/m?remarks=1", "text/csv", []byte("b,n\nx,2\n")).text()
	if head, _, _ := strings.Cut(plain, "\n"); head != "prediction,remarks" {
		t.Errorf("nothing to say: %q", plain)
	}
	if r := ask(t, s, "POST", "/predict/m", "text/csv", []byte("b,n\nnew,2\n")); strings.Contains(r.text(), "remarks") {
		t.Errorf("nobody asked: %q", r.text())
	}
}
