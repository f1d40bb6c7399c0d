package data

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/internal/mend"
)

func mixed() *Dataset {
	day := func(s string) time.Time { t, _ := time.Parse("2006-01-02", s); return t }
	return &Dataset{Name: "m.csv", Target: "y", Columns: []Column{
		NumberColumn("area", []float64{10, 20, 30, 40}),
		LevelColumn("town", []string{"ulm", "bonn", "ulm", "kiel"}),
		TimeColumn("built", []time.Time{day("2020-01-01"), day("2020-07-01"), day("2021-01-01"), day("2021-07-01")}),
		TextColumn("note", []string{"warm and dry", "dry dry", "wet", "cold and wet"}),
		NumberColumn("y", []float64{1.5, 2.5, 3.25, 4}),
	}}
}

func TestEncoderFeatures(t *testing.T) {
	d := mixed()
	e, err := FitEncoder(d, EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.TransformLabelled(d)
	if err != nil {
		t.Fatal(err)
	}
	// Standardised 10…40: mean 25, standard deviation √125.
	if got, want := x.Dense.At(0)[0], -15/math.Sqrt(125); math.Abs(got-want) > 1e-15 {
		t.Errorf("area 10 becomes %v, want %v", got, want)
	}
	names := e.Names()
	if !slices.Equal(names[:4], []string{"area", "town=bonn", "town=kiel", "town=ulm"}) || len(names) != e.Dim ||
		x.Dense.Dim() != e.Dim {
		t.Errorf("features %v, dim %d", names, e.Dim)
	}
	if got := x.Dense.At(3)[1:4]; !slices.Equal(got, []float64{0, 1, 0}) {
		t.Errorf("kiel is %v", got)
	}
	if !slices.Equal(x.Target, []float64{1.5, 2.5, 3.25, 4}) || e.Target.Task != Regression {
		t.Errorf("target %v, task %v", x.Target, e.Target.Task)
	}
	if x.Objects[0].Strings[2] != "wet" {
		t.Errorf("text column is %v", x.Objects)
	}
}

// The encoding survives JSON, and a file with columns in another order, extra
// ones and no target gives the same features.
func TestEncoderTravels(t *testing.T) {
	d := mixed()
	e, err := FitEncoder(d, EncoderOptions{Text: textTFIDF})
	if err != nil {
		t.Fatal(err)
	}
	packed, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var back Encoder
	if err := json.Unmarshal(packed, &back); err != nil {
		t.Fatal(err)
	}
	want, err := e.Transform(d)
	if err != nil {
		t.Fatal(err)
	}
	town, _ := d.Columns[1].As(Text) // a stream gives text
	built, _ := d.Columns[2].As(Text)
	other := &Dataset{Name: "o.csv", Columns: []Column{d.Columns[3], NumberColumn("extra", make([]float64, 4)), built,
		town, d.Columns[0]}}
	got, err := back.Transform(other)
	if err != nil {
		t.Fatal(err)
	}
	a, b := want.Sparse.CSR(), got.Sparse.CSR()
	if !slices.Equal(a.Value, b.Value) || !slices.Equal(a.Index, b.Index) || !slices.Equal(a.Ptr, b.Ptr) {
		t.Error("features differ after a round trip")
	}
}

func TestEncoderSaysWhatIsWrong(t *testing.T) {
	d := mixed()
	e, err := FitEncoder(d, EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	expect := func(what string, d *Dataset, kind error, want ...string) *Error {
		t.Helper()
		_, err := e.Transform(d)
		if err == nil {
			t.Errorf("%s: no error", what)
			return &Error{}
		}
		var fault *Error
		if !errors.Is(err, kind) || !errors.As(err, &fault) {
			t.Errorf("%s: %v is not %q", what, err, kind)
			return &Error{}
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v\nwant %q in it", what, err, w)
			}
		}
		return fault
	}
	absent := mixed()
	absent.Name = "other.csv"
	absent.Columns[0].Name = "aera"
	expect("renamed column", absent, ErrNoColumn,
		`other.csv: the model needs column "area", which is not here (found: aera, town, built, note, y)`,
		`is "aera" meant for "area"`)
	unseen := mixed()
	unseen.Columns[1] = LevelColumn("town", []string{"ulm", "ulm", "bon", "ulm"})
	town := expect("unseen category", unseen, ErrUnseen, `row 3: column "town" is "bon"`, `did you mean "bonn"`,
		"known: bonn, kiel, ulm", `set EncoderOptions.Unseen to "zero"`)
	if town.Row != 3 || town.Column != "town" || town.Value != "bon" || town.Remedy != mend.Unseen {
		t.Errorf("unseen category: %+v", town)
	}
	wrong := mixed()
	wrong.Columns[0] = TextColumn("area", []string{"1", "2", "big", "3"})
	expect("wrong kind", wrong, ErrValue, `row 3: column "area" is "big", where a number is needed`)
	gap := mixed()
	gap.Columns[0].Numbers[1] = math.NaN()
	expect("missing value", gap, ErrMissing, "1 column has missing values: area (1)",
		`set EncoderOptions.Missing to "drop", "mean" or "indicator"`)
	var missing *Error
	if _, err := FitEncoder(gap, EncoderOptions{}); !errors.As(err, &missing) || missing.Missing[0].Count != 1 ||
		missing.Remedy != mend.Missing {
		t.Errorf("fitting with a gap: %v", err)
	}
	if _, err := FitEncoder(d, EncoderOptions{Missing: "men"}); err == nil ||
		!strings.Contains(err.Error(), `did you mean "mean"`) {
		t.Errorf("unknown option: %v", err)
	}
}

func TestUnseenZero(t *testing.T) {
	e, err := FitEncoder(mixed(), EncoderOptions{Unseen: unseenZero})
	if err != nil {
		t.Fatal(err)
	}
	d := mixed()
	d.Columns[1] = LevelColumn("town", []string{"ulm", "köln", "ulm", "ulm"})
	x, err := e.Transform(d)
	if err != nil || !slices.Equal(x.Dense.At(1)[1:4], []float64{0, 0, 0}) {
		t.Errorf("unseen category: %v, %v", x, err)
	}
}

func TestMissingPolicies(t *testing.T) {
	d := &Dataset{Name: "g", Columns: []Column{
		NumberColumn("a", []float64{1, math.NaN(), 3, 5}),
		LevelColumn("c", []string{"u", "v", "", "u"}),
	}}
	fit := func(p MissingPolicy) (*Encoder, *Encoded) {
		e, err := FitEncoder(d, EncoderOptions{Missing: p, Scaling: noScaling})
		if err != nil {
			t.Fatal(err)
		}
		x, err := e.Transform(d)
		if err != nil {
			t.Fatal(err)
		}
		return e, x
	}
	_, x := fit(missingDrop)
	if !slices.Equal(x.Kept, []int{0, 3}) || x.Dense.Len() != 2 {
		t.Errorf("drop keeps %v", x.Kept)
	}
	_, x = fit(missingMean)
	if got := x.Dense.At(1); !slices.Equal(got, []float64{3, 0, 1}) {
		t.Errorf("mean fills %v", got)
	}
	if got := x.Dense.At(2); math.Abs(got[1]-2./3) > 1e-15 || math.Abs(got[2]-1./3) > 1e-15 {
		t.Errorf("mean of categories fills %v", got)
	}
	e, x := fit(missingIndicator)
	if got := x.Dense.At(1); !slices.Equal(got, []float64{3, 1, 0, 1, 0}) {
		t.Errorf("indicator fills %v (%v)", got, e.Names())
	}
}

// tf-idf agrees with scikit-learn 1.9's TfidfVectorizer() on the same texts.
func TestTFIDF(t *testing.T) {
	d := &Dataset{Columns: []Column{TextColumn("t", []string{"the cat sat", "the dog sat on the mat", "cat and dog"})}}
	e, err := FitEncoder(d, EncoderOptions{Text: textTFIDF})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(e.Columns[0].Words, " "); got != "and cat dog mat on sat the" {
		t.Errorf("words %s", got)
	}
	x, err := e.Transform(d)
	if err != nil {
		t.Fatal(err)
	}
	dense := x.AsDense()
	// >>> TfidfVectorizer().fit_transform(texts).toarray()
	want := [][]float64{
		{0, 0.5773502691896257, 0, 0, 0, 0.5773502691896257, 0.5773502691896257},
		{0, 0, 0.32516554853793517, 0.42755362018356385, 0.42755362018356385, 0.32516554853793517, 0.6503310970758703},
		{0.680918560398684, 0.5178561161676974, 0.5178561161676974, 0, 0, 0, 0},
	}
	for i, row := range want {
		for j, w := range row {
			if got := dense.At(i)[j]; math.Abs(got-w) > 1e-12 {
				t.Errorf("text %d word %d: %v, want %v", i, j, got, w)
			}
		}
	}
	h, err := FitEncoder(d, EncoderOptions{Text: textHash, HashBits: 8})
	if err != nil {
		t.Fatal(err)
	}
	x, err = h.Transform(d)
	if err != nil || x.Sparse.Dim() != 256 {
		t.Fatalf("hashed text: %v, %v", x, err)
	}
	for i := range 3 {
		sum := 0.0
		for _, v := range x.Sparse.At(i).Value {
			sum += v * v
		}
		if math.Abs(sum-1) > 1e-14 {
			t.Errorf("text %d has length² %v", i, sum)
		}
	}
}

func TestCategoryCodes(t *testing.T) {
	d := mixed()
	e, err := FitEncoder(d, EncoderOptions{Categories: categoryCode, Unseen: unseenZero})
	if err != nil {
		t.Fatal(err)
	}
	d.Columns[1] = LevelColumn("town", []string{"ulm", "bonn", "zug", "kiel"})
	x, err := e.Transform(d)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{2, 0, -1, 1} {
		if got := x.Dense.At(i)[1]; got != want {
			t.Errorf("row %d: code %v, want %v", i, got, want)
		}
	}
}

type sliceStream []*Dataset

func (s *sliceStream) Next() (*Dataset, error) {
	if len(*s) == 0 {
		return nil, io.EOF
	}
	d := (*s)[0]
	*s = (*s)[1:]
	return d, nil
}
func (s *sliceStream) Close() error { return nil }

func TestEncodedStream(t *testing.T) {
	d := mixed()
	e, err := FitEncoder(d, EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	whole, _ := e.Transform(d)
	bad := d.Gather([]int{0, 1})
	bad.Columns[1] = LevelColumn("town", []string{"ulm", "rom"})
	chunks := sliceStream{d.Gather([]int{0, 1}), d.Gather([]int{2, 3}), bad}
	s := e.Stream(&chunks)
	row := 0
	for range 2 {
		_, x, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.Len() {
			if !slices.Equal(x.Dense.At(i), whole.Dense.At(row)) {
				t.Errorf("row %d differs", row)
			}
			row++
		}
	}
	if _, _, err := s.Next(); err == nil || !strings.Contains(err.Error(), "row 6") {
		t.Errorf("a fault in the third chunk: %v", err)
	}
}

func TestDegenerateEncoders(t *testing.T) {
	for name, d := range map[string]*Dataset{
		"no columns":  {},
		"no rows":     {Columns: []Column{NumberColumn("a", nil)}},
		"target only": {Target: "a", Columns: []Column{NumberColumn("a", []float64{1, 2})}},
		"one class": {Target: "y", Columns: []Column{NumberColumn("a", []float64{1, 2}),
			LevelColumn("y", []string{"u", "u"})}},
		"two names": {Columns: []Column{NumberColumn("a", []float64{1}), NumberColumn("a", []float64{1})}},
		"ragged":    {Columns: []Column{NumberColumn("a", []float64{1}), NumberColumn("b", []float64{1, 2})}},
		"too large": {Columns: []Column{NumberColumn("a", []float64{1, 1.7e308})}},
		"too large y": {Target: "y", Columns: []Column{NumberColumn("a", []float64{1, 2, 3}),
			NumberColumn("y", []float64{1, -1.7e308, 2})}},
		"infinite":      {Columns: []Column{NumberColumn("a", []float64{1, math.Inf(1)})}},
		"absent target": {Target: "z", Columns: []Column{NumberColumn("a", []float64{1})}},
		"constant target": {Target: "y", Columns: []Column{NumberColumn("a", []float64{1, 2}),
			NumberColumn("y", []float64{3, 3})}},
	} {
		if _, err := FitEncoder(d, EncoderOptions{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, column := range map[string][]float64{"constant": {7, 7, 7}, "large": {1e300, -1e300, 5e299}, "one row": {3},
		"tiny": {5e-324, 0, 5e-324}} {
		d := &Dataset{Columns: []Column{NumberColumn("a", column)}}
		for _, how := range []Scaling{standardize, minMax, robust, maxAbs} {
			e, err := FitEncoder(d, EncoderOptions{Scaling: how})
			if err != nil {
				t.Errorf("%s, %s: %v", name, how, err)
				continue
			}
			x, err := e.Transform(d)
			if err != nil {
				t.Logf("%s, %s: refused: %v", name, how, err)
				continue
			}
			for i := range column {
				if v := x.Dense.At(i)[0]; v-v != 0 {
					t.Errorf("%s, %s: row %d becomes %v", name, how, i, v)
				}
			}
		}
	}
}
