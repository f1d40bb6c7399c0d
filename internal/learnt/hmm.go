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

// HMM is a hidden Markov model of the letters of strings (prob.HMM), fitted by prob.BaumWelch.
type HMM struct {
	States    int     // 2 when zero
	Rounds    int     // of expectation maximisation at most; 200 when zero
	Smoothing float64 // added to every expected count; 0.1 when zero
	Seed      uint64
	Alphabet  seq.Alphabet // as that of Markov

	Letters    string
	Initial    []float64
	Transition [][]float64
	Emission   [][]float64
	Length     int // of the strings that it draws
}

func (m HMM) states() int {
	if m.States == 0 {
		return 2
	}
	return m.States
}

func (m HMM) fitted() bool { return m.Initial != nil }

func (m HMM) coding() coding { return newCoding(m.Alphabet, m.Letters) }

func (m HMM) model() prob.HMM {
	return prob.HMM{Initial: m.Initial, Transition: denseOf(m.Transition), Emission: denseOf(m.Emission), Length: m.Length}
}

// Validate refuses settings below 0, and probabilities that are none.
func (m HMM) Validate() error {
	if m.States < 0 || m.Rounds < 0 || m.Length < 0 {
		return fmt.Errorf("kernel: hmm: %d states, %d rounds and a length of %d, want none below 0", m.States, m.Rounds,
			m.Length)
	}
	if err := positive("hmm", "smoothing", m.Smoothing); err != nil {
		return err
	}
	if err := checkLetters("hmm", m.Alphabet, m.Letters); err != nil || !m.fitted() {
		return err
	}
	symbols := m.coding().symbols()
	if len(m.Initial) != m.states() || len(m.Transition) != m.states() || len(m.Emission) != m.states() {
		return fmt.Errorf("kernel: hmm: %d states, and the probabilities of %d, %d and %d", m.states(), len(m.Initial),
			len(m.Transition), len(m.Emission))
	}
	for s, row := range m.Emission {
		if len(row) != symbols {
			return fmt.Errorf("kernel: hmm: state %d emits %d letters, and there are %d", s, len(row), symbols)
		}
	}
	return m.model().Validate()
}

func (m HMM) fit(ctx context.Context, x data.Points[string]) (Model[string], error) {
	if m.Alphabet == "" {
		m.Letters = lettersOf(x)
	}
	c := m.coding()
	if err := c.check("hmm", x); err != nil {
		return nil, err
	}
	if n := m.states() * (1 + m.states() + c.symbols()); n > mostNumbers {
		return nil, fmt.Errorf("kernel: hmm: %d states of %d letters have %d probabilities, more than %d; take fewer states",
			m.states(), c.symbols(), n, mostNumbers)
	}
	found, _, err := prob.BaumWelch{States: m.states(), Symbols: c.symbols(), Rounds: m.Rounds,
		Smoothing: or(m.Smoothing, 0.1), Seed: m.Seed}.Fit(ctx, c.all(x))
	if err != nil {
		return nil, err
	}
	m.Initial, m.Transition, m.Emission, m.Length = found.Initial, rowsOf(found.Transition), rowsOf(found.Emission),
		max(found.Length, 1)
	return m, nil
}

func (m HMM) check(name string, x data.Points[string]) error {
	c := m.coding()
	if err := c.check(name, x); err != nil {
		return err
	}
	return m.model().CheckPoints(c.all(x))
}

func (m HMM) scores(h how, x data.Points[string]) (func(string) kernel.Vec, *mat.Dense, error) {
	return scored(prob.Model[[]int](m.model()), m.coding().code, "", h, x)
}

// likelihoods is p(x) alone: hidden sequences are too many to be causes one by one, and
// prob.HMMProduct sums over them.
func (m HMM) likelihoods() func(string) kernel.Vec {
	model, c := m.model(), m.coding()
	return func(s string) kernel.Vec { return kernel.Vec{math.Exp(model.LogLikelihood(c.code(s)))} }
}
