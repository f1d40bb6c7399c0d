package seq

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// PairHMM is the probability that a pair hidden Markov model writes both strings, summed over all
// the ways it can: the dynamic alignment kernel of C. Watkins (Dynamic alignment kernels, in
// Advances in Large Margin Classifiers, 1999). The model writes a pair of letters with the
// probabilities Joint, then, independently of each other, a run of letters of x alone and a run of
// letters of y alone: each begins with the probability δ = Open (0.1 when zero) and goes on after
// each letter with ε = Continue (0.5 when zero); then it ends with the probability τ = End (0.01
// when zero) or writes the next pair. Single letters have the margins of Joint.
//
// Given the state after each pair, what it writes to x and to y is independent, and so the kernel
// is positive semi-definite where the matrix Joint is; Properties looks. Values fall exponentially
// with the length: LogEval has their logarithms, and NormalizeLog is the normalised form. Two empty
// strings have the value τ(1-δ)².
type PairHMM struct {
	Alphabet            Alphabet
	Joint               [][]float64
	Open, Continue, End float64
}

func (k PairHMM) rates() (open, goOn, end float64) {
	return or(k.Open, 0.1), or(k.Continue, 0.5), or(k.End, 0.01)
}

// Name is "pairhmm".
func (PairHMM) Name() string { return "pairhmm" }

func (k PairHMM) code(s string) *coded { return &coded{s, k.Alphabet.codes(s)} }

// LogEval returns log k(x, y).
func (k PairHMM) LogEval(x, y string) float64 { return k.program()(k.code(x), k.code(y)) }

// Eval returns k(x, y), 0 where it is too small.
func (k PairHMM) Eval(x, y string) float64 { return math.Exp(k.LogEval(x, y)) }

// PrepareLogs prepares log k.
func (k PairHMM) PrepareLogs(ctx context.Context, x, y data.Points[string]) kernel.Rectangle {
	return preparePairs(ctx, x, y, k.code, k.program())
}

// PreparePoints looks the letters of each string up once.
func (k PairHMM) PreparePoints(ctx context.Context, x, y data.Points[string]) kernel.Rectangle {
	return mapped(k.PrepareLogs(ctx, x, y), func(v float64, _, _ int) float64 { return math.Exp(v) })
}

// program returns log k as a function of coded strings. D is the weight of having just written a
// pair (or nothing), A and B of having just written a letter of x or y alone; the run of x comes
// first:
//
//	A(i, j) = q(xᵢ)·(δD + εA)(i-1, j),   C = (1-δ)D + (1-ε)A,
//	B(i, j) = q(yⱼ)·(δC + εB)(i, j-1),   E = (1-δ)C + (1-ε)B,
//	D(i, j) = (1-τ)·p(xᵢ, yⱼ)·E(i-1, j-1),   k = τ·E(n, m).
//
// All of these are about q^{i+j}, so that what is kept is divided by the margins of the letters so
// far: the odds p/(q·q) are near 1, and what is left of the range of numbers is taken care of by
// wide.
func (k PairHMM) program() func(x, y *coded) float64 {
	open, goOn, end := k.rates()
	margin := make([]float64, len(k.Joint))
	for a, row := range k.Joint {
		for _, p := range row {
			margin[a] += p
		}
	}
	odds := make([][]wide, len(k.Joint))
	for a, row := range k.Joint {
		odds[a] = make([]wide, len(row))
		for b, p := range row {
			if p > 0 {
				odds[a][b] = wideOf((1 - end) * p / margin[a] / margin[b])
			}
		}
	}
	begin, next := wideOf(open), wideOf(goOn)
	none, stop := wideOf(1-open), wideOf(1-goOn)
	type cell struct{ d, a, c, b, e wide }
	return func(x, y *coded) float64 {
		if x.text > y.text {
			x, y = y, x
		}
		row := make([]cell, len(y.codes)+1)
		for i := 0; i <= len(x.codes); i++ {
			var diagonal, left cell
			for j := range row {
				up := row[j]
				var now cell
				switch {
				case i == 0 && j == 0:
					now.d = wideOf(1)
				case i > 0:
					now.a = begin.times(up.d).plus(next.times(up.a))
					if j > 0 {
						now.d = odds[x.codes[i-1]][y.codes[j-1]].times(diagonal.e)
					}
				}
				now.c = none.times(now.d).plus(stop.times(now.a))
				if j > 0 {
					now.b = begin.times(left.c).plus(next.times(left.b))
				}
				now.e = none.times(now.c).plus(stop.times(now.b))
				diagonal, left = up, now
				row[j] = now
			}
		}
		log := row[len(y.codes)].e.log() + math.Log(end)
		for _, s := range []*coded{x, y} {
			for _, c := range s.codes {
				log += math.Log(margin[c])
			}
		}
		return log
	}
}

// Params are δ, ε and τ.
func (k PairHMM) Params() []kernel.Param {
	open, goOn, end := k.rates()
	inside := kernel.Domain{Low: 0, High: 1, OpenLow: true, OpenHigh: true}
	return []kernel.Param{{Name: "pairhmm.open", Value: open, Domain: inside},
		{Name: "pairhmm.continue", Value: goOn, Domain: inside}, {Name: "pairhmm.end", Value: end, Domain: inside}}
}

// With sets δ, ε and τ.
func (k PairHMM) With(theta []float64) kernel.Kernel[string] {
	return PairHMM{k.Alphabet, k.Joint, theta[0], theta[1], theta[2]}
}

// Validate refuses rates outside (0, 1) and a joint distribution that is none, or not symmetric.
func (k PairHMM) Validate() error {
	if err := firstError(
		mustBe(k.Open >= 0 && k.Open < 1, "pairhmm", "open", k.Open, "a number in (0, 1)"),
		mustBe(k.Continue >= 0 && k.Continue < 1, "pairhmm", "continue", k.Continue, "a number in (0, 1)"),
		mustBe(k.End >= 0 && k.End < 1, "pairhmm", "end", k.End, "a number in (0, 1)"),
		k.Alphabet.valid("pairhmm"),
		checkSymmetric("pairhmm", k.Alphabet, k.Joint)); err != nil {
		return err
	}
	var all []float64
	for _, row := range k.Joint {
		all = append(all, row...)
	}
	return checkDistribution("seq: pairhmm: the joint distribution", len(all), all)
}

// CheckPoints refuses letters that are not of the alphabet.
func (k PairHMM) CheckPoints(x data.Points[string]) error { return k.Alphabet.check("pairhmm", x) }

// Properties says that k is positive semi-definite where Joint is.
func (k PairHMM) Properties() kernel.Properties {
	p := sums()
	p.Bound = 1
	if !positiveTable(k.Joint) {
		p.PSD = kernel.Unknown
	}
	return p
}
