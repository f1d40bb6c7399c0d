package tune

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/refusal"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// sharedSignal is two targets of one signal, the second behind much noise.
func sharedSignal(n int) *data.Dataset {
	rng := rand.New(rand.NewPCG(11, 5))
	columns := make([][]float64, 3)
	for range n {
		x := 8*rng.Float64() - 4
		s := math.Sin(2*x) + 0.4*x
		for j, v := range []float64{x, s + 0.05*rng.NormFloat64(), 100 + 30*s + 30*rng.NormFloat64()} {
			columns[j] = append(columns[j], v)
		}
	}
	d := &data.Dataset{Name: "signal"}
	for j, name := range []string{"x", "clean", "noisy"} {
		d.Columns = append(d.Columns, data.NumberColumn(name, columns[j]))
	}
	if err := d.SetTargets("clean", "noisy"); err != nil {
		panic(err)
	}
	return d
}

// A search that picks for itself tries several targets as one model and apart, says so, and takes
// what the folds say; a learner that is named does as its text says.
func TestAutoChoosesOutputs(t *testing.T) {
	d := sharedSignal(90)
	r, err := Auto(t.Context(), d, AutoOptions{Strategy: Grid{}, Folds: 3, Repeats: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(r.Why, "\n"), "which the folds choose between") {
		t.Errorf("decisions %q", r.Why)
	}
	tried := map[string]float64{}
	for _, c := range r.Cells {
		for _, s := range c.Params {
			if best, seen := tried[s.Word]; s.Name == "outputs" && (!seen || c.Mean < best) {
				tried[s.Word] = c.Mean
			}
		}
	}
	if len(tried) != 2 || !(tried["joint"] < tried["apart"]) {
		t.Errorf("scores %v", tried)
	}
	if !strings.Contains(r.Chosen.String(), "outputs=joint") {
		t.Errorf("chosen %s", r.Chosen.String())
	}
	r, err = Auto(t.Context(), d, AutoOptions{Learners: []string{"ridge"}, Strategy: Grid{}, Folds: 3, Repeats: 1,
		Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(r.Chosen.String(), "outputs") {
		t.Errorf("chosen %s", r.Chosen.String())
	}
}

// The kernel of the outputs is heeded or refused.
func TestAutoOutputsGiven(t *testing.T) {
	d := sharedSignal(40)
	b := mat.NewSymDense(2, []float64{1, 0.9, 0.9, 1})
	r, err := Auto(t.Context(), d, AutoOptions{Learners: []string{"ridge"}, Outputs: b, Strategy: Grid{}, Folds: 3,
		Repeats: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.Model(model.Info{})
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(m.Report().Notes, "\n"); !strings.Contains(notes, "are given: 1–2 0.90") {
		t.Errorf("notes %q", notes)
	}
	p := learn.Problem[any]{Outputs: b, Y: []float64{1}, More: [][]float64{{1}}}
	for _, name := range []string{"svm", "knn"} {
		var wrong *refusal.OutputsError
		if err := refusesOutputs(learn.Learner{Name: name}, p); !errors.As(err, &wrong) || wrong.Learner != name ||
			len(wrong.Can) != 2 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
