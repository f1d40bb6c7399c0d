package seq

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Subsequences counts common subsequences, gaps allowed: the string subsequence kernel (SSK),
//
//	k(x, y) = Σ_{u ∈ A^n} Σ_{i: x[i]=u} Σ_{j: y[j]=u} λ^{l(i)+l(j)},   l(i) = i_n - i_1 + 1,
//
// with n = Length (3 when zero) and λ = Decay (0.5 when zero): an occurrence counts less the longer
// the stretch that it is spread over (H. Lodhi et al., Text classification using string kernels,
// JMLR 2002). Weights, one for each length from 1 on, replace Length and add up all these lengths.
//
// A value takes O(n·|x|·|y|) by dynamic programming over all pairs of places, or O(n·L·log|y|) over
// the L pairs of places with equal letters (J. Rousu and J. Shawe-Taylor, Efficient computation of
// gapped substring kernels on large alphabets, JMLR 2005), whichever is less. A string shorter than
// n has the value 0 with all strings. It is kernlab's "sequence".
type Subsequences struct {
	Length  int
	Decay   float64
	Weights []float64
}

func (k Subsequences) length() int {
	if k.Weights != nil {
		return len(k.Weights)
	}
	return or(k.Length, 3)
}

func (k Subsequences) decay() float64 { return or(k.Decay, 0.5) }

// weight is what the subsequences of q letters count.
func (k Subsequences) weight(q int) float64 {
	switch {
	case k.Weights != nil:
		return k.Weights[q-1]
	case q == k.length():
		return 1
	}
	return 0
}

// Name is "ssk".
func (Subsequences) Name() string { return "ssk" }

// Eval returns the weighted number of pairs of equal subsequences.
func (k Subsequences) Eval(x, y string) float64 { return k.pair(newLetters(x), newLetters(y)) }

// PreparePoints sorts the places of each string by letter once. The pairs of a rectangle that are
// computed in lanes are taken together.
func (k Subsequences) PreparePoints(ctx context.Context, x, y data.Points[string]) kernel.Rectangle {
	u, v := kernel.MapBoth(ctx, x, y, newLetters)
	same := kernel.SamePoints(x, y)
	return func(dst *mat.Dense, i, j int) {
		m := dst.RawMatrix()
		values := make([]float64, m.Rows*m.Cols)
		var pairs []lanePair
		for a := range m.Rows {
			for b := range m.Cols {
				if _, _, ok := otherWay(m, same, i, j, a, b); ok {
					continue
				}
				if ctx.Err() != nil {
					return
				}
				p := ordered(u[i+a], v[j+b])
				if p.to = a*m.Cols + b; k.inLanes(p.x) && !k.isSparse(p) {
					pairs = append(pairs, p)
				} else {
					values[p.to] = k.alone(p)
				}
			}
		}
		k.inStreams(ctx, pairs, values)
		for a := range m.Rows {
			for b := range m.Cols {
				if c, d, ok := otherWay(m, same, i, j, a, b); ok {
					values[a*m.Cols+b] = values[c*m.Cols+d]
				}
				m.Data[a*m.Stride+b] = values[a*m.Cols+b]
			}
		}
	}
}

// sparseStep is what one pair of places with equal letters costs in the sparse form for each level
// of its tree, in pairs of places of the dense form, and sparseLaneStep the same where the dense
// form runs in lanes. On English text, where one pair in 15 has equal letters, the dense form is
// the faster one.
const (
	sparseStep     = 8
	sparseLaneStep = 48
)

// ordered is a pair with the shorter string as the columns; of strings of one length, the lesser.
func ordered(x, y *letters) lanePair {
	if x.less(y) {
		x, y = y, x
	}
	return lanePair{x: x, y: y}
}

// isSparse says whether few enough places have equal letters for the sparse form.
func (k Subsequences) isSparse(p lanePair) bool {
	depth, step := 1.0, float64(sparseStep)
	for w := len(p.y.code); w > 1; w /= 2 {
		depth++
	}
	if k.inLanes(p.x) {
		step = sparseLaneStep
	}
	return step*depth*p.x.matches(p.y, p.x.match(p.y)) < float64(len(p.x.code))*float64(len(p.y.code))
}

// pair is the value of one pair, by the form that it has in any rectangle.
func (k Subsequences) pair(x, y *letters) float64 {
	p := ordered(x, y)
	if !k.inLanes(p.x) || k.isSparse(p) {
		return k.alone(p)
	}
	out := make([]float64, 1)
	k.inStreams(context.Background(), []lanePair{p}, out)
	return out[0]
}

// alone is the value of a pair that is not computed in lanes.
func (k Subsequences) alone(p lanePair) float64 {
	match := p.x.match(p.y)
	if k.isSparse(p) {
		return k.sparse(p.x, p.y, match)
	}
	return k.dense(p.x, p.y, match)
}

// Params are n and λ; λ alone where Weights are given.
func (k Subsequences) Params() []kernel.Param {
	decay := share("ssk.decay", k.decay())
	if k.Weights != nil {
		return []kernel.Param{decay}
	}
	return []kernel.Param{whole("ssk.k", k.length(), 1), decay}
}

// With sets n and λ; λ alone where Weights are given.
func (k Subsequences) With(theta []float64) kernel.Kernel[string] {
	if k.Weights != nil {
		return Subsequences{Decay: theta[0], Weights: k.Weights}
	}
	return Subsequences{Length: int(theta[0]), Decay: theta[1]}
}

// Validate refuses n < 0, λ outside (0, 1] and negative weights.
func (k Subsequences) Validate() error {
	return firstError(
		mustBe(k.Length >= 0, "ssk", "k", k.Length, "at least 1"),
		mustBe(k.Decay >= 0 && k.Decay <= 1, "ssk", "decay", k.Decay, "a number in (0, 1]"),
		checkWeights("ssk", k.Weights))
}

// CheckPoints refuses strings that are no UTF-8.
func (Subsequences) CheckPoints(x data.Points[string]) error { return checkText("ssk", x) }

// Properties of an inner product of counts.
func (Subsequences) Properties() kernel.Properties { return textFeatures() }
