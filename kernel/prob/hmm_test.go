package prob_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/prob"
	"gonum.org/v1/gonum/mat"
)

// twoStates is a model of two states and three symbols.
var twoStates = prob.HMM{Initial: []float64{0.6, 0.4}, Transition: mat.NewDense(2, 2, []float64{0.7, 0.3, 0.2, 0.8}),
	Emission: mat.NewDense(2, 3, []float64{0.5, 0.4, 0.1, 0.1, 0.3, 0.6}), Length: 12}

// hidden is p(z).
func hidden(m prob.HMM, z []int) float64 {
	p := 1.0
	for t, s := range z {
		if t == 0 {
			p *= m.Initial[s]
		} else {
			p *= m.Transition.At(z[t-1], s)
		}
	}
	return p
}

// given is p(x | z).
func given(m prob.HMM, x, z []int) float64 {
	p := 1.0
	for t, s := range z {
		p *= m.Emission.At(s, x[t])
	}
	return p
}

var sequences = data.Slice[[]int]{{0, 1, 2, 2}, {2, 2, 1, 0}, {0}, {1, 1}, {}, {2, 0, 0, 1}, {1, 2, 2, 2, 0},
	{0, 0, 1, 1}, {2}}

func TestHMMLikelihoodByAllHiddenSequences(t *testing.T) {
	for _, x := range sequences {
		want := 0.0
		for _, z := range words(len(x), 2) {
			want += hidden(twoStates, z) * given(twoStates, x, z)
		}
		if got := math.Exp(twoStates.LogLikelihood(x)); math.Abs(got-want) > 1e-14 {
			t.Errorf("%v: %v, want %v", x, got, want)
		}
	}
	long := make([]int, 5000)
	if l := twoStates.LogLikelihood(long); !(l < -1000) || math.IsInf(l, 0) {
		t.Errorf("5000 symbols: ln p = %v", l)
	}
	if l := (prob.HMM{Initial: []float64{1}, Transition: mat.NewDense(1, 1, []float64{1}),
		Emission: mat.NewDense(1, 2, []float64{1, 0})}).LogLikelihood([]int{0, 1}); !math.IsInf(l, -1) {
		t.Errorf("an impossible sequence: ln p = %v", l)
	}
}

func TestHMMScoresByDifferences(t *testing.T) {
	theta := logs(append(append(slices.Clone(twoStates.Initial), twoStates.Transition.RawMatrix().Data...),
		twoStates.Emission.RawMatrix().Data...))
	for _, x := range sequences {
		want := slopes(func(theta []float64) float64 {
			m := prob.HMM{Initial: softmax(theta[:2]), Transition: mat.NewDense(2, 2, nil), Emission: mat.NewDense(2, 3, nil)}
			for s := range 2 {
				m.Transition.SetRow(s, softmax(theta[2+2*s:4+2*s]))
				m.Emission.SetRow(s, softmax(theta[6+3*s:9+3*s]))
			}
			return m.LogLikelihood(x)
		}, theta)
		equalVec(t, "hmm", twoStates.Score(x), want, 1e-8)
	}
}

func TestHMMKernelsByAllHiddenSequences(t *testing.T) {
	product := prob.HMMProduct{Model: twoStates}
	against(t, kernel.Kernel[[]int](product), sequences, 1e-14, func(x, y []int) float64 {
		if len(x) != len(y) {
			return 0
		}
		s := 0.0
		for _, z := range words(len(x), 2) {
			s += given(twoStates, x, z) * given(twoStates, y, z) * hidden(twoStates, z)
		}
		return s
	})
	// The count kernel on pairs of sequences with their hidden states, summed over all of them.
	counts := func(order int, x, z []int) map[[4]int]float64 {
		out := map[[4]int]float64{}
		for t := 0; t+order <= len(x); t++ {
			key := [4]int{x[t], z[t], -1, -1}
			if order == 2 {
				key[2], key[3] = x[t+1], z[t+1]
			}
			out[key] += 1 / float64(len(x)-order+1)
		}
		return out
	}
	for order := 1; order <= 2; order++ {
		k := prob.MarginalizedCount{Model: twoStates, Order: order}
		against(t, kernel.Kernel[[]int](k), sequences, 1e-12, func(x, y []int) float64 {
			px, py := math.Exp(twoStates.LogLikelihood(x)), math.Exp(twoStates.LogLikelihood(y))
			s := 0.0
			for _, z := range words(len(x), 2) {
				u := counts(order, x, z)
				for _, w := range words(len(y), 2) {
					for key, n := range counts(order, y, w) {
						s += hidden(twoStates, z) * given(twoStates, x, z) / px * hidden(twoStates, w) * given(twoStates, y,
							w) / py * n * u[key]
					}
				}
			}
			return s
		})
	}
}

