package tree_test

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/bracket"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/tree"
	"gonum.org/v1/gonum/mat"
)

// randomTree has few labels, so that trees share much, and a label may be that of a leaf here and
// of a node with children there.
func randomTree(rng *rand.Rand, depth int) *bracket.Tree {
	t := &bracket.Tree{Label: string(rune('a' + rng.IntN(2)))}
	if depth > 0 {
		for range rng.IntN(4) {
			t.Children = append(t.Children, randomTree(rng, depth-1))
		}
	}
	return t
}

func randomTrees(n, depth int) data.Slice[*bracket.Tree] {
	rng := rand.New(rand.NewPCG(7, 7))
	out := make(data.Slice[*bracket.Tree], n)
	for i := range out {
		for out[i] == nil || out[i].Size() > 12 {
			out[i] = randomTree(rng, depth)
		}
	}
	return out
}

// features is the explicit feature vector of a tree: text of a fragment → its value.
type features map[string]float64

func (f features) dot(g features) float64 {
	s := 0.0
	for name, v := range f {
		s += v * g[name]
	}
	return s
}

// everyNode adds up what begin lists at each node.
func everyNode(t *bracket.Tree, begin func(*bracket.Tree) features) features {
	out := features{}
	var walk func(*bracket.Tree)
	walk = func(t *bracket.Tree) {
		for name, v := range begin(t) {
			out[name] += v
		}
		for _, c := range t.Children {
			walk(c)
		}
	}
	walk(t)
	return out
}

// completeAt is the one fragment of Subtree at a node: its value is λ^{productions/2}.
func completeAt(decay float64, leaves bool) func(*bracket.Tree) features {
	return func(t *bracket.Tree) features {
		text := t.String()
		if len(t.Children) == 0 {
			if !leaves {
				return nil
			}
			return features{text: math.Sqrt(decay)}
		}
		productions := 0
		everyNode(t, func(n *bracket.Tree) features {
			if len(n.Children) > 0 {
				productions++
			}
			return nil
		})
		return features{text: math.Pow(decay, float64(productions)/2)}
	}
}

// subsetsAt lists the fragments of SubsetTree at a node.
func subsetsAt(decay float64, leaves bool) func(*bracket.Tree) features {
	var at func(t *bracket.Tree) features
	at = func(t *bracket.Tree) features {
		if len(t.Children) == 0 {
			return nil
		}
		sofar := features{"(" + t.Label: math.Sqrt(decay)}
		for _, c := range t.Children {
			longer := features{}
			for head, v := range sofar {
				longer[head+"("+c.Label+")"] += v
				for below, w := range at(c) {
					longer[head+below] += v * w
				}
			}
			sofar = longer
		}
		closed := features{}
		for head, v := range sofar {
			closed[head+")"] += v
		}
		return closed
	}
	return func(t *bracket.Tree) features {
		if len(t.Children) == 0 && leaves {
			return features{"(" + t.Label + ")": math.Sqrt(decay)}
		}
		return at(t)
	}
}

// partialAt lists the fragments of Partial at a node: all sets of children, by their bits. span
// asks for Moschitti's exponent as it is printed, last − first + 1, else children jumped over
// count.
func partialAt(gap, depth float64, span bool) func(*bracket.Tree) features {
	var at func(t *bracket.Tree) features
	at = func(t *bracket.Tree) features {
		out := features{"(" + t.Label + ")": math.Sqrt(depth) * gap}
		for set := 1; set < 1<<len(t.Children); set++ {
			first, last := bits.TrailingZeros(uint(set)), bits.Len(uint(set))-1
			d := last - first + 1
			if !span {
				d -= bits.OnesCount(uint(set))
			}
			sofar := features{"(" + t.Label: math.Sqrt(depth) * math.Pow(gap, float64(d))}
			for j, c := range t.Children {
				if set>>j&1 == 0 {
					continue
				}
				longer := features{}
				for head, v := range sofar {
					for below, w := range at(c) {
						longer[head+below] += v * w
					}
				}
				sofar = longer
			}
			for head, v := range sofar {
				out[head+")"] += v
			}
		}
		return out
	}
	return at
}

type subject struct {
	name   string
	k      kernel.Kernel[*bracket.Tree]
	oracle func(*bracket.Tree) features
}

