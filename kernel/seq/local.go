package seq

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// LocalAlignment sums over all local alignments of two strings,
//
//	k(x, y) = Σ_π e^{β·s(π)},   s(π) = Σ scores of the aligned pairs - Σ (Open + Extend·(length-1)) over the gaps,
//
// with β = Beta (0.5 when zero); Open is 11 and Extend 1 when zero. The Smith-Waterman score, which
// is no kernel, is the limit of (log k)/β as β grows (J.-P. Vert, H. Saigo and T. Akutsu, Local
// alignment kernels for biological sequences, in Kernel Methods in Computational Biology, 2004; H.
// Saigo et al., Bioinformatics 2004). It is positive semi-definite where the matrix e^{β·score} of
// the letters is; Properties looks. Values grow exponentially with the length: LogEval has their
// logarithms, NormalizeLog is the normalised form, and Log the form used for learning there. The
// empty string has the value 1 with all strings: one empty alignment.
type LocalAlignment struct {
	Scores       SubstitutionMatrix
	Beta         float64
	Open, Extend float64
}

func (k LocalAlignment) gaps() (open, extend float64) {
	return or(k.Open, 11), or(k.Extend, 1)
}

// Name is "local".
func (LocalAlignment) Name() string { return "local" }

// coded is a string by the numbers of its letters.
type coded struct {
	text  string
	codes []int
}

func (k LocalAlignment) code(s string) *coded { return &coded{s, k.Scores.Alphabet.codes(s)} }

// LogEval returns log k(x, y).
func (k LocalAlignment) LogEval(x, y string) float64 { return k.program()(k.code(x), k.code(y)) }

// Eval returns k(x, y), +Inf where it is too large.
func (k LocalAlignment) Eval(x, y string) float64 { return math.Exp(k.LogEval(x, y)) }

// PrepareLogs prepares log k.
func (k LocalAlignment) PrepareLogs(ctx context.Context, x, y data.Points[string]) kernel.Rectangle {
	return preparePairs(ctx, x, y, k.code, k.program())
}

// PreparePoints looks the letters of each string up once.
func (k LocalAlignment) PreparePoints(ctx context.Context, x, y data.Points[string]) kernel.Rectangle {
	return mapped(k.PrepareLogs(ctx, x, y), func(v float64, _, _ int) float64 { return math.Exp(v) })
}

// Params are β, Open and Extend.
func (k LocalAlignment) Params() []kernel.Param {
	open, extend := k.gaps()
	return []kernel.Param{positive("local.beta", or(k.Beta, 0.5)), positive("local.open", open),
		positive("local.extend", extend)}
}

// With sets β, Open and Extend.
func (k LocalAlignment) With(theta []float64) kernel.Kernel[string] {
	return LocalAlignment{k.Scores, theta[0], theta[1], theta[2]}
}

// Validate refuses β < 0, negative gaps, and scores that are not symmetric.
func (k LocalAlignment) Validate() error {
	if err := firstError(
		mustBe(k.Beta >= 0 && finite(k.Beta), "local", "beta", k.Beta, "a finite number > 0"),
		mustBe(k.Open >= 0 && finite(k.Open), "local", "open", k.Open, "a finite number > 0"),
		mustBe(k.Extend >= 0 && finite(k.Extend), "local", "extend", k.Extend, "a finite number > 0"),
		k.Scores.Alphabet.valid("local")); err != nil {
		return err
	}
	return checkSymmetric("local", k.Scores.Alphabet, k.Scores.Scores)
}

// checkSymmetric refuses a table that is not square, symmetric and finite.
func checkSymmetric(name string, alphabet Alphabet, rows [][]float64) error {
	n := alphabet.Size()
	if len(rows) != n {
		return fmt.Errorf("seq: %s: %d rows of scores for %d letters", name, len(rows), n)
	}
	for i, row := range rows {
		if len(row) != n {
			return fmt.Errorf("seq: %s: row %d of the scores has %d numbers for %d letters", name, i, len(row), n)
		}
	}
	for i, row := range rows {
		for j, v := range row {
			if !finite(v) || v != rows[j][i] {
				return fmt.Errorf("seq: %s: the scores %d, %d and %d, %d are %g and %g, want one finite number", name, i, j, j, i,
					v, rows[j][i])
			}
		}
	}
	return nil
}

// CheckPoints refuses letters without scores.
func (k LocalAlignment) CheckPoints(x data.Points[string]) error {
	return k.Scores.Alphabet.check("local", x)
}

// Properties says that k is positive semi-definite where e^{β·score} is.
func (k LocalAlignment) Properties() kernel.Properties {
	p := sums()
	if !positiveTable(k.weights()) {
		p.PSD = kernel.Unknown
	}
	return p
}

// weights is e^{β·score}.
func (k LocalAlignment) weights() [][]float64 {
	out := make([][]float64, len(k.Scores.Scores))
	for i, row := range k.Scores.Scores {
		for _, s := range row {
			out[i] = append(out[i], math.Exp(or(k.Beta, 0.5)*s))
		}
	}
	return out
}
