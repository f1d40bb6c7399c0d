package serve_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
)

// The page lists the models with what they want, and nothing that a model says becomes markup.
func TestPage(t *testing.T) {
	sparse, _ := sparseModel()
	s := serving(t, serve.Options{Version: "1.0"}, map[string]*model.Model{"iris": irisModel(), "orders": ordersModel(), "sparse": sparse})
	r := ask(t, s, "GET", "/", "", nil)
	text := r.text()
	for _, want := range []string{
		`<h2 id="iris">`, "sepal_length", "4.3 to 7.9", "east &#34;1&#34;", "2023-11-07", `<option>north</option>`, "100 features, as a LIBSVM file has them",
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
