package tree

import (
	"context"
	"math"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/bracket"
	"github.com/mercer-ml/mercer/kernel"
)

// Subtree counts common complete subtrees: a node with everything below it,
//
//	k(x, y) = Σ_s λ^|s| · #ₓ(s) · #ᵧ(s),
//
// s over all trees with children, |s| the number of its nodes that have children (its productions),
// λ = Decay (0.4 when zero) (Vishwanathan & Smola 2002). With Leaves, a leaf alone is a subtree
// too, of weight λ.
type Subtree struct {
	Decay  float64
	Leaves bool
}

// Name is "subtree".
func (Subtree) Name() string { return "subtree" }

// Eval returns the weighted number of pairs of equal subtrees.
func (k Subtree) Eval(x, y *bracket.Tree) float64 { return eval(k.fragments(), x, y) }

// PreparePoints finds the subtrees of each tree once.
func (k Subtree) PreparePoints(ctx context.Context, x, y data.Points[*bracket.Tree]) kernel.Rectangle {
	return prepare(ctx, k.fragments(), x, y).fill
}

// EachFeature adds √λ^|s| for each complete subtree, which is named by its text.
func (k Subtree) EachFeature(x *bracket.Tree, add func(name string, value float64)) {
	if x != nil {
		k.each(x, math.Sqrt(or(k.Decay, defaultDecay)), add)
	}
}

// each is EachFeature with the root of λ; it returns the number of productions and the text.
func (k Subtree) each(x *bracket.Tree, root float64, add func(name string, value float64)) (size int, text string) {
	text = strconv.Quote(x.Label)
	for i, c := range x.Children {
		n, below := k.each(c, root, add)
		size, text = size+n, text+string("(,"[min(i, 1)])+below
	}
	if len(x.Children) > 0 {
		size, text = size+1, text+")"
	} else if !k.Leaves {
		return size, text
	}
	add(text, math.Pow(root, float64(max(size, 1))))
	return size, text
}

func (k Subtree) fragments() fragments {
	return completeSubtrees{or(k.Decay, defaultDecay), k.Leaves}
}

// Params is λ.
func (k Subtree) Params() []kernel.Param { return []kernel.Param{decay("subtree.decay", k.Decay)} }

// With sets λ.
func (k Subtree) With(theta []float64) kernel.Kernel[*bracket.Tree] {
	return Subtree{theta[0], k.Leaves}
}

// Validate refuses λ outside (0, 1].
func (k Subtree) Validate() error { return validDecay("subtree", "decay", k.Decay) }

// CheckPoints refuses missing and endless trees.
func (Subtree) CheckPoints(x data.Points[*bracket.Tree]) error { return checkTrees("subtree", x) }

// Properties of complete subtrees: with leaves, the largest of several trees has a feature that no
// other has, itself.
func (k Subtree) Properties() kernel.Properties { return countsFragments(k.Leaves) }

type completeSubtrees struct {
	decay  float64
	leaves bool
}

func (c completeSubtrees) key(f *forest, s int32) int32 {
	if f.leaf(s) && !c.leaves {
		return none
	}
	return s
}

func (c completeSubtrees) delta(w *work, s, _ int32) float64 {
	return math.Pow(c.decay, float64(max(w.f.size[s], 1)))
}
