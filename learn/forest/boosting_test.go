package forest

import (
	"fmt"
	"maps"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/internal/savedtest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/forest"
	"github.com/mercer-ml/mercer/learn"
)

// Boosted trees come back from their plain data, and predict the sums of their forest: of two
// classes the logistic function of one sum, of more the softmax.
func TestBoostedTreesComeBack(t *testing.T) {
	x, y := learntest.Wave(60, 3, 9)
	m := modeltest.Must(Boosting{Growth: forest.Growth{Trees: 7}}.Fit(t.Context(), data.Rows(x), y))(t)
	savedtest.RoundTrip[float64](t, "regression", m, restoreBoosting, data.Rows(x))
	sums := modeltest.Must(m.Forest().Average(t.Context(), data.Rows(x)))(t)
	learntest.AllNear(t, "sums", modeltest.Predict(t, m, data.Rows(x)), sums, 0)
	for _, classes := range []int{2, 4} {
		p, code := learntest.NoisyCorners(60, classes, 3)
		c := modeltest.Must(BoostingClassification[int]{Growth: forest.Growth{Trees: 7}}.Fit(t.Context(), p, code))(t)
		savedtest.RoundTrip[int](t, fmt.Sprint(classes, " classes"), c, restoreBoostingClassifier, p)
		proba := modeltest.Must(c.Proba(t.Context(), p))(t)
		said := modeltest.Must(c.Forest().Average(t.Context(), p))(t)
		for i := range p.Len() {
			of := said[i*c.Forest().Outputs() : (i+1)*c.Forest().Outputs()]
			if classes == 2 {
				of = []float64{0, of[0]}
			}
			total := 0.0
			for _, v := range of {
				total += math.Exp(v)
			}
			for k, v := range of {
				if math.Abs(proba.At(i, k)-math.Exp(v)/total) > 1e-14 {
					t.Fatalf("%d classes, row %d: %v of the sums %v", classes, i, proba.RawRowView(i), of)
				}
			}
		}
		s := c.Saved()
		s.Classes = classes + 1
		if errorOf(restoreBoostingClassifier(s)) == nil || errorOf(restoreBoosting(c.Saved())) == nil {
			t.Errorf("%d classes are restored as others", classes)
		}
	}
}

// The entry of the table reads its parameters: each changes the trees.
func TestBoostingSettings(t *testing.T) {
	x, y := learntest.Wave(90, 12, 4)
	code := make([]int, 90)
	for i := range code {
		code[i] = int(math.Abs(2*y[i])) % 3
	}
	entry := Learners()[1]
	numbers := learn.Regress[kernel.Vec](data.Rows(x), y)
	classes := modeltest.Must(learn.Classify[kernel.Vec](data.Rows(x), code))(t)
	for _, p := range []learn.Problem[kernel.Vec]{numbers, classes} {
		said := map[string]string{}
		for name, set := range map[string]map[string]float64{"plain": {}, "trees": {"trees": 7}, "depth": {"depth": 2},
			"min": {"min": 9}, "rate": {"rate": 0.5}, "root": {"columns": 3}, "seed": {"seed": 5, "columns": 3}} {
			s := learn.Settings{Params: map[string]float64{}}
			for _, param := range entry.ParamsFor(p.Task) {
				s.Params[param.Name] = param.Default
			}
			maps.Copy(s.Params, set)
			m := modeltest.Must(entry.Fit(t.Context(), s, p.Erase()))(t)
			f := m.(interface{ Concrete() any }).Concrete().(interface{ Forest() *forest.Forest }).Forest()
			said[name] = fmt.Sprint(modeltest.Must(f.Average(t.Context(), data.Rows(x)))(t))
		}
		for name, text := range said {
			if name != "plain" && text == said["plain"] || name == "seed" && text == said["root"] {
				t.Errorf("%v: %s makes no difference", p.Task, name)
			}
		}
	}
	for _, c := range []struct {
		choice float64
		task   data.Task
		d, say int
	}{{0, data.Regression, 9, 9}, {0, data.Regression, 500, 64}, {0, data.Binary, 9, 3}, {0, data.Multiclass, 500, 64},
		{1, data.Binary, 500, 500}, {2, data.Regression, 9, 3}, {3, data.Regression, 9, 3}, {3, data.Binary, 100, 10}} {
		if got := boostingColumns(c.choice, c.task, c.d); got != c.say {
			t.Errorf("columns %g of %d, %v: %d, want %d", c.choice, c.d, c.task, got, c.say)
		}
	}
}
