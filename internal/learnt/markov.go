package learnt

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/prob"
	"github.com/mercer-ml/mercer/kernel/seq"
	"gonum.org/v1/gonum/mat"
)

// Markov is a Markov chain of the letters of strings (prob.MarkovChain).
type Markov struct {
	Order     int     // letters before that one depends on; 1 when zero
	Smoothing float64 // added to every count; 1 when zero
	// Alphabet, where it is given, is all letters; without it letters that no row had are one more.
	Alphabet seq.Alphabet

	Letters string // that the rows had
	P       []float64
	Visits  []float64
}

// mostNumbers is the most probabilities of a model that is written down as text.
const mostNumbers = 1 << 17

func (m Markov) order() int { return max(m.Order, 1) }

func (m Markov) fitted() bool { return m.P != nil }

func (m Markov) coding() coding { return newCoding(m.Alphabet, m.Letters) }

func (m Markov) chain() prob.MarkovChain {
	return prob.MarkovChain{Order: m.order(), Symbols: m.coding().symbols(), P: m.P, Visits: m.Visits}
}

// Validate refuses an order below 0, and probabilities that are none.
func (m Markov) Validate() error {
	if m.Order < 0 {
		return fmt.Errorf("kernel: markov: order = %d, want 1, 2, 3, …", m.Order)
	}
	if err := positive("markov", "smoothing", m.Smoothing); err != nil {
		return err
	}
	if err := checkLetters("markov", m.Alphabet, m.Letters); err != nil || !m.fitted() {
		return err
	}
	if err := m.room(m.coding().symbols()); err != nil {
		return err
	}
	return m.chain().Validate()
}

// room refuses more probabilities than a text has room for.
func (m Markov) room(symbols int) error {
	if n := math.Pow(float64(symbols), float64(m.order()+1)); n > mostNumbers {
		return fmt.Errorf("kernel: markov: order %d of %d letters has %.0f probabilities, more than %d; take a lower "+
			"order, or name a smaller alphabet", m.order(), symbols, n, mostNumbers)
	}
	return nil
}

func (m Markov) fit(_ context.Context, x data.Points[string]) (Model[string], error) {
	if m.Alphabet == "" {
		m.Letters = lettersOf(x)
	}
	c := m.coding()
	if err := c.check("markov", x); err != nil {
		return nil, err
	}
	if err := m.room(c.symbols()); err != nil {
		return nil, err
	}
	chain, err := prob.NewMarkovChain(c.all(x), m.order(), c.symbols(), or(m.Smoothing, 1))
	m.P, m.Visits = chain.P, chain.Visits
	return m, err
}

func (m Markov) check(name string, x data.Points[string]) error { return m.coding().check(name, x) }

func (m Markov) scores(h how, x data.Points[string]) (func(string) kernel.Vec, *mat.Dense, error) {
	return scored(prob.Model[[]int](m.chain()), m.coding().code, "", h, x)
}

// likelihoods is p(x), given its first letters.
func (m Markov) likelihoods() func(string) kernel.Vec {
	chain, c := m.chain(), m.coding()
	return func(s string) kernel.Vec {
		l, v := 0.0, 0
		for t, a := range c.code(s) {
			if t >= chain.Order {
				l += math.Log(chain.P[v*chain.Symbols+a])
			}
			v = (v*chain.Symbols + a) % len(chain.Visits)
		}
		return kernel.Vec{math.Exp(l)}
	}
}
