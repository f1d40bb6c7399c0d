package data

import (
	"math"
	"slices"
	"testing"
)

func termsIn(p TextPolicy, text string) (out []string) {
	p.terms(text, func(t string) { out = append(out, t) })
	return out
}

func TestTerms(t *testing.T) {
	for _, c := range []struct {
		policy TextPolicy
		text   string
		want   []string
	}{
		{textTFIDF, "The cat, the DOG", []string{"the", "cat", "the", "dog"}},
		{textPairs, "The cat, the DOG", []string{"the", "cat", "the cat", "the", "cat the", "dog", "the dog"}},
		{textPairs, "", nil},
		{textLetters, "Äb", []string{" ä", " äb", " äb ", "ä", "äb", "äb ", "b", "b "}},
		{textLetters, "a b", []string{" a", " a ", "a", "a ", " b", " b ", "b", "b "}},
		{textLetters, " \n", nil},
	} {
		if got := termsIn(c.policy, c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s of %q: %q, want %q", c.policy, c.text, got, c.want)
		}
	}
	longest := 0
	for _, run := range termsIn(textLetters, "abcdefgh") {
		longest = max(longest, len(run))
	}
	if longest != longestRun {
		t.Errorf("the longest run has %d letters, want %d", longest, longestRun)
	}
}

// Pairs beside scikit-learn 1.9.1: TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=2)
// on these texts, of which "warm day" is the only pair that two texts have.
func TestPairsAreThoseOfScikitLearn(t *testing.T) {
	texts := []string{"warm day warm day", "cold day", "warm day at sea", "cold night"}
	d := &Dataset{Columns: []Column{TextColumn("t", texts)}}
	e, err := FitEncoder(d, EncoderOptions{Text: textPairs})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"t=cold", "t=day", "t=warm", "t=warm day"}; !slices.Equal(e.Names(), want) {
		t.Fatalf("features %q, want %q", e.Names(), want)
	}
	x, err := e.Transform(d)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]float64{{0, 0.496816, 0.613667, 0.613667}, {0.777221, 0.629228, 0, 0}, {0, 0.496816, 0.613667, 0.613667},
		{1, 0, 0, 0}}
	for i, row := range want {
		got := make([]float64, 4)
		v := x.Sparse.At(i)
		for k, j := range v.Index {
			got[j] = v.Value[k]
		}
		for j, w := range row {
			if math.Abs(got[j]-w) > 1e-6 {
				t.Errorf("row %d: %.6f, want %.6f", i, got, row)
				break
			}
		}
	}
}

// A text whose terms are all unheard of has no features, and one column in which no term is in two
// texts keeps all of them.
func TestTermsOfOneTextEach(t *testing.T) {
	d := &Dataset{Columns: []Column{TextColumn("t", []string{"red", "green", "blue"})}}
	e, err := FitEncoder(d, EncoderOptions{Text: textPairs})
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.Transform(&Dataset{Columns: []Column{TextColumn("t", []string{"red", "black"})}})
	if err != nil {
		t.Fatal(err)
	}
	if len(x.Sparse.At(0).Index) != 1 || len(x.Sparse.At(1).Index) != 0 {
		t.Errorf("features %v and %v", x.Sparse.At(0), x.Sparse.At(1))
	}
	if _, err := FitEncoder(&Dataset{Columns: []Column{TextColumn("t", []string{" ", ""})}},
		EncoderOptions{Text: textLetters}); err == nil {
		t.Error("texts without letters are no fault")
	}
}
