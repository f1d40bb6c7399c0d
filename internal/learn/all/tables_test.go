package all

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// molecule is a type of points of one's own.
type molecule struct{ atoms int }

// weighed is a kernel of one's own on it: a tent, which is nowhere negative.
type weighed struct{}

func (weighed) Eval(x, y molecule) float64 {
	return max(0, 10-max(float64(x.atoms-y.atoms), float64(y.atoms-x.atoms))) / 10
}

// onVectors are the learners that say so where points have no coordinates.
var onVectors = []string{"spline", "thinplate", "local", "features", "features-svm", "features-logistic", "linear-svm",
	"linear-perceptron", "forest", "boosting"}

// A type of one's own has the learners that vectors have, by name, and nobody needs to register it;
// those that need coordinates say so.
func TestLearnersOnPointsOfOnesOwn(t *testing.T) {
	names := namesOf(Learners())
	if !slices.Equal(names, Names()) {
		t.Errorf("the table has %v, the names are %v", names, Names())
	}
	var none *UnknownLearner
	if _, err := ByName("svn"); !errors.As(err, &none) {
		t.Errorf("a name that no learner has: %v", err)
	}
	x, y := make(data.Slice[molecule], 24), make([]float64, 24)
	for i := range x {
		x[i] = molecule{i * 7 % 24}
		if x[i].atoms >= 12 {
			y[i] = 1
		}
	}
	taken := 0
	for _, name := range names {
		l, err := ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range []data.Task{data.Regression, data.Binary} {
			if !l.Does(task) {
				continue
			}
			params := map[string]float64{}
			for _, q := range l.ParamsFor(task) {
				params[q.Name] = q.Default
			}
			p := learn.Problem[molecule]{Points: x, Task: task, Y: y}.Erase()
			m, err := l.Fit(t.Context(), learn.Settings{Kernel: kernel.Erase[molecule](weighed{}), Params: params}, p)
			if slices.Contains(onVectors, name) {
				if err == nil || strings.Contains(err.Error(), "<nil>") {
					t.Errorf("%s, %v: error %v, want one that says what points it was given", name, task, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s, %v: %v", name, task, err)
				continue
			}
			classes := 0
			if task == data.Binary {
				classes = 2
			}
			if _, err := learn.PredictKnown(t.Context(), m, classes, p); err != nil {
				t.Errorf("%s, %v: %v", name, task, err)
			}
			taken++
		}
	}
	if taken < 30 {
		t.Errorf("%d machines on molecules", taken)
	}
}

func namesOf(learners []learn.Learner) (names []string) {
	for _, l := range learners {
		names = append(names, l.Name)
	}
	return names
}
