package tune

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/model"
)

// linearTable is y = 3a + c, of which the model is linear, with a column that says nothing and a
// category.
func linearTable(n int) *data.Dataset {
	rng := rand.New(rand.NewPCG(1, 2))
	var a, b, y []float64
	var c []string
	for i := range n {
		a, b = append(a, rng.NormFloat64()), append(b, rng.NormFloat64())
		c = append(c, []string{"low", "high"}[i%2])
		y = append(y, 3*a[i]+float64(1-i%2))
	}
	return &data.Dataset{Name: "linear", Target: "y", Columns: []data.Column{data.NumberColumn("a", a),
		data.NumberColumn("b", b), data.LevelColumn("c", c), data.NumberColumn("y", y)}}
}

func linearModel(t *testing.T, d *data.Dataset) *model.Model {
	e, err := data.FitEncoder(d, data.EncoderOptions{Scaling: "none"})
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.TransformLabelled(d)
	if err != nil {
		t.Fatal(err)
	}
	fitted, err := ridge.Regression[any]{Kernel: vec(kernel.Linear{}), Lambda: 1e-8}.Fit(context.Background(),
		data.Erase(x.Dense), x.Target)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New(fitted, model.Info{Encoder: e})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Of a linear function, a shuffled column a adds 3(a' − a) to the error: its mean square is 2·9·var
// a, and the rmse the root of that. A column that the function does not have loses nothing.
func TestPermutationImportance(t *testing.T) {
	d := linearTable(400)
	m := linearModel(t, d)
	score, got, err := PermutationImportance(t.Context(), m, d, ExplainOptions{Repeats: 8, Metric: RMSE()})
	if err != nil {
		t.Fatal(err)
	}
	if score > 1e-3 || got[0].Column != "a" || got[1].Column != "c" || got[2].Column != "b" {
		t.Fatalf("score %g, importance %v", score, got)
	}
	if want := math.Sqrt(18); math.Abs(got[0].Loss-want) > 0.25 {
		t.Errorf("a loses %g, want about %g", got[0].Loss, want)
	}
	if want := math.Sqrt(0.5); math.Abs(got[1].Loss-want) > 0.05 { // half of the rows are off by 1
		t.Errorf("c loses %g, want about %g", got[1].Loss, want)
	}
	if math.Abs(got[2].Loss) > 1e-3 {
		t.Errorf("b loses %g", got[2].Loss)
	}
	_, again, err := PermutationImportance(t.Context(), m, d, ExplainOptions{Repeats: 8, Metric: RMSE()})
	if err != nil || again[0] != got[0] {
		t.Errorf("the same seed gives %v and %v", got[0], again[0])
	}
}

// Rows take turns in c: every other row of a thousand would be of one level, and shuffling it
// change nothing.
func TestImportanceOfWhatTakesTurns(t *testing.T) {
	d := linearTable(1000)
	_, got, err := PermutationImportance(t.Context(), linearModel(t, d), d, ExplainOptions{Repeats: 4, Metric: RMSE()})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range got {
		if want := math.Sqrt(0.5); i.Column == "c" && math.Abs(i.Loss-want) > 0.1 {
			t.Errorf("c loses %g, want about %g", i.Loss, want)
		}
	}
}

// The rows looked at have an answer, are no more than asked for, and come in whole groups.
func TestExplainedRows(t *testing.T) {
	d := linearTable(90)
	m := linearModel(t, d)
	var group, y []float64
	for i := range d.Len() {
		group, y = append(group, float64(i/7)), append(y, float64(i))
		if i%3 == 0 {
			y[i] = math.NaN()
		}
	}
	d.Columns[3] = data.NumberColumn("y", y)
	looked, err := Explained(m, d, ExplainOptions{Rows: 40})
	if c, _ := looked.Column("y"); err != nil || looked.Len() != 40 || c.Missing() != 0 {
		t.Fatalf("%d rows, %v", looked.Len(), err)
	}
	if all, err := Explained(m, d, ExplainOptions{}); err != nil || all.Len() != 60 {
		t.Errorf("%d of 60 rows, %v", all.Len(), err)
	}
	d.Columns, d.Groups = append(d.Columns, data.NumberColumn("group", group)), "group"
	if looked, err = Explained(m, d, ExplainOptions{Rows: 40}); err != nil || looked.Len() > 40 || looked.Len() < 30 {
		t.Fatalf("%d rows, %v", looked.Len(), err)
	}
	if again, err := Explained(m, looked, ExplainOptions{Rows: 40}); err != nil || again != looked {
		t.Errorf("of the rows that are looked at, others are: %d of %d, %v", again.Len(), looked.Len(), err)
	}
	count := func(d *data.Dataset) map[float64]int {
		out := map[float64]int{}
		c, _ := d.Column("group")
		target, _ := d.Column("y")
		for i, g := range c.Numbers {
			if !target.IsMissing(i) {
				out[g]++
			}
		}
		return out
	}
	all := count(d)
	for g, n := range count(looked) {
		if n != all[g] {
			t.Errorf("%d of the %d rows of group %g", n, all[g], g)
		}
	}
}

// The dependence of a linear function is a line of its slope, and of a category its two means.
func TestPartialDependence(t *testing.T) {
	d := linearTable(200)
	m := linearModel(t, d)
	got, ok, err := PartialDependence(t.Context(), m, d, "a", ExplainOptions{Points: 7})
	if err != nil || !ok || len(got.X) != 7 || len(got.Mean) != 1 {
		t.Fatalf("%v, %v, %v", got, ok, err)
	}
	for i, x := range got.X {
		if want := 3*x + 0.5; math.Abs(got.Mean[0][i]-want) > 1e-3 {
			t.Errorf("at %g: %g, want %g", x, got.Mean[0][i], want)
		}
	}
	got, ok, err = PartialDependence(t.Context(), m, d, "c", ExplainOptions{})
	if err != nil || !ok || len(got.Levels) != 2 {
		t.Fatalf("%v, %v, %v", got, ok, err)
	}
	if step := math.Abs(got.Mean[0][0] - got.Mean[0][1]); math.Abs(step-1) > 1e-3 {
		t.Errorf("the levels differ by %g, want 1", step)
	}
	if _, _, err := PartialDependence(t.Context(), m, d, "z", ExplainOptions{}); err == nil {
		t.Error("a column that is not there has a dependence")
	}
	s := data.SparseOf([]data.SparseVec{{}}, 2)
	if _, _, err := PermutationImportance(t.Context(), m, &data.Dataset{Sparse: &s}, ExplainOptions{}); !errors.Is(err,
		errNoColumns) {
		t.Errorf("sparse rows: %v", err)
	}
}
