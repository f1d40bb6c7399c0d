package learnt

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/prob"
	"gonum.org/v1/gonum/mat"
)

// Terms is a multinomial model of the words or letters of a text (prob.Multinomial): how often each
// of them comes, whatever the order. Those that no row had are one more.
type Terms struct {
	Of        TermsOf
	Smoothing float64 // added to every count; 1 when zero

	Terms  []string  // that the rows had, sorted
	P      []float64 // of each, and of all others together
	Length float64   // of a text, in the mean
}

// TermsOf is what a text is cut into.
type TermsOf int

// The terms of a text.
const (
	Words   TermsOf = iota // with blanks between them
	Letters                // each for itself
)

func (m Terms) fitted() bool { return m.P != nil }

func (m Terms) model() prob.Multinomial { return prob.Multinomial{P: m.P, Length: m.Length} }

// Validate refuses probabilities that are none, and terms that are not sorted.
func (m Terms) Validate() error {
	if err := positive("multinomial", "smoothing", m.Smoothing); err != nil || !m.fitted() {
		return err
	}
	if len(m.P) != len(m.Terms)+1 {
		return fmt.Errorf("kernel: multinomial: %d probabilities for %d terms and all others", len(m.P), len(m.Terms))
	}
	for i := 1; i < len(m.Terms); i++ {
		if m.Terms[i] <= m.Terms[i-1] {
			return fmt.Errorf("kernel: multinomial: term %q comes after %q; terms have to increase", m.Terms[i], m.Terms[i-1])
		}
	}
	return m.model().Validate()
}

func (m Terms) cut(s string) []string {
	if m.Of == Letters {
		return strings.Split(s, "")
	}
	return strings.Fields(s)
}

// counts is how often each term comes.
func (m Terms) counts() func(string) kernel.Vec {
	number := make(map[string]int, len(m.Terms))
	for i, t := range m.Terms {
		number[t] = i
	}
	return func(s string) kernel.Vec {
		out := make(kernel.Vec, len(m.Terms)+1)
		for _, t := range m.cut(s) {
			i, ok := number[t]
			if !ok {
				i = len(m.Terms)
			}
			out[i]++
		}
		return out
	}
}

func (m Terms) fit(_ context.Context, x data.Points[string]) (Model[string], error) {
	count, total := map[string]int{}, 0
	for i := range x.Len() {
		for _, t := range m.cut(x.At(i)) {
			count[t]++
			total++
		}
	}
	if len(count) >= mostNumbers {
		return nil, fmt.Errorf("kernel: multinomial: %d terms, more than %d; take of=letters, or a kernel on words "+
			"such as words()", len(count), mostNumbers)
	}
	for t := range count {
		m.Terms = append(m.Terms, t)
	}
	slices.Sort(m.Terms)
	smoothing := or(m.Smoothing, 1)
	all := float64(total) + smoothing*float64(len(m.Terms)+1)
	m.P = make([]float64, len(m.Terms)+1)
	for i, t := range m.Terms {
		m.P[i] = (float64(count[t]) + smoothing) / all
	}
	m.P[len(m.Terms)] = smoothing / all
	m.Length = max(float64(total)/float64(x.Len()), 1)
	return m, nil
}

func (m Terms) check(name string, x data.Points[string]) error {
	return newCoding("", "").check(name, x)
}

func (m Terms) scores(h how, x data.Points[string]) (func(string) kernel.Vec, *mat.Dense, error) {
	return scored(prob.Model[kernel.Vec](m.model()), m.counts(), "", h, x)
}

// likelihoods is the probability of the terms in their order.
func (m Terms) likelihoods() func(string) kernel.Vec {
	counts := m.counts()
	return func(s string) kernel.Vec { return kernel.Vec{math.Exp(logMultinomial(m.P, counts(s)))} }
}

// logMultinomial is Σ x_w·ln p_w.
func logMultinomial(p []float64, x kernel.Vec) float64 {
	l := 0.0
	for w, n := range x {
		if n > 0 {
			l += n * math.Log(p[w])
		}
	}
	return l
}
