package online

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// A perceptron of one pass that is saved in the middle and goes on is that of all rows in one pass,
// voted and plain, kernel and linear, dense and sparse, of two classes and three.
func TestPerceptronUpdateIsOnePass(t *testing.T) {
	ctx := context.Background()
	for _, k := range []int{2, 3} {
		x, label := learntest.Blobs(90, 3, k, 2, 11)
		weights, code := make([]float64, len(label)), make([]float64, len(label))
		for i, l := range label {
			code[i], weights[i] = float64(l), []float64{1, 2, 0.5, 0}[i%4]
		}
		rows := data.Points[kernel.Vec](data.Rows(x))
		sparse := make([]data.SparseVec, rows.Len())
		for i := range sparse {
			for j, v := range rows.At(i) {
				sparse[i].Index, sparse[i].Value = append(sparse[i].Index, int32(j)), append(sparse[i].Value, v)
			}
		}
		for _, o := range []PerceptronOptions{{Passes: 1, Voted: true, Intercept: true}, {Passes: 1, Voted: true},
			{Passes: 1, Intercept: true}, {Passes: 1}} {
			name := fmt.Sprintf("%d classes, %+v", k, o)
			goOn(t, name, rows, label, code, weights, restorePerceptron[kernel.Vec],
				func(x data.Points[kernel.Vec], y []int, w []float64) (learn.Model[kernel.Vec], error) {
					return Perceptron[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 1.5}, Weights: w,
						PerceptronOptions: o}.Fit(ctx, x, y)
				})
			goOn(t, "linear, "+name, rows, label, code, weights, restoreLinearPerceptron[kernel.Vec],
				func(x data.Points[kernel.Vec], y []int, w []float64) (learn.Model[kernel.Vec], error) {
					return LinearPerceptron[kernel.Vec, int]{Weights: w, PerceptronOptions: o}.Fit(ctx, x, y)
				})
			goOn[data.SparseVec](t, "sparse, "+name, data.SparseOf(sparse, 3), label, code, weights,
				restoreLinearPerceptron[data.SparseVec], func(x data.Points[data.SparseVec], y []int,
					w []float64) (learn.Model[data.SparseVec], error) {
					return LinearPerceptron[data.SparseVec, int]{Weights: w, PerceptronOptions: o}.Fit(ctx, x, y)
				})
		}
	}
}

func goOn[T any](
	t *testing.T, name string, x data.Points[T], label []int, code, weights []float64, restore learn.Restorer[T],
	fit func(x data.Points[T], y []int, w []float64) (learn.Model[T], error),
) {
	t.Helper()
	ctx := context.Background()
	whole, err := fit(x, label, weights)
	if err != nil {
		t.Fatal(name, err)
	}
	m, err := fit(data.Gather(x, seq(0, 40)), label[:40], weights[:40])
	if err != nil {
		t.Fatal(name, err)
	}
	for _, cut := range [][2]int{{40, 60}, {60, 60}, {60, 61}, {61, 90}} {
		again, err := restore(m.(learn.Saver[T]).Saved())
		if err != nil {
			t.Fatal(name, err)
		}
		part := data.Gather(x, seq(cut[0], cut[1]))
		now, err := again.(learn.Classifier[T, int]).Predict(ctx, part)
		if err != nil {
			t.Fatal(name, err)
		}
		next, before, err := again.(learn.Updatable[T]).Update(ctx, part, code[cut[0]:cut[1]], weights[cut[0]:cut[1]])
		if err != nil || len(before) != cut[1]-cut[0] || len(before) > 0 && before[0] != float64(now[0]) {
			t.Fatalf("%s: said %v before, predicts %v (%v)", name, before, now, err)
		}
		m = next
	}
	want, _ := whole.(learn.Classifier[T, int]).Decision(ctx, x)
	got, err := m.(learn.Classifier[T, int]).Decision(ctx, x)
	if err != nil {
		t.Fatal(name, err)
	}
	for i := range label {
		for o := range want.RawRowView(i) {
			if d := math.Abs(got.At(i, o) - want.At(i, o)); !(d <= 1e-9*(1+math.Abs(want.At(i, o)))) {
				t.Fatalf("%s: point %d is %g, in one pass %g", name, i, got.At(i, o), want.At(i, o))
			}
		}
	}
	if m.Report().Objective != whole.Report().Objective {
		t.Errorf("%s: %g mistakes, in one pass %g", name, m.Report().Objective, whole.Report().Objective)
	}
}

// What a model with probabilities said of its sureness stays: the values of a voted perceptron grow
// with every example, and its slope falls as they do.
func TestCalibratedPerceptronGoesOn(t *testing.T) {
	ctx := context.Background()
	x, label := learntest.Blobs(80, 2, 2, 1.5, 3)
	code := make([]float64, len(label))
	for i, l := range label {
		code[i] = float64(l)
	}
	m, err := Perceptron[kernel.Vec, int]{Kernel: kernel.Linear{},
		PerceptronOptions: PerceptronOptions{Passes: 2, Voted: true, Intercept: true}}.Fit(ctx, data.Rows(x), label)
	if err != nil {
		t.Fatal(err)
	}
	calibrated := learn.WithSlope[kernel.Vec](m, 0.01)
	again, err := restorePerceptron(calibrated.Saved())
	if err != nil {
		t.Fatal(err)
	}
	u, ok := again.(learn.Updatable[kernel.Vec])
	if !ok || !u.Updatable() {
		t.Fatalf("a %T does not go on", again)
	}
	next, _, err := u.Update(ctx, data.Rows(x), code, nil)
	if err != nil {
		t.Fatal(err)
	}
	votes := float64(m.going.votes[0])
	if got, want := next.(*learn.Calibrated[kernel.Vec, int]).Slope(), 0.01*votes/(votes+80); math.Abs(got-want) > 1e-12 {
		t.Errorf("slope %g, want %g", got, want)
	}
}

// Files of before do not go on, damaged ones are refused, and so are points that cannot be learnt
// from.
func TestPerceptronUpdateRefused(t *testing.T) {
	ctx := context.Background()
	x, label := learntest.Blobs(30, 2, 2, 1, 3)
	m, err := Perceptron[kernel.Vec, int]{Kernel: kernel.Gaussian{},
		PerceptronOptions: PerceptronOptions{Passes: 1, Voted: true}}.Fit(ctx, data.Rows(x), label)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.Update(ctx, data.Slice[kernel.Vec]{{math.NaN(), 0}}, []float64{1}, nil); err == nil {
		t.Error("NaN was learnt from")
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, _, err := m.Update(done, data.Rows(x), make([]float64, 30), nil); err == nil {
		t.Error("a cancelled context was not heeded")
	}
	old := m.Saved()
	old.Numbers, old.Arrays = nil, nil
	before, err := restorePerceptron(old)
	if err != nil || before.(learn.Updatable[kernel.Vec]).Updatable() {
		t.Errorf("a model without state goes on (%v)", err)
	}
	if _, err := before.(*PerceptronClassifier[kernel.Vec, int]).Votes(ctx, data.Rows(x)); err == nil {
		t.Error("votes of functions that are not there")
	}
	bad := m.Saved()
	bad.Arrays["votes"].Set(0, 1, -3)
	if _, err := restorePerceptron(bad); err == nil {
		t.Error("-3 votes were accepted")
	}
	bad = m.Saved()
	delete(bad.Arrays, "last")
	if _, err := restorePerceptron(bad); err == nil {
		t.Error("a voted perceptron without its last function was accepted")
	}
}
