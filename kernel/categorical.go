package kernel

import (
	"math"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
)

// Overlap is the share of columns in which two rows of category codes agree,
//
//	k(x, y) = Σⱼ wⱼ·δ(xⱼ, yⱼ) / Σⱼ wⱼ,   δ(a, b) = 1 where a = b ≥ 0, else 0,
//
// wⱼ = Weights (all 1 when nil). Codes are 0, 1, 2, …; a negative one stands for a category that
// was never seen, which is like nothing, not even itself. It is the inner product of √wⱼ times the
// indicator vectors of the codes (zero for a negative code), hence positive semi-definite (the
// overlap measure of Stanfill & Waltz 1986; Boriah, Chandola & Kumar 2008).
type Overlap struct {
	Weights []float64
}

// Name is "overlap".
func (Overlap) Name() string { return "overlap" }

// Eval returns the weighted share of agreeing columns; 1 on vectors without columns.
func (k Overlap) Eval(x, y Vec) float64 {
	agree, all := agreement(k.Weights, x, y)
	if all == 0 {
		return 1
	}
	return agree / all
}

// eachCode adds the root of its share of the weights for the code of each column.
func (k Overlap) eachCode(x any, add func(name string, value float64)) {
	row, all := x.(Vec), 0.0
	for j := range row {
		all += columnWeight(k.Weights, j)
	}
	if all == 0 {
		add("1", 1)
		return
	}
	for j, v := range row {
		if v >= 0 {
			add(strconv.Itoa(j)+"="+strconv.FormatFloat(v, 'g', -1, 64), math.Sqrt(columnWeight(k.Weights, j)/all))
		}
	}
}

// agreement is the weight of the columns with like codes, and of all.
func agreement(weights []float64, x, y Vec) (agree, all float64) {
	for j, v := range x {
		w := columnWeight(weights, j)
		all += w
		if v == y[j] && v >= 0 {
			agree += w
		}
	}
	return agree, all
}

func columnWeight(weights []float64, j int) float64 {
	if weights == nil {
		return 1
	}
	return weights[j]
}

// Categorical is the product form of Overlap,
//
//	k(x, y) = Πⱼ exp(-θ·wⱼ·(1 - δ(xⱼ, yⱼ))),
//
// with θ = Decay (1 when zero): every column in which the codes differ divides the likeness by
// e^{θwⱼ}. A factor is ρ + (1-ρ)·δ with ρ = e^{-θwⱼ} < 1, a sum of positive semi-definite kernels,
// and so is the product (the diffusion kernel on a Hamming graph: Kondor & Lafferty 2002; with wⱼ
// for each column, the exponential kernel for categories of Gaussian processes: Saves et al. 2023).
// A category never seen, code < 0, is as far from all others as any two of them are.
type Categorical struct {
	Decay   float64
	Weights []float64
}

// Name is "categorical".
func (Categorical) Name() string { return "categorical" }

// Eval returns e^{-θ·(weight of the columns that differ)}.
func (k Categorical) Eval(x, y Vec) float64 {
	agree, all := agreement(k.Weights, x, y)
	return math.Exp(-orOne(k.Decay) * (all - agree))
}

// EvalGrad sets the derivative by θ.
func (k Categorical) EvalGrad(x, y Vec, dtheta []float64) {
	agree, all := agreement(k.Weights, x, y)
	dtheta[0] = -(all - agree) * math.Exp(-orOne(k.Decay)*(all-agree))
}

// Params is θ.
func (k Categorical) Params() []Param { return []Param{positive("categorical.decay", orOne(k.Decay))} }

// With sets θ.
func (k Categorical) With(theta []float64) Kernel[Vec] { return Categorical{theta[0], k.Weights} }

// Validate refuses weights that are negative or all 0.
func (k Overlap) Validate() error { return validWeights("overlap", k.Weights) }

// Validate refuses θ < 0 and weights that are negative or all 0.
func (k Categorical) Validate() error {
	if err := mustBePositive("categorical", "decay", k.Decay); err != nil {
		return err
	}
	return validWeights("categorical", k.Weights)
}

