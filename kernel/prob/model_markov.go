package prob

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// MarkovChain is a model of sequences of the symbols 0 … Symbols-1, each of which depends on the
// Order symbols before it. A context v is these, as the digits of a number, the latest the lowest;
// P[v·Symbols + a] is the probability of a after v. The first Order symbols are given. Its
// parameters are the log-probabilities (P = softmax of them, for each context), so that the score
// is n_va - n_v·p_va, n the numbers of times.
//
// Since the terms of a sequence are martingale differences, the information matrix is
// E[n_v]·(diag(p_v) - p_v p_vᵀ) for each context, and the exact Fisher kernel is Σ_v Σ_a (n_va -
// n_v·p_va)(n'_va - n'_v·p_va)/(p_va·E[n_v]), E[n_v] = Visits[v].
type MarkovChain struct {
	Order, Symbols int
	P              []float64
	Visits         []float64
}

// NewMarkovChain has the probabilities with which symbols follow contexts in x, smoothing added to
// every count, and the mean number of visits of each context.
func NewMarkovChain(x data.Points[[]int], order, symbols int, smoothing float64) (MarkovChain, error) {
	m := MarkovChain{Order: order, Symbols: symbols}
	if order < 0 || symbols < 1 || float64(order+1)*math.Log(float64(symbols)) > math.Log(1<<28) {
		return m, fmt.Errorf("kernel: markov chain: order %d of %d symbols, want an order ≥ 0, a symbol at least, and no "+
			"more than 2²⁸ probabilities", order, symbols)
	}
	if !(smoothing >= 0) || math.IsInf(smoothing, 0) {
		return m, fmt.Errorf("kernel: markov chain: smoothing = %g, want a finite number ≥ 0", smoothing)
	}
	contexts := 1
	for range order {
		contexts *= symbols
	}
	m.P, m.Visits = make([]float64, contexts*symbols), make([]float64, contexts)
	if err := checkSequences("markov chain", symbols, x); err != nil {
		return m, err
	}
	for i := range x.Len() {
		m.count(x.At(i), m.P)
	}
	for v := range contexts {
		row := m.P[v*symbols : (v+1)*symbols]
		if n := total(row); x.Len() > 0 {
			m.Visits[v] = n / float64(x.Len())
		}
		for a := range row {
			row[a] += smoothing
		}
		n := total(row)
		for a := range row {
			if row[a] /= n; n == 0 {
				row[a] = 1 / float64(symbols) // never seen
			}
		}
	}
	return m, nil
}

// count adds the number of times that each symbol follows each context.
func (m MarkovChain) count(x []int, counts []float64) {
	contexts := len(counts) / m.Symbols
	v := 0
	for t, a := range x {
		if t >= m.Order {
			counts[v*m.Symbols+a]++
		}
		v = (v*m.Symbols + a) % contexts
	}
}

// Validate refuses what are no distributions.
func (m MarkovChain) Validate() error {
	contexts := 1
	for range max(m.Order, 0) {
		contexts *= m.Symbols
	}
	if m.Order < 0 || m.Symbols < 1 || len(m.P) != contexts*m.Symbols || len(m.Visits) != contexts {
		return fmt.Errorf("kernel: markov chain: %d probabilities and %d visits do not fit order %d of %d symbols", len(m.P),
			len(m.Visits), m.Order, m.Symbols)
	}
	for v := range contexts {
		if err := distribution(m.P[v*m.Symbols : (v+1)*m.Symbols]); err != nil {
			return fmt.Errorf("kernel: markov chain: context %d%w", v, err)
		}
		if n := m.Visits[v]; !(n >= 0) || math.IsInf(n, 0) {
			return fmt.Errorf("kernel: markov chain: visits[%d] = %g, want a finite number ≥ 0", v, n)
		}
	}
	return nil
}

func checkSequences(name string, symbols int, x data.Points[[]int]) error {
	for i := range x.Len() {
		for t, a := range x.At(i) {
			if a < 0 || a >= symbols {
				return fmt.Errorf("kernel: %s: row %d, position %d is symbol %d, want 0 to %d", name, i, t, a, symbols-1)
			}
		}
	}
	return nil
}

// CheckPoints refuses unknown symbols, and steps of probability 0.
func (m MarkovChain) CheckPoints(x data.Points[[]int]) error {
	if err := checkSequences("markov chain", m.Symbols, x); err != nil {
		return err
	}
	for i := range x.Len() {
		v := 0
		for t, a := range x.At(i) {
			if t >= m.Order && m.P[v*m.Symbols+a] == 0 {
				return fmt.Errorf("kernel: markov chain: row %d, position %d: the model gives symbol %d probability 0 there "+
					"(smooth it)", i, t, a)
			}
			v = (v*m.Symbols + a) % len(m.Visits)
		}
	}
	return nil
}

// Score is n_va - n_v·p_va.
func (m MarkovChain) Score(x []int) kernel.Vec {
	out := make(kernel.Vec, len(m.P))
	m.count(x, out)
	for v := range m.Visits {
		row := out[v*m.Symbols : (v+1)*m.Symbols]
		n := total(row)
		for a := range row {
			row[a] -= n * m.P[v*m.Symbols+a]
		}
	}
	return out
}

// FreeScore is n_va/p_va, the derivatives by the probabilities themselves as if they did not have
// to sum to 1. Where all symbols are equally likely its inner product is the spectrum kernel of
// words of Order+1 symbols, times Symbols² (Saunders, Shawe-Taylor & Vinokourov, String kernels,
// Fisher kernels and finite state automata, NIPS 2002).
func (m MarkovChain) FreeScore(x []int) kernel.Vec {
	out := make(kernel.Vec, len(m.P))
	m.count(x, out)
	for i, n := range out {
		if n > 0 {
			out[i] = n / m.P[i]
		}
	}
	return out
}

// Whiten divides by √(p_va·E[n_v]).
func (m MarkovChain) Whiten(g kernel.Vec) kernel.Vec {
	out := make(kernel.Vec, len(g))
	for i, v := range g {
		if scale := m.P[i] * m.Visits[i/m.Symbols]; scale > 0 {
			out[i] = v / math.Sqrt(scale)
		}
	}
	return out
}
