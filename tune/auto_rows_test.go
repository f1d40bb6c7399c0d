package tune

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/mixing"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/kernel/seq"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// motifs has strings of which those with TATA are of one class, numbers that say nothing, and a set
// that says half.
func motifs(n int) *data.Dataset {
	codes, tags, class := make([]string, n), make([]string, n), make([]string, n)
	noise := make([]float64, n)
	state := uint64(7)
	next := func(k int) int {
		state = state*6364136223846793005 + 1442695040888963407
		return int(state>>33) % k
	}
	for i := range n {
		b := make([]byte, 20+next(5))
		for j := range b {
			b[j] = "ACG"[next(3)]
		}
		class[i], tags[i] = "without", "x"
		if i%2 == 0 {
			copy(b[next(12):], "TATA")
			class[i] = "with"
			if i%4 == 0 {
				tags[i] = "x;y"
			}
		}
		codes[i], noise[i] = string(b), float64(next(100))
	}
	return &data.Dataset{Name: "motifs", Target: "class", Columns: []data.Column{
		data.TextColumn("code", codes), data.NumberColumn("noise", noise), {Name: "tags", Kind: data.Set, Strings: tags},
		data.LevelColumn("class", class),
	}}
}

// A table of a string, a number and a set: each column gets a kernel of its kind and a weight, the
// one that says nothing next to none, and the model is right about rows that it has not seen.
func TestAutoOnRows(t *testing.T) {
	t.Parallel()
	r, err := Auto(context.Background(), motifs(80), AutoOptions{Budget: time.Hour, Learners: []string{"svm"},
		Axes: []Axis{Over("C", 1, 10)}, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Columns) != 3 {
		t.Fatalf("%+v", r.Columns)
	}
	weight := map[string]float64{}
	for _, c := range r.Columns {
		weight[c.Columns[0]] = c.Weight
	}
	if weight["noise"] > 0.2 || weight["code"] < 0.3 || weight["tags"] < 0.05 {
		t.Errorf("weights %v", weight)
	}
	if r.Test[0].Value < 0.9 {
		t.Errorf("%s %g of rows held out; %v", r.Test[0].Metric, r.Test[0].Value, r.Why)
	}
	if !searchedOn[mixed.Row](r) {
		t.Error("the search is not on rows")
	}
}

// One column of objects alone: its kernels are the candidates.
func TestAutoOnOneColumn(t *testing.T) {
	t.Parallel()
	d := motifs(40)
	d.Columns = []data.Column{d.Columns[0], d.Columns[3]}
	r, err := Auto(context.Background(), d, AutoOptions{Budget: time.Hour, Learners: []string{"svm"},
		Axes: []Axis{Over("C", 10)}, Seed: 3, Holdout: -1})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range r.Cells {
		seen[c.Kernel] = true
	}
	for _, want := range []string{"blended", "spectrum", "mismatch", "ssk"} {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(seen)),
			func(text string) bool { return strings.HasPrefix(text, "normalize("+want+"(") }) {
			t.Errorf("%s was not tried: %v", want, seen)
		}
	}
	if r.Best.Mean < 0.9 {
		t.Errorf("%v has %g", r.Best, r.Best.Mean)
	}
}

