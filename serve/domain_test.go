package serve_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/learn/neighbours"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/sparse"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
)

// A row where the kernel is not defined is a fault of the request, said with its row, and not of
// the server, whatever the learner.
func TestRowOutsideTheDomainOfTheKernel(t *testing.T) {
	x, y := []float64{0.1, 0.3, 0.5, 0.7, 0.9}, []float64{1, 2, 1, 3, 2}
	d := &data.Dataset{Name: "t", Target: "y", Columns: []data.Column{data.NumberColumn("x", x),
		data.NumberColumn("y", y)}}
	e := must(data.FitEncoder(d, data.EncoderOptions{Scaling: "none"}))
	rows, codes := must(e.TransformLabelled(d)).Dense, []int{0, 1, 0, 1, 1}
	k := kernel.Sobolev{Order: 1}
	ctx, info := t.Context(), model.Info{Encoder: e}
	ofClasses := &data.Dataset{Name: "t", Target: "y", Columns: []data.Column{data.NumberColumn("x", x),
		data.LevelColumn("y", []string{"a", "b", "a", "b", "b"})}}
	classes := model.Info{Encoder: must(data.FitEncoder(ofClasses, data.EncoderOptions{Scaling: "none"}))}
	s := serving(t, serve.Options{}, map[string]*model.Model{
		"ridge": must(model.New(must(ridge.Regression[kernel.Vec]{Kernel: k, Lambda: 0.1}.Fit(ctx, rows, y)), info)),
		"gp": must(model.New(must(gp.Regression[kernel.Vec]{Kernel: k, Noise: 0.1,
			HyperOptions: gp.HyperOptions{FixedKernel: true}}.Fit(ctx, rows, y)), info)),
		"rvm": must(model.New(must(sparse.RVM[kernel.Vec]{Kernel: k}.Fit(ctx, rows, y)), info)),
		"knn": must(model.New(must(neighbours.Regression[kernel.Vec]{Kernel: k,
			Options: neighbours.Options{K: 2}}.Fit(ctx, rows, y)), info)),
		"svm": must(model.New(must(svm.Classification[kernel.Vec, int]{Kernel: k}.Fit(ctx, rows, codes)), classes)),
		"logistic": must(model.New(must(logistic.Regression[kernel.Vec, int]{Kernel: k, Lambda: 0.1}.Fit(ctx, rows, codes)),
			classes)),
	})
	for _, name := range []string{"ridge", "gp", "rvm", "knn", "svm", "logistic"} {
		for path, body := range map[string]string{
			"/predict/" + name:              `{"x": 1.5}`,
			"/v2/models/" + name + "/infer": `{"inputs":[{"name":"x","shape":[1],"datatype":"FP64","data":[1.5]}]}`,
		} {
			if r := ask(t, s, "POST", path, "application/json", []byte(body)); r.status != http.StatusBadRequest ||
				!strings.Contains(r.text(), "1.5") {
				t.Errorf("%s: %d %s", path, r.status, r.text())
			}
		}
	}
}
