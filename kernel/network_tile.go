package kernel

import "github.com/mercer-ml/mercer/internal/engine/linalg"

func (k network) lower(b *builder, p pair[any]) node {
	in, l, r := lowerSelf(b, k.Kernel, p, asIs)
	return newNetworkNode(k.layers(), in, l, r)
}

func (k network) lowerGrad(b *builder, p pair[any]) gradNode {
	l, r := perPoint(b, p, selvesOf(k.Kernel, asIs))
	in := lowerGrad(b, k.Kernel, p)
	return networkGrad{newNetworkNode(k.layers(), in.values(), l, r), in, newSelfSlopes(k.Kernel, p)}
}

// networkNode is the layers of a tile. left has k(x, x) of the rows, which others may take the place
// of; right has k(y, y) of the columns before each layer.
type networkNode struct {
	in     node
	layers layers
	left   []float64
	right  [][]float64
}

func newNetworkNode(l layers, in node, left, right []float64) networkNode {
	return networkNode{in, l, left, l.selves(right)}
}

// selves is k(x, x) of points before each layer.
func (l layers) selves(first []float64) [][]float64 {
	out := make([][]float64, l.depth)
	for i := range out {
		out[i] = first
		next := make([]float64, len(first))
		for p, s := range first {
			next[p] = l.self(s)
		}
		first = next
	}
	return out
}

func (n networkNode) tile64(dst linalg.Matrix[float64], w *work[float64]) { networkTile(n, dst, w) }
func (n networkNode) tile32(dst linalg.Matrix[float32], w *work[float32]) { networkTile(n, dst, w) }

func (n networkNode) cut(c *cutter) node {
	out := networkNode{in: n.in.cut(c), layers: n.layers, left: chosenOf(n.left, c.rows)}
	for _, r := range n.right {
		out.right = append(out.right, chosenOf(r, c.cols))
	}
	return out
}

func networkTile[F linalg.Float](n networkNode, dst linalg.Matrix[F], w *work[F]) {
	evaluate(n.in, dst, w)
	layers := n.layers
	if _, single := any(F(0)).(float32); single {
		layers.alike = alikeSingle
	}
	left := make([]float64, len(n.right))
	for a := range dst.Rows {
		s := n.left[w.i+a]
		for layer := range left {
			left[layer], s = s, layers.self(s)
		}
		row := dst.Row(a)
		for b, value := range row {
			v := float64(value)
			for layer, sx := range left {
				v = layers.of(v, sx, n.right[layer][w.j+b])
			}
			row[b] = F(v)
		}
	}
}

// networkGrad is the backward pass.
type networkGrad struct {
	node networkNode
	in   gradNode
	self *selfSlopes
}

func (n networkGrad) values() node   { return n.node }
func (n networkGrad) storable() bool { return n.in.storable() }

func (n networkGrad) back(g *gradient, adj linalg.Matrix[float64]) {
	down, byX, byY := push(g.w), push(g.w), push(g.w)
	evaluate(n.node.in, down, g.w)
	for a := range adj.Rows {
		row, x, y, left, right := down.Row(a), byX.Row(a), byY.Row(a), n.node.left[g.w.i+a], n.node.right[0][g.w.j:]
		for b, c := range adj.Row(a) {
			_, row[b], x[b], y[b] = n.node.layers.slopes(row[b], left, right[b])
			row[b] *= c
		}
	}
	if n.self != nil {
		one, none := func(int) float64 { return 1 }, func(int) float64 { return 0 }
		g.backSelf(n.self, adj, byX, one, none)
		g.backSelf(n.self, adj, byY, none, one)
	}
	n.in.back(g, down)
	pop(g.w)
	pop(g.w)
	pop(g.w)
}