func subjects() []subject {
	return []subject{
		{"subtree", tree.Subtree{Decay: 0.6}, completeAt(0.6, false)},
		{"subtree with leaves", tree.Subtree{Decay: 0.6, Leaves: true}, completeAt(0.6, true)},
		{"subset", tree.SubsetTree{Decay: 0.7}, subsetsAt(0.7, false)},
		{"subset with leaves", tree.SubsetTree{Decay: 0.7, Leaves: true}, subsetsAt(0.7, true)},
		{"partial", tree.Partial{Gap: 0.5, Depth: 0.7}, partialAt(0.5, 0.7, false)},
		{"partial by its span", tree.Partial{Gap: 0.5, Depth: 0.7, Span: true}, partialAt(0.5, 0.7, true)},
		{"standard weights", tree.Partial{}, partialAt(0.4, 0.4, false)},
	}
}

// Every kernel is the inner product of explicitly listed fragments, by single values and by blocks.
func TestFragmentsListedOneByOne(t *testing.T) {
	x := randomTrees(25, 3)
	y := randomTrees(40, 4)[25:]
	for _, s := range subjects() {
		t.Run(s.name, func(t *testing.T) {
			block := mat.NewDense(len(x), len(y), nil)
			kernel.Block(context.Background(), s.k, block, data.Points[*bracket.Tree](x), data.Points[*bracket.Tree](y))
			positive := 0
			for i, a := range x {
				u := everyNode(a, s.oracle)
				for j, b := range y {
					want := u.dot(everyNode(b, s.oracle))
					if got := s.k.Eval(a, b); math.Abs(got-want) > 1e-12*(1+want) {
						t.Fatalf("%v, %v: %g, the fragments give %g", a, b, got, want)
					}
					if got := block.At(i, j); got != s.k.Eval(a, b) {
						t.Fatalf("%v, %v: block %v, Eval %v", a, b, got, s.k.Eval(a, b))
					}
					if want > 0 {
						positive++
					}
				}
			}
			if positive < len(x)*len(y)/20 {
				t.Errorf("only %d of %d values are not 0: the sample proves little", positive, len(x)*len(y))
			}
		})
	}
}

func TestTreeKernelsConform(t *testing.T) {
	x := randomTrees(18, 4)
	distinct := data.Slice[*bracket.Tree]{}
	seen := map[string]bool{}
	for _, a := range x {
		if !seen[a.String()] {
			distinct = append(distinct, a)
		}
		seen[a.String()] = true
	}
	same := make(data.Slice[*bracket.Tree], 6)
	for i := range same {
		same[i] = &bracket.Tree{Label: "only"}
	}
	for _, s := range subjects() {
		t.Run(s.name, func(t *testing.T) {
			kerneltest.Run(t, s.k, kerneltest.Options[*bracket.Tree]{Points: distinct,
				Adversarial: []data.Points[*bracket.Tree]{same}})
			kerneltest.Run(t, kernel.Normalize(s.k), kerneltest.Options[*bracket.Tree]{Points: distinct})
		})
	}
}

// Counted by hand on (VP (V brought) (NP (D a) (N cat))), all weights 1: five nodes have children;
// V, D and N begin one subset tree, NP (1+1)(1+1), VP (1+1)(1+4); three leaves begin 1 partial
// tree, V, D, N 1+1, NP (1+2)², VP (1+2)(1+9).
func TestCountedByHand(t *testing.T) {
	x := parse(t, "(VP (V brought) (NP (D a) (N cat)))")
	for _, c := range []struct {
		k    kernel.Kernel[*bracket.Tree]
		want float64
	}{
		{tree.Subtree{Decay: 1}, 5},
		{tree.Subtree{Decay: 1, Leaves: true}, 8},
		{tree.SubsetTree{Decay: 1}, 17},
		{tree.SubsetTree{Decay: 1, Leaves: true}, 20},
		{tree.Partial{Gap: 1, Depth: 1}, 48},
	} {
		if got := c.k.Eval(x, x); got != c.want {
			t.Errorf("%#v: %g, want %g", c.k, got, c.want)
		}
	}
}

