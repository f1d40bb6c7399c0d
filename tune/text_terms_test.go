package tune

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
)

// texts makes rows of a class each by a writer of texts.
func texts(n int, write func(rng *rand.Rand, yes bool) string) *data.Dataset {
	rng := rand.New(rand.NewPCG(5, 6))
	var text, class []string
	for i := range n {
		yes := i%2 == 0
		text = append(text, write(rng, yes))
		class = append(class, map[bool]string{true: "yes", false: "no"}[yes])
	}
	return &data.Dataset{Name: "texts", Columns: []data.Column{data.TextColumn("text", text),
		data.LevelColumn("class", class)}, Target: "class"}
}

func pick(rng *rand.Rand, words ...string) string { return words[rng.IntN(len(words))] }

// Where the order of words counts, pairs are taken; where words have many forms, runs of letters;
// else words, which are the fewest.
func TestChooseTerms(t *testing.T) {
	names := []string{"ada", "bert", "carl", "dora", "emil", "frida", "gustav", "hilda"}
	for _, c := range []struct {
		want  data.TextPolicy
		write func(rng *rand.Rand, yes bool) string
	}{
		{data.TextPolicy("pairs"), func(rng *rand.Rand, yes bool) string {
			a, b := "dog", "man"
			if !yes {
				a, b = b, a
			}
			return fmt.Sprintf("%s saw a %s bites a %s in town", pick(rng, names...), a, b) + " and a " + pick(rng, "dog", "man")
		}},
		{data.TextPolicy("letters"), func(rng *rand.Rand, yes bool) string {
			stem := "lich"
			if !yes {
				stem = "keit"
			}
			word := ""
			for range 4 {
				word += string(rune('a' + rng.IntN(26)))
			}
			return pick(rng, names...) + " " + word + stem + string(rune('a'+rng.IntN(26)))
		}},
		{data.TextPolicy("tfidf"), func(rng *rand.Rand, yes bool) string {
			word := "sun"
			if !yes {
				word = "rain"
			}
			return pick(rng, names...) + " likes " + word
		}},
	} {
		d := texts(400, c.write)
		o, r := AutoOptions{wordColumns: []string{"text"}}, &AutoResult{Task: data.Binary}
		o.Encoder.Texts = map[string]data.TextPolicy{"text": "tfidf"}
		if err := o.chooseTerms(context.Background(), d, r, time.Time{}); err != nil {
			t.Fatal(err)
		}
		if got := o.Encoder.Texts["text"]; got != c.want {
			t.Errorf("texts are counted by %s, want %s: %q", got, c.want, r.Notes)
		}
		if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], termNames[c.want]) {
			t.Errorf("%q does not say %q", r.Notes, termNames[c.want])
		}
	}
}

// Labels that the texts say nothing of change nothing: words stay, and nobody is told of a gain.
func TestChooseTermsWithoutInformation(t *testing.T) {
	d := texts(600, func(rng *rand.Rand, _ bool) string {
		return pick(rng, "red", "green", "blue") + " " + pick(rng, "hat", "coat", "shoe") + " " + pick(rng, "one", "two")
	})
	o, r := AutoOptions{wordColumns: []string{"text"}}, &AutoResult{Task: data.Binary}
	o.Encoder.Texts = map[string]data.TextPolicy{"text": "tfidf"}
	if err := o.chooseTerms(context.Background(), d, r, time.Time{}); err != nil {
		t.Fatal(err)
	}
	if got := o.Encoder.Texts["text"]; got != "tfidf" {
		t.Errorf("noise is counted by %s: %q", got, r.Notes)
	}
}

// Texts of more than a few rows go to the linear machine, without a kernel matrix, and the model
// has probabilities.
func TestTextsByALinearMachine(t *testing.T) {
	d := texts(1300, func(rng *rand.Rand, yes bool) string {
		word := "sun"
		if !yes {
			word = "rain"
		}
		return pick(rng, "today", "tomorrow") + " there is " + pick(rng, word, word, word, "wind")
	})
	r, err := Auto(context.Background(), d, AutoOptions{Budget: time.Hour, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Cells {
		if c.Learner != linearTexts {
			t.Errorf("%s was tried", c.Learner)
		}
	}
	if r.Test[0].Value < 0.8 {
		t.Errorf("accuracy %g of rows of which three quarters name their class", r.Test[0].Value)
	}
}

func TestClearlyFewer(t *testing.T) {
	errors := func(text string) (out []bool) {
		for _, c := range text {
			out = append(out, c == 'x')
		}
		return out
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"....", "....", false}, {"....", "x...", false}, {"....", "xx..", true}, {"xx..", "....", false},
		{"x.......", ".xxxxx..", true}, {"xx......", "..xxxx..", false},
	} {
		if got := clearlyFewer(errors(c.a), errors(c.b)); got != c.want {
			t.Errorf("%s beside %s: %v", c.a, c.b, got)
		}
	}
}
