package spec_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/mixing"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"gonum.org/v1/gonum/mat"
)

// shop is a table with a column of every kind.
func shop(t testing.TB, words bool) (mixed.Schema, data.Slice[mixed.Row], *data.Encoder) {
	d := &data.Dataset{Name: "shop", Columns: []data.Column{
		data.NumberColumn("price", []float64{1, 2, 4, 3}),
		data.NumberColumn("age", []float64{3, 1, 2, 2}),
		data.LevelColumn("colour", []string{"red", "blue", "red", "green"}),
		data.TextColumn("unit title", []string{"ACGTTA", "ACGGTA", "TTACGA", "GATTACA"}),
		data.TextColumn("review", []string{"good and cheap", "bad", "good but dear", "cheap and bad"}),
		data.SequenceColumn("sold", [][]float64{{1, 2, 3}, {2, 2}, {0, 1, 0, 1}, {1, 1, 2}}),
		{Name: "parse", Kind: data.Tree, Strings: []string{"(S (A a) (B b))", "(S (A a))", "(S (B b) (A a))", "(T (A a))"}},
		{Name: "tags", Kind: data.Set, Strings: []string{"a;b", "b", `["a","c"]`, "{b, c}"}},
		{Name: "moods", Kind: data.Fuzzy, Strings: []string{"calm:0.5;glad:1", "calm:1", "{}", `{"sad":0.25}`}},
		{Name: "votes", Kind: data.Ranking, Strings: []string{"x>y>z", "y>x=z", "z>*", "x,z,y"}},
		{Name: "cells", Kind: data.Bag, Channels: 2, Sequences: [][]float64{{0, 1, 1, 1}, {0, 0}, {1, 2, 3, 4},
			{1, 0, 0, 1}}},
		{Name: "molecule", Kind: data.Graph, Strings: []string{`{"nodes":3,"edges":[[0,1],[1,2]]}`, `{"edges":[[0,1]]}`,
			`{"nodes":2,"edges":[]}`, `{"edges":[[0,1],[1,2],[2,0]]}`}},
	}}
	o := data.EncoderOptions{Texts: map[string]data.TextPolicy{"review": "keep"}}
	if words {
		o.Texts["review"] = "tfidf"
	}
	return rowsOf(t, d, o)
}

// rowsOf encodes a table.
func rowsOf(t testing.TB, d *data.Dataset, o data.EncoderOptions) (mixed.Schema, data.Slice[mixed.Row], *data.Encoder) {
	t.Helper()
	e, err := data.FitEncoder(d, o)
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.Transform(d)
	if err != nil {
		t.Fatal(err)
	}
	s := mixing.SchemaOf(e)
	rows, err := s.Rows(x)
	if err != nil {
		t.Fatal(err)
	}
	return s, rows, e
}

var rowTexts = []string{
	"gaussian(lengthscale=2) on price,age",
	`gaussian(lengthscale=2) on price + 0.5*ssk(k=2, decay=0.5) on "unit title"`,
	`gaussian(lengthscale=1)*(normalize(spectrum(k=2)) on "unit title")`,
	"normalize(gak(width=2)) on sold + subsettree() on parse + jaccard() on tags",
	"(kendall() on votes)^2 + 0.25*(multiinstance(kernel=gaussian(lengthscale=2)) on cells) + wl(h=2) on molecule",
	"normalize(wl(h=1) on molecule + linear() on colour)",
	"fuzzyintersection(norm=hamacher) on moods",
	"(linear() + gaussian(lengthscale=2)) on price,age,colour",
	"exp(0.1*(kendall() on votes)) + 1",
}

// A kernel on rows has the values of its parts, and its text gives it back.
func TestKernelsOnRows(t *testing.T) {
	for _, words := range []bool{false, true} {
		s, rows, _ := shop(t, words)
		texts := rowTexts
		if words {
			texts = append([]string{"cosine() on review + linear() on price", "gaussian(lengthscale=1) on review,age"}, texts...)
		}
		for _, text := range texts {
			k, err := spec.ParseRows(s, text)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			printed, err := spec.FormatRows(s, k)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			again, err := spec.ParseRows(s, printed)
			if err != nil {
				t.Errorf("%s printed as %s: %v", text, printed, err)
				continue
			}
			if twice, _ := spec.FormatRows(s, again); twice != printed {
				t.Errorf("%s is printed as %s, then as %s", text, printed, twice)
			}
			m := mat.NewDense(len(rows), len(rows), nil)
			if err := kernel.Block(context.Background(), k, m, rows, rows); err != nil {
				t.Fatal(err)
			}
			for i := range rows {
				for j := range rows {
					want := k.Eval(rows[i], rows[j])
					if v := again.Eval(rows[i], rows[j]); v != want {
						t.Errorf("%s: (%d, %d) is %g, after its text %g", text, i, j, want, v)
					}
					if v := m.At(i, j); math.Abs(v-want) > 1e-12*(1+math.Abs(want)) {
						t.Errorf("%s: (%d, %d) is %g in a block, want %g", text, i, j, v, want)
					}
				}
			}
		}
	}
}

