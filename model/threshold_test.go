package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/learn/svm"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/container"
)

// thresholdCases are classifiers of two classes with probabilities of their own and of a sigmoid.
func thresholdCases(t *testing.T) []exportCase {
	t.Helper()
	d := exportTable(60, "two")
	e := must(data.FitEncoder(d, data.EncoderOptions{}))
	x := must(e.TransformLabelled(d))
	k := kernel.Gaussian{Lengthscale: 1.2}
	return []exportCase{
		{"logistic", must(New(must(logistic.Regression[kernel.Vec, int]{Kernel: k, Lambda: 0.1}.Fit(t.Context(), x.Dense,
			x.Codes())), Info{Encoder: e})), d},
		{"svm", must(New(must(svm.Classification[kernel.Vec, int]{Kernel: k, C: 2, Probability: true}.Fit(t.Context(),
			x.Dense, x.Codes())), Info{Encoder: e})), d},
	}
}

// What a model names, wherever it is asked, is what its probability and its threshold say: here, in
// the file that it is saved in, as ONNX and as JSON.
func TestThresholdDecides(t *testing.T) {
	for _, c := range thresholdCases(t) {
		proba := must(c.model.Predict(t.Context(), c.d, Want{Proba: true})).Proba
		var all []float64
		for i := range c.d.Len() {
			all = append(all, proba.At(i, 0), proba.At(i, 1))
		}
		for class, name := range c.model.Classes() {
			// One of the probabilities itself among them: a class is named from there on, not
			// after.
			for _, at := range []float64{0.03, 0.5, all[2*7+class], 0.97} {
				m := must(c.model.WithThreshold(&Threshold{Class: name, At: at, Costs: map[string]float64{"yes": 3},
					Why: "a test"}))
				want := make([]string, c.d.Len())
				for i := range want {
					if want[i] = c.model.Classes()[1-class]; all[2*i+class] >= at {
						want[i] = name
					}
				}
				p := must(m.Predict(t.Context(), c.d, Want{}))
				if !slices.Equal(p.Labels, want) || p.Proba != nil {
					t.Errorf("%s, %q from %g on: %q, want %q", c.name, name, at, p.Labels, want)
				}
				judged, _, err := m.Judged(t.Context(), c.d)
				if err != nil || !slices.Equal(judged.Class, p.Codes) {
					t.Errorf("%s: judged %v, predicted %v (%v)", c.name, judged.Class, p.Codes, err)
				}
				var file, graph, text bytes.Buffer
				if _, err := m.WriteTo(&file); err != nil {
					t.Fatal(err)
				}
				again := must(Decode(file.Bytes()))
				got := again.Info().Threshold
				if got == nil || got.Class != name || got.At != at || got.Why != "a test" ||
					!maps.Equal(got.Costs, map[string]float64{"yes": 3}) {
					t.Errorf("%s: %+v after a file", c.name, got)
				}
				if labels := must(again.Predict(t.Context(), c.d, Want{})).Labels; !slices.Equal(labels, want) {
					t.Errorf("%s: another answer after a file", c.name)
				}
				if err := m.WriteONNX(&graph, ONNXOptions{}); err != nil {
					t.Fatal(err)
				}
				said := evaluateONNX(t, graph.Bytes(), onnxInputs(c.d))["label"].str
				for i := range want {
					if near := all[2*i+class] - at; said[i] != want[i] && (near > 1e-9 || near < -1e-9) {
						t.Errorf("%s: ONNX names row %d %q, want %q", c.name, i, said[i], want[i])
					}
				}
				if err := m.WriteJSON(&text); err != nil {
					t.Fatal(err)
				}
				var plain struct {
					Decide    string
					Format    int
					Threshold Threshold
				}
				if err := json.Unmarshal(text.Bytes(), &plain); err != nil || plain.Decide != "threshold" ||
					plain.Threshold.At != at || plain.Format != 7 {
					t.Errorf("%s: JSON %+v (%v)", c.name, plain, err)
				}
				var unfit *UnfitError
				if err := m.WriteLIBSVM(&text, LIBSVMOptions{Encoded: true}); !errors.As(err, &unfit) ||
					!strings.Contains(err.Error(), "from a probability") {
					t.Errorf("%s: LIBSVM: %v", c.name, err)
				}
			}
		}
	}
}

// A mercer that knows no thresholds refuses a file with one, by its format, before it looks at
// anything else; one without a threshold is written as before.
func TestThresholdFormat(t *testing.T) {
	m := thresholdCases(t)[0].model
	format := func(m *Model) string { return must(m.container()).Metadata[keyFormat] }
	if got := format(m); got != "1" {
		t.Errorf("format %s without a threshold, want 1", got)
	}
	with := must(m.WithThreshold(&Threshold{Class: "yes", At: 0.2}))
	if got := format(with); got != "7" {
		t.Errorf("format %s with a threshold, want 7", got)
	}
	if got := format(must(with.WithThreshold(nil))); got != "1" {
		t.Errorf("format %s after the threshold was taken away, want 1", got)
	}
	if formatVersion < thresholdFormat {
		t.Errorf("this package reads up to %d", formatVersion)
	}
}

// Thresholds that mean nothing are refused, in a program and in a file.
func TestThresholdRefused(t *testing.T) {
	c := thresholdCases(t)[0]
	for _, bad := range []Threshold{
		{Class: "maybe", At: 0.2}, {Class: "yes", At: 0}, {Class: "yes", At: 1}, {Class: "yes", At: -3},
		{Class: "yes", At: 0.2, Costs: map[string]float64{"yes": -1}},
		{Class: "yes", At: 0.2, Costs: map[string]float64{"maybe": 1}},
	} {
		if _, err := c.model.WithThreshold(&bad); err == nil {
			t.Errorf("%+v is taken", bad)
		}
		box := must(must(c.model.WithThreshold(&Threshold{Class: "yes", At: 0.2})).container())
		box.Metadata[keyThreshold] = string(must(json.Marshal(bad)))
		var file bytes.Buffer
		if _, err := box.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		var corrupt *container.DamagedError
		if _, err := Decode(file.Bytes()); !errors.As(err, &corrupt) {
			t.Errorf("%+v in a file: %v", bad, err)
		}
	}
	x := newPoints(3, 20, 2)
	codes := make([]int, x.Len())
	for i := range codes {
		codes[i] = i % 3
	}
	three := must(New(must(logistic.Regression[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 1},
		Lambda: 1}.Fit(t.Context(), x, codes)), Info{}))
	if _, err := three.WithThreshold(&Threshold{Class: "1", At: 0.2}); err == nil ||
		!strings.Contains(err.Error(), "3 classes") {
		t.Errorf("three classes: %v", err)
	}
	for i := range codes {
		codes[i] = i % 2
	}
	plain := must(New(must(svm.Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 1},
		C: 1}.Fit(t.Context(), x, codes)), Info{}))
	if _, err := plain.WithThreshold(&Threshold{Class: "1", At: 0.2}); !errors.Is(err, ErrNoProbabilities) {
		t.Errorf("without probabilities: %v", err)
	}
}
