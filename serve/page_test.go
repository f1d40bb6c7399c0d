package serve_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/neighbours"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
)

// The page lists the models with what they want, and nothing that a model says becomes markup.
func TestPage(t *testing.T) {
	sparse, _ := sparseModel()
	s := serving(t, serve.Options{Version: "1.0"}, map[string]*model.Model{"iris": irisModel(), "orders": ordersModel(),
		"sparse": sparse})
	r := ask(t, s, "GET", "/", "", nil)
	text := r.text()
	for _, want := range []string{
		`<h2 id="iris">`, "sepal_length", "4.3 to 7.9", "east &#34;1&#34;", "2023-11-07", `<option>north</option>`,
		"100 features, as a LIBSVM file has them",
		"0.97 &lt;b&gt;on&lt;/b&gt; 30 rows", "svc, gaussian(lengthscale=2)", "KKT",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if r.status != 200 || !strings.Contains(r.header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("%d %v", r.status, r.header)
	}
	if empty := ask(t, serve.New(serve.Options{}), "GET", "/", "", nil).text(); !strings.Contains(empty, "no models yet") {
		t.Error(empty)
	}
}

// Fields have the ranges and categories that the model was fitted on, and no path of the machine
// that it was fitted on is told.
func TestPageFields(t *testing.T) {
	d := iris()
	e := must(data.FitEncoder(d, data.EncoderOptions{}))
	x := must(e.TransformLabelled(d))
	fitted := must(neighbours.Centroid[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 2}}.Fit(t.Context(), x.Dense,
		x.Codes()))
	m := must(model.New(fitted, model.Info{Encoder: e, DataName: "/home/ann/secret/iris.csv", Rows: 150,
		Notes: map[string]string{"search": "by /home/ann/secret/journal.log", "share": "0.5 of 3/4"}}))
	s := serving(t, serve.Options{}, map[string]*model.Model{"iris": m, "orders": ordersModel()})
	text := ask(t, s, "GET", "/", "", nil).text()
	for _, want := range []string{`data-low="4.3" data-high="7.9"`, `<select id="field-1-`, `data-language="python"`,
		`data-language="go"`, "iris.csv, ", "by journal.log", "0.5 of 3/4", `<label for="field-0-0">sepal_length</label>`} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if strings.Contains(text, "secret") || strings.Contains(text, "/home") {
		t.Error("the page tells a path")
	}
}

// Every reference of the description leads somewhere, and every path of it is answered.
func TestOpenAPI(t *testing.T) {
	s := serving(t, serve.Options{}, map[string]*model.Model{"iris": irisModel(), "orders": ordersModel()})
	var doc struct {
		OpenAPI    string
		Paths      map[string]map[string]json.RawMessage
		Components struct{ Schemas map[string]json.RawMessage }
	}
	r := ask(t, s, "GET", "/openapi.json", "", nil)
	r.into(t, &doc)
	if doc.OpenAPI != "3.0.3" || doc.Paths["/predict/orders"] == nil {
		t.Errorf("%v", doc.Paths)
	}
	for _, part := range strings.Split(r.text(), `"$ref":"#/components/schemas/`)[1:] {
		name, _, _ := strings.Cut(part, `"`)
		if doc.Components.Schemas[name] == nil {
			t.Errorf("a reference to %s, which is not there", name)
		}
	}
	for path, verbs := range doc.Paths {
		for verb := range verbs {
			if verb == "parameters" {
				continue
			}
			at := strings.NewReplacer("{name}", "iris", "{version}", "1").Replace(path)
			if got := ask(t, s, strings.ToUpper(verb), at, "", nil); got.status == 404 || got.status == 405 {
				t.Errorf("%s %s: %d %s", verb, at, got.status, got.text())
			}
		}
	}
}
