package nodes

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/kernel/graph"
	"gonum.org/v1/gonum/mat"
)

// Known is the nodes whose answer is known.
type Known struct {
	Nodes   []int     // each once
	Y       []float64 // their values, or the codes of their classes
	Classes int       // 0: numbers
}

// Gather is some of them, by place.
func (k Known) Gather(places []int) Known {
	out := Known{Classes: k.Classes, Nodes: make([]int, len(places)), Y: make([]float64, len(places))}
	for to, from := range places {
		out.Nodes[to], out.Y[to] = k.Nodes[from], k.Y[from]
	}
	return out
}

func (k Known) check(nodes int) error {
	if len(k.Nodes) == 0 || len(k.Nodes) != len(k.Y) {
		return fmt.Errorf("nodes: %d nodes with %d answers; give at least one, and an answer for each", len(k.Nodes),
			len(k.Y))
	}
	if k.Classes == 1 || k.Classes < 0 {
		return fmt.Errorf("nodes: %d classes; there is nothing to tell apart", k.Classes)
	}
	seen := make(map[int]bool, len(k.Nodes))
	for i, v := range k.Nodes {
		if v < 0 || v >= nodes {
			return fmt.Errorf("nodes: known node %d is node %d of a graph of %d", i, v, nodes)
		}
		if seen[v] {
			return fmt.Errorf("nodes: node %d has two answers", v)
		}
		seen[v] = true
		switch y := k.Y[i]; {
		case math.IsNaN(y) || math.IsInf(y, 0):
			return fmt.Errorf("nodes: the answer of node %d is %g", v, y)
		case k.Classes > 0 && (y != math.Trunc(y) || y < 0 || int(y) >= k.Classes):
			return fmt.Errorf("nodes: the answer of node %d is %g, and there are %d classes", v, y, k.Classes)
		}
	}
	return nil
}

// outputs is the columns of f: one for numbers and for two classes, else one for each class.
func (k Known) outputs() int {
	if k.Classes > 2 {
		return k.Classes
	}
	return 1
}

// targets is a row for each known node, less the mean of its column, and these means.
func (k Known) targets() (y *mat.Dense, bias []float64) {
	c := k.outputs()
	y, bias = mat.NewDense(len(k.Nodes), c, nil), make([]float64, c)
	for i, v := range k.Y {
		row := y.RawRowView(i)
		switch {
		case k.Classes == 0:
			row[0] = v
		case k.Classes == 2:
			row[0] = 2*v - 1
		default:
			for j := range row {
				row[j] = -1
			}
			row[int(v)] = 1
		}
		for j, t := range row {
			bias[j] += t / float64(len(k.Y))
		}
	}
	for i := range k.Y {
		row := y.RawRowView(i)
		for j := range row {
			row[j] -= bias[j]
		}
	}
	return y, bias
}

// prior is what is said of a node that nothing is known of: the shares of the classes, or the mean.
func (k Known) prior() []float64 {
	if k.Classes == 0 {
		_, bias := k.targets()
		return bias
	}
	out := make([]float64, k.Classes)
	for _, v := range k.Y {
		out[int(v)] += 1 / float64(len(k.Y))
	}
	return out
}

// Setting is one way to learn.
type Setting struct {
	Combinatorial bool            // L = D − W; else D^{-1/2}(D − W)D^{-1/2}
	Transform     graph.Transform // r
	Lambda        float64         // λ, in units of the mean of k(i, i) over the nodes
}

// Kernel is the transform and its Laplacian as text.
func (s Setting) Kernel() string {
	return graph.FormatTransform(s.Transform) + " of the " + laplacianName(s.Combinatorial) + " Laplacian"
}

func laplacianName(combinatorial bool) string {
	if combinatorial {
		return "combinatorial"
	}
	return "normalised"
}

func (s Setting) String() string { return fmt.Sprintf("%s, lambda=%.4g", s.Kernel(), s.Lambda) }

// unit is a transform over its value at 0, so that the largest eigenvalue of the kernel is 1 whatever
// the transform.
type unit struct{ graph.Transform }

func (u unit) At(lambda, largest float64) float64 {
	if w, ok := u.Transform.(graph.WalkSteps); ok { // (α − λ)^p may be more than a number can hold
		alpha := w.Alpha
		if alpha == 0 {
			alpha = largest
		}
		if alpha == 0 {
			return 1
		}
		return math.Pow(max(alpha-lambda, 0)/alpha, float64(max(w.Steps, 1)))
	}
	return u.Transform.At(lambda, largest) / u.Transform.At(0, largest)
}
