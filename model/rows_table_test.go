package model_test

import (
	"bytes"
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/internal/mixing"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
)

// Every learner that fits a kernel on a column of strings makes a model that can be written, whose
// file says of each row what the model says: processes put a factor in front of a kernel that had
// forgotten its points, and were fitted in vain.
func TestEveryLearnerOnStringsCanBeWritten(t *testing.T) {
	written := map[string]bool{}
	for _, task := range []data.Task{data.Binary, data.Regression} {
		d := names("ivanov", "petrov", "smith", "jones", "smirnov", "miller", "popov", "taylor", "kovac", "brown")
		if task == data.Regression {
			d.Columns[1] = data.NumberColumn("y", []float64{1, 1.5, 0, 0.5, 0, 0, 1.2, 0.1, 1, 0.3})
		}
		e, err := data.FitEncoder(d, data.EncoderOptions{Text: "keep"})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range all.Names() {
			if l, err := all.ByName(name); err == nil && l.Does(task) {
				written[name] = writtenAndRead(t, l, task, d, e) || written[name]
			}
		}
	}
	for _, name := range []string{"svm", "linear-svm", "ridge", "gp", "sgpr", "logistic", "nystrom", "knn"} {
		if !written[name] {
			t.Errorf("%s made no model of strings", name)
		}
	}
}

// writtenAndRead fits a learner to a table of strings and compares its file with it; false where it
// takes no strings.
func writtenAndRead(t *testing.T, l learn.Learner, task data.Task, d *data.Dataset, e *data.Encoder) bool {
	ctx := context.Background()
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
	s := learn.Settings{Kernel: mixing.Erase(k), Params: map[string]float64{}}
	for _, param := range l.ParamsFor(task) {
		s.Params[param.Name] = param.Default
	}
	p := learn.Problem[any]{Points: mixing.EraseRows(rows), Task: task, Y: x.Target}
	if task == data.Binary {
		p.Classes = []string{"no", "yes"}
	}
	fitted, err := l.Fit(ctx, s, p)
	saver, ok := fitted.(learn.Saver[any])
	if err != nil || !ok {
		return false
	}
	m, err := model.New(saver, model.Info{Encoder: e})
	if err != nil {
		t.Errorf("%s, %v: %v", l.Name, task, err)
		return false
	}
	var file bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		t.Errorf("%s, %v: %v", l.Name, task, err)
		return false
	}
	read, err := model.Decode(file.Bytes())
	if err != nil {
		t.Errorf("%s, %v: %v", l.Name, task, err)
		return false
	}
	want, err := m.Predict(ctx, d, model.Want{Scores: true})
	if err != nil {
		t.Errorf("%s, %v: %v", l.Name, task, err)
		return false
	}
	got, err := read.Predict(ctx, d, model.Want{Scores: true})
	if err != nil {
		t.Errorf("%s, %v: %v", l.Name, task, err)
		return false
	}
	for i := range d.Len() {
		if math.Float64bits(got.Scores.At(i, 0)) != math.Float64bits(want.Scores.At(i, 0)) {
			t.Errorf("%s, %v, row %d: %g, read back %g", l.Name, task, i, want.Scores.At(i, 0), got.Scores.At(i, 0))
		}
	}
	return true
}
