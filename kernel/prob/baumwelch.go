package prob

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// BaumWelch fits a hidden Markov model to sequences by expectation maximisation: every round
// replaces each probability by its expected share of use under the model of the round before, and
// the likelihood never falls (Baum, Petrie, Soules & Weiss 1970; Rabiner 1989).
type BaumWelch struct {
	States  int
	Symbols int // largest symbol + 1 when zero
	// Rounds is the most that are made; 200 when zero.
	Rounds int
	// Tolerance ends the fit when the log-likelihood grows by less than this share of itself; 1e-8
	// when zero.
	Tolerance float64
	// Smoothing is added to every expected count, so that nothing has probability 0; with it, the
	// likelihood times a Dirichlet prior grows.
	Smoothing float64
	Seed      uint64
}

// BaumWelchReport is how a fit went.
type BaumWelchReport struct {
	LogLikelihood []float64 // before each round, and at the end
	Converged     bool
}

// Fit starts from random probabilities.
func (b BaumWelch) Fit(ctx context.Context, x data.Points[[]int]) (HMM, BaumWelchReport, error) {
	var report BaumWelchReport
	if b.States < 1 || b.Symbols < 0 || b.Rounds < 0 || !(b.Smoothing >= 0) || math.IsInf(b.Smoothing, 0) ||
		!(b.Tolerance >= 0) {
		return HMM{}, report, fmt.Errorf("kernel: baum-welch: %d states, %d symbols, %d rounds, smoothing %g, tolerance "+
			"%g: want a state at least and nothing negative", b.States, b.Symbols, b.Rounds, b.Smoothing, b.Tolerance)
	}
	symbols, steps := b.Symbols, 0
	for i := range x.Len() {
		steps += len(x.At(i))
		for t, a := range x.At(i) {
			if a < 0 {
				return HMM{}, report, fmt.Errorf("kernel: baum-welch: row %d, position %d is symbol %d, want 0 or more", i, t, a)
			}
			if b.Symbols == 0 {
				symbols = max(symbols, a+1)
			}
		}
	}
	if err := checkSequences("baum-welch", symbols, x); err != nil {
		return HMM{}, report, err
	}
	if steps == 0 {
		return HMM{}, report, fmt.Errorf("kernel: baum-welch: no symbols in %d sequences", x.Len())
	}
	m := b.start(symbols, steps/x.Len())
	rounds, tolerance := b.Rounds, b.Tolerance
	if rounds == 0 {
		rounds = 200
	}
	if tolerance == 0 {
		tolerance = 1e-8
	}
	for round := 0; ; round++ {
		u := m.newUsage()
		for i := range x.Len() {
			if err := ctx.Err(); err != nil {
				return HMM{}, report, err
			}
			u.add(m, x.At(i))
		}
		report.LogLikelihood = append(report.LogLikelihood, u.logLikelihood)
		if round > 0 {
			before := report.LogLikelihood[round-1]
			report.Converged = u.logLikelihood-before <= tolerance*math.Abs(before)
		}
		if report.Converged || round == rounds {
			return m, report, nil
		}
		m = b.share(m, u)
	}
}

// start is random probabilities, none of them near 0: states that begin alike would stay alike.
func (b BaumWelch) start(symbols, length int) HMM {
	rng := rand.New(rand.NewPCG(b.Seed, 0))
	row := func(p []float64) {
		for i := range p {
			p[i] = 0.5 + rng.Float64()
		}
		share(p, p, 0)
	}
	m := HMM{Initial: make([]float64, b.States), Transition: mat.NewDense(b.States, b.States, nil),
		Emission: mat.NewDense(b.States, symbols, nil), Length: length}
	row(m.Initial)
	for s := range b.States {
		row(m.Transition.RawRowView(s))
		row(m.Emission.RawRowView(s))
	}
	return m
}

// share is the model of the expected shares; a state that is never used keeps its probabilities.
func (b BaumWelch) share(m HMM, u usage) HMM {
	n, symbols := m.States(), m.Symbols()
	next := HMM{Initial: append([]float64(nil), m.Initial...), Transition: mat.DenseCopyOf(m.Transition),
		Emission: mat.DenseCopyOf(m.Emission), Length: m.Length}
	share(next.Initial, u.initial, b.Smoothing)
	for s := range n {
		share(next.Transition.RawRowView(s), u.transition[s*n:(s+1)*n], b.Smoothing)
		share(next.Emission.RawRowView(s), u.emission[s*symbols:(s+1)*symbols], b.Smoothing)
	}
	return next
}

func share(p, counts []float64, smoothing float64) {
	n := total(counts) + smoothing*float64(len(counts))
	if n > 0 {
		for i, c := range counts {
			p[i] = (c + smoothing) / n
		}
	}
}