// Moschitti's formula term by term, over all pairs of sequences of children of two nodes. Beside it
// stands his recursion, by which programs compute it: Δ_p of the children up to a and up to b is
// Δ(a, b)·Σ λ^{|s₁|-i+|s₂|-r}·Δ_{p-1} over the ends i and r of what comes before.
func TestMoschittisFormulaAndRecursion(t *testing.T) {
	const lambda, mu = 0.6, 0.8
	var delta func(n, m *bracket.Tree, exponent func(children []int) int) float64
	delta = func(n, m *bracket.Tree, exponent func([]int) int) float64 {
		if n.Label != m.Label {
			return 0
		}
		sum := lambda * lambda
		for i := 1; i < 1<<len(n.Children); i++ {
			for j := 1; j < 1<<len(m.Children); j++ {
				a, b := places(i), places(j)
				if len(a) != len(b) {
					continue
				}
				product := math.Pow(lambda, float64(exponent(a)+exponent(b)))
				for p := range a {
					product *= delta(n.Children[a[p]], m.Children[b[p]], exponent)
				}
				sum += product
			}
		}
		return mu * sum
	}
	var recursive func(n, m *bracket.Tree) float64
	recursive = func(n, m *bracket.Tree) float64 {
		if n.Label != m.Label {
			return 0
		}
		var ends func(p int, s, t []*bracket.Tree) float64 // sequences of p children that end at the last of s and of t
		ends = func(p int, s, t []*bracket.Tree) float64 {
			a, b := len(s)-1, len(t)-1
			v := recursive(s[a], t[b])
			if p == 1 || v == 0 {
				return v
			}
			sum := 0.0
			for i := 1; i <= a; i++ {
				for r := 1; r <= b; r++ {
					sum += math.Pow(lambda, float64(a-i+b-r)) * ends(p-1, s[:i], t[:r])
				}
			}
			return v * sum
		}
		sum := lambda * lambda
		for p := 1; p <= min(len(n.Children), len(m.Children)); p++ {
			for i := 1; i <= len(n.Children); i++ {
				for r := 1; r <= len(m.Children); r++ {
					sum += ends(p, n.Children[:i], m.Children[:r])
				}
			}
		}
		return mu * sum
	}
	jumped := func(c []int) int { return c[len(c)-1] - c[0] + 1 - len(c) }
	span := func(c []int) int { return c[len(c)-1] - c[0] + 1 }
	for _, x := range randomTrees(10, 3) {
		for _, y := range randomTrees(14, 3)[4:] {
			var gaps, spans, program float64
			for _, n := range nodes(x) {
				for _, m := range nodes(y) {
					gaps += delta(n, m, jumped)
					spans += delta(n, m, span)
					program += recursive(n, m)
				}
			}
			for name, c := range map[string][2]float64{
				"children jumped over": {tree.Partial{Gap: lambda, Depth: mu}.Eval(x, y), gaps},
				"the recursion":        {tree.Partial{Gap: lambda, Depth: mu}.Eval(x, y), program},
				"first to last":        {tree.Partial{Gap: lambda, Depth: mu, Span: true}.Eval(x, y), spans},
			} {
				if !(math.Abs(c[0]-c[1]) <= 1e-12*(1+c[1])) {
					t.Fatalf("%s: k(%v, %v) = %v, the formula has %v", name, x, y, c[0], c[1])
				}
			}
		}
	}
}

// places are the bits of a set.
func places(set int) (out []int) {
	for ; set != 0; set &= set - 1 {
		out = append(out, bits.TrailingZeros(uint(set)))
	}
	return out
}

func nodes(t *bracket.Tree) []*bracket.Tree {
	out := []*bracket.Tree{t}
	for _, c := range t.Children {
		out = append(out, nodes(c)...)
	}
	return out
}

func parse(t testing.TB, text string) *bracket.Tree {
	t.Helper()
	x, err := bracket.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestRefusedTreesAndWeights(t *testing.T) {
	loop := &bracket.Tree{Label: "a"}
	loop.Children = []*bracket.Tree{loop, loop}
	good := parse(t, "(a (b c))")
	for want, x := range map[string]data.Slice[*bracket.Tree]{
		"row 1: no tree":                       {good, nil},
		"row 2: child 1 of a node \"b\"":       {good, good, {Label: "b", Children: []*bracket.Tree{good, nil}}},
		"row 0: nested deeper than 10000":      {loop},
		"row 0: child 0 of a node \"\" at dep": {{Children: []*bracket.Tree{nil}}},
	} {
		for _, s := range subjects() {
			if err := kernel.Check(s.k, data.Points[*bracket.Tree](x)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", s.name, err, want)
			}
		}
	}
	for want, k := range map[string]kernel.Kernel[*bracket.Tree]{
		"subtree: decay = -1": tree.Subtree{Decay: -1}, "subsettree: decay = NaN": tree.SubsetTree{Decay: math.NaN()},
		"partialtree: gap = 2": tree.Partial{Gap: 2}, "partialtree: depth = +Inf": tree.Partial{Depth: math.Inf(1)},
	} {
		if err := kernel.Validate(k); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	deep := parse(t, strings.Repeat("(a ", 9000)+"b"+strings.Repeat(")", 9000))
	if got := (tree.Subtree{Decay: 1}).Eval(deep, deep); got != 9000 {
		t.Errorf("a chain of 9000: %g", got)
	}
}