func validWeights(name string, weights []float64) error {
	if weights == nil {
		return nil
	}
	sum := 0.0
	for j, w := range weights {
		if !(w >= 0) || math.IsInf(w, 0) {
			return fault.Errorf("kernel", "%s: weights[%d] = %g, want ≥ 0", name, j, w)
		}
		sum += w
	}
	if sum == 0 || math.IsInf(sum, 0) {
		return fault.Errorf("kernel", "%s: weights sum to %g, want a positive number", name, sum)
	}
	return nil
}

// CheckPoints refuses fractions, and rows of another length than the weights.
func (k Overlap) CheckPoints(x data.Points[Vec]) error { return checkCodes("overlap", k.Weights, x) }

// CheckPoints refuses fractions, and rows of another length than the weights.
func (k Categorical) CheckPoints(x data.Points[Vec]) error {
	return checkCodes("categorical", k.Weights, x)
}

func checkCodes(name string, weights []float64, x data.Points[Vec]) error {
	for i := range x.Len() {
		row := x.At(i)
		if weights != nil && len(row) != len(weights) {
			return fault.Errorf("kernel", "%s: row %d has %d columns, and there are %d weights", name, i, len(row), len(weights))
		}
		for j, v := range row {
			if v != math.Trunc(v) {
				return fault.Errorf("kernel",
					"%s: row %d, column %d is %g; codes of categories are whole numbers (select their columns with on(%s(), [...]))",
					name, i, j, v, name)
			}
		}
	}
	return nil
}

func (k Overlap) lower(b *builder, p pair[Vec]) node {
	return lowerCodes(b, k, k.Weights, p, func(row []float64, all float64) {
		for i := range row {
			if row[i] /= all; all == 0 {
				row[i] = 1
			}
		}
	})
}

func (k Categorical) lower(b *builder, p pair[Vec]) node {
	theta := orOne(k.Decay)
	return lowerCodes(b, k, k.Weights, p, func(row []float64, all float64) {
		for i := range row {
			row[i] -= all
		}
		expScale(row, theta)
	})
}

// lowerCodes makes the tile operation: the weight of agreeing columns, one pass
// over the codes of all points for each column, then what finish makes of it.
func lowerCodes(
	b *builder, k Kernel[Vec], weights []float64, p pair[Vec], finish func(row []float64, all float64),
) node {
	x, y, ok := b.matrices(p)
	if !ok {
		return pairNodeOf(b, k, p)
	}
	yt, all := ofColumns(b, "codes"+p.key, func() linalg.Matrix[float64] { return transposed(y, asItIs) }), 0.0
	for c := range x.Cols {
		all += columnWeight(weights, c)
	}
	return blockNode{func(dst linalg.Matrix[float64], i, j int) {
		for a := range dst.Rows {
			row := dst.Row(a)
			clear(row)
			for c, u := range x.Row(i + a) {
				w := columnWeight(weights, c)
				if u < 0 {
					continue
				}
				for e, v := range yt.Row(c)[j : j+len(row)] {
					if v == u {
						row[e] += w
					}
				}
			}
			finish(row, all)
		}
	}}
}

// Properties of the overlap of codes: jumps from category to category.
func (Overlap) Properties() Properties {
	return Properties{PSD: Yes, Strict: No, Continuous: No, Stationary: No, Isotropic: No, Universal: No,
		Characteristic: No, Bound: 1, Smoothness: math.NaN(), Analytic: No}
}

// Properties of the product form. On seen categories (codes ≥ 0) alone it is strictly
// positive definite; points that differ in unseen ones alone are alike.
func (Categorical) Properties() Properties {
	return Properties{PSD: Yes, Strict: Unknown, Continuous: No, Stationary: No, Isotropic: No, Universal: Unknown,
		Characteristic: Unknown, Bound: 1, Smoothness: math.NaN(), Analytic: No}
}
