package model_test

import (
	"bytes"
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/mixing"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/model"
)

// Kernels on objects of a column are factors and terms like others.
func TestContributionsOfObjects(t *testing.T) {
	d := orders(24)
	d.Columns = append(d.Columns[:2:2], d.Columns[3], d.Columns[6], d.Columns[10])
	e, err := data.FitEncoder(d, data.EncoderOptions{Missing: "mean"})
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.TransformLabelled(d)
	if err != nil {
		t.Fatal(err)
	}
	schema := mixing.SchemaOf(e)
	rows, err := schema.Rows(x)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"gaussian(lengthscale=2) on price + 0.5*(spectrum(k=2) on code) + jaccard() on tags",
		"(gaussian(lengthscale=2) on price)*(1 + spectrum(k=2) on code) + (jaccard() on " +
			"tags)*(normalize(gak(width=2)) on sold)"} {
		k, err := spec.ParseRows(schema, text)
		if err != nil {
			t.Fatal(err)
		}
		f, err := ridge.Regression[mixed.Row]{Kernel: k, Lambda: 1e-2}.Fit(context.Background(), rows, x.Target)
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.New(f, model.Info{Encoder: e})
		if err != nil {
			t.Fatal(err)
		}
		agrees(t, m, d, []int{2, 9}, []int{0, 4, 11}, "closed form", 1e-9)
		if own, err := m.Contributions(context.Background(), x, model.ContributionOptions{}); err != nil ||
			own.From != "its centres" || own.Rows != 24 {
			t.Errorf("own background: %v, %v", own, err)
		}
	}
}

