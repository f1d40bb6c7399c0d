package serve_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
	"gonum.org/v1/gonum/mat"
)

// A joint model of several targets has their covariance as an output, where it is named, with the
// bits of model.Predict before and after a file.
func TestInferJointTargets(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	x, y := make([]float64, 24), mat.NewDense(24, 2, nil)
	for i := range x {
		x[i] = float64(i) / 4
		y.SetRow(i, []float64{math.Sin(x[i]) + 0.05*rng.NormFloat64(), 100*math.Sin(x[i]) + 30*rng.NormFloat64()})
	}
	d := &data.Dataset{Name: "waves", Columns: []data.Column{data.NumberColumn("x", x),
		data.NumberColumn("clean", mat.Col(nil, 0, y)), data.NumberColumn("noisy", mat.Col(nil, 1, y))}}
	if err := d.SetTargets("clean", "noisy"); err != nil {
		t.Fatal(err)
	}
	e := must(data.FitEncoder(d, data.EncoderOptions{}))
	fitted := must(gp.Joint{Kernel: kernel.OnVectors(kernel.Gaussian{Lengthscale: 1})}.Fit(t.Context(),
		data.EraseVectors(must(e.Transform(d)).Dense), y))
	m := must(model.New(fitted, model.Info{Encoder: e}))
	var raw bytes.Buffer
	must(m.WriteTo(&raw))
	again := must(model.Decode(raw.Bytes()))
	rows := &data.Dataset{Columns: []data.Column{data.NumberColumn("x", []float64{0.3, 2.2})}}
	want, back := must(m.Predict(t.Context(), rows, model.Want{Std: true})),
		must(again.Predict(t.Context(), rows, model.Want{Std: true}))
	var flat []float64
	for i, c := range want.Outputs {
		for a := range 2 {
			for b := range 2 {
				flat = append(flat, c.At(a, b))
				if c.At(a, b) != back.Outputs[i].At(a, b) {
					t.Errorf("row %d: covariance %g, after a file %g", i, c.At(a, b), back.Outputs[i].At(a, b))
				}
			}
		}
	}
	if len(flat) != 8 || flat[1] == 0 || want.More[0].Std[0] != math.Sqrt(flat[3]) {
		t.Fatalf("covariances %v, deviations %v", flat, want.More[0].Std)
	}
	s := serving(t, serve.Options{}, map[string]*model.Model{"waves": again})
	got := answered{}
	ask(t, s, "POST", "/v2/models/waves/infer", "",
		[]byte(`{"outputs":[{"name":"covariance"},{"name":"std_mean(noisy)"}],"inputs":[{"name":"x","shape":[2],"datatype":"FP64","data":[0.3,2.2]}]}`)).into(t,
		&got)
	same(t, "covariance", got.numbers(t, "covariance"), flat)
	same(t, "deviation", got.numbers(t, "std_mean(noisy)"), want.More[0].Std)
}
