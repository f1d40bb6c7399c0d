package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"github.com/mercer-ml/mercer/kernel/graph"
	"github.com/mercer-ml/mercer/learn/nodes"
)

// nodesSuite is classes of nodes learnt from a twentieth of them (a tenth of the smallest graph),
// with the choice of transform, width and λ, beside label spreading with the choice of α. They do
// not the same work, and the share of the other nodes that each tells right stands beside the
// times.
func nodesSuite() []Case {
	return []Case{
		nodesRow(300, 3_000, 0.8, 0.1),
		nodesRow(4_000, 20_000, 0.6, 0.05),
		nodesRow(100_000, 1_000_000, 0.45, 0.05),
		nodesRow(100_000, 1_000_000, 0.3, 0.05),
	}
}

const nodeClasses = 10

// plantedGraph draws edges until there are so many: an end in proportion to a weight of Pareto's
// law, the other within the class of the first with a probability, else anywhere.
func plantedGraph(n, edges int, inside float64) (g graph.Graph, class []float64) {
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	class = make([]float64, n)
	all, sum := make([]int, n), make([]float64, n)
	of, sums := make([][]int, nodeClasses), make([][]float64, nodeClasses)
	total, totals := 0.0, make([]float64, nodeClasses)
	for i := range n {
		c := rng.IntN(nodeClasses)
		w := min(math.Pow(1-rng.Float64(), -0.5), 50)
		total, totals[c] = total+w, totals[c]+w
		class[i], all[i], sum[i] = float64(c), i, total
		of[c], sums[c] = append(of[c], i), append(sums[c], totals[c])
	}
	draw := func(from []int, sum []float64) int {
		return from[min(sort.SearchFloat64s(sum, rng.Float64()*sum[len(sum)-1]), len(from)-1)]
	}
	g = graph.Graph{Nodes: n}
	seen := map[[2]int32]bool{}
	for len(g.Edges) < edges {
		a := draw(all, sum)
		b := 0
		if c := int(class[a]); rng.Float64() < inside {
			b = draw(of[c], sums[c])
		} else {
			b = draw(all, sum)
		}
		e := [2]int32{int32(min(a, b)), int32(max(a, b))}
		if a != b && !seen[e] {
			seen[e] = true
			g.Edges = append(g.Edges, e)
		}
	}
	return g, class
}

func nodesRow(n, edges int, inside, share float64) Case {
	work := fmt.Sprintf("%d nodes, %d edges, %.2g of them within %d classes", n, edges, inside, nodeClasses)
	return Case{Work: work, Peer: "label_spreading", Yardstick: true, Prepare: func() Work {
		g, class := plantedGraph(n, edges, inside)
		rng := rand.New(rand.NewPCG(9, 9))
		order := rng.Perm(n)
		split := int(share * float64(n))
		known := nodes.Known{Nodes: order[:split], Classes: nodeClasses}
		var ends, at []float64
		for _, e := range g.Edges {
			ends = append(ends, float64(e[0]), float64(e[1]))
		}
		for _, v := range known.Nodes {
			known.Y, at = append(known.Y, class[v]), append(at, float64(v))
		}
		ours, used := 0.0, 0.0
		return Work{
			Inputs: Inputs{
				"edges": {Rows: len(g.Edges), Cols: 2, Data: ends},
				"y":     {Rows: 1, Cols: n, Data: class},
				"known": {Rows: 1, Cols: len(at), Data: at},
			},
			Run: func() {
				begin := processorSeconds()
				m, err := learnNodes(g, known)
				if err != nil {
					panic(err)
				}
				used = processorSeconds() - begin
				rest := order[split:]
				ours = 0
				for i, c := range m.Predict(rest).Class {
					if float64(c) == class[rest[i]] {
						ours += 1 / float64(len(rest))
					}
				}
			},
			Check: func(t Inputs) error {
				if theirs := t["accuracy"].Data[0]; ours < theirs-0.02 {
					return fmt.Errorf("%.3f of the other nodes right, theirs %.3f", ours, theirs)
				}
				return nil
			},
			Say: func(t Inputs) string {
				return fmt.Sprintf("right %.3f, theirs %.3f (as it comes %.3f); seconds of the processor %.3g, theirs %.3g (%.3g)",
					ours, t["accuracy"].Data[0], t["plain"].Data[0], used, t["cpu"].Data[0], t["plain_cpu"].Data[0])
			},
		}
	}}
}

// learnNodes is what mercer nodes does with a graph in memory.
func learnNodes(g graph.Graph, known nodes.Known) (*nodes.Model, error) {
	ctx := context.Background()
	s, err := nodes.NewSpace(g, known.Nodes)
	if err != nil {
		return nil, err
	}
	candidates, _, err := s.Candidates(ctx, false, known.Classes)
	if err != nil {
		return nil, err
	}
	search := nodes.Search{Candidates: candidates, Seed: 1}
	if g.Nodes > 20_000 { // as the verb does
		search.Turns = 1
	}
	choice, err := s.Choose(ctx, known, search)
	if err != nil {
		return nil, err
	}
	return s.Fit(ctx, known, choice.Best.Setting, choice.Best.Slope)
}
