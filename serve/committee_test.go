package serve_test

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
)

// grownModels are a committee and a process, both of a target that was fitted as its logarithm, and
// a committee on classes.
func grownModels() map[string]*model.Model {
	ctx := context.Background()
	x, y := make([]float64, 30), make([]float64, 30)
	for i := range x {
		x[i] = float64(i) / 8
		y[i] = math.Exp(x[i] + 0.2*math.Sin(7*x[i]))
	}
	d := &data.Dataset{Name: "grown", Target: "price", Columns: []data.Column{data.NumberColumn("x", x),
		data.NumberColumn("price", y)}}
	e := must(data.FitEncoder(d, data.EncoderOptions{}))
	logs := must(data.FitTargetMap("log", y))
	points, z := must(e.Transform(d)).Dense, logs.ApplyAll(y)
	residuals := []float64{0.01, 0.02, 0.05, 0.1, 0.12, 0.2, 0.25, 0.3, 0.4}
	member := func(k kernel.Kernel[kernel.Vec], w float64) model.CommitteeMember {
		return model.CommitteeMember{Model: must(model.New(must(ridge.Regression[kernel.Vec]{Kernel: k, Lambda: 0.1,
			Intercept: true}.Fit(ctx, points, z)), model.Info{Encoder: e})), Weight: w}
	}
	flowers := iris()
	fe := must(data.FitEncoder(flowers, data.EncoderOptions{}))
	fx := must(fe.TransformLabelled(flowers))
	classes := func(l, w float64) model.CommitteeMember {
		g := must(gp.Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: l},
			HyperOptions: gp.HyperOptions{FixedKernel: true}}.Fit(ctx, fx.Dense, fx.Codes()))
		return model.CommitteeMember{Model: must(model.New(g, model.Info{Encoder: fe})), Weight: w}
	}
	return map[string]*model.Model{
		"together": must(model.NewCommittee(model.Committee{Members: []model.CommitteeMember{member(kernel.Gaussian{}, 0.7),
			member(kernel.Linear{}, 0.3)}}, model.Info{Encoder: e, Residuals: residuals, TargetMap: logs})),
		"process": must(model.New(must(gp.Regression[kernel.Vec]{Kernel: kernel.Gaussian{}, Noise: 0.01, FixedNoise: true,
			HyperOptions: gp.HyperOptions{FixedKernel: true}}.Fit(ctx, points, z)),
			model.Info{Encoder: e, Residuals: residuals, TargetMap: logs})),
		"flowers": must(model.NewCommittee(model.Committee{Members: []model.CommitteeMember{classes(1, 0.5),
			classes(3, 0.5)}}, model.Info{Encoder: fe})),
	}
}

// A committee, and a model of a mapped target, are served with the bits of model.Predict: values,
// quantiles, probabilities. There are no standard deviations of what was mapped.
func TestInferCommitteesAndMappedTargets(t *testing.T) {
	models := grownModels()
	s := serving(t, serve.Options{}, models)
	rows := &data.Dataset{Columns: []data.Column{data.NumberColumn("x", []float64{0.3, 2.2})}}
	for _, name := range []string{"together", "process"} {
		want := must(models[name].Predict(t.Context(), rows, model.Want{Interval: 0.8}))
		got := answered{}
		ask(t, s, "POST", "/v2/models/"+name+"/infer", "",
			[]byte(`{"parameters":{"quantiles":"0.1,0.9"},"inputs":[{"name":"x","shape":[2],"datatype":"FP64","data":[0.3,2.2]}]}`)).into(t,
			&got)
		same(t, name, got.numbers(t, "prediction"), want.Values)
		same(t, "quantiles of "+name, got.numbers(t, "quantiles"),
			[]float64{want.Low[0], want.High[0], want.Low[1], want.High[1]})
		if !(want.Low[0] > 0 && want.Low[0] < want.Values[0] && want.Values[0] < want.High[0]) {
			t.Errorf("%s: %g in %g to %g", name, want.Values[0], want.Low[0], want.High[0])
		}
		if about := ask(t, s, "GET", "/v2/models/"+name, "", nil).text(); strings.Contains(about, "std") {
			t.Errorf("%s offers deviations: %s", name, about)
		}
		if r := ask(t, s, "POST", "/v2/models/"+name+"/infer", "",
			[]byte(`{"outputs":[{"name":"std"}],"inputs":[{"name":"x","shape":[1],"datatype":"FP64","data":[1]}]}`)); r.status != 400 {
			t.Errorf("%s: deviations: %d %s", name, r.status, r.text())
		}
	}
	flower := &data.Dataset{Columns: iris().Gather([]int{3, 70, 140}).Columns[:4]}
	want := csvOf(predictFile(t, models["flowers"], csvOf(flower), "csv", model.Want{Proba: true}, false))
	if r := ask(t, s, "POST", "/predict/flowers?proba=1", "text/csv", csvOf(flower)); r.status != 200 ||
		!bytes.Equal(r.body, want) {
		t.Errorf("flowers: %d\n%s\nwant\n%s", r.status, r.text(), want)
	}
}
