package model

import (
	"bytes"
	"context"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/svm"
)

// A model of pairs of words is written in a format that an older mercer refuses, and says the same
// after it was read again.
func TestTermsFormat(t *testing.T) {
	texts := []string{"man bites dog", "dog bites man", "a man bites a dog", "a dog bites a man"}
	d := &data.Dataset{Columns: []data.Column{data.TextColumn("t", texts),
		data.LevelColumn("y", []string{"odd", "usual", "odd", "usual"})}, Target: "y"}
	for policy, want := range map[data.TextPolicy]string{"tfidf": "1", "pairs": "8", "letters": "8"} {
		e := must(data.FitEncoder(d, data.EncoderOptions{Text: policy}))
		x := must(e.TransformLabelled(d))
		codes := make([]int, len(x.Target))
		for i, y := range x.Target {
			codes[i] = int(y)
		}
		on := must(kernel.OnSparse(kernel.Linear{}, e.Dim))
		fitted := must(svm.Classification[data.SparseVec, int]{Kernel: on, C: 10}.Fit(context.Background(), *x.Sparse, codes))
		m := must(New(fitted, Info{Encoder: e, Classes: e.Target.Classes}))
		if got := must(m.container()).Metadata[keyFormat]; got != want {
			t.Errorf("%s: format %s, want %s", policy, got, want)
		}
		var file bytes.Buffer
		must(m.WriteTo(&file))
		again := must(Decode(file.Bytes()))
		a, b := must(m.Predict(context.Background(), d, Want{})), must(again.Predict(context.Background(), d, Want{}))
		for i := range texts {
			if a.Labels[i] != b.Labels[i] || policy == "pairs" && a.Labels[i] != d.Columns[1].String(i) {
				t.Errorf("%s: row %d is %s, read again %s, want %s", policy, i, a.Labels[i], b.Labels[i], d.Columns[1].String(i))
			}
		}
	}
}
