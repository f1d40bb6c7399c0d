package tune

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
)

// weather is texts of which three quarters name their class.
func weather(n int) *data.Dataset {
	return texts(n, func(rng *rand.Rand, yes bool) string {
		word := "sun"
		if !yes {
			word = "rain"
		}
		return pick(rng, "today", "tomorrow", "later") + " there is " + pick(rng, word, word, word, "wind")
	})
}

// genes is strings without blanks, of which one class has a run that the other has seldom.
func genes(n int) *data.Dataset {
	return texts(n, func(rng *rand.Rand, yes bool) string {
		var b strings.Builder
		for range 14 {
			b.WriteByte("ACGT"[rng.IntN(4)])
		}
		if yes {
			return b.String()[:7] + "TATA" + b.String()[7:]
		}
		return b.String() + "GCAT"
	})
}

// written is the file of the model that a search of a data set ends with, and its result; stop ends
// it after so many reports, 0 does not.
func written(t *testing.T, d *data.Dataset, learners []string, journal string, stop int) ([]byte, *AutoResult) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	events := 0
	r, err := Auto(ctx, d, AutoOptions{Budget: time.Hour, Seed: 1, Threads: 1, clock: newWorkClock(), Learners: learners,
		Journal: journal, Trace: func(Event) {
			if events++; events == stop {
				cancel()
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	if stop > 0 {
		return nil, r
	}
	m, err := r.Model(model.Info{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), r
}

// A search of texts, or of strings, that is stopped anywhere and goes on writes the model that it
// would have written, byte for byte, and judges nothing twice.
func TestSearchOfTextsGoesOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		d        *data.Dataset
		learners []string
	}{"texts": {weather(240), []string{"linear-svm", "svm"}}, "many texts": {weather(1300), nil},
		"strings": {genes(40), []string{"linear-svm", "svm"}}} {
		want, whole := written(t, c.d, c.learners, "", 0)
		for _, stop := range []int{1, 3} {
			journal := filepath.Join(t.TempDir(), "journal")
			_, first := written(t, c.d, c.learners, journal, stop)
			if !first.Interrupted {
				continue // it has fewer groups
			}
			got, r := written(t, c.d, c.learners, journal, 0)
			if r.Resumed < stop || r.Fits != whole.Fits {
				t.Errorf("%s, stopped after %d: %d cells are taken up; %d fits in all, want %d", name, stop, r.Resumed, r.Fits,
					whole.Fits)
			}
			same := func(a, b Cell) bool {
				return a.String() == b.String() && math.Float64bits(a.Mean) == math.Float64bits(b.Mean)
			}
			if !slices.EqualFunc(r.Cells, whole.Cells, same) {
				t.Errorf("%s, stopped after %d: other cells", name, stop)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s, stopped after %d: the model is another one (%v, want %v)", name, stop, r.Chosen, whole.Chosen)
			}
		}
	}
}

// Texts are counted in a share of the time. Where that is gone before a way to count them was
// tried there are words; the search goes on with them when it has more time, and with all that was
// judged.
func TestTermsKeepToTheTime(t *testing.T) {
	t.Parallel()
	d := weather(400)
	journal := filepath.Join(t.TempDir(), "journal")
	search := func(budget, spent time.Duration) *AutoResult {
		t.Helper()
		clock := newWorkClock()
		r, err := Auto(t.Context(), d, AutoOptions{Budget: budget, Spent: spent, Seed: 1, Threads: 1, clock: clock,
			Learners: []string{linearTexts}, Journal: journal,
			Metric: costly(Accuracy(), func(int) { clock.pass(10 * time.Millisecond) })})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := search(1100*time.Millisecond, 300*time.Millisecond)
	if said := strings.Join(first.Notes, "\n"); !strings.Contains(said, "there was no time to try others") ||
		!first.Interrupted {
		t.Fatalf("interrupted %v; %s", first.Interrupted, said)
	}
	second := search(time.Minute, 0)
	if said := strings.Join(second.Notes, "\n"); !strings.Contains(said,
		"counted by words, weighted by rarity, with which the search began") {
		t.Errorf("it does not go on with words: %s", said)
	}
	if second.Resumed == 0 || second.Metric.better(first.Chosen.Mean, second.Chosen.Mean) {
		t.Errorf("%d cells are taken up; %g, with less time %g", second.Resumed, second.Chosen.Mean, first.Chosen.Mean)
	}
	other := weather(402) // whose journal it is not: the caller begins anew
	if _, err := Auto(t.Context(), other, AutoOptions{Budget: time.Hour, Seed: 1, Threads: 1, clock: newWorkClock(),
		Learners: []string{linearTexts}, Journal: journal}); err == nil {
		t.Error("the journal of other texts was gone on with")
	}
}
