package seq

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// TermFrequency says what n occurrences of a term in a text count.
type TermFrequency int

// The ways to count the occurrences of a term.
const (
	LogTF       TermFrequency = iota // log(1+n)
	RawTF                            // n
	SublinearTF                      // 1 + log n
	BinaryTF                         // 1
)

func (f TermFrequency) of(n float64) float64 {
	switch f {
	case RawTF:
		return n
	case SublinearTF:
		return 1 + math.Log(n)
	case BinaryTF:
		return 1
	}
	return math.Log1p(n)
}

// DocumentFrequency says what a term weighs that occurs in d of N texts.
type DocumentFrequency int

// The ways to weigh a term.
const (
	ShiftedIDF DocumentFrequency = iota // log(N/(1+d)): 0 at d = N-1, negative at d = N
	PlainIDF                            // log(N/d)
	SmoothIDF                           // log((1+N)/(1+d)) + 1
	NoIDF                               // 1
)

func (f DocumentFrequency) of(n, d float64) float64 {
	switch f {
	case PlainIDF:
		return math.Log(n / max(d, 1))
	case SmoothIDF:
		return math.Log((1+n)/(1+d)) + 1
	case NoIDF:
		return 1
	}
	return math.Log(n / (1 + d))
}

// TFIDF is the inner product of texts as vectors of weighted terms,
//
//	k(x, y) = Σ_t φ_t(x)·φ_t(y),   φ_t(x) = tf(n_t(x))·idf(t),
//
// with tf(n) = log(1+n) and idf(t) = log(N/(1+d_t)) by default, N the number of texts it was fitted
// to and d_t how many of them have the term t (K. P. Murphy, Machine Learning, 2012, §14.2.2). The
// other forms are those of C. D. Manning, P. Raghavan and H. Schütze, Introduction to Information
// Retrieval, 2008, §6.4, and of common tools: SmoothIDF with RawTF is the default of scikit-learn.
// A term that no text of the fit has weighs as one with d = 0; PlainIDF, which has no value there,
// takes d = 1. kernel.Normalize of it is the cosine (L2) form. A text without terms has the value 0
// with all texts. Make one with FitTFIDF.
type TFIDF struct {
	Terms     NGrams
	TF        TermFrequency
	IDF       DocumentFrequency
	Texts     int            // N
	Documents map[string]int // d of each term
}

// FitTFIDF counts in how many of the texts each term occurs; shape gives the terms and the
// formulas, its Texts and Documents are not read.
func FitTFIDF(shape TFIDF, texts data.Points[string]) (TFIDF, error) {
	if err := firstError(shape.Terms.Validate(), shape.formulas(), checkText("tfidf", texts)); err != nil {
		return TFIDF{}, err
	}
	if texts.Len() == 0 {
		return TFIDF{}, fmt.Errorf("seq: tfidf: no texts to count documents in")
	}
	shape.Texts, shape.Documents = texts.Len(), map[string]int{}
	for i := range texts.Len() {
		for t := range shape.Terms.Terms(texts.At(i)) {
			shape.Documents[t]++
		}
	}
	return shape, nil
}

// Name is "tfidf".
func (TFIDF) Name() string { return "tfidf" }

// Vector is φ(text): the weight of each of its terms.
func (k TFIDF) Vector(text string) map[string]float64 {
	phi := k.Terms.Terms(text)
	for t, n := range phi {
		phi[t] = k.TF.of(n) * k.IDF.of(float64(k.Texts), float64(k.Documents[t]))
	}
	return phi
}

// Eval returns Σ_t φ_t(x)·φ_t(y).
func (k TFIDF) Eval(x, y string) float64 { return dot(k.Vector(x), k.Vector(y)) }

// PreparePoints weighs the terms of each text once.
func (k TFIDF) PreparePoints(ctx context.Context, x, y data.Points[string]) kernel.Rectangle {
	return prepareCounts(ctx, x, y, k.Vector)
}

// EachFeature adds the weights of the terms.
func (k TFIDF) EachFeature(x string, add func(name string, value float64)) {
	eachCount(k.Vector(x), add)
}

func (k TFIDF) formulas() error {
	return firstError(
		mustBe(k.TF >= LogTF && k.TF <= BinaryTF, "tfidf", "tf", int(k.TF), "one of the four forms"),
		mustBe(k.IDF >= ShiftedIDF && k.IDF <= NoIDF, "tfidf", "idf", int(k.IDF), "one of the four forms"))
}

// Validate refuses unknown formulas, and a kernel that was never fitted.
func (k TFIDF) Validate() error {
	if err := firstError(k.Terms.Validate(), k.formulas()); err != nil {
		return err
	}
	if k.Texts <= 0 && k.IDF != NoIDF {
		return fmt.Errorf("seq: tfidf: it counts the documents of %d texts; fit it with FitTFIDF first", k.Texts)
	}
	for t, d := range k.Documents {
		if d < 0 || d > k.Texts {
			return fmt.Errorf("seq: tfidf: the term %q is in %d of %d texts", t, d, k.Texts)
		}
	}
	return nil
}

// CheckPoints refuses texts that are no UTF-8.
func (TFIDF) CheckPoints(x data.Points[string]) error { return checkText("tfidf", x) }

// Properties of an inner product of counts.
func (TFIDF) Properties() kernel.Properties { return textFeatures() }
