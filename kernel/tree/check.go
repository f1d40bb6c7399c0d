package tree

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/bracket"
	"github.com/mercer-ml/mercer/kernel"
)

// defaultDecay is the weight of Collins & Duffy's experiments and of the toolkits since.
const defaultDecay = 0.4

func or(v, standard float64) float64 {
	if v == 0 {
		return standard
	}
	return v
}

// decay describes a parameter in (0, 1].
func decay(name string, value float64) kernel.Param {
	return kernel.Param{Name: name, Value: or(value, defaultDecay), Domain: kernel.Domain{Low: 0, High: 1, OpenLow: true}}
}

func validDecay(name, field string, v float64) error {
	if !(v >= 0 && v <= 1) {
		return fmt.Errorf("kernel: %s: %s = %g, want a number in (0, 1]", name, field, v)
	}
	return nil
}

// maxDepth is that of data/bracket. A tree that holds itself is deeper than that.
const maxDepth = 10000

// checkTrees refuses trees that cannot be walked; the error names the row and the way down to the
// fault.
func checkTrees(name string, x data.Points[*bracket.Tree]) error {
	for i := range x.Len() {
		if reason := fault(x.At(i), 0); reason != "" {
			return fmt.Errorf("kernel: %s: row %d: %s", name, i, reason)
		}
	}
	return nil
}

func fault(t *bracket.Tree, depth int) string {
	if t == nil {
		return "no tree (nil)"
	}
	if depth > maxDepth {
		return fmt.Sprintf("nested deeper than %d; does the tree hold itself?", maxDepth)
	}
	for j, c := range t.Children {
		if c == nil {
			return fmt.Sprintf("child %d of a node %q at depth %d is missing (nil)", j, t.Label, depth)
		}
		if reason := fault(c, depth+1); reason != "" {
			return reason
		}
	}
	return ""
}

// countsFragments is what is known of a kernel that counts fragments with positive weights. Where a
// whole tree is a fragment of itself, it is one of no other tree that is not larger: Gram matrices
// of distinct trees are positive definite.
func countsFragments(whole bool) kernel.Properties {
	p := kernel.Properties{PSD: kernel.Yes, Strict: kernel.No, Stationary: kernel.No, Isotropic: kernel.No,
		Bound: math.Inf(1), Smoothness: math.NaN()}
	if whole {
		p.Strict = kernel.Yes
	}
	return p
}