// Notes of letters are known with the letters: those of another row are of other letters, and may be
// fewer. The shares are those of the model of one column in which a letter with its note is a letter
// of its own.
func TestContributionsOfNotes(t *testing.T) {
	ctx := context.Background()
	letters := []string{"LALA", "AL", "LLA", "ALLAL", "LAA", "ALAL", "LL", "AALLA"}
	notes := []string{"abab", "ba", "aab", "babab", "bba", "abba", "ab", "bbaab"}
	size, value := []float64{1, 4, 2, 5, 3, 1, 2, 6}, []float64{3, 1, 4, 1, 5, 9, 2, 6}
	both := make([]string, len(letters))
	for i := range both {
		for j, r := range letters[i] {
			both[i] += string(0x4e00 + r*128 + rune(notes[i][j]))
		}
	}
	shares := func(text string, columns ...data.Column) *model.Contributions {
		t.Helper()
		d := &data.Dataset{Name: "coils", Target: "value", Columns: append(columns, data.NumberColumn("size", size),
			data.NumberColumn("value", value))}
		e, err := data.FitEncoder(d, data.EncoderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		x, err := e.TransformLabelled(d)
		if err != nil {
			t.Fatal(err)
		}
		schema := mixing.SchemaOf(e)
		rows, err := schema.Rows(x)
		if err != nil {
			t.Fatal(err)
		}
		k, err := spec.ParseRows(schema, text)
		if err != nil {
			t.Fatal(err)
		}
		f, err := ridge.Regression[mixed.Row]{Kernel: k, Lambda: 1e-2}.Fit(ctx, rows, x.Target)
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.New(f, model.Info{Encoder: e})
		if err != nil {
			t.Fatal(err)
		}
		c, err := m.Contributions(ctx, x, model.ContributionOptions{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return c
	}
	got := shares("(spectrum(k=2) on sequence,heptad)*(1 + gaussian(lengthscale=1) on size)",
		data.TextColumn("sequence", letters), data.TextColumn("heptad", notes))
	want := shares("(spectrum(k=2) on sequence)*(1 + gaussian(lengthscale=1) on size)", data.TextColumn("sequence", both))
	for i := range letters {
		row, of := got.Share[0].RawRowView(i), want.Share[0].RawRowView(i)
		if math.Abs(row[0]-of[0]) > 1e-9 || row[1] != 0 || math.Abs(row[2]-of[1]) > 1e-9 || of[0] == 0 {
			t.Errorf("row %d: %v, want %v of the letters with their notes and of the size", i, row, of)
		}
	}
}

// Words of a text are one column, whose features are sparse; categories as codes are compared by
// kernels of their own.
func TestContributionsOfTextAndCodes(t *testing.T) {
	ctx := context.Background()
	d := orders(24)
	d.Columns = append(d.Columns[:1:1], d.Columns[2], d.Columns[10])
	e, err := data.FitEncoder(d, data.EncoderOptions{Text: "tfidf"})
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.TransformLabelled(d)
	if err != nil {
		t.Fatal(err)
	}
	on, err := kernel.OnSparse(kernel.Gaussian{Lengthscale: 2}, e.Dim)
	if err != nil {
		t.Fatal(err)
	}
	f, err := ridge.Regression[data.SparseVec]{Kernel: on, Lambda: 1e-2}.Fit(ctx, *x.Sparse, x.Target)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New(f, model.Info{Encoder: e})
	if err != nil {
		t.Fatal(err)
	}
	agrees(t, m, d, []int{2, 9}, []int{0, 4, 11}, "all subsets", 1e-9)

	h := houses(40)
	h.Columns = h.Columns[2:5]
	for text, how := range map[string]string{"categorical(decay=0.7)": "closed form", "overlap()": "closed form",
		"overlap(weights=[1, 3])": "closed form", "categorical(decay=0.7, weights=[2, 0.5])": "closed form"} {
		k, err := spec.ParseKernel(text)
		if err != nil {
			t.Fatal(err)
		}
		e, err := data.FitEncoder(h, data.EncoderOptions{Categories: "code"})
		if err != nil {
			t.Fatal(err)
		}
		x, err := e.TransformLabelled(h)
		if err != nil {
			t.Fatal(err)
		}
		f, err := ridge.Regression[kernel.Vec]{Kernel: k, Lambda: 1e-2, Intercept: true}.Fit(ctx, x.Dense, x.Target)
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.New(f, model.Info{Encoder: e})
		if err != nil {
			t.Fatal(err)
		}
		agrees(t, m, h, []int{2, 9}, []int{0, 4, 11}, how, 1e-9)
	}
}

// A committee of numbers is the sum of what its members say, in closed form where they are; one of
// classes is a mean of probabilities, shared by all subsets.
func TestContributionsOfACommittee(t *testing.T) {
	d := houses(40)
	first, second := houseModel(t, d, "gaussian(lengthscale=2)"), houseModel(t, d, "linear()")
	c, err := model.NewCommittee(model.Committee{Members: []model.CommitteeMember{{Model: first, Weight: 0.3},
		{Model: second, Weight: 0.7}}},
		model.Info{Encoder: first.Info().Encoder, TargetScale: first.Info().TargetScale})
	if err != nil {
		t.Fatal(err)
	}
	agrees(t, c, d, []int{3, 4}, []int{0, 5, 13}, "closed form", 1e-9)

	d.Target = "kind"
	d.Columns = append(d.Columns[:4:4], d.Columns[5])
	e, err := data.FitEncoder(d, data.EncoderOptions{Missing: "mean"})
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.TransformLabelled(d)
	if err != nil {
		t.Fatal(err)
	}
	member := func(k kernel.Kernel[kernel.Vec]) *model.Model {
		f, err := logistic.Regression[kernel.Vec, int]{Kernel: k, Lambda: 0.1}.Fit(context.Background(), x.Dense, x.Codes())
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.New(f, model.Info{Encoder: e})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	c,
		err = model.NewCommittee(model.Committee{Members: []model.CommitteeMember{{Model: member(kernel.Gaussian{Lengthscale: 1}),
		Weight: 0.5}, {Model: member(kernel.Linear{}), Weight: 0.5}}}, model.Info{Encoder: e})
	if err != nil {
		t.Fatal(err)
	}
	if got := agrees(t, c, d, []int{3, 4}, []int{0, 5, 13}, "all subsets", 1e-9); got.Unit != "log-probability" {
		t.Errorf("of %q", got.Unit)
	}
}

// The rows to compare with travel in the file; what a file says of others is refused.
func TestBackgroundInTheFile(t *testing.T) {
	d := houses(40)
	m := houseModel(t, d, "gaussian(lengthscale=2)")
	info := m.Info()
	info.Background = model.KeptBackground(info.Encoder, d, []int{1, 2, 3, 5, 8, 13})
	if info.Background.Len() != 6 || info.Background.Dim() != info.Encoder.Dim {
		t.Fatalf("%d rows of %d", info.Background.Len(), info.Background.Dim())
	}
	many := make([]int, 1000)
	for i := range many {
		many[i] = i % 40
	}
	if n := model.KeptBackground(info.Encoder, d, many).Len(); n != 64 {
		t.Errorf("%d rows are kept", n)
	}
	with, err := model.NewCommittee(model.Committee{Members: []model.CommitteeMember{{Model: m, Weight: 1}}}, info)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := with.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	back, err := model.Decode(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	x, _ := m.Encode(d.Gather([]int{7}))
	want, err := with.Contributions(context.Background(), x, model.ContributionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := back.Contributions(context.Background(), x, model.ContributionOptions{})
	if err != nil || got.Rows != 6 || got.From != "rows that it was fitted on" ||
		got.Share[0].At(0, 2) != want.Share[0].At(0, 2) {
		t.Errorf("%+v, %v", got, err)
	}
	info.Background = data.Line([]float64{1})
	if _, err := model.NewCommittee(model.Committee{Members: []model.CommitteeMember{{Model: m, Weight: 1}}},
		info); err == nil {
		t.Error("a background of one feature is taken")
	}
}
