package tree_test

import (
	"bufio"
	"context"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/bracket"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/tree"
	"gonum.org/v1/gonum/mat"
)

// trec reads a column of the questions of Li & Roth (2002) with their dependency trees.
func trec(t testing.TB, column int) data.Slice[*bracket.Tree] {
	lines := bufio.NewScanner(datatest.Open(t, "trec_qc_trees_train.tsv"))
	lines.Buffer(nil, 1<<20)
	var out data.Slice[*bracket.Tree]
	for lines.Scan() {
		if text := strings.Split(lines.Text(), "\t")[column]; text != "grct" && text != "lct" {
			out = append(out, parse(t, text))
		}
	}
	if len(out) != 5452 {
		t.Fatalf("%d trees", len(out))
	}
	return out
}

// plainSubset is the recursion of Collins & Duffy as printed, a call for each pair of nodes.
func plainSubset(n, m *bracket.Tree, decay float64) float64 {
	if len(n.Children) == 0 || n.Label != m.Label || len(n.Children) != len(m.Children) {
		return 0
	}
	for j, c := range n.Children {
		if c.Label != m.Children[j].Label {
			return 0
		}
	}
	d := decay
	for j, c := range n.Children {
		d *= 1 + plainSubset(c, m.Children[j], decay)
	}
	return d
}

// plainPartial is the sum of Moschitti's definition as it stands, over all pairs of sequences of
// children.
func plainPartial(n, m *bracket.Tree, gap, depth float64) float64 {
	if n.Label != m.Label {
		return 0
	}
	sum := gap * gap
	var extend func(i, j int, weight float64)
	extend = func(i, j int, weight float64) { // the sequences end at i-1 and j-1
		for a := i; a < len(n.Children); a++ {
			for b := j; b < len(m.Children); b++ {
				w := weight * plainPartial(n.Children[a], m.Children[b], gap, depth)
				if i+j > 0 {
					w *= math.Pow(gap, float64(a-i+b-j))
				}
				if w > 0 {
					sum += w
					extend(a+1, b+1, w)
				}
			}
		}
	}
	extend(0, 0, 1)
	return depth * sum
}

func everyPair(x, y *bracket.Tree, delta func(n, m *bracket.Tree) float64) float64 {
	nodes := func(t *bracket.Tree) (out []*bracket.Tree) {
		everyNode(t, func(n *bracket.Tree) features { out = append(out, n); return nil })
		return out
	}
	s := 0.0
	for _, n := range nodes(x) {
		for _, m := range nodes(y) {
			s += delta(n, m)
		}
	}
	return s
}

// On real questions, a block is the printed recursion for each pair of nodes.
func TestRealTreesByThePrintedRecursion(t *testing.T) {
	for column := 2; column <= 3; column++ {
		x := trec(t, column)[100:160]
		for name, c := range map[string]struct {
			k     kernel.Kernel[*bracket.Tree]
			delta func(n, m *bracket.Tree) float64
		}{
			"subset": {tree.SubsetTree{}, func(n, m *bracket.Tree) float64 { return plainSubset(n, m, 0.4) }},
			"partial": {tree.Partial{Gap: 0.6, Depth: 0.3},
				func(n, m *bracket.Tree) float64 { return plainPartial(n, m, 0.6, 0.3) }},
		} {
			got := mat.NewDense(len(x), len(x), nil)
			kernel.Block(context.Background(), c.k, got, data.Points[*bracket.Tree](x), data.Points[*bracket.Tree](x))
			for i := range x {
				for j := range 1 + i {
					if want := everyPair(x[i], x[j], c.delta); math.Abs(got.At(i, j)-want) > 1e-12*want {
						t.Fatalf("%s: %v and %v: %v, want %v", name, x[i], x[j], got.At(i, j), want)
					}
				}
			}
		}
	}
}

// The Gram matrix of all 5452 questions, as a learner asks for it.
func BenchmarkTrecGram(b *testing.B) {
	x := trec(b, 2)
	dst := mat.NewDense(len(x), len(x), nil)
	for name, k := range map[string]kernel.Kernel[*bracket.Tree]{"subtree": tree.Subtree{}, "subset": tree.SubsetTree{},
		"partial": tree.Partial{}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				kernel.Block(context.Background(), k, dst, data.Points[*bracket.Tree](x), data.Points[*bracket.Tree](x))
			}
		})
	}
}

// One row after the other, as a solver with a cache of rows asks.
func BenchmarkTrecRows(b *testing.B) {
	x := trec(b, 2)
	dst := mat.NewDense(1, len(x), nil)
	for name, k := range map[string]kernel.Preparer[*bracket.Tree]{"subset": tree.SubsetTree{},
		"partial": tree.Partial{}} {
		b.Run(name, func(b *testing.B) {
			fill := k.PreparePoints(context.Background(), x, x)
			for i := 0; b.Loop(); i++ {
				fill(dst, i%len(x), 0)
			}
		})
	}
}
