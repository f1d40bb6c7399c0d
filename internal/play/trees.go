package play

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/data/bracket"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel/tree"
)

type treesAsked struct {
	Kernel KernelText `json:"kernel"`
	X      string     `json:"x"` // (S (NP (N dogs)) (VP (V bark)))
	Y      string     `json:"y"`
}

// What is taken of trees.
const (
	largestTree     = 400
	listedFragments = 20000
)

// compareTrees says which fragments two trees share.
func compareTrees(_ context.Context, _ *Player, q treesAsked, send sender) error {
	x, err := readTree("x", q.X)
	if err != nil {
		return err
	}
	y, err := readTree("y", q.Y)
	if err != nil {
		return err
	}
	out, err := compare(spec.Trees(), q.Kernel, x, y, treeFeatures)
	if err != nil {
		return err
	}
	out.Parsed = []any{drawnTree(x), drawnTree(y)}
	return send("compared", out)
}

func readTree(field, text string) (*bracket.Tree, error) {
	if len(text) > 20000 {
		return nil, &Fault{Field: field, Message: "the tree is written in more than 20,000 letters; take a smaller one"}
	}
	t, err := bracket.Parse(text)
	if err != nil {
		return nil, at(field, err)
	}
	if t == nil {
		return nil, &Fault{Field: field, Message: "no tree; write one with brackets, as (S (NP dogs) (VP bark))"}
	}
	if n := t.Size(); n > largestTree {
		return nil, &Fault{Field: field, Message: fmt.Sprintf("a tree of %d nodes; the playground takes up to %d", n,
			largestTree)}
	}
	return t, nil
}

// treeNode is a tree for the page to draw.
type treeNode struct {
	Label    string     `json:"label"`
	Children []treeNode `json:"children,omitempty"`
}

func drawnTree(t *bracket.Tree) treeNode {
	out := treeNode{Label: t.Label}
	for _, c := range t.Children {
		out.Children = append(out.Children, drawnTree(c))
	}
	return out
}

// treeFeatures takes the kernels apart that count fragments. A fragment's weight λᵖ is in its count
// of the first tree's name: p is the number of nodes with children, which its brackets show.
func treeFeatures(k any) (mapping, bool) {
	weight := func(decay float64) func(string) float64 {
		if decay == 0 {
			decay = 0.4
		}
		return func(name string) float64 { return math.Pow(decay, float64(max(1, strings.Count(name, "(")))) }
	}
	switch k := k.(type) {
	case tree.Subtree:
		return mappingOf(func(t *bracket.Tree) (counts, error) {
			out := counts{}
			eachNode(t, func(n *bracket.Tree) {
				if len(n.Children) > 0 || k.Leaves {
					out[written(n)]++
				}
			})
			return out, nil
		}, weight(k.Decay), nil), true
	case tree.SubsetTree:
		return mappingOf(func(t *bracket.Tree) (counts, error) {
			out, err := counts{}, error(nil)
			eachNode(t, func(n *bracket.Tree) {
				switch {
				case err != nil:
				case len(n.Children) > 0:
					var all []string
					if all, err = fragments(n); err == nil {
						for _, f := range all {
							out[f]++
						}
					}
				case k.Leaves:
					out[n.Label]++
				}
			})
			return out, err
		}, weight(k.Decay), nil), true
	}
	return mapping{}, false
}

func eachNode(t *bracket.Tree, f func(*bracket.Tree)) {
	f(t)
	for _, c := range t.Children {
		eachNode(c, f)
	}
}

// written is a tree in brackets; a node without children is its label alone. Labels are quoted
// where they hold brackets or blanks, so that no two trees are written alike.
func written(t *bracket.Tree) string {
	if len(t.Children) == 0 {
		return label(t)
	}
	parts := []string{label(t)}
	for _, c := range t.Children {
		parts = append(parts, written(c))
	}
	return "(" + strings.Join(parts, " ") + ")"
}

func label(t *bracket.Tree) string {
	if strings.ContainsAny(t.Label, "() \"") || t.Label == "" {
		return strings.NewReplacer("(", "⟨", ")", "⟩").Replace(fmt.Sprintf("%q", t.Label))
	}
	return t.Label
}

// fragments lists the fragments with root t whose nodes have all of their children or none: for
// each child its label alone, or any of its own fragments.
func fragments(t *bracket.Tree) ([]string, error) {
	begun := []string{"(" + label(t)}
	for _, c := range t.Children {
		choices := []string{label(c)}
		if len(c.Children) > 0 {
			more, err := fragments(c)
			if err != nil {
				return nil, err
			}
			choices = append(choices, more...)
		}
		if len(begun)*len(choices) > listedFragments {
			return nil, tooLarge("a tree", listedFragments)
		}
		var next []string
		for _, b := range begun {
			for _, c := range choices {
				next = append(next, b+" "+c)
			}
		}
		begun = next
	}
	for i := range begun {
		begun[i] += ")"
	}
	return begun, nil
}