// One round is the expected shares over all hidden sequences; the likelihood never falls; the same
// seed gives the same model.
func TestBaumWelch(t *testing.T) {
	x := data.Slice[[]int]{{0, 1, 2, 2, 0}, {2, 2, 1}, {0, 0}, {}}
	ctx := context.Background()
	zero, report, err := prob.BaumWelch{States: 2, Rounds: 3, Seed: 5}.Fit(ctx, x)
	if err != nil || len(report.LogLikelihood) != 4 {
		t.Fatalf("%v, %v", report, err)
	}
	next, _, err := prob.BaumWelch{States: 2, Rounds: 4, Seed: 5}.Fit(ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	var initial [2]float64
	var trans [2][2]float64
	var emit [2][3]float64
	for _, seq := range x {
		if len(seq) == 0 {
			continue
		}
		p := math.Exp(zero.LogLikelihood(seq))
		for _, z := range words(len(seq), 2) {
			w := hidden(zero, z) * given(zero, seq, z) / p
			for i, s := range z {
				emit[s][seq[i]] += w
				if i == 0 {
					initial[s] += w
				} else {
					trans[z[i-1]][s] += w
				}
			}
		}
	}
	equalVec(t, "initial", next.Initial, []float64{initial[0] / 3, initial[1] / 3}, 1e-12)
	for s := range 2 {
		n, m := trans[s][0]+trans[s][1], emit[s][0]+emit[s][1]+emit[s][2]
		equalVec(t, "transition", next.Transition.RawRowView(s), []float64{trans[s][0] / n, trans[s][1] / n}, 1e-12)
		equalVec(t, "emission", next.Emission.RawRowView(s), []float64{emit[s][0] / m, emit[s][1] / m, emit[s][2] / m}, 1e-12)
	}

	rng := rand.New(rand.NewPCG(1, 2))
	var many data.Slice[[]int]
	truth, loglik := prob.HMM{Initial: []float64{0.5, 0.5}, Transition: mat.NewDense(2, 2, []float64{0.9, 0.1, 0.1, 0.9}),
		Emission: mat.NewDense(2, 2, []float64{0.95, 0.05, 0.1, 0.9}), Length: 40}, 0.0
	for range 50 {
		many = append(many, truth.Draw(rng))
		loglik += truth.LogLikelihood(many[len(many)-1])
	}
	got, report, err := prob.BaumWelch{States: 2, Rounds: 500, Seed: 3}.Fit(ctx, many)
	if err != nil || !report.Converged {
		t.Fatalf("%d rounds, %v", len(report.LogLikelihood), err)
	}
	if !slices.IsSorted(report.LogLikelihood) {
		t.Errorf("the likelihood fell: %v", report.LogLikelihood)
	}
	if last := report.LogLikelihood[len(report.LogLikelihood)-1]; last < loglik {
		t.Errorf("ln p = %v after the fit, %v under the model that drew the sequences", last, loglik)
	}
	if err := got.Validate(); err != nil || got.Length != 40 {
		t.Error(err, got.Length)
	}
	again, _, _ := prob.BaumWelch{States: 2, Rounds: 500, Seed: 3}.Fit(ctx, many)
	if !mat.Equal(got.Emission, again.Emission) {
		t.Error("the same seed gave another model")
	}
	smooth, _, err := prob.BaumWelch{States: 2, Symbols: 4, Smoothing: 0.1, Rounds: 5}.Fit(ctx, many)
	if err != nil || !(mat.Min(smooth.Emission) > 0) {
		t.Errorf("smoothed emissions %v, %v", smooth.Emission, err)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, _, err := (prob.BaumWelch{States: 2}).Fit(stopped, many); err != context.Canceled {
		t.Errorf("after a cancel: %v", err)
	}
}

func TestRefusedSequencesAndModels(t *testing.T) {
	fit := func(b prob.BaumWelch, x ...[]int) error {
		_, _, err := b.Fit(context.Background(), data.Slice[[]int](x))
		return err
	}
	narrow := prob.HMM{Initial: []float64{1}, Transition: mat.NewDense(1, 1, []float64{1}),
		Emission: mat.NewDense(1, 2, []float64{1, 0})}
	long := make([]int, 2000)
	bad := narrow
	bad.Emission = mat.NewDense(1, 2, []float64{0.7, 0.7})
	crooked := narrow
	crooked.Transition = mat.NewDense(2, 2, []float64{1, 0, 0, 1})
	for want, err := range map[string]error{
		"row 1, position 2 is symbol 3, want 0 to 2": twoStates.CheckPoints(data.Slice[[]int]{{},
			{0, 1, 3}}),
		"hmm: row 0, position 1: the model gives the sequence probabilit": narrow.CheckPoints(data.Slice[[]int]{{0, 1}}),
		"hmmproduct: row 0, of length 2000, has k(x, x) = e^-":            prob.HMMProduct{Model: twoStates}.CheckPoints(data.Slice[[]int]{long}),
		"marginalizedcount: row 0, position 0":                            prob.MarginalizedCount{Model: narrow}.CheckPoints(data.Slice[[]int]{{1}}),
		"order = 3": prob.MarginalizedCount{Model: twoStates,
			Order: 3}.Validate(),
		"emissions, row 0: probabilities sum": bad.Validate(),
		"1 states, but transitions are 2×2":   crooked.Validate(),
		"no states, transitions or emissions": prob.HMMProduct{}.Validate(),
		"row 0, position 1 is symbol -1":      fit(prob.BaumWelch{States: 2}, []int{0, -1}),
		"row 0, position 0 is symbol 5":       fit(prob.BaumWelch{States: 2, Symbols: 3}, []int{5}),
		"no symbols in 2 sequences":           fit(prob.BaumWelch{States: 2}, nil, nil),
		"0 states":                            fit(prob.BaumWelch{}, []int{1}),
		"markov chain: row 0, position 2: the": prob.MarkovChain{Order: 1, Symbols: 2, P: []float64{1, 0, 0.5, 0.5},
			Visits: []float64{1, 1}}.CheckPoints(data.Slice[[]int]{{1, 0, 1}}),
		"markov chain: context 1: probabilities": prob.MarkovChain{Order: 1, Symbols: 2, P: []float64{1, 0, 0.5, 0.6},
			Visits: []float64{1, 1}}.Validate(),
		"3 probabilities and 2 visits": prob.MarkovChain{Order: 1, Symbols: 2, P: []float64{1, 0, 1},
			Visits: []float64{1, 1}}.Validate(),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := prob.FisherExact[[]int](twoStates); err == nil ||
		!strings.Contains(err.Error(), "3^12 sequences cannot be listed; use FisherEmpirical") {
		t.Errorf("%v", err)
	}
	if _, err := prob.FisherExact[kernel.Vec](prob.DirichletMultinomial{Alpha: []float64{1}}); err == nil ||
		!strings.Contains(err.Error(), "no closed form; use FisherEmpirical") {
		t.Errorf("%v", err)
	}
	four := prob.Normal{Mean: make([]float64, 4), Cov: mat.NewSymDense(4,
		[]float64{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1})}
	if _, err := prob.FisherExact[kernel.Vec](prob.MixtureModel{Mixture: prob.Mixture{Weights: []float64{1},
		Parts: []prob.Normal{four}}}); err == nil || !strings.Contains(err.Error(), "over 4 dimensions") {
		t.Errorf("%v", err)
	}
	if _, err := prob.FisherSimulated[[]int](twoStates, 0, 1); err == nil || !strings.Contains(err.Error(), "draws = 0") {
		t.Errorf("%v", err)
	}
	if _, err := prob.FisherEmpirical[[]int](twoStates, data.Slice[[]int]{}); err == nil ||
		!strings.Contains(err.Error(), "no points") {
		t.Errorf("%v", err)
	}
	if _, err := prob.NewMarkovChain(data.Slice[[]int]{{0, 7}}, 1, 3, 1); err == nil ||
		!strings.Contains(err.Error(), "row 0, position 1 is symbol 7") {
		t.Errorf("%v", err)
	}
	if _, err := prob.NewMarkovChain(data.Slice[[]int]{}, 40, 20, 1); err == nil ||
		!strings.Contains(err.Error(), "order 40") {
		t.Errorf("%v", err)
	}
}