// Every axis of every proposal is a parameter of its kernel.
func TestProposalsHaveTheirAxes(t *testing.T) {
	d := &data.Dataset{Name: "all", Columns: []data.Column{
		data.TextColumn("dna", []string{"ACGT", "ACGA", "TTGA"}),
		data.TextColumn("words", []string{"hello!", "world", "abcdefghijkl"}),
		data.SequenceColumn("series", [][]float64{{1, 2, 3}, {2, 3, 4}, {0, 1, 0}}),
		{Name: "bag", Kind: data.Bag, Channels: 1, Sequences: [][]float64{{1}, {2, 3}, {0}}},
		{Name: "tree", Kind: data.Tree, Strings: []string{"(A b)", "(A (C d))", "(A b)"}},
		{Name: "set", Kind: data.Set, Strings: []string{"a", "b", "a;b"}},
		{Name: "fuzzy", Kind: data.Fuzzy, Strings: []string{"a:1", "b:0.5", "a:0.2;b:1"}},
		{Name: "ranking", Kind: data.Ranking, Strings: []string{"a>b", "b>a", "a=b"}},
		{Name: "histogram", Kind: data.Histogram, Strings: []string{"1,2,0", "0,1,1", "3,0,1"}},
		{Name: "distribution", Kind: data.Distribution, Strings: []string{"1±2", "0±1", "3±0.5"}},
		{Name: "graph", Kind: data.Graph, Strings: []string{`{"edges":[[0,1]],"edge_labels":[1]}`,
			`{"edges":[[0,1]],"edge_labels":[1]}`, `{"edges":[[1,0]],"edge_labels":[2]}`}},
	}}
	e, err := data.FitEncoder(d, data.EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	x, _ := e.Transform(d)
	s := mixing.SchemaOf(e)
	rows, err := s.Rows(x)
	if err != nil {
		t.Fatal(err)
	}
	varied := 0
	for _, c := range s.Objects() {
		found := proposals(c, rows, math.Inf(1), 1)
		if len(found) < 2 && c.Kind != data.Distribution { // one kernel, of any power

			t.Errorf("%s: %d kernels", c.Kind, len(found))
		}
		for _, p := range found {
			varied += len(p.axes)
			if err := kernel.Check(p.kernel, data.Points[mixed.Row](rows)); err != nil {
				t.Errorf("%s by %s: %v", c.Kind, p.name, err)
			}
			for _, a := range p.axes {
				if len(alongFirst(p)) != len(p.axes[0].Values) || len(a.Values) == 0 {
					t.Errorf("%s by %s: values of %s are refused", c.Kind, p.name, a.Name)
				}
			}
		}
	}
	if varied < 14 { // those that propose leaves out since a kernel has no such parameter would be missed here
		t.Errorf("%d axes in all", varied)
	}
}

// The weights are those of the best aligned sum: no other sum on a fine grid aligns better.
func TestAlignmentWeights(t *testing.T) {
	d := motifs(30)
	texts := data.Slice[string](d.Columns[0].Strings)
	y := make([]float64, 30)
	for i := range y {
		y[i] = float64(i % 2)
	}
	p := learn.Problem[string]{Points: texts, Task: data.Binary, Y: y, Classes: []string{"a", "b"}}
	a := newAlignment(p.Erase(), 1)
	ks := []kernel.Kernel[string]{kernel.Normalize(kernel.Kernel[string](seq.Spectrum{K: 3})),
		kernel.Normalize(kernel.Kernel[string](seq.Spectrum{K: 1})), kernel.Kernel[string](seq.BagOfCharacters{})}
	var grams []*mat.Dense
	for _, k := range ks {
		g, variance, err := a.gram(context.Background(), kernel.Erase(k))
		if err != nil {
			t.Fatal(err)
		}
		g.Scale(1/variance, g)
		grams = append(grams, g)
	}
	sum := func(w []float64) float64 {
		m := mat.NewDense(30, 30, nil)
		for i, g := range grams {
			var part mat.Dense
			part.Scale(w[i], g)
			m.Add(m, &part)
		}
		return a.with(m)
	}
	w := a.weights(grams)
	best := sum(w)
	if math.Abs(w[0]+w[1]+w[2]-1) > 1e-12 || slices.Min(w) < 0 {
		t.Errorf("weights %v", w)
	}
	for i := 0; i <= 40; i++ {
		for j := 0; i+j <= 40; j++ {
			other := []float64{float64(i) / 40, float64(j) / 40, float64(40-i-j) / 40}
			if s := sum(other); s > best+1e-9 {
				t.Errorf("%v aligns %g, the weights %v %g", other, s, w, best)
			}
		}
	}
}

// The alignment of the chosen kernel is the cosine of the angle between its centred Gram matrix and
// that of the target, also where one column is all that there is to compare; once the context has
// ended nothing is computed.
func TestSpectrumAndAlignment(t *testing.T) {
	t.Parallel()
	d := motifs(60)
	d.Columns = []data.Column{d.Columns[0], d.Columns[3]}
	r, err := Auto(t.Context(), d, AutoOptions{Budget: time.Hour, Learners: []string{"svm"}, Axes: []Axis{Over("C", 1)},
		Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Columns) != 1 || r.Columns[0].Kernel != r.Chosen.Kernel {
		t.Errorf("columns are compared by %+v, the choice was %s", r.Columns, r.Chosen.Kernel)
	}
	rows := r.Split.Train
	values, got, err := r.Spectrum(t.Context(), d, rows)
	if err != nil {
		t.Fatal(err)
	}
	n := len(rows)
	p, err := r.outcome.(found).problem(mustEncode(t, r, d.Gather(rows)))
	if err != nil {
		t.Fatal(err)
	}
	of := func(f func(i, j int) float64) func(i, j int) float64 { // centred
		row, all := make([]float64, n), 0.0
		for i := range n {
			for j := range n {
				row[i] += f(i, j) / float64(n)
			}
			all += row[i] / float64(n)
		}
		return func(i, j int) float64 { return f(i, j) - row[i] - row[j] + all }
	}
	k := of(func(i, j int) float64 { return r.outcome.(found).Model.Kernel.Eval(p.Points.At(i), p.Points.At(j)) })
	y := of(func(i, j int) float64 { return map[bool]float64{true: 1}[p.Y[i] == p.Y[j]] })
	ky, kk, yy, trace := 0.0, 0.0, 0.0, 0.0
	for i := range n {
		for j := range n {
			ky, kk, yy = ky+k(i, j)*y(i, j), kk+k(i, j)*k(i, j), yy+y(i, j)*y(i, j)
		}
		trace += r.outcome.(found).Model.Kernel.Eval(p.Points.At(i), p.Points.At(i))
	}
	if want := ky / math.Sqrt(kk*yy); math.Abs(got-want) > 1e-12 || got < 0.02 {
		t.Errorf("alignment %.15g, by its definition %.15g", got, want)
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	if len(values) != n || math.Abs(sum-trace) > 1e-9*trace {
		t.Errorf("%d eigenvalues add up to %g, the trace is %g", len(values), sum, trace)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := r.Spectrum(ended, d, rows); err == nil {
		t.Error("a spectrum after the end")
	}
}

func mustEncode(t *testing.T, r *AutoResult, d *data.Dataset) *data.Encoded {
	t.Helper()
	x, err := r.Encoder.TransformLabelled(d)
	if err != nil {
		t.Fatal(err)
	}
	return x
}
