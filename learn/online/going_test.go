package online

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// throughAFile is a model after its plain data.
func throughAFile[T any](t *testing.T, m learn.Model[T], restore learn.Restorer[T]) learn.Updatable[T] {
	t.Helper()
	again, err := restore(m.(learn.Saver[T]).Saved())
	if err != nil {
		t.Fatal(err)
	}
	return again.(learn.Updatable[T])
}

// A model of one pass that is saved in the middle and goes on is that of all rows in one pass:
// every loss of labels, two classes and three, budgets and truncation.
func TestUpdateIsOnePass(t *testing.T) {
	ctx := context.Background()
	for _, k := range []int{2, 3} {
		x, label := learntest.Blobs(90, 2, k, 1, 7)
		code := make([]float64, len(label))
		for i, l := range label {
			code[i] = float64(l)
		}
		for _, n := range []Norma[kernel.Vec]{
			{Loss: LogisticLoss, Lambda: 0.05, Intercept: true}, {Loss: Hinge, Lambda: 0.2, Schedule: Constant, Eta: 0.3,
				Truncate: 25},
			{Loss: Hinge, Lambda: 0.1, Budget: 12, BudgetRule: DropOldest, Nu: 0.2},
			{Loss: LogisticLoss, Lambda: 0.1, Budget: 10, BudgetRule: ProjectSmallest, Schedule: Inverse},
		} {
			n.Kernel = kernel.Gaussian{Lengthscale: 1.5}
			c := NormaClassification[kernel.Vec, int]{Norma: n}
			whole, err := c.Fit(ctx, data.Rows(x), label)
			if err != nil {
				t.Fatal(err)
			}
			rows := data.Points[kernel.Vec](data.Rows(x))
			part, err := c.Fit(ctx, data.Gather(rows, seq(0, 50)), label[:50])
			if err != nil {
				t.Fatal(err)
			}
			var m learn.Model[kernel.Vec] = part
			for _, cut := range [][2]int{{50, 60}, {60, 60}, {60, 90}} {
				u := throughAFile(t, m, restoreNormaClassifier[kernel.Vec])
				next, before, err := u.Update(ctx, data.Gather(rows, seq(cut[0], cut[1])), code[cut[0]:cut[1]], nil)
				if err != nil || len(before) != cut[1]-cut[0] {
					t.Fatal(len(before), err)
				}
				m = next
			}
			want, _ := whole.Decision(ctx, data.Rows(x))
			got, err := m.(learn.Classifier[kernel.Vec, int]).Decision(ctx, data.Rows(x))
			if err != nil {
				t.Fatal(err)
			}
			for i := range label {
				for o := range want.RawRowView(i) {
					if d := math.Abs(got.At(i, o) - want.At(i, o)); d > 1e-9*(1+math.Abs(want.At(i, o))) {
						t.Fatalf("%v of %d classes: point %d is %g, in one pass %g", n.Loss, k, i, got.At(i, o), want.At(i, o))
					}
				}
			}
		}
	}
}

func seq(from, to int) []int {
	out := make([]int, to-from)
	for i := range out {
		out[i] = from + i
	}
	return out
}

// Values go on from where their targets were counted, weights of 0 teach nothing, and what was said
// before is what the model predicts.
func TestUpdateOfValues(t *testing.T) {
	ctx := context.Background()
	var x data.Slice[kernel.Vec]
	var y []float64
	for i := range 60 {
		x, y = append(x, kernel.Vec{math.Sin(float64(i)), math.Cos(float64(2 * i))}), append(y, 100+math.Sin(float64(i)))
	}
	rest := data.Erase[kernel.Vec](x[30:])
	p := learn.Problem[kernel.Vec]{Points: x[:30], Y: y[:30], Task: data.Regression}
	m, err := fitCentred(ctx, Norma[any]{Kernel: kernel.Erase[kernel.Vec](kernel.Gaussian{}), Loss: Squared, Lambda: 0.01,
		Eta: 0.4}, p.Erase())
	if err != nil {
		t.Fatal(err)
	}
	u := throughAFile(t, learn.Model[any](m), restoreNorma[any])
	first, _ := m.Predict(ctx, data.Erase[kernel.Vec](x[30:31]))
	next, before, err := u.Update(ctx, rest, y[30:], nil)
	if err != nil || math.Abs(before[0]-first[0]) > 1e-12*first[0] {
		t.Fatalf("said %g before, predicts %g (%v)", before[0], first[0], err)
	}
	off := func(m learn.Model[any]) (sum float64) {
		p, err := m.(learn.Regressor[any]).Predict(ctx, rest)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range p {
			sum += (v - y[30+i]) * (v - y[30+i])
		}
		return sum
	}
	if a, b := off(m), off(next); !(b < a) {
		t.Errorf("squares %g after learning, %g before", b, a)
	}
	same, _, err := u.Update(ctx, rest, y[30:], make([]float64, 30))
	if err != nil || off(same) != off(u) {
		t.Errorf("rows of weight 0 changed the model (%v)", err)
	}
	if _, _, err := u.Update(ctx, data.Erase[kernel.Vec](data.Slice[kernel.Vec]{{math.NaN(), 0}}), []float64{1},
		nil); err == nil {
		t.Error("NaN was learnt from")
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, _, err := u.Update(done, rest, y[30:], nil); err == nil {
		t.Error("a cancelled context was not heeded")
	}
	// A file of before says that it does not go on, and damaged state is refused.
	s := m.Saved()
	s.Numbers, s.Arrays = nil, nil
	old, err := restoreNorma(s)
	if err != nil || old.(learn.Updatable[any]).Updatable() {
		t.Errorf("a model without state goes on (%v)", err)
	}
	for name, v := range map[string]float64{"lambda": -1, "loss": 77, "schedule": 0.5, "budget": -3} {
		bad := m.Saved()
		bad.Numbers[name] = v
		if _, err := restoreNorma(bad); err == nil {
			t.Errorf("%s = %g was accepted", name, v)
		}
	}
	bad := m.Saved()
	bad.Arrays["born"].Set(0, 0, 1e9)
	if _, err := restoreNorma(bad); err == nil {
		t.Error("a centre from the future was accepted")
	}
}