// By hand: what a kernel on some columns sees of a row.
func TestRowKernelByHand(t *testing.T) {
	s, rows, _ := shop(t, false)
	k, err := spec.ParseRows(s, `2*(linear() on price) + jaccard() on tags + spectrum(k=6) on "unit title"`)
	if err != nil {
		t.Fatal(err)
	}
	a, b := rows[0].Features[0], rows[1].Features[0]
	if got, want := k.Eval(rows[0], rows[1]), 2*a*b+0.5; math.Abs(got-want) > 1e-15 {
		t.Errorf("%g, want %g", got, want)
	}
	if got, want := k.Eval(rows[0], rows[0]), 2*a*a+2; math.Abs(got-want) > 1e-15 {
		t.Errorf("%g, want %g", got, want)
	}
}

func TestRowKernelFaults(t *testing.T) {
	s, _, _ := shop(t, false)
	for text, want := range map[string]string{
		"gaussian() on prise":        `did you mean "price"`,
		"gaussian() on tags":         `unknown kernel "gaussian"`,
		"ssk() on price":             `unknown kernel "ssk"`,
		"ssk()":                      "there are 2 such columns",
		"ssk() on review,price":      "stands alone",
		"gaussian() on price,review": "which has no features",
		"wl(h=1) on":                 "name of a column was expected",
		"sks() on review":            `did you mean "ssk"`,
		"hausdorff()":                `unknown kernel "hausdorff"`,
	} {
		_, err := spec.ParseRows(s, text)
		if err == nil || !strings.Contains(err.Error()+hint(err), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := spec.ParseFeatures(s, "gaussian() on price + linear() on colour"); err != nil {
		t.Error(err)
	}
}

func TestTextPolicies(t *testing.T) {
	for text, want := range map[string]string{
		"ssk() on a":                         "map[a:keep b:tfidf]",
		"cosine() on a":                      "map[a:tfidf b:tfidf]",
		"spectrum()":                         "map[a:keep b:keep]",
		"normalize(ssk()) on b + linear()":   "map[a:tfidf b:keep]",
		"linear() on a * (words() on b)":     "map[a:tfidf b:keep]",
		"kendall() on c + gaussian() on a,d": "map[a:tfidf b:tfidf]",
	} {
		e, err := spec.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(spec.TextPolicies(e, []string{"a", "b"})); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
		if !spec.OfTable(e) {
			t.Errorf("%s is about the columns of a table", text)
		}
	}
	e, err := spec.Parse("gaussian() on a + normalize(jaccard()) on b,c + wl(h=1) on d + log(gak()) on e + words() on f")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(spec.ColumnKinds(e)); got != "map[b:set c:set d:graph e:sequence f:text]" {
		t.Error(got)
	}
	if e, _ := spec.Parse("gaussian(lengthscale=2)*linear() + chi2()"); spec.OfTable(e) {
		t.Error("a kernel on vectors is not about columns")
	}
}

func ExampleParseRows() {
	s := mixed.Schema{Dim: 1, Columns: []mixed.Column{{Name: "price", Width: 1, Object: -1},
		{Name: "title", Kind: data.Text, Object: 0}}}
	k, err := spec.ParseRows(s, "gaussian() on price * (spectrum(k=1) on title)")
	if err != nil {
		fmt.Println(err)
		return
	}
	x, y := mixed.Row{Features: kernel.Vec{1}, Objects: []any{"abba"}},
		mixed.Row{Features: kernel.Vec{1}, Objects: []any{"bob"}}
	fmt.Println(k.Eval(x, y))
	text, _ := spec.FormatRows(s, k)
	fmt.Println(text)
	// Output:
	// 4
	// (gaussian(lengthscale=1) on price)*(spectrum(k=1) on title)
}

// Of two columns of text the second notes the letters of the first; the text gives the kernel back,
// and anything else is refused.
func TestKernelsOnNotedText(t *testing.T) {
	d := &data.Dataset{Name: "coils", Columns: []data.Column{
		data.TextColumn("sequence", []string{"LALA", "AL", "LLA"}), data.TextColumn("heptad", []string{"abcd", "ab", "abc"}),
		data.NumberColumn("length", []float64{4, 2, 3}),
	}}
	s, rows, _ := rowsOf(t, d, data.EncoderOptions{})
	const text = "2*(normalize(gappypairs(k=1, gap=3)) on sequence,heptad) + linear() on length"
	k, err := spec.ParseRows(s, text)
	if err != nil {
		t.Fatal(err)
	}
	printed, err := spec.FormatRows(s, k)
	if err != nil {
		t.Fatal(err)
	}
	again, err := spec.ParseRows(s, printed)
	if err != nil {
		t.Fatalf("%s: %v", printed, err)
	}
	if a, b := k.Eval(rows[0], rows[2]), again.Eval(rows[0], rows[2]); a != b {
		t.Errorf("%g, read back from %s %g", a, printed, b)
	}
	for _, bad := range []string{"spectrum() on sequence,length", "spectrum() on sequence,heptads",
		"gaussian() on sequence,heptad", "spectrum() on sequence,heptad,sequence"} {
		if _, err := spec.ParseRows(s, bad); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}
