package tune

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/model"
)

// stoppedAfterFirst is Auto, stopped right after its first answer: nothing of the search is judged.
// The model is written, and read again.
func stoppedAfterFirst(t *testing.T, d *data.Dataset, o AutoOptions) (*AutoResult, *model.Model) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o.Seed, o.Threads, o.clock, o.answered = 1, 1, newWorkClock(), cancel
	r, err := Auto(ctx, d, o)
	if err != nil {
		t.Error(err)
		return nil, nil
	}
	m, err := r.Model(model.Info{})
	if err != nil {
		t.Error(err)
		return nil, nil
	}
	var file bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	if m, err = model.Decode(file.Bytes()); err != nil {
		t.Fatal(err)
	}
	if !resultOf(r).first || !r.Interrupted || !strings.Contains(strings.Join(r.Warnings, "\n"), "a first answer") {
		t.Errorf("it is not said that this is a first answer: interrupted %v, %q", r.Interrupted, r.Warnings)
	}
	if (r.StandIn == "") != (o.Learners != nil) {
		t.Errorf("stand-in %q of the learners %q", r.StandIn, o.Learners)
	}
	if len(r.Test) == 0 && len(r.Targets) == 0 || r.Fits > 20 {
		t.Errorf("it is judged by %v, after %d fits", r.Test, r.Fits)
	}
	return r, m
}

// objectTable is rows with a column of objects of a kind, of two classes that differ in it.
func objectTable(kind data.Kind, n int) *data.Dataset {
	values := map[data.Kind][2][]string{
		data.Tree:         {{"(S (A a))", "(S (A b))"}, {"(S (B b)(C c))", "(S (B a)(C c))"}},
		data.Set:          {{"x;y", "x"}, {"z;y", "z"}},
		data.Ranking:      {{"x>y>z", "x>z>y"}, {"z>y>x", "y>z>x"}},
		data.Fuzzy:        {{"x:1;y:0.5", "x:0.7"}, {"y:1;x:0.1", "y:0.8"}},
		data.Histogram:    {{"3,1,0", "4,1,1"}, {"0,1,3", "1,1,4"}},
		data.Distribution: {{"0±1", "0.1±1"}, {"3±1", "3.1±1"}},
		data.Graph: {{`{"edges":[[0,1]]}`, `{"nodes":3,"edges":[[0,1]]}`},
			{`{"edges":[[0,1],[1,2],[0,2]]}`, `{"nodes":4,"edges":[[0,1],[1,2],[0,2]]}`}},
	}[kind]
	rng := rand.New(rand.NewPCG(1, uint64(kind)))
	text, class := make([]string, n), make([]string, n)
	for i := range n {
		if class[i] = []string{"no", "yes"}[i%2]; values[0] != nil {
			text[i] = values[i%2][rng.IntN(2)]
		}
	}
	x := data.Column{Name: "x", Kind: kind, Strings: text}
	if kind == data.Sequence || kind == data.Bag {
		x = data.Column{Name: "x", Kind: kind, Channels: 1}
		for i := range n {
			x.Sequences = append(x.Sequences, []float64{float64(i % 2), rng.Float64(), 1})
		}
	}
	return &data.Dataset{Name: kind.String(), Target: "class", Columns: []data.Column{x, data.LevelColumn("class", class)}}
}

// Whatever the data are, a search that is stopped right after its first answer leaves a model, which
// says what it is: numbers, classes, several targets, words, strings, tables of mixed columns and
// every kind of object, and rows whose relevance of columns would be found first.
func TestFirstAnswerOfAllData(t *testing.T) {
	t.Parallel()
	sets := map[string]*data.Dataset{
		"numbers": taskRows(300, 2, data.Regression), "two classes": taskRows(300, 2, data.Binary),
		"three classes": taskRows(300, 2, data.Multiclass), "several targets": severalSet(120), "noise": noisySet(120),
		"words": weather(400), "strings": genes(120), "mixed columns": motifs(80), "many rows": plainTable(1300, 1),
	}
	for _, kind := range []data.Kind{data.Sequence, data.Bag, data.Tree, data.Set, data.Ranking, data.Fuzzy,
		data.Histogram, data.Distribution,
		data.Graph} {
		sets[kind.String()] = objectTable(kind, 80)
	}
	for name, d := range sets {
		t.Run(name, func(t *testing.T) {
			o := AutoOptions{}
			if d.Noise != "" {
				o.Learners = []string{"gp"} // which alone heeds the noise of each row
			}
			if r, m := stoppedAfterFirst(t, d, o); m != nil && r.Rows() > cheapRows {
				t.Errorf("a model of %d rows", r.Rows())
			}
		})
	}
}

// Whatever learner is named, the first answer is of it, or there is none.
func TestFirstAnswerOfAllLearners(t *testing.T) {
	t.Parallel()
	for i, l := range all.Learners() {
		for _, task := range []data.Task{data.Regression, data.Binary, data.Multiclass} {
			if !l.Does(task) || testing.Short() && i%3 != int(task)%3 {
				continue
			}
			t.Run(fmt.Sprint(l.Name, ", ", task), func(t *testing.T) {
				r, m := stoppedAfterFirst(t, taskRows(700, columnsFor(l), task), AutoOptions{Learners: []string{l.Name}})
				if m != nil && (r.Chosen.Learner != l.Name || resultOf(r).Model.Learner != l.Name) {
					t.Errorf("chosen %v, a model of %s", r.Chosen, resultOf(r).Model.Learner)
				}
			})
		}
	}
}

// A first answer takes no part in a search that has one of its own, and a model of more does not
// give way to it.
func TestFirstAnswerIsReplaced(t *testing.T) {
	d := taskRows(300, 2, data.Regression)
	told := 0
	r, err := Auto(t.Context(), d, AutoOptions{Seed: 1, Learners: []string{"ridge"}, clock: newWorkClock(),
		answered: func() { told++ }})
	if err != nil || told != 1 || resultOf(r).first || r.Interrupted {
		t.Errorf("told %d times, first %v, interrupted %v: %v", told, resultOf(r).first, r.Interrupted, err)
	}
}
