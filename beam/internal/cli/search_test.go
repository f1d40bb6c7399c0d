package cli

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/beam/internal/jobs"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

// TestSearchIsTunes: cells judged by workers, group by group, give the chosen cell, the predictions
// and the journal of tune's own search.
func TestSearchIsTunes(t *testing.T) {
	dir := t.TempDir()
	writeShards(t, dir, 1, 80)
	args := []string{"search", "part-0.csv", "--target", "kind", "--ignore", "y", "--missing", "mean", "--learner",
		"ridge", "--learner", "svm", "--grid", "C=1,10", "--grid", "lambda=0.01,1",
		"--grid", "lengthscale=1,2,4", "--folds", "3", "--seed", "7"}
	said, _ := must(t, dir, append(args, "--output", "m.mercer", "--journal", "cells.journal")...)

	s := jobs.Search{File: "part-0.csv", Target: "kind", Encoder: data.EncoderOptions{Missing: "mean",
		Text: "tfidf"}, Learners: []string{"ridge", "svm"}, Kernels: []string{"gaussian()"}, Folds: 3, Seed: 7}
	for _, g := range []string{"C=1,10", "lambda=0.01,1", "lengthscale=1,2,4"} {
		name, text, _ := strings.Cut(g, "=")
		values, err := axis(text)
		if err != nil {
			t.Fatal(err)
		}
		s.Axes = append(s.Axes, tune.Axis{Name: name, Values: values})
	}
	in := load.Options{Ignore: []string{"y"}}
	ready, err := s.Prepare(context.Background(), filepath.Join(dir, "part-0.csv"), in)
	if err != nil {
		t.Fatal(err)
	}
	want, err := ready.Search.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said, "▸ "+want.Chosen.String()) {
		t.Errorf("chosen is %v, said is\n%s", want.Chosen, said)
	}
	m, err := model.Load(filepath.Join(dir, "m.mercer"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Predict(context.Background(), ready.Rows, model.Want{})
	if err != nil {
		t.Fatal(err)
	}
	expected, err := want.Model.PredictAll(context.Background(), ready.Search.Problem.Points)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range expected.Class {
		if got.Codes[i] != c {
			t.Fatalf("row %d: class %d, want %d", i, got.Codes[i], c)
		}
	}
	ready.Search.Journal = filepath.Join(dir, "cells.journal")
	again, err := ready.Search.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if again.Resumed != len(want.Cells) || len(want.Cells) != 12 {
		t.Errorf("the journal knows %d of %d cells", again.Resumed, len(want.Cells))
	}
	for i, c := range want.Cells {
		if d := again.Cells[i]; d.Mean != c.Mean || d.String() != c.String() {
			t.Errorf("cell %v %g, want %v %g", d, d.Mean, c, c.Mean)
		}
	}

	for _, c := range []struct{ extra, want string }{{"--learner=svn", "svn"}, {"--grid=gamma=1", "gamma"},
		{"--metric=truth", "accuracy"}, {"--folds=1", "--folds"}, {"--grid=C=a", "--grid"}} {
		_, said, status := program(t, dir, append(args, "--output", "n.mercer", c.extra)...)
		if status != 2 || !strings.Contains(said, c.want) {
			t.Errorf("%s: status %d, %s", c.extra, status, said)
		}
	}
}
