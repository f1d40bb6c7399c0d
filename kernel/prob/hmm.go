package prob

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// HMM is a hidden Markov model of sequences of symbols,
//
//	p(x, z) = π(z₁) b(x₁ | z₁) Πₜ a(zₜ | zₜ₋₁) b(xₜ | zₜ),
//
// π = Initial, a = Transition (a row for each state), b = Emission (a row for each state). Length
// is that of the sequences it draws. As a Model its parameters are the logarithms of all
// probabilities (each row the softmax of them), and the score is the expected number of times that
// each is used given x, less the number that its row leads to expect. Sums over hidden sequences go
// by the scaled forward and backward recursions (Rabiner 1989).
type HMM struct {
	Initial    []float64
	Transition *mat.Dense
	Emission   *mat.Dense
	Length     int
}

// States is the number of hidden states.
func (m HMM) States() int { return len(m.Initial) }

// Symbols is the number of symbols.
func (m HMM) Symbols() int { _, c := m.Emission.Dims(); return c }

// Validate refuses what are no distributions, and matrices that do not fit.
func (m HMM) Validate() error {
	if m.Transition == nil || m.Emission == nil || m.States() == 0 {
		return fmt.Errorf("kernel: hmm: no states, transitions or emissions")
	}
	r, c := m.Transition.Dims()
	if e, _ := m.Emission.Dims(); r != m.States() || c != r || e != r {
		return fmt.Errorf("kernel: hmm: %d states, but transitions are %d×%d and there are emissions of %d states",
			m.States(), r, c, e)
	}
	if err := distribution(m.Initial); err != nil {
		return fmt.Errorf("kernel: hmm: initial%w", err)
	}
	for s := range r {
		if err := distribution(m.Transition.RawRowView(s)); err != nil {
			return fmt.Errorf("kernel: hmm: transitions, row %d%w", s, err)
		}
		if err := distribution(m.Emission.RawRowView(s)); err != nil {
			return fmt.Errorf("kernel: hmm: emissions, row %d%w", s, err)
		}
	}
	return nil
}

// CheckPoints refuses unknown symbols, and sequences of probability 0, with the position at which
// that shows.
func (m HMM) CheckPoints(x data.Points[[]int]) error { return m.checkFor("hmm", x) }

func (m HMM) checkFor(name string, x data.Points[[]int]) error {
	if err := checkSequences(name, m.Symbols(), x); err != nil {
		return err
	}
	for i := range x.Len() {
		_, scale := m.forward(x.At(i))
		for t, c := range scale {
			if !(c > 0) {
				return fmt.Errorf("kernel: %s: row %d, position %d: the model gives the sequence probability 0 from there on "+
					"(smooth it)", name, i, t)
			}
		}
	}
	return nil
}

// forward is α[t, s] = p(zₜ = s | x₁…xₜ) and the scales p(xₜ | x₁…xₜ₋₁), 0 from where the sequence
// is impossible.
func (m HMM) forward(x []int) (alpha [][]float64, scale []float64) {
	n := m.States()
	alpha, scale = make([][]float64, len(x)), make([]float64, len(x))
	before := m.Initial
	for t, symbol := range x {
		now := make([]float64, n)
		for s := range n {
			p := 0.0
			if t == 0 {
				p = before[s]
			} else {
				for r := range n {
					p += before[r] * m.Transition.At(r, s)
				}
			}
			now[s] = p * m.Emission.At(s, symbol)
			scale[t] += now[s]
		}
		if scale[t] == 0 {
			return alpha[:t], scale
		}
		for s := range now {
			now[s] /= scale[t]
		}
		alpha[t], before = now, now
	}
	return alpha, scale
}

// backward is β[t, s] = p(xₜ₊₁…x_T | zₜ = s)/p(xₜ₊₁…x_T | x₁…xₜ).
func (m HMM) backward(x []int, scale []float64) [][]float64 {
	n := m.States()
	beta := make([][]float64, len(x))
	for t := len(x) - 1; t >= 0; t-- {
		beta[t] = make([]float64, n)
		for s := range n {
			if t == len(x)-1 {
				beta[t][s] = 1
				continue
			}
			for r := range n {
				beta[t][s] += m.Transition.At(s, r) * m.Emission.At(r, x[t+1]) * beta[t+1][r] / scale[t+1]
			}
		}
	}
	return beta
}

// LogLikelihood is ln p(x); that of an empty sequence is 0, that of an impossible one -∞.
func (m HMM) LogLikelihood(x []int) float64 {
	_, scale := m.forward(x)
	l := 0.0
	for _, c := range scale {
		l += math.Log(c)
	}
	return l
}

// usage is how often each probability is expected to be used for x: π by state, a and b by rows. It
// is 0 for an impossible sequence.
type usage struct {
	initial, transition, emission []float64
	logLikelihood                 float64
}

func (m HMM) newUsage() usage {
	n := m.States()
	return usage{initial: make([]float64, n), transition: make([]float64, n*n), emission: make([]float64, n*m.Symbols())}
}

// add adds the expected usage for x, and its log-likelihood.
func (u *usage) add(m HMM, x []int) {
	u.logLikelihood += m.walk(x, func(t int, state []float64) {
		for s, p := range state {
			if t == 0 {
				u.initial[s] += p
			}
			u.emission[s*m.Symbols()+x[t]] += p
		}
	}, func(t int, pair []float64) {
		for i, p := range pair {
			u.transition[i] += p
		}
	})
}

// walk shows the posterior of each state, and of each two states in a row (s·States + r), and
// returns ln p(x).
func (m HMM) walk(x []int, one func(t int, state []float64), two func(t int, pair []float64)) float64 {
	alpha, scale := m.forward(x)
	l := 0.0
	for _, c := range scale {
		l += math.Log(c)
	}
	if len(alpha) < len(x) {
		return l
	}
	beta := m.backward(x, scale)
	n := m.States()
	state, pair := make([]float64, n), make([]float64, n*n)
	for t := range x {
		for s := range n {
			state[s] = alpha[t][s] * beta[t][s]
		}
		one(t, state)
		if t+1 < len(x) {
			for s := range n {
				for r := range n {
					pair[s*n+r] = alpha[t][s] * m.Transition.At(s, r) * m.Emission.At(r, x[t+1]) * beta[t+1][r] / scale[t+1]
				}
			}
			two(t, pair)
		}
	}
	return l
}

// Score is by the initial, the transition and the emission probabilities.
func (m HMM) Score(x []int) kernel.Vec {
	u := m.newUsage()
	u.add(m, x)
	var out kernel.Vec
	out = append(out, lessExpected(u.initial, m.Initial)...)
	for s := range m.States() {
		n := m.States()
		out = append(out, lessExpected(u.transition[s*n:(s+1)*n], m.Transition.RawRowView(s))...)
	}
	for s := range m.States() {
		n := m.Symbols()
		out = append(out, lessExpected(u.emission[s*n:(s+1)*n], m.Emission.RawRowView(s))...)
	}
	return out
}

// lessExpected is uᵢ - (Σu)·pᵢ.
func lessExpected(used, p []float64) []float64 {
	n := total(used)
	out := make([]float64, len(p))
	for i := range p {
		out[i] = used[i] - n*p[i]
	}
	return out
}

// Draw is a sequence of Length symbols.
func (m HMM) Draw(rng *rand.Rand) []int {
	out := make([]int, m.Length)
	p := m.Initial
	for t := range out {
		s := drawFrom(rng, p)
		out[t] = drawFrom(rng, m.Emission.RawRowView(s))
		p = m.Transition.RawRowView(s)
	}
	return out
}
