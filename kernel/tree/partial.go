package tree

import (
	"context"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/bracket"
	"github.com/mercer-ml/mercer/kernel"
)

// Partial counts common fragments in which every node has any of its children, in their order,
//
//	Δ(n, m) = 0 where the labels of n and m differ,
//	Δ(n, m) = μ·(λ² + Σ_{I, J} λ^{d(I) + d(J)} Πₖ Δ(n_{Iₖ}, m_{Jₖ})) otherwise,
//
// I and J sequences of children of n and of m of one length ≥ 1, λ = Gap and μ = Depth (0.4 when
// zero) (A. Moschitti, Efficient convolution kernels for dependency and constituent syntactic
// trees, ECML 2006). The exponent d is one of two, since the literature has two:
//
//   - The number of children that I jumps over between its first and its last. So it is in the
//     recursion by which the paper computes Δ (a factor λ^{|s₁|-i+|s₂|-r} for the children between
//     two that follow one another), in the author's SVM-Light-TK and in KeLP. A fragment then weighs
//     μ for each of its nodes, λ² for each of its leaves and λ for each child left out in between.
//   - With Span, last − first + 1, the number of children from the first to the last, as the formula
//     above is printed (D. Croce, A. Moschitti and R. Basili, EMNLP 2011, and the documentation of
//     KeLP): a fragment weighs λ² more for each child that it has.
//
// Sequences of p children are found from those of p-1 in O(|n|·|m|), so a pair of nodes costs
// O(|n|·|m|·min(|n|, |m|)).
type Partial struct {
	Gap   float64
	Depth float64
	Span  bool
}

// Name is "partialtree".
func (Partial) Name() string { return "partialtree" }

// Eval returns the weighted number of pairs of equal fragments.
func (k Partial) Eval(x, y *bracket.Tree) float64 { return eval(k.fragments(), x, y) }

// PreparePoints finds the labels of each tree once.
func (k Partial) PreparePoints(ctx context.Context, x, y data.Points[*bracket.Tree]) kernel.Rectangle {
	return prepare(ctx, k.fragments(), x, y).fill
}

func (k Partial) fragments() fragments {
	gap := or(k.Gap, defaultDecay)
	f := someChildren{gap: gap, depth: or(k.Depth, defaultDecay), child: 1}
	if k.Span {
		f.child = gap * gap // last − first + 1 is the number of children jumped over and of those taken
	}
	return f
}

// Params are λ and μ.
func (k Partial) Params() []kernel.Param {
	return []kernel.Param{decay("partialtree.gap", k.Gap), decay("partialtree.depth", k.Depth)}
}

// With sets λ and μ.
func (k Partial) With(theta []float64) kernel.Kernel[*bracket.Tree] {
	return Partial{theta[0], theta[1], k.Span}
}

// Validate refuses λ and μ outside (0, 1].
func (k Partial) Validate() error {
	if err := validDecay("partialtree", "gap", k.Gap); err != nil {
		return err
	}
	return validDecay("partialtree", "depth", k.Depth)
}

// CheckPoints refuses missing and endless trees.
func (Partial) CheckPoints(x data.Points[*bracket.Tree]) error { return checkTrees("partialtree", x) }

// Properties of partial trees: the largest of several trees has a feature that no other has,
// itself.
func (Partial) Properties() kernel.Properties { return countsFragments(true) }

// someChildren weighs child for each child that a node of a fragment has.
type someChildren struct{ gap, depth, child float64 }

func (someChildren) key(f *forest, s int32) int32 { return f.label[s] }

func (p someChildren) delta(w *work, s, t int32) float64 {
	left, right := w.f.children[s], w.f.children[t]
	sum := p.gap * p.gap
	if len(left) == 1 && len(right) == 1 {
		return p.depth * (sum + p.child*w.known(left[0], right[0]))
	}
	w.deltas = w.deltas[:0]
	singles := 0.0
	for _, a := range left {
		for _, b := range right {
			d := p.child * w.known(a, b)
			w.deltas = append(w.deltas, d)
			singles += d
		}
	}
	sum += singles
	if singles > 0 && min(len(left), len(right)) > 1 {
		sum += p.sequences(w, len(left), len(right))
	}
	return p.depth * sum
}

// sequences is the weight of all pairs of sequences of two or more children. level[a, b] is that of
// the sequences of the present length that end at the children a and b, gapped[a, b] that of those
// that end at or before them, λ for each child since.
func (p someChildren) sequences(w *work, n, m int) float64 {
	w.level = append(w.level[:0], w.deltas...)
	w.gapped = slices.Grow(w.gapped[:0], n*m)[:n*m]
	all := 0.0
	for length := 2; length <= min(n, m); length++ {
		for a := range n {
			here := 0.0 // ends at child a of the left, at or before b of the right
			for b := range m {
				here = w.level[a*m+b] + p.gap*here
				w.gapped[a*m+b] = here
				if a > 0 {
					w.gapped[a*m+b] += p.gap * w.gapped[(a-1)*m+b]
				}
			}
		}
		sum := 0.0
		for a := range n {
			for b := range m {
				v := 0.0
				if a > 0 && b > 0 {
					v = w.deltas[a*m+b] * w.gapped[(a-1)*m+b-1]
				}
				w.level[a*m+b] = v
				sum += v
			}
		}
		if sum == 0 {
			break
		}
		all += sum
	}
	return all
}
