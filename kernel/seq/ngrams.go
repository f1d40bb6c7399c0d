package seq

import (
	"context"
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/celltext"
	"github.com/mercer-ml/mercer/kernel"
)

// NGrams counts common runs of From to To characters, or words where Words is set,
//
//	k(x, y) = Σ_{q=From}^{To} Σ_{g of q tokens} n_g(x)·n_g(y)
//
// (From is 1 and To is From when zero). Fold joins upper and lower case, and drops what is no
// letter, digit or mark from the edges of words; Split takes for words the runs of two or more
// letters and digits in lower case, wherever they stand (celltext.Words): e-mail is two. A text with
// fewer than From tokens has the value 0 with all texts. With Ends, runs of characters keep to the
// words between white space, each with a blank before and after it, which is a character but no run
// by itself: how words begin and end is told apart from what they have in the middle. TFIDF and
// Hashed take an NGrams to say what their terms are.
type NGrams struct {
	From, To    int
	Words, Fold bool
	Split       bool
	Ends        bool
}

func (k NGrams) span() (from, to int) {
	from = or(k.From, 1)
	return from, max(from, k.To)
}

// Name is "ngrams".
func (NGrams) Name() string { return "ngrams" }

// Terms counts the n-grams of a text; words of one are joined by a space.
func (k NGrams) Terms(text string) map[string]float64 {
	into := counts{}
	k.each(text, func(term string, n float64) { into[term] += n })
	return into
}

// each calls add with 1 for each n-gram, in the order of the text.
func (k NGrams) each(text string, add func(term string, n float64)) {
	from, to := k.span()
	if k.Words || k.Split {
		tokens := k.tokens(text)
		for q := from; q <= to; q++ {
			for i := 0; i+q <= len(tokens); i++ {
				add(strings.Join(tokens[i:i+q], " "), 1)
			}
		}
		return
	}
	if k.Fold {
		text = strings.ToLower(text)
	}
	if k.Ends {
		for _, word := range strings.Fields(text) {
			word = " " + word + " "
			at := bounds(word)
			for q := from; q <= to; q++ {
				if q == 1 {
					eachGram(word[1:len(word)-1], bounds(word[1:len(word)-1]), 1, 1, add)
				} else {
					eachGram(word, at, q, 1, add)
				}
			}
		}
		return
	}
	at := bounds(text)
	for q := from; q <= to; q++ {
		eachGram(text, at, q, 1, add)
	}
}

// tokens are the words of a text.
func (k NGrams) tokens(text string) (out []string) {
	if !k.Split {
		return words(text, k.Fold)
	}
	celltext.Words(text, func(w string) { out = append(out, w) })
	return out
}

// Eval returns the number of pairs of equal n-grams.
func (k NGrams) Eval(x, y string) float64 { return dot(k.Terms(x), k.Terms(y)) }

// PreparePoints counts the n-grams of each text once.
func (k NGrams) PreparePoints(ctx context.Context, x, y data.Points[string]) kernel.Rectangle {
	return prepareCounts(ctx, x, y, k.Terms)
}

// EachFeature adds 1 for each n-gram.
func (k NGrams) EachFeature(x string, add func(name string, value float64)) { k.each(x, add) }

// Validate refuses From < 0 and To < From.
func (k NGrams) Validate() error {
	if from, _ := k.span(); k.From < 0 || k.To < 0 || k.To != 0 && k.To < from {
		return fmt.Errorf("seq: ngrams: from %d to %d, want 1 ≤ from ≤ to", k.From, k.To)
	}
	if k.Ends && (k.Words || k.Split) {
		return fmt.Errorf("seq: ngrams: ends are those of words in runs of characters; leave words and split out")
	}
	return nil
}

// CheckPoints refuses texts that are no UTF-8.
func (NGrams) CheckPoints(x data.Points[string]) error { return checkText("ngrams", x) }

// Properties of an inner product of counts.
func (NGrams) Properties() kernel.Properties { return textFeatures() }
