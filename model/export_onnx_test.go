package model

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/svm"
)

// onnxInputs is what a graph is fed of a data set.
func onnxInputs(d *data.Dataset) map[string]nd {
	in := map[string]nd{}
	var numbers [][]float64
	for _, c := range d.Columns {
		switch {
		case c.Name == d.Target:
		case c.Kind == data.Numeric:
			numbers = append(numbers, c.Numbers)
		default:
			x := nd{dims: []int{d.Len(), 1}}
			for i := range d.Len() {
				text := c.String(i)
				if c.IsMissing(i) {
					text = ""
				}
				x.str = append(x.str, text)
			}
			in[c.Name] = x
		}
	}
	x := nd{dims: []int{d.Len(), len(numbers)}}
	for i := range d.Len() {
		for _, column := range numbers {
			x.num = append(x.num, column[i])
		}
	}
	in["features"] = x
	return in
}

// TestONNXGraphsSayTheSame runs the graphs by the operators' definitions: numbers, classes and
// probabilities are those of the model, for every encoder.
func TestONNXGraphsSayTheSame(t *testing.T) {
	for _, c := range append(exportCases(t, true), missingCases(t)...) {
		var file bytes.Buffer
		if err := c.model.WriteONNX(&file, ONNXOptions{}); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		compareONNX(t, c, evaluateONNX(t, file.Bytes(), onnxInputs(c.d)))
	}
}

func compareONNX(t *testing.T, c exportCase, there map[string]nd) {
	t.Helper()
	how, _ := c.model.body.record().rule("")
	here := must(c.model.Predict(t.Context(), c.d, Want{Scores: true, Proba: how.proba != ""}))
	if here.Values != nil {
		sameValues(t, c.name, there["prediction"].num, here.Values, 1e-9)
		return
	}
	if !slices.Equal(there["label"].str, here.Labels) {
		t.Errorf("%s: labels %v there, %v here", c.name, there["label"].str, here.Labels)
	}
	sameValues(t, c.name+" scores", there["scores"].num, here.Scores.RawMatrix().Data, 1e-9)
	if here.Proba != nil {
		sameValues(t, c.name+" probabilities", there["probabilities"].num, here.Proba.RawMatrix().Data, 1e-6)
	}
}

// TestONNXLabelOfNothing: a row with a hole that Predict would refuse has no label there.
func TestONNXLabelOfNothing(t *testing.T) {
	for _, c := range exportCases(t, true) {
		if c.model.Classes() == nil {
			continue
		}
		var file bytes.Buffer
		must(0, c.model.WriteONNX(&file, ONNXOptions{}))
		in := onnxInputs(c.d)
		in["features"].num[0] = math.NaN()
		if said := evaluateONNX(t, file.Bytes(), in)["label"].str; said[0] != "" || said[1] == "" {
			t.Errorf("%s: labels %q and %q, want none for the first row alone", c.name, said[0], said[1])
		}
	}
}

// TestONNXColumnsNamedAsOutputs: a column may be called label, or features, or as a node of the
// graph.
func TestONNXColumnsNamedAsOutputs(t *testing.T) {
	for _, name := range []string{"label", "features", "scores", "constant_3", "MatMul_20"} {
		d := exportTable(60, "two")
		d.Columns[2].Name = name
		e := must(data.FitEncoder(d, data.EncoderOptions{}))
		x := must(e.TransformLabelled(d))
		m := must(New(must(svm.Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{}}.Fit(t.Context(), x.Dense,
			x.Codes())), Info{Encoder: e}))
		var file bytes.Buffer
		must(0, m.WriteONNX(&file, ONNXOptions{}))
		in := onnxInputs(d)
		for _, taken := range []string{"label", "features", "scores"} {
			if name == taken {
				in[name+"_"] = in[name]
				if name != "features" {
					delete(in, name)
				}
			}
		}
		if name == "features" { // both are called so; onnxInputs has the numbers last
			other := exportTable(60, "two")
			in["features_"] = onnxInputs(other)["c"]
		}
		compareONNX(t, exportCase{name, m, d}, evaluateONNX(t, file.Bytes(), in))
	}
}
