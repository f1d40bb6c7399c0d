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

// networkNode is the layers of a tile; left and right have k(x, x) of each point before each layer.
type networkNode struct {
	in          node
	layers      layers
	left, right [][]float64
}

func newNetworkNode(l layers, in node, left, right []float64) networkNode {
	n := networkNode{in: in, layers: l, left: l.selves(left)}
	if n.right = n.left; len(left) != len(right) || len(left) > 0 && &left[0] != &right[0] {
		n.right = l.selves(right)
	}
	return n
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
	out := networkNode{in: n.in.cut(c), layers: n.layers}
	for i := range n.left {
		out.left, out.right = append(out.left, chosenOf(n.left[i], c.rows)), append(out.right, chosenOf(n.right[i], c.cols))
	}
	return out
}

func networkTile[F linalg.Float](n networkNode, dst linalg.Matrix[F], w *work[F]) {
	evaluate(n.in, dst, w)
	for a := range dst.Rows {
		row := dst.Row(a)
		for layer := range n.left {
			left, right := n.left[layer][w.i+a], n.right[layer][w.j:]
			for b, v := range row {
				row[b] = F(n.layers.of(float64(v), left, right[b]))
			}
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
		row, x, y, left, right := down.Row(a), byX.Row(a), byY.Row(a), n.node.left[0][g.w.i+a], n.node.right[0][g.w.j:]
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
