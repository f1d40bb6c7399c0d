package data_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
)

func wide(n, steps int) *Dataset {
	d := &Dataset{Name: "wide", Columns: []Column{LevelColumn("label", slices.Repeat([]string{"a", "b"}, n/2))},
		Target: "label"}
	for t := range steps {
		v := make([]float64, n)
		for i := range v {
			v[i] = float64(10*i + t)
		}
		d.Columns = append(d.Columns, NumberColumn("t"+phrase.Number(float64(t+1)), v))
	}
	return d
}

// Numbers side by side become a series; what is missing at the end makes it shorter, a gap inside
// is refused.
func TestJoinSteps(t *testing.T) {
	d := wide(4, 20)
	joins := d.GuessJoins()
	if len(joins) != 1 || len(joins[0].From) != 20 {
		t.Fatalf("%v", joins)
	}
	d.Columns[20].Numbers[1] = math.NaN()
	d.Columns[19].Numbers[1] = math.NaN()
	out, err := d.Join(joins...)
	if err != nil {
		t.Fatal(err)
	}
	c, err := out.Column("series")
	if err != nil || c.Kind != Sequence || len(c.Sequences[0]) != 20 || len(c.Sequences[1]) != 18 ||
		c.Sequences[1][17] != 27 || len(out.Columns) != 2 {
		t.Fatalf("%+v (%v)", c, err)
	}
	// What is joined stays as it is, and an encoder does it to the next file.
	if again, err := out.Join(joins...); err != nil || again != out {
		t.Errorf("joined again: %v", err)
	}
	e, err := FitEncoder(out, EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.Transform(wide(2, 20))
	if err != nil || len(x.Objects) != 1 || len(x.Objects[0].Sequences[1]) != 20 {
		t.Errorf("%+v (%v)", x, err)
	}
	if e.Readings()["t7"].Kind != Numeric {
		t.Error("the next file's columns are numbers")
	}
	d.Columns[5].Numbers[1] = math.NaN()
	if _, err := d.Join(joins...); err == nil || !strings.Contains(err.Error(), "middle of a series") {
		t.Errorf("%v", err)
	}
	if joins := wide(4, 19).GuessJoins(); joins != nil {
		t.Errorf("19 columns are joined: %v", joins)
	}
}

// Lists of the same lengths are channels.
func TestJoinChannels(t *testing.T) {
	d := &Dataset{Columns: []Column{
		SequenceColumn("x", [][]float64{{1, 2, 3}, {4, 5}}), SequenceColumn("y", [][]float64{{-1, -2, -3}, {-4, -5}}),
	}}
	out, err := d.Join(d.GuessJoins()...)
	if err != nil {
		t.Fatal(err)
	}
	c := out.Columns[0]
	if c.Channels != 2 || !slices.Equal(c.Sequences[0], []float64{1, -1, 2, -2, 3, -3}) ||
		c.String(1) != "[[4,-4],[5,-5]]" {
		t.Errorf("%+v", c)
	}
	d.Columns[1].Sequences[1] = []float64{1}
	if d.GuessJoins() != nil {
		t.Error("lists of different lengths are joined")
	}
	if _, err := d.Join(Join{Name: "s", Kind: Sequence, From: []string{"x", "y"}}); err == nil ||
		!strings.Contains(err.Error(), "steps") {
		t.Errorf("%v", err)
	}
}

// Rows of one bag are one example, wherever they stand.
func TestJoinBags(t *testing.T) {
	d := &Dataset{Name: "bags", Target: "label", Columns: []Column{
		LevelColumn("bag", []string{"p", "q", "p", "r"}), LevelColumn("label", []string{"yes", "no", "yes", "no"}),
		NumberColumn("u", []float64{1, 2, 3, 4}), NumberColumn("v", []float64{5, 6, 7, 8}),
	}}
	joins := d.GuessJoins()
	out, err := d.Join(joins...)
	if err != nil || out.Len() != 3 {
		t.Fatalf("%v %v", joins, err)
	}
	c, err := out.Column("bag of bag")
	if err != nil || c.String(0) != "[[1,5],[3,7]]" || c.Channels != 2 {
		t.Errorf("%+v (%v)", c, err)
	}
	if f := out.Features(); len(f) != 1 || f[0].Kind != Bag {
		t.Errorf("the name of a bag is a feature: %v", f)
	}
	d.Columns[1] = LevelColumn("label", []string{"yes", "no", "no", "no"})
	if joins := d.GuessJoins(); joins != nil {
		t.Errorf("bags of two labels: %v", joins)
	}
	j, err := d.Bags("bag")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Join(j); err == nil || !strings.Contains(err.Error(), `"no", but "yes"`) {
		t.Errorf("%v", err)
	}
}

func TestSequencesOfSeveralChannels(t *testing.T) {
	c := TextColumn("s", []string{"[[1,2],[3,4]]", "[ [5, 6] ; [7,8.5] ]", "NA"})
	out, err := c.As(Sequence)
	if err != nil || out.Channels != 2 || !slices.Equal(out.Sequences[1], []float64{5, 6, 7, 8.5}) || !out.IsMissing(2) ||
		out.String(0) != "[[1,2],[3,4]]" {
		t.Errorf("%+v (%v)", out, err)
	}
	for _, bad := range []string{"[[1,2],[3]]", "[[1,2]", "[[1,x]]", "[[1][2]]"} {
		c := TextColumn("s", []string{bad})
		if _, err := c.As(Sequence); err == nil {
			t.Errorf("%q is a series", bad)
		}
	}
	mixed := TextColumn("s", []string{"1,2,3", "[[1,2],[3,4]]"})
	if _, err := mixed.As(Sequence); err == nil {
		t.Error("one channel and two")
	}
}

// Objects that are clearly written as such need nobody to say so.
func TestGuessObjects(t *testing.T) {
	for kind, values := range map[Kind][]string{
		Tree:        {"(S (A a))", "(S b)"},
		Graph:       {`{"nodes":2,"edges":[[0,1]]}`},
		Set:         {`["a","b"]`, "{c}", "{}"},
		Ranking:     {"a>b", "b>a=c"},
		Sequence:    {"1,2,3", "[4,5]"},
		Categorical: {"(a) b", "c", "a (b)"},
	} {
		d := &Dataset{Columns: []Column{TextColumn("x", values)}}
		if err := InferKinds(d, Inference{}); err != nil || d.Columns[0].Kind != kind {
			t.Errorf("%q: %v (%v), want %v", values, d.Columns[0].Kind, err, kind)
		}
	}
}
