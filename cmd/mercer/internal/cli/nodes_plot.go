package cli

import (
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/kernel/graph"
	"github.com/mercer-ml/mercer/learn/nodes"
)

// drawnNodes is the largest graph that is drawn node by node.
const drawnNodes = 1000

// nodesTransform is a transform in the few digits that a person reads.
func nodesTransform(s nodes.Setting) string {
	short := s.Transform
	params := short.Params()
	theta := make([]float64, len(params))
	for i, p := range params {
		theta[i] = p.Value
		if !p.Domain.Integer && p.Value != 0 {
			digits := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(p.Value))))
			theta[i] = math.Round(p.Value*digits) / digits
		}
	}
	if len(theta) > 0 {
		short = short.With(theta)
	}
	return graph.FormatTransform(short)
}

// plotNodes draws the graph by what is predicted, or of a large one its eigenvalues.
func (a *App) plotNodes(ctx context.Context, o *nodesOptions, r *nodesRun) error {
	draw, title := r.network, plot.AxisName(r.target.Name)+" of the nodes of "+titleName(r.g.Name)
	if r.g.Graph.Nodes > drawnNodes {
		draw, title = r.spectrum, "eigenvalues of "+titleName(r.g.Name)+" and their weights"
	}
	f, err := draw(ctx)
	if err != nil {
		return err
	}
	return a.writePlot(f, &o.plotOptions, title)
}

// network is the graph by what is predicted.
func (r *nodesRun) network(ctx context.Context) (*plot.Figure, error) {
	x, y, err := layout(ctx, r.g.Graph, r.space)
	if err != nil {
		return nil, lookError(r.g.Name, err)
	}
	all, known := make([]int, r.g.Graph.Nodes), make([]bool, r.g.Graph.Nodes)
	for v := range all {
		all[v] = v
	}
	for _, v := range r.known.Nodes {
		known[v] = true
	}
	said := r.final.Predict(all)
	if r.known.Classes > 0 {
		return plot.Network("the graph "+r.g.Name+", its nodes coloured by the class predicted", x, y, r.g.Graph.Edges,
			said.Class, r.target.Classes, known)
	}
	return plot.NetworkShaded("the graph "+r.g.Name+", its nodes shaded by the value predicted", r.target.Name, x, y,
		r.g.Graph.Edges, said.Value, known)
}

// spectrum is how many eigenvalues there are, and what the transform makes of them.
func (r *nodesRun) spectrum(ctx context.Context) (*plot.Figure, error) {
	s, err := r.space.Spectrum(ctx, r.setting.Combinatorial)
	if err != nil {
		return nil, lookError(r.g.Name, err)
	}
	largest, err := r.space.Largest(ctx, r.setting.Combinatorial)
	if err != nil {
		return nil, lookError(r.g.Name, err)
	}
	// Of few eigenvalues some are counted together: one each would be a comb.
	lambda, share := s.Density(min(200, max(20, r.g.Graph.Nodes/8)))
	top := max(slices.Max(share), 1e-300)
	for i := range share {
		share[i] /= top
	}
	const places = 200
	along, weight := make([]float64, places), make([]float64, places)
	for i := range along {
		along[i] = largest * float64(i) / (places - 1)
		weight[i] = r.setting.Transform.At(along[i], largest) / r.setting.Transform.At(0, largest)
	}
	kind := "normalised"
	if r.setting.Combinatorial {
		kind = "combinatorial"
	}
	f, err := plot.Lines("eigenvalue λ of the "+kind+" Laplacian", "share of the largest",
		"the density of the eigenvalues of "+r.g.Name+", and the weight that the transform gives them", false,
		plot.Series{Name: "density of eigenvalues", X: lambda, Y: share},
		plot.Series{Name: "weight r(λ): " + nodesTransform(r.setting), X: along, Y: weight})
	if err != nil {
		return nil, err
	}
	f.FromZero()
	return f, nil
}

// layout places the nodes of each component by two eigenvectors of its Laplacian, and components in
// squares beside each other as large as the roots of their sizes.
func layout(ctx context.Context, g graph.Graph, space *nodes.Space) (x, y []float64, err error) {
	component, size := space.Components()
	x, y = make([]float64, g.Nodes), make([]float64, g.Nodes)
	members := make([][]int, len(size))
	for v, c := range component {
		members[c] = append(members[c], v)
	}
	order := make([]int, len(size))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return size[b] - size[a] })
	// Squares in rows, from the left: the largest makes the first row.
	left, top, row, width := 0.0, 0.0, 0.0, 0.0
	for rank, c := range order {
		side := math.Sqrt(float64(size[c]))
		if rank == 0 {
			width = 1.3 * side
		}
		if left > 0 && left+side > max(width, 1.3*side) {
			left, top, row = 0, top-row-0.4, 0
		}
		px, py, err := componentLayout(ctx, g, members[c])
		if err != nil {
			return nil, nil, err
		}
		for i, v := range members[c] {
			x[v], y[v] = left+side*px[i], top-side*py[i]
		}
		left, row = left+side+0.4, max(row, side)
	}
	return x, y, nil
}

