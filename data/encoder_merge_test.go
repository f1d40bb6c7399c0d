package data

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
)

// fitsOf looks through each part by itself, and sends what was seen through its form.
func fitsOf(t *testing.T, o EncoderOptions, parts []*Dataset) []*EncoderFit {
	t.Helper()
	var out []*EncoderFit
	for _, part := range parts {
		f, err := NewEncoderFit(o)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Add(part); err != nil {
			t.Fatal(err)
		}
		b, err := f.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		back := &EncoderFit{}
		if err := back.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		out = append(out, back)
	}
	return out
}

func merged(t *testing.T, fits []*EncoderFit) *EncoderFit {
	t.Helper()
	all := &EncoderFit{}
	for _, f := range fits {
		if err := all.Merge(f); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// TestMergedFitsAreOneFit: parts seen apart and merged give the encoder of all rows, up to rounding
// of its numbers; merging again gives the same bits.
func TestMergedFitsAreOneFit(t *testing.T) {
	for _, o := range encodings {
		want, err := FitEncoder(tableOf(1000, true), o)
		if err != nil {
			t.Fatal(err)
		}
		var bits string
		for range 2 {
			f := merged(t, fitsOf(t, o, parts(tableOf(1000, true), 64, 1, 313)))
			got, err := f.Encoder()
			if err != nil {
				t.Fatal(err)
			}
			if f.Rows() != 1000 || got.Dim != want.Dim || len(got.Columns) != len(want.Columns) {
				t.Fatalf("%d rows, %d features, %d columns", f.Rows(), got.Dim, len(got.Columns))
			}
			for i := range got.Columns {
				sameCode(t, &got.Columns[i], &want.Columns[i])
			}
			text, _ := json.Marshal(got)
			if bits != "" && bits != string(text) {
				t.Error("merging twice in the same order gives other bits")
			}
			bits = string(text)
		}
	}
}

func sameCode(t *testing.T, got, want *ColumnCode) {
	t.Helper()
	plain := func(c ColumnCode) string {
		c.Scale, c.Fill = nil, nil
		b, _ := json.Marshal(c)
		return string(b)
	}
	if plain(*got) != plain(*want) {
		t.Errorf("%s, want %s", plain(*got), plain(*want))
	}
	numbers := func(c *ColumnCode) (out []float64) {
		for _, a := range c.Scale {
			out = append(out, a.Center, a.Factor)
		}
		return append(out, c.Fill...)
	}
	g, w := numbers(got), numbers(want)
	if len(g) != len(w) {
		t.Fatalf("column %q: %d numbers, want %d", got.Name, len(g), len(w))
	}
	for i := range g {
		if math.Abs(g[i]-w[i]) > 1e-9*max(1, math.Abs(w[i])) { // the mean of 10⁶ ± 1 is known to 10⁻¹⁰
			t.Errorf("column %q: %.17g, want %.17g", got.Name, g[i], w[i])
		}
	}
}

// TestMergeKeepsDigits: the spread of numbers of very different sizes is that of all of them,
// whichever part comes first; a part without numbers changes nothing.
func TestMergeKeepsDigits(t *testing.T) {
	for _, x := range [][]float64{{1e300, -1e300, 3, 5}, {1e-300, 2e-300, 1e-10, 0}, {1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4},
		{0, 0, 0, 7}, {4, 4, 4, 4}} {
		for _, swap := range []bool{false, true} {
			var all, a, b, none moments
			for i, v := range x {
				all.add(v)
				if (i < 2) != swap {
					a.add(v)
				} else {
					b.add(v)
				}
			}
			none.merge(a)
			none.merge(moments{})
			none.merge(b)
			mean, std := none.meanStd()
			wantMean, wantStd := all.meanStd()
			if none.n != 4 || math.Abs(mean-wantMean) > 1e-12*max(math.Abs(wantMean), wantStd) ||
				math.Abs(std-wantStd) > 1e-9*wantStd {
				t.Errorf("%v: mean %g and spread %g, want %g and %g", x, mean, std, wantMean, wantStd)
			}
		}
	}
}

// TestMergeCountsClasses: counts are those of all parts in the order of the classes, though no part
// has all of them.
func TestMergeCountsClasses(t *testing.T) {
	part := func(classes ...string) *Dataset {
		x := make([]float64, len(classes))
		return &Dataset{Name: "part", Target: "y", Columns: []Column{NumberColumn("x", x), LevelColumn("y", classes)}}
	}
	f := merged(t, fitsOf(t, EncoderOptions{Task: Multiclass}, []*Dataset{part("10", "9"), part("9", "9", "b")}))
	e, err := f.Encoder()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(e.Target.Classes, " "); got != "9 10 b" && got != "10 9 b" {
		t.Fatalf("classes %s", got)
	}
	for i, c := range f.ClassCounts() {
		if want := map[string]float64{"9": 3, "10": 1, "b": 1}[e.Target.Classes[i]]; c != want {
			t.Errorf("class %s: %g rows, want %g", e.Target.Classes[i], c, want)
		}
	}
	g := merged(t, fitsOf(t, EncoderOptions{Task: Regression, Missing: missingMean}, parts(tableOf(50, true), 20)))
	means, deviations := g.TargetMoments()
	mean, deviation := means[0], deviations[0]
	var all moments
	y, _ := tableOf(50, true).Column("y")
	for _, v := range y.Numbers {
		all.add(v)
	}
	if wantMean, wantStd := all.meanStd(); math.Abs(mean-wantMean) > 1e-13 || math.Abs(deviation-wantStd) > 1e-13 {
		t.Errorf("target %g ± %g, want %g ± %g", mean, deviation, wantMean, wantStd)
	}
}

// TestMergeRefusesOtherTables: other columns are named.
func TestMergeRefusesOtherTables(t *testing.T) {
	o := EncoderOptions{Task: Regression}
	table := func(columns ...Column) *Dataset { return &Dataset{Name: "other.csv", Target: "y", Columns: columns} }
	x, y := NumberColumn("x", []float64{1, 2}), NumberColumn("y", []float64{1, 2})
	for want, d := range map[string]*Dataset{
		`column "z"`:         table(NumberColumn("z", []float64{1, 2}), y),
		"2 columns":          table(x, NumberColumn("z", []float64{1, 2}), y),
		`"x" is categorical`: table(LevelColumn("x", []string{"a", "b"}), y),
		`targets ["y"] and weigh`: {Name: "other.csv", Target: "y", Weights: "w",
			Columns: []Column{x, y, NumberColumn("w", []float64{1, 1})}},
	} {
		fits := fitsOf(t, o, []*Dataset{table(x, y), d})
		err := fits[0].Merge(fits[1])
		var told *Error
		if !errors.As(err, &told) || told.File != "other.csv" || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := (&EncoderFit{}).UnmarshalBinary([]byte("no fit")); !errors.Is(err, ErrDamaged) {
		t.Errorf("damaged: %v", err)
	}
}

// TestSeenIsOfAllParts: what is told of columns is that of all rows.
func TestSeenIsOfAllParts(t *testing.T) {
	whole := tableOf(100, true)
	seen := merged(t, fitsOf(t, EncoderOptions{Task: Regression, Missing: missingMean}, parts(whole, 30))).Seen()
	if len(seen) != 3 {
		t.Fatalf("%d columns", len(seen))
	}
	x, c := whole.Columns[0], whole.Columns[1]
	low, high, sum, n := math.Inf(1), math.Inf(-1), 0.0, 0.0
	levels := map[string]float64{}
	for i := range 100 {
		if !x.IsMissing(i) {
			low, high, sum, n = min(low, x.Numbers[i]), max(high, x.Numbers[i]), sum+x.Numbers[i]-1e6, n+1
			levels[c.String(i)]++
		}
	}
	if s := seen[0]; s.Name != "x" || s.Rows != 100 || s.Missing != 14 || s.Low != low || s.High != high ||
		math.Abs(s.Mean-1e6-sum/n) > 1e-9 || !(s.Deviation > 0.5 && s.Deviation < 1.5) {
		t.Errorf("%+v, want %g to %g about %g", s, low, high, 1e6+sum/n)
	}
	for i, l := range seen[1].Levels {
		if seen[1].Counts[i] != levels[l] {
			t.Errorf("level %q: %g rows, want %g", l, seen[1].Counts[i], levels[l])
		}
	}
	if s := seen[2]; s.Kind != Time || !(s.Low < s.High) {
		t.Errorf("%+v", s)
	}
}

// TestMergedFitsOfSeveralTargets: further targets are no features, and each has its own mean; a
// part with others is refused.
func TestMergedFitsOfSeveralTargets(t *testing.T) {
	table := func(n int) *Dataset {
		d := tableOf(n, true)
		d.More = []string{"x"}
		return d
	}
	o := EncoderOptions{Task: Regression, Missing: missingMean}
	whole := table(200)
	want, err := FitEncoder(whole, o)
	if err != nil {
		t.Fatal(err)
	}
	f := merged(t, fitsOf(t, o, parts(table(200), 30, 90)))
	got, err := f.Encoder()
	if err != nil {
		t.Fatal(err)
	}
	if got.Dim != want.Dim || strings.Join(got.Targets(), " ") != strings.Join(want.Targets(), " ") ||
		len(got.Targets()) != 2 {
		t.Errorf("%d features and targets %q, want %d and %q", got.Dim, got.Targets(), want.Dim, want.Targets())
	}
	means, deviations := f.TargetMoments()
	for i, name := range whole.Targets() {
		var all moments
		c, _ := whole.Column(name)
		for row, v := range c.Numbers {
			if !c.IsMissing(row) {
				all.add(v)
			}
		}
		if mean, std := all.meanStd(); math.Abs(means[i]-mean) > 1e-12*max(1, math.Abs(mean)) ||
			math.Abs(deviations[i]-std) > 1e-9*std {
			t.Errorf("%s: %g ± %g, want %g ± %g", name, means[i], deviations[i], mean, std)
		}
	}
	if err := f.Merge(fitsOf(t, o, []*Dataset{tableOf(20, true)})[0]); err == nil {
		t.Error("a part with one target was merged")
	}
}
