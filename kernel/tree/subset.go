package tree

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/bracket"
	"github.com/mercer-ml/mercer/kernel"
)

// SubsetTree counts common fragments in which every node has all of its children or none, and the
// root has them,
//
//	Δ(n, m) = 0 where the productions at n and m differ,
//	Δ(n, m) = λ Πⱼ (1 + Δ(nⱼ, mⱼ)) otherwise,
//
// nⱼ the children of n, Δ = 0 at leaves, λ = Decay (0.4 when zero): a fragment of p productions
// weighs λᵖ (Collins & Duffy 2001, 2002). With Leaves, a leaf alone is a fragment too, of weight λ:
// a bag of words besides.
type SubsetTree struct {
	Decay  float64
	Leaves bool
}

// Name is "subsettree".
func (SubsetTree) Name() string { return "subsettree" }

// Eval returns the weighted number of pairs of equal fragments.
func (k SubsetTree) Eval(x, y *bracket.Tree) float64 { return eval(k.fragments(), x, y) }

// PreparePoints finds the productions of each tree once.
func (k SubsetTree) PreparePoints(ctx context.Context, x, y data.Points[*bracket.Tree]) kernel.Rectangle {
	return prepare(ctx, k.fragments(), x, y).fill
}

func (k SubsetTree) fragments() fragments {
	return wholeProductions{or(k.Decay, defaultDecay), k.Leaves}
}

// Params is λ.
func (k SubsetTree) Params() []kernel.Param {
	return []kernel.Param{decay("subsettree.decay", k.Decay)}
}

// With sets λ.
func (k SubsetTree) With(theta []float64) kernel.Kernel[*bracket.Tree] {
	return SubsetTree{theta[0], k.Leaves}
}

// Validate refuses λ outside (0, 1].
func (k SubsetTree) Validate() error { return validDecay("subsettree", "decay", k.Decay) }

// CheckPoints refuses missing and endless trees.
func (SubsetTree) CheckPoints(x data.Points[*bracket.Tree]) error { return checkTrees("subsettree", x) }

// Properties of subset trees: as those of Subtree.
func (k SubsetTree) Properties() kernel.Properties { return countsFragments(k.Leaves) }

type wholeProductions struct {
	decay  float64
	leaves bool
}

func (p wholeProductions) key(f *forest, s int32) int32 {
	if f.leaf(s) && !p.leaves {
		return none
	}
	return f.production[s]
}

// delta follows the recursion; a leaf of a fragment is no choice, even where it counts by itself.
func (p wholeProductions) delta(w *work, s, t int32) float64 {
	d := p.decay
	below := w.f.children[t]
	for j, c := range w.f.children[s] {
		if !w.f.leaf(c) {
			d *= 1 + w.known(c, below[j])
		}
	}
	return d
}
