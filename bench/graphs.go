package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/tudataset"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/graph"
)

// graphCases is the suite of kernels between graphs: whole Gram matrices of a set of graphs.
func graphCases() []Case {
	return []Case{
		graphGram("WL subtree, h=5", "NCI1", graph.WL{Iterations: 5}, "wl", map[string]any{"h": 5}, 5),
		graphGram("shortest path", "NCI1", graph.ShortestPath{}, "shortest_path", nil, 5),
		graphGram("WL assignment, h=5", "MUTAG", graph.WLAssignment{Iterations: 5}, "wl_assignment", map[string]any{"h": 5},
			5),
	}
}

// graphGram is the Gram matrix of all graphs of a set; both sides have the graphs in memory and end
// with the whole matrix.
func graphGram(work, name string, k kernel.Kernel[graph.Graph], peer string, args map[string]any, bar float64) Case {
	return Case{Work: fmt.Sprintf("Gram matrix of %s, %s", name, work), Bar: bar, Peer: peer, Args: args,
		Prepare: func() Work {
			set, err := tudataset.Read(os.DirFS(filepath.Join("..", "..", "shared", "data")), name)
			if err != nil {
				return Work{Run: func() {}, Note: err.Error(), Check: func(Inputs) error { return err }}
			}
			var nodes, edges []float64 // graph and label of each node; graph, node and node of each edge
			for i, g := range set.Graphs {
				for _, l := range g.NodeLabels {
					nodes = append(nodes, float64(i), float64(l))
				}
				for _, e := range g.Edges {
					edges = append(edges, float64(i), float64(e[0]), float64(e[1]))
				}
			}
			var m linalg.Matrix[float64]
			return Work{
				Inputs: Inputs{"nodes": {Rows: len(nodes) / 2, Cols: 2, Data: nodes},
					"edges": {Rows: len(edges) / 3, Cols: 3, Data: edges}},
				Run: func() {
					g, err := gram.New(context.Background(), k, data.Points[graph.Graph](set.Points()), gram.Options{Bytes: 8 << 30})
					if err != nil {
						panic(err)
					}
					m = linalg.Matrix[float64](g.(gram.Dense).RawMatrix())
				},
				Check: func(theirs Inputs) error {
					whole := make([]float64, 0, m.Rows*m.Cols)
					for i := range m.Rows {
						whole = append(whole, m.Row(i)...)
					}
					return agree("entry", whole, theirs["result"].Data, 1e-12)
				},
			}
		}}
}
