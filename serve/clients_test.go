package serve_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
)

// wireTensor is a tensor as the script reads it; floating point as hexadecimal text, which loses
// nothing.
type wireTensor struct {
	Name     string   `json:"name"`
	Datatype string   `json:"datatype"`
	Shape    []int    `json:"shape"`
	Data     []string `json:"data"`
}

type wireCase struct {
	Inputs  []wireTensor `json:"inputs"`
	Outputs []wireTensor `json:"outputs"`
}

func hexes(v []float64) []string {
	out := make([]string, len(v))
	for i, x := range v {
		out[i] = strconv.FormatFloat(x, 'x', -1, 64)
	}
	return out
}

// NVIDIA's tritonclient (http and grpc) and KServe's client (rest and grpc) get the bits of mercer
// predict, in every form that they can ask in.
func TestRealClients(t *testing.T) {
	python := os.Getenv("MERCER_CLIENTS_PYTHON")
	if python == "" {
		python, _ = filepath.Abs("../.ci/venv-clients/bin/python")
	}
	if _, err := os.Stat(python); err != nil {
		t.Skipf("NOT TESTED: tritonclient and KServe's client are not installed (.ci/clients does it): %v", err)
	}
	cases := map[string]wireCase{}
	iris, d := irisModel(), iris()
	p := must(iris.Predict(t.Context(), d, model.Want{Proba: true, Scores: true}))
	n := d.Len()
	var rows []float64
	for i := range n {
		for _, c := range d.Features() {
			rows = append(rows, c.Numbers[i])
		}
	}
	codes := make([]float64, n)
	for i, c := range p.Codes {
		codes[i] = float64(c)
	}
	cases["iris"] = wireCase{[]wireTensor{{"x", "FP64", []int{n, 4}, hexes(rows)}}, []wireTensor{
		{"prediction", "BYTES", []int{n}, p.Labels}, {"class", "INT64", []int{n}, hexes(codes)},
		{"probabilities", "FP64", []int{n, 3}, hexes(p.Proba.RawMatrix().Data)},
		{"decision", "FP64", []int{n, 3}, hexes(p.Scores.RawMatrix().Data)},
	}}
	waiting := waitingModel()
	x := []float64{float64(float32(1.8)), float64(float32(3.1)), 4.5}
	u := must(waiting.Predict(t.Context(), &data.Dataset{Columns: []data.Column{data.NumberColumn("eruptions", x)}},
		model.Want{Scores: true, Std: true, Interval: 0.9}))
	var quantiles, squares []float64
	for i := range x {
		quantiles = append(quantiles, u.Low[i], u.Values[i], u.High[i])
		squares = append(squares, u.ObservationStd[i]*u.ObservationStd[i])
	}
	cases["waiting"] = wireCase{[]wireTensor{{"eruptions", "FP32", []int{3}, hexes(x)}}, []wireTensor{
		{"prediction", "FP64", []int{3}, hexes(u.Values)},
		{"decision", "FP64", []int{3, 1}, hexes(u.Scores.RawMatrix().Data)}, {"std_mean", "FP64", []int{3}, hexes(u.Std)},
		{"std_observation", "FP64", []int{3}, hexes(u.ObservationStd)}, {"variance", "FP64", []int{3}, hexes(squares)},
		{"quantiles", "FP64", []int{3, 3}, hexes(quantiles)},
	}}
	ordersM, o := ordersModel(), orders(24)
	v := must(ordersM.Predict(t.Context(), o, model.Want{Scores: true}))
	var inputs []wireTensor
	for _, c := range o.Features() {
		in := wireTensor{c.Name, "BYTES", []int{o.Len()}, make([]string, o.Len())}
		for i := range in.Data {
			if in.Data[i] = c.String(i); c.Kind == data.Time {
				in.Data[i] = in.Data[i][8:10] + "/" + in.Data[i][5:7] + "/" + in.Data[i][:4]
			}
		}
		if c.Kind == data.Numeric {
			in.Datatype, in.Data = "FP64", hexes(c.Numbers)
		}
		inputs = append(inputs, in)
	}
	cases["orders"] = wireCase{inputs, []wireTensor{{"prediction", "FP64", []int{24}, hexes(v.Values)},
		{"decision", "FP64", []int{24, 1}, hexes(v.Scores.RawMatrix().Data)}}}

	s := serving(t, serve.Options{}, map[string]*model.Model{"iris": iris, "waiting": waiting, "orders": ordersM})
	server := httptest.NewUnstartedServer(s)
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	defer server.Close()
	file := filepath.Join(t.TempDir(), "expected.json")
	write(t, file, must(json.Marshal(cases)))
	var out []byte
	for _, who := range []string{"triton", "kserve"} {
		said, err := exec.Command(python, "testdata/clients.py", who, strings.TrimPrefix(server.URL, "http://"),
			file).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", who, err, said)
		}
		out = append(out, said...)
	}
	for _, who := range []string{"tritonclient.http binary orders", "tritonclient.grpc binary waiting",
		"tritonclient.http row by row iris", "tritonclient.grpc row by row iris", "kserve rest iris",
		"kserve grpc raw orders", "proto"} {
		if !strings.Contains("\n"+string(out), "\n"+who+"\n") {
			t.Errorf("%s did not take place:\n%s", who, out)
		}
	}
}
