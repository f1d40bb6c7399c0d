package model_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/internal/mixing"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
)

// names is a table of a column of text and its class.
func names(texts ...string) *data.Dataset {
	y := make([]string, len(texts))
	for i, s := range texts {
		y[i] = "no"
		if strings.Contains(s, "ov") {
			y[i] = "yes"
		}
	}
	return &data.Dataset{Name: "names", Columns: []data.Column{data.TextColumn("name", texts),
		{Name: "y", Kind: data.Categorical, Levels: []string{"no", "yes"}, Codes: codesOf(y)}}, Target: "y"}
}

func codesOf(y []string) []int32 {
	out := make([]int32, len(y))
	for i, s := range y {
		if s == "yes" {
			out[i] = 1
		}
	}
	return out
}

// A machine that keeps weights of features is written with their names and not with its training
// points, and what is read back has the same bits.
func TestWeightsOfFeaturesInAFile(t *testing.T) {
	ctx := context.Background()
	d := names("ivanov", "petrov", "smith", "jones", "smirnov", "miller", "popov", "taylor")
	e, err := data.FitEncoder(d, data.EncoderOptions{Text: "keep"})
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.TransformLabelled(d)
	if err != nil {
		t.Fatal(err)
	}
	schema := mixing.SchemaOf(e)
	rows, err := schema.Rows(x)
	if err != nil {
		t.Fatal(err)
	}
	k, err := spec.ParseRows(schema, "normalize(blended(k=3)) on name")
	if err != nil {
		t.Fatal(err)
	}
	l, err := all.ByName("linear-svm")
	if err != nil {
		t.Fatal(err)
	}
	p := learn.Problem[any]{Points: mixing.EraseRows(rows), Task: data.Binary, Y: x.Target, Classes: []string{"no", "yes"}}
	fitted, err := l.Fit(ctx, learn.Settings{Kernel: mixing.Erase(k), Params: map[string]float64{"C": 1}}, p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New(fitted.(learn.Saver[any]), model.Info{Encoder: e})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(file.Bytes(), []byte("features.names")) || bytes.Contains(file.Bytes(), []byte("petrov")) {
		t.Error("the file has no names of features, or it has training points")
	}
	again, err := model.Decode(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if again.Kernel() != "normalize(blended(k=3)) on name" || again.Centers() != 1 {
		t.Errorf("read back: %s, %d centres", again.Kernel(), again.Centers())
	}
	others := names("kuznetsov", "clark", "orlov", "q", "ξένος")
	want, err := m.Predict(ctx, others, model.Want{Scores: true})
	if err != nil {
		t.Fatal(err)
	}
	got, err := again.Predict(ctx, others, model.Want{Scores: true})
	if err != nil {
		t.Fatal(err)
	}
	direct, err := fitted.(learn.Classifier[any, int]).Decision(ctx, p.Points)
	if err != nil {
		t.Fatal(err)
	}
	own, err := again.Predict(ctx, d, model.Want{Scores: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range others.Len() {
		if math.Float64bits(got.Scores.At(i, 0)) != math.Float64bits(want.Scores.At(i, 0)) {
			t.Errorf("row %d: %g read back, %g before", i, got.Scores.At(i, 0), want.Scores.At(i, 0))
		}
	}
	for i := range d.Len() {
		if own.Scores.At(i, 0) != direct.At(i, 0) {
			t.Errorf("row %d: %g in the file, %g as fitted", i, own.Scores.At(i, 0), direct.At(i, 0))
		}
	}
	// It has no row of its own to compare with; with some that are given, its one column has all.
	if _, err := again.Predict(ctx, d, model.Want{Contributions: true}); again.HasContributions() ||
		!errors.Is(err, model.ErrNoContributions) {
		t.Errorf("contributions of weights of features: %v", err)
	}
	of, err := again.Encode(d)
	if err != nil {
		t.Fatal(err)
	}
	c, err := again.Contributions(ctx, of, model.ContributionOptions{Background: of})
	if err != nil {
		t.Fatal(err)
	}
	if off := c.Base[c.Told[0]] + c.Share[c.Told[0]].At(0, 0) - c.Value.At(0, c.Told[0]); math.Abs(off) > 1e-12 {
		t.Errorf("contributions are off the prediction by %g", off)
	}
	if got.Labels[0] != "yes" || got.Labels[1] != "no" || got.Labels[2] != "yes" {
		t.Errorf("predicted %v", got.Labels)
	}
}
