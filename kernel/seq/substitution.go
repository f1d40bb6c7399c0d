package seq

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Substitution counts common runs of K letters (3 when zero), each run a of a string standing for
// all runs b from which it may have come by likely substitutions,
//
//	k(x, y) = Σ_{b ∈ A^K} φ_b(x)·φ_b(y),   φ_b(x) = number of runs a of x with -Σᵢ log P(aᵢ | bᵢ) < Limit
//
// (C. Leslie and R. Kuang, JMLR 2004). Given has P(a | b) in row b and column a, letters in the
// order of the alphabet; SubstitutionMatrix.Conditional makes it from scores. A string shorter than
// K has the value 0 with all strings.
type Substitution struct {
	K        int
	Limit    float64
	Alphabet Alphabet
	Given    [][]float64
}

func (k Substitution) length() int { return or(k.K, 3) }

// Name is "substitution".
func (Substitution) Name() string { return "substitution" }

func (k Substitution) features(s string) counts {
	codes, into := k.Alphabet.codes(s), counts{}
	from := make([][]float64, k.Alphabet.Size()) // from[a][b] = -log P(a | b)
	for a := range from {
		from[a] = make([]float64, len(from))
		for b := range from[a] {
			from[a][b] = surprise(k.Given[b][a])
		}
	}
	cost := make([][]float64, k.length())
	for i := 0; i+k.length() <= len(codes); i++ {
		for p := range cost {
			cost[p] = from[codes[i+p]]
		}
		neighbours(cost, k.Limit, func(b []byte) { into[string(b)]++ })
	}
	return into
}

// Eval returns the number of pairs of runs, times the runs likely for both.
func (k Substitution) Eval(x, y string) float64 { return dot(k.features(x), k.features(y)) }

// PreparePoints counts the runs of each string once.
func (k Substitution) PreparePoints(ctx context.Context, x, y data.Points[string]) kernel.Rectangle {
	return prepareCounts(ctx, x, y, k.features)
}

// EachFeature adds the number of runs of x that each run is likely for.
func (k Substitution) EachFeature(x string, add func(name string, value float64)) {
	k.Alphabet.eachRun(k.features(x), add)
}

// Validate refuses K < 0, a limit that is no positive number, and probabilities that are none.
func (k Substitution) Validate() error {
	if err := firstError(
		mustBe(k.K >= 0, "substitution", "k", k.K, "at least 1"),
		mustBe(k.Limit > 0 && finite(k.Limit), "substitution", "limit", k.Limit, "a finite number > 0"),
		k.Alphabet.valid("substitution")); err != nil {
		return err
	}
	return checkProbabilities("substitution", k.Alphabet, k.Given)
}

// checkProbabilities refuses rows that are no distributions over the alphabet.
func checkProbabilities(name string, alphabet Alphabet, rows [][]float64) error {
	if len(rows) != alphabet.Size() {
		return fmt.Errorf("seq: %s: %d rows of probabilities for %d letters", name, len(rows), alphabet.Size())
	}
	for i, row := range rows {
		if err := checkDistribution(fmt.Sprintf("seq: %s: row %d", name, i), alphabet.Size(), row); err != nil {
			return err
		}
	}
	return nil
}

func checkDistribution(where string, size int, row []float64) error {
	if len(row) != size {
		return fmt.Errorf("%s has %d probabilities for %d letters", where, len(row), size)
	}
	sum := 0.0
	for j, p := range row {
		if !(p >= 0 && p <= 1) {
			return fmt.Errorf("%s, letter %d has the probability %g", where, j, p)
		}
		sum += p
	}
	if math.Abs(sum-1) > 1e-6 {
		return fmt.Errorf("%s: the probabilities sum to %g, want 1", where, sum)
	}
	return nil
}

// CheckPoints refuses letters that are not of the alphabet.
func (k Substitution) CheckPoints(x data.Points[string]) error {
	return k.Alphabet.check("substitution", x)
}

// Properties of an inner product of counts.
func (Substitution) Properties() kernel.Properties { return textFeatures() }
