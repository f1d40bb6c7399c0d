package serve_test

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
	"gonum.org/v1/gonum/mat"
)

// A model of several targets has an output of each kind for each of them, with the bits of
// model.Predict, alone and in a batch with others.
func TestInferSeveralTargets(t *testing.T) {
	x, y := make([]float64, 20), mat.NewDense(20, 2, nil)
	for i := range x {
		x[i] = float64(i) / 4
		y.SetRow(i, []float64{math.Sin(x[i]), 100 * math.Cos(x[i])})
	}
	d := &data.Dataset{Name: "waves", Columns: []data.Column{data.NumberColumn("x", x),
		data.NumberColumn("sine", mat.Col(nil, 0, y)), data.NumberColumn("cosine", mat.Col(nil, 1, y))}}
	if err := d.SetTargets("sine", "cosine"); err != nil {
		t.Fatal(err)
	}
	e := must(data.FitEncoder(d, data.EncoderOptions{}))
	fitted := must(gp.Regression[kernel.Vec]{Kernel: kernel.Gaussian{}, Noise: 0.01, FixedNoise: true,
		HyperOptions: gp.HyperOptions{FixedKernel: true}}.FitMulti(t.Context(), must(e.Transform(d)).Dense, y))
	m := must(model.New(fitted, model.Info{Encoder: e}))
	s := serving(t, serve.Options{}, map[string]*model.Model{"waves": m})
	rows := &data.Dataset{Columns: []data.Column{data.NumberColumn("x", []float64{0.3, 2.2})}}
	want := must(m.Predict(t.Context(), rows, model.Want{Std: true, Interval: 0.9, Scores: true}))
	got := answered{}
	ask(t, s, "POST", "/v2/models/waves/infer", "",
		[]byte(`{"parameters":{"quantiles":"0.05,0.95"},"inputs":[{"name":"x","shape":[2],"datatype":"FP64","data":[0.3,2.2]}]}`)).into(t,
		&got)
	for i, name := range []string{"sine", "cosine"} {
		one := want.Target(i)
		same(t, name, got.numbers(t, "prediction("+name+")"), one.Values)
		same(t, "deviation of "+name, got.numbers(t, "std_observation("+name+")"), one.ObservationStd)
		same(t, "quantiles of "+name, got.numbers(t, "quantiles("+name+")"),
			[]float64{one.Low[0], one.High[0], one.Low[1], one.High[1]})
	}
	same(t, "decision", got.numbers(t, "decision"), want.Scores.RawMatrix().Data)
	r := ask(t, s, "POST", "/v2/models/waves/infer", "",
		[]byte(`{"outputs":[{"name":"prediction"}],"inputs":[{"name":"x","shape":[1],"datatype":"FP64","data":[1]}]}`))
	if r.status != 400 {
		t.Errorf("an output that is of no target: %d %s", r.status, r.text())
	}
}
