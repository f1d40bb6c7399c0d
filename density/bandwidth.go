package density

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/smoothing"
	"github.com/mercer-ml/mercer/internal/fault"
)

// BandwidthRule chooses a bandwidth for each column from the data. All rules
// are made for the Gaussian kernel; for another the result is multiplied by the
// ratio of canonical bandwidths (Marron and Nolan 1988), so that it smooths as
// much. Cross-validation needs no such factor.
type BandwidthRule int

// The rules, for n points in d columns with standard deviations σ.
const (
	// SilvermanRule is 0.9·min(σ, IQR/1.34)·n^{-1/5} for one column (Silverman
	// 1986, equation 3.31; R's bw.nrd0) and σ·(4/((d+2)n))^{1/(d+4)} for more.
	SilvermanRule BandwidthRule = iota
	// ScottRule is σ·n^{-1/(d+4)} (Scott 1992).
	ScottRule
	// RobustRule is σ̂·(4/((d+2)n))^{1/(d+4)}, for one column σ̂·(4/(3n))^{1/5}, with
	// σ̂ = 1.4826·MAD, the median absolute deviation from the median, which outliers do
	// not move (Bowman and Azzalini 1997).
	RobustRule
	// SheatherJonesRule solves for the bandwidth at which an estimate of the
	// asymptotically best one agrees with it (Sheather and Jones 1991; R's
	// bw.SJ). It is for one column.
	SheatherJonesRule
	// LikelihoodRule maximises the leave-one-out log-likelihood over multiples of σ.
	LikelihoodRule
	// LeastSquaresRule minimises ∫p² - 2·E₋ᵢ p(xᵢ), an unbiased estimate of the
	// integrated squared error up to a constant, over multiples of σ (Rudemo
	// 1982, Bowman 1984; R's bw.ucv).
	LeastSquaresRule
	ruleCount
)

// String names the rule.
func (r BandwidthRule) String() string {
	names := [ruleCount]string{"silverman", "scott", "robust", "sheather-jones", "likelihood", "least-squares"}
	if r < 0 || r >= ruleCount {
		return fmt.Sprintf("BandwidthRule(%d)", int(r))
	}
	return names[r]
}

// widths applies the rule.
func (r BandwidthRule) widths(
	ctx context.Context, x linalg.Matrix[float64], weights []float64, s Smoother, product bool, t int,
) ([]float64, error) {
	if r < 0 || r >= ruleCount {
		return nil, fmt.Errorf("there is no bandwidth rule %v", r)
	}
	if x.Rows < 2 {
		return nil, errors.New("a bandwidth cannot be chosen from one point; give one")
	}
	n, d := smoothing.EffectiveSize(weights, x.Rows), float64(x.Cols)
	out := make([]float64, x.Cols)
	col := make([]float64, x.Rows)
	for j := range out {
		for i := range col {
			col[i] = x.At(i, j)
		}
		spread := smoothing.Spread(col, weights)
		if !(spread > 0) {
			return nil, &fault.Column{Index: j,
				Said: fmt.Sprintf("is constant (%g): no bandwidth follows from it; leave it out, or give a bandwidth", col[0])}
		}
		normal := math.Pow(4/((d+2)*n), 1/(d+4))
		switch r {
		case SilvermanRule:
			out[j] = spread * normal
			if x.Cols == 1 {
				out[j] = 0.9 * smoothing.RobustSpread(col, weights, spread) * math.Pow(n, -0.2)
			}
		case ScottRule:
			out[j] = spread * math.Pow(n, -1/(d+4))
		case RobustRule:
			mad := 1.4826 * smoothing.MedianDeviation(col, weights)
			if !(mad > 0) {
				return nil, &fault.Column{Index: j,
					Said: fmt.Sprintf("is %g in more than half of the rows: its median absolute deviation is zero; take another "+
						"rule, or give a bandwidth", smoothing.Quantile(col, weights, 0.5))}
			}
			out[j] = mad * normal
		case SheatherJonesRule:
			if x.Cols > 1 {
				return nil, errors.New("the Sheather-Jones rule is for one column; take likelihood or least-squares")
			}
			if weights != nil {
				return nil, errors.New("the Sheather-Jones rule does not take weights; take likelihood")
			}
			h, err := SheatherJones(col)
			if err != nil {
				return nil, err
			}
			out[j] = h
		case LikelihoodRule, LeastSquaresRule:
			out[j] = spread
		}
	}
	if r == LikelihoodRule || r == LeastSquaresRule {
		c := crossValidation{x: x, weights: weights, smoother: s, product: product, leastSquares: r == LeastSquaresRule,
			threads: t}
		return c.widths(ctx, out)
	}
	factor := s.kernel().Canonical(x.Cols, product)
	for j := range out {
		out[j] *= factor
	}
	return out, nil
}