// componentLayout is places of the nodes of one component in the unit square: the second and third
// eigenvector of its normalised Laplacian over the roots of the degrees, as a random walk sees them,
// halfway to their ranks so that nodes that are much alike do not lie on each other.
func componentLayout(ctx context.Context, g graph.Graph, members []int) (x, y []float64, err error) {
	n := len(members)
	x, y = make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], y[i] = 0.5, 0.5
	}
	if n == 1 {
		return x, y, nil
	}
	place := map[int32]int32{}
	for i, v := range members {
		place[int32(v)] = int32(i)
	}
	part := graph.Graph{Nodes: n}
	degree := make([]float64, n)
	for i, e := range g.Edges {
		a, ok := place[e[0]]
		if !ok {
			continue
		}
		b := place[e[1]]
		w := 1.0
		if g.Weights != nil {
			w = g.Weights[i]
			part.Weights = append(part.Weights, w)
		}
		part.Edges = append(part.Edges, [2]int32{a, b})
		degree[a], degree[b] = degree[a]+w, degree[b]+w
	}
	l, err := graph.NewNormalisedLaplacian(part)
	if err != nil {
		return nil, nil, err
	}
	_, vectors, err := l.Eigen()
	if err != nil {
		return nil, nil, err
	}
	for axis, to := range [][]float64{x, y} {
		if axis+1 >= n {
			break
		}
		v := make([]float64, n)
		for i := range v {
			v[i] = vectors.At(i, axis+1) / math.Sqrt(degree[i])
		}
		spreadPlaces(to, v)
	}
	keepApart(ctx, part, x, y)
	return x, y, ctx.Err()
}

// mostApart is how many nodes are moved apart: each step asks all pairs.
const mostApart = 1500

// keepApart lets the nodes push each other away and the edges pull them together, as Fruchterman
// and Reingold (1991) do, from where they are: with the ideal length ℓ = 1/√n, a pair at distance d
// is pushed by ℓ²/d, an edge pulls by d²/ℓ, and no node goes further in a step than a bound that
// shrinks. The places are brought back to the unit square.
func keepApart(ctx context.Context, g graph.Graph, x, y []float64) {
	n := len(x)
	if n < 3 || n > mostApart {
		return
	}
	ideal := 1 / math.Sqrt(float64(n))
	const steps = 150
	px, py := make([]float64, n), make([]float64, n)
	for step := range steps {
		if ctx.Err() != nil {
			return
		}
		for i := range n {
			px[i], py[i] = 0, 0
		}
		pull := func(i, j int, force float64) { // along the line from j to i
			dx, dy := x[i]-x[j], y[i]-y[j]
			if dx == 0 && dy == 0 { // nodes of one place: any direction that is not the same for all
				dx, dy = 1e-6*float64(i-j), 1e-6
			}
			px[i], py[i] = px[i]+dx*force, py[i]+dy*force
			px[j], py[j] = px[j]-dx*force, py[j]-dy*force
		}
		for i := range n {
			for j := range i {
				dx, dy := x[i]-x[j], y[i]-y[j]
				pull(i, j, ideal*ideal/max(dx*dx+dy*dy, 1e-9))
			}
		}
		for _, e := range g.Edges {
			i, j := int(e[0]), int(e[1])
			if i != j {
				pull(i, j, -math.Hypot(x[i]-x[j], y[i]-y[j])/ideal)
			}
		}
		bound := 0.1 * (1 - float64(step)/steps)
		for i := range n {
			if d := math.Hypot(px[i], py[i]); d > 0 {
				x[i], y[i] = x[i]+px[i]/d*min(d, bound), y[i]+py[i]/d*min(d, bound)
			}
		}
	}
	for _, v := range [][]float64{x, y} {
		low, high := slices.Min(v), slices.Max(v)
		for i := range v {
			if high > low {
				v[i] = (v[i] - low) / (high - low)
			}
		}
	}
}

// spreadPlaces is values in [0, 1], halfway between where they are and their ranks.
func spreadPlaces(to, v []float64) {
	low, high := slices.Min(v), slices.Max(v)
	if !(high > low) {
		return
	}
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case v[a] < v[b]:
			return -1
		case v[a] > v[b]:
			return 1
		}
		return 0
	})
	for rank, i := range order {
		to[i] = 0.5*(v[i]-low)/(high-low) + 0.5*float64(rank)/float64(len(v)-1)
	}
}
