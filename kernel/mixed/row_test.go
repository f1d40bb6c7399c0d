package mixed_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/bracket"
	"github.com/mercer-ml/mercer/data/graphs"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/internal/mixing"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/discrete"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/kernel/prob"
	"github.com/mercer-ml/mercer/kernel/seq"
	"gonum.org/v1/gonum/mat"
)

// Objects of every kind go through their text and come back.
func TestObjectsThroughText(t *testing.T) {
	parse := func(s string) *bracket.Tree {
		x, err := bracket.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	series, _ := seq.NewSeries([]float64{1, 2, 0.1, 4, 5e-300, 6}, 2)
	items := []string{"a", "b", "c", "d"}
	for _, c := range []struct {
		kind    data.Kind
		objects []any
	}{
		{data.Text, []any{"plain", "", "NA", "été, \"quoted\"\n"}},
		{data.Sequence, []any{seq.Univariate([]float64{1, 0.1, -3e-7}), seq.Univariate([]float64{2})}},
		{data.Sequence, []any{series}},
		{data.Bag, []any{[]kernel.Vec{{1, 2}, {3, 4}}, []kernel.Vec{{5, 6}}}},
		{data.Tree, []any{parse("(S (A a)(B b))"), parse("(S x)"), &bracket.Tree{}}},
		{data.Set, []any{[]string{"a", "b"}, []string{"one, two", "x;y"}, []string{}}},
		{data.Fuzzy, []any{[]discrete.Member[string]{{Element: "a:b", Degree: 0.25}, {Element: "c;d", Degree: 1}},
			[]discrete.Member[string]{}}},
		{data.Ranking, []any{discrete.Ranking{0, 1, 2, 3}, discrete.Ranking{1, 0, 1, discrete.Unranked},
			discrete.Ranking{0, 0, 0, 0}, discrete.Ranking{-1, -1, -1, -1}}},
		{data.Graph, []any{graphs.Graph{Nodes: 3, Edges: [][2]int32{{0, 1}}, NodeLabels: []int{1, 2, 3},
			Weights: []float64{0.5}}, graphs.Graph{Nodes: 1, Edges: [][2]int32{}}}},
		{data.Histogram, []any{kernel.Vec{0.1, 0.2, 0.7}, kernel.Vec{1.0 / 3, 1.0 / 3, 1.0 / 3}, kernel.Vec{1, 0, 0}}},
		{data.Distribution, []any{
			prob.Mixture{Weights: []float64{1}, Parts: []prob.Normal{{Mean: []float64{0.1, 1e-300},
				Cov: mat.NewSymDense(2, []float64{2, 0.3, 0, 1.0 / 3})}}},
			prob.Mixture{Weights: []float64{0.1, 0.9},
				Parts: []prob.Normal{{Mean: []float64{0, 1}, Cov: mat.NewSymDense(2, []float64{1, 0, 0, 1})},
					{Mean: []float64{5, -1}, Cov: mat.NewSymDense(2, []float64{3, 0, 0, 2})}}},
		}},
	} {
		column := mixed.Column{Name: "x", Kind: c.kind, Items: items}
		texts := make([]string, len(c.objects))
		for i, o := range c.objects {
			texts[i] = column.Text(o)
		}
		back, err := column.Take(texts)
		if err != nil {
			t.Errorf("%s %q: %v", c.kind, texts, err)
			continue
		}
		for i := range back {
			if !reflect.DeepEqual(back[i], c.objects[i]) {
				t.Errorf("%s: %v becomes %q becomes %v", c.kind, c.objects[i], texts[i], back[i])
			}
		}
	}
}

// The places of items, from the ways people write orders.
func TestRankings(t *testing.T) {
	column := mixed.Column{Name: "x", Kind: data.Ranking, Items: []string{"a", "b", "c", "d"}}
	for text, want := range map[string]discrete.Ranking{
		"a>b>c>d":   {0, 1, 2, 3},
		"b > a = c": {1, 0, 1, -1},
		"d,c,b,a":   {3, 2, 1, 0},
		"[2 1]":     {-1, -1, -1, -1}, // items never seen
		"c>*":       {1, 1, 0, 1},
		"*>c":       {0, 0, 1, 0},
		"a>*>d":     {0, 1, 1, 2},
		"a>b>*>c>d": {0, 1, 2, 3},
		"a>z>b":     {0, 1, -1, -1},
	} {
		got, err := column.Take([]string{text})
		if err != nil || !reflect.DeepEqual(got[0], want) {
			t.Errorf("%q: %v (%v), want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"a>b>a", "*>a>*"} {
		if _, err := column.Take([]string{text}); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

func table(columns ...data.Column) (*data.Encoder, *data.Encoded, error) {
	d := &data.Dataset{Name: "t", Columns: columns}
	e, err := data.FitEncoder(d, data.EncoderOptions{Missing: "mean"})
	if err != nil {
		return nil, nil, err
	}
	x, err := e.Transform(d)
	return e, x, err
}

// A bad object is refused with its row and column.
func TestBadObjects(t *testing.T) {
	for want, c := range map[string]data.Column{
		"no tree":                 {Name: "x", Kind: data.Tree, Strings: []string{"(A b)", "(A (B c)"}},
		"no graph":                {Name: "x", Kind: data.Graph, Strings: []string{`{"edges":[]}`, `{"edges":[[0,0]]}`}},
		"no fuzzy":                {Name: "x", Kind: data.Fuzzy, Strings: []string{"a:1", "a:0.5;b:-0.25"}},
		"at letter 7":             {Name: "x", Kind: data.Fuzzy, Strings: []string{"a:1", "a:0.5;b:-0.25"}},
		"no ranking":              {Name: "x", Kind: data.Ranking, Strings: []string{"a>b", "a>a"}},
		"no histogram":            {Name: "x", Kind: data.Histogram, Strings: []string{"1,2", "1,-2"}},
		"bin 2 is -2":             {Name: "x", Kind: data.Histogram, Strings: []string{"1,2", "1,-2"}},
		"all of its 2 bins are 0": {Name: "x", Kind: data.Histogram, Strings: []string{"1,2", "0,0"}},
		"it has 3 bins, the first histogram of the rows fitted on has 2": {Name: "x", Kind: data.Histogram,
			Strings: []string{"1,2", "1,2,3"}},
		"no list of counts": {Name: "x", Kind: data.Histogram, Strings: []string{"1,2", "one"}},
		"no distribution":   {Name: "x", Kind: data.Distribution, Strings: []string{"1±2", "1+2"}},
		"the covariance is not positive definite: it has the eigenvalue 0": {Name: "x", Kind: data.Distribution,
			Strings: []string{"1±2", "1±0"}},
		"it has 2 coordinates": {Name: "x", Kind: data.Distribution, Strings: []string{"1±2", "1±2;3±1"}},
		"not symmetric": {Name: "x", Kind: data.Distribution,
			Strings: []string{`{"mean":[1,2],"var":[1,1]}`, `{"mean":[1,2],"cov":[[1,0.5],[0.4,1]]}`}},
		"UTF-8": {Name: "x", Kind: data.Text, Strings: []string{"a", "\xff"}},
	} {
		e, x, err := table(c)
		if err != nil {
			t.Fatal(err)
		}
		_, err = mixing.SchemaOf(e).Rows(x)
		var bad *data.Error
		if !errors.As(err, &bad) || bad.Row != 2 || bad.Column != "x" || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want row 2 of x, %q", err, want)
		}
	}
}

// Kernels on rows pass the conformance suite, objects are mapped once, and missing objects are
// empty ones.
func TestRowKernelsConform(t *testing.T) {
	e, x, err := table(
		data.NumberColumn("n", []float64{1, 2, 3, 4, 2}),
		data.TextColumn("s", []string{"abab", "", "baab", "abba", "bb"}),
		data.Column{Name: "t", Kind: data.Set, Strings: []string{"a;b", "a", "", "c", "b;c"}},
	)
	if err != nil {
		t.Fatal(err)
	}
	s := mixing.SchemaOf(e)
	rows, err := s.Rows(x)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := s.Column("s")
	set, _ := s.Column("t")
	numbers, err := s.OnColumns([]string{"n"}, kernel.Gaussian{Lengthscale: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []kernel.Kernel[mixed.Row]{
		numbers,
		mixing.On(text, kernel.Kernel[string](seq.Blended{K: 2, Decay: 0.5})),
		kernel.Sum(numbers, kernel.Scale(2, mixing.On(set, kernel.Kernel[[]string](discrete.Jaccard[string]{})))),
		kernel.Product(numbers, kernel.Sum(kernel.Constant[mixed.Row](1),
			kernel.Normalize(mixing.On(text, kernel.Kernel[string](seq.Spectrum{K: 2}))))),
	} {
		kerneltest.Run(t, k, kerneltest.Options[mixed.Row]{Points: rows})
	}
	calls := 0
	counted := mixing.On(text, kernel.Pullback(kernel.Kernel[kernel.Vec](kernel.Linear{}), func(s string) kernel.Vec {
		calls++
		return kernel.Vec{float64(len(s))}
	}))
	if err := kernel.Block(context.Background(), counted, mat.NewDense(5, 5, nil), rows, rows); err != nil || calls != 5 {
		t.Errorf("5 objects were mapped %d times (%v)", calls, err)
	}
}

func ExampleOn() {
	// A table of a number and a string.
	e, x, err := table(data.NumberColumn("length", []float64{3, 4}), data.TextColumn("gene", []string{"ACGT", "ACCT"}))
	if err != nil {
		fmt.Println(err)
		return
	}
	s := mixing.SchemaOf(e)
	rows, _ := s.Rows(x)
	gene, _ := s.Column("gene")
	length, _ := s.OnColumns([]string{"length"}, kernel.Linear{})
	k := kernel.Sum(length, mixing.On(gene, kernel.Kernel[string](seq.Spectrum{K: 2})))
	fmt.Println(k.Eval(rows[0], rows[1])) // -1 of the scaled lengths, 1 of "AC"
	// Output: 0
}
