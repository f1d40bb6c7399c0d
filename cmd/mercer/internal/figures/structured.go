package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data/bracket"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/discrete"
	"github.com/mercer-ml/mercer/kernel/graph"
	"github.com/mercer-ml/mercer/kernel/prob"
	"github.com/mercer-ml/mercer/kernel/seq"
	"github.com/mercer-ml/mercer/kernel/tree"
)

// fall is a picture of how kernels fall off while an object is changed step by step: k(x, x with t
// changes)/√(k(x, x)·k(y, y)).
type fall[T any] struct {
	file, change string
	most         int
	changed      func(t int) T
	names        []string
	kernels      []kernel.Kernel[T]
}

func (f fall[T]) draw(folder string) error {
	var lines []plot.Series
	for i, k := range f.kernels {
		s := plot.Series{Name: f.names[i]}
		x := f.changed(0)
		for t := range f.most + 1 {
			y := f.changed(t)
			s.X = append(s.X, float64(t))
			s.Y = append(s.Y, k.Eval(x, y)/math.Sqrt(k.Eval(x, x)*k.Eval(y, y)))
		}
		lines = append(lines, s)
	}
	p, err := plot.Lines(f.change, "kernel, normalised", fmt.Sprintf("normalised kernel values against the number of %s",
		f.change), false, lines...)
	if err != nil {
		return err
	}
	return write(p, filepath.Join(folder, f.file))
}

// structured draws one picture for each domain of docs/structured.md.
func structured(folder string) error {
	draws := []interface{ draw(string) error }{texts(), series(), trees(), rankings(), sets(), bags(), distributions(),
		graphs()}
	for _, d := range draws {
		if err := d.draw(folder); err != nil {
			return err
		}
	}
	return nil
}

func texts() fall[string] {
	rng := rand.New(rand.NewPCG(1, 1))
	const letters = "ACGT"
	var text strings.Builder
	for range 60 {
		text.WriteByte(letters[rng.IntN(4)])
	}
	places := rng.Perm(60)
	return fall[string]{"structured-strings.png", "letters changed, of 60", 30, func(t int) string {
		b := []byte(text.String())
		for _, p := range places[:t] {
			b[p] = letters[(strings.IndexByte(letters, b[p])+1)%4]
		}
		return string(b)
	}, []string{"spectrum, k=3", "spectrum, k=5", "mismatch, k=5, m=1", "ssk, k=3", "weighted degree, k=5"},
		[]kernel.Kernel[string]{seq.Spectrum{K: 3}, seq.Spectrum{K: 5}, seq.Mismatch{K: 5, M: 1, Alphabet: seq.DNA},
			seq.Subsequences{Length: 3, Decay: 0.5}, seq.WeightedDegree{K: 5}}}
}

func series() fall[seq.Series] {
	return fall[seq.Series]{"structured-series.png", "steps that a bump is late", 30, func(t int) seq.Series {
		values := make([]float64, 80)
		for i := range values {
			d := float64(i-20-t) / 5
			values[i] = math.Exp(-d * d / 2)
		}
		return seq.Univariate(values)
	}, []string{"gaussian on steps", "global alignment", "signature with time"}, []kernel.Kernel[seq.Series]{
		seq.Windows{Length: 80, Kernel: kernel.Gaussian{Lengthscale: 1}},
		seq.NormalizeLog[seq.Series](seq.GlobalAlignment{Width: 2}),
		kernel.PullbackOf[seq.Series, seq.Series]{Kernel: seq.SignaturePDE{Scale: 4}, Map: seq.Series.WithTime,
			Name: "withtime"}}}
}

func trees() fall[*bracket.Tree] {
	words := []string{"the", "cat", "saw", "a", "dog", "near", "my", "house"}
	return fall[*bracket.Tree]{"structured-trees.png", "words changed, of 8", 8, func(t int) *bracket.Tree {
		w := append([]string(nil), words...)
		for i := range t {
			w[(3*i+1)%8] += "s"
		}
		out, err := bracket.Parse(fmt.Sprintf("(S (NP (D %s)(N %s))(VP (V %s)(NP (D %s)(N %s))(PP (P %s)(NP (D %s)(N %s)))))",
			w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]))
		if err != nil {
			panic(err) // the text is ours
		}
		return out
	}, []string{"subtree", "subset tree", "partial tree"},
		[]kernel.Kernel[*bracket.Tree]{tree.Subtree{Decay: 0.4, Leaves: true}, tree.SubsetTree{Decay: 0.4}, tree.Partial{}}}
}

func rankings() fall[discrete.Ranking] {
	return fall[discrete.Ranking]{"structured-rankings.png", "neighbours swapped, from one order of 8 to its reverse", 28,
		func(t int) discrete.Ranking {
			order := []int{0, 1, 2, 3, 4, 5, 6, 7}
			for end := 7; end > 0; end-- { // bubbles
				for i := 0; i < end && t > 0; i++ {
					order[i], order[i+1] = order[i+1], order[i]
					t--
				}
			}
			r, err := discrete.Permutation(order)
			if err != nil {
				panic(err) // a permutation by construction
			}
			return r
		}, []string{"kendall", "spearman", "mallows, λ=0.1"}, []kernel.Kernel[discrete.Ranking]{discrete.Kendall{},
			discrete.Spearman{}, discrete.Mallows{Rate: 0.1}}}
}

func sets() fall[[]string] {
	return fall[[]string]{"structured-sets.png", "elements exchanged, of 12", 12, func(t int) []string {
		var out []string
		for i := range 12 {
			out = append(out, fmt.Sprintf("%02d", i+12*min(max(t-i, 0), 1)))
		}
		return out
	}, []string{"jaccard", "shared subsets", "Ornstein–Uhlenbeck, λ=0.1"},
		[]kernel.Kernel[[]string]{discrete.Jaccard[string]{}, discrete.SharedSubsets[string]{Weight: 0.5},
			discrete.OrnsteinUhlenbeck[string]{Rate: 0.1}}}
}

// moved is 12 points of which t have gone elsewhere.
func moved(t int, by float64) []kernel.Vec {
	rng := rand.New(rand.NewPCG(3, 3))
	var out []kernel.Vec
	for i := range 12 {
		v := kernel.Vec{rng.NormFloat64(), rng.NormFloat64()}
		if i < t {
			v[0] += by
		}
		out = append(out, v)
	}
	return out
}

func bags() fall[[]kernel.Vec] {
	inner := kernel.Gaussian{Lengthscale: 1}
	return fall[[]kernel.Vec]{"structured-bags.png", "instances moved away, of 12", 12,
		func(t int) []kernel.Vec { return moved(t, 6) },
		[]string{"multi-instance, p=1", "multi-instance, p=5", "pyramid match"},
		[]kernel.Kernel[[]kernel.Vec]{discrete.MultiInstance[kernel.Vec]{Kernel: inner},
			discrete.MultiInstance[kernel.Vec]{Kernel: inner, Power: 5}, discrete.PyramidMatch{Side: 0.5, Levels: 5}}}
}

func distributions() fall[[]kernel.Vec] {
	inner := kernel.Gaussian{Lengthscale: 1}
	return fall[[]kernel.Vec]{"structured-distributions.png", "tenths of a deviation that a sample is shifted", 40,
		func(t int) []kernel.Vec { return moved(12, float64(t)/10) },
		[]string{"mean embedding", "gaussian of MMD, width 0.5"},
		[]kernel.Kernel[[]kernel.Vec]{prob.MeanEmbedding[kernel.Vec]{Kernel: inner},
			prob.GaussianMMD[kernel.Vec](inner, 0.5)}}
}

func graphs() fall[graph.Graph] {
	return fall[graph.Graph]{"structured-graphs.png", "edges removed from a ladder of 28", 20, func(t int) graph.Graph {
		g := graph.Graph{Nodes: 20}
		for i := range int32(10) {
			g.Edges = append(g.Edges, [2]int32{i, i + 10})
			if i < 9 {
				g.Edges = append(g.Edges, [2]int32{i, i + 1}, [2]int32{i + 10, i + 11})
			}
		}
		order := rand.New(rand.NewPCG(2, 2)).Perm(len(g.Edges))
		keep := g.Edges[:0:0]
		for _, e := range order[t:] {
			keep = append(keep, g.Edges[e])
		}
		g.Edges = keep
		return g
	}, []string{"WL, h=1", "WL, h=3", "WL assignment, h=3", "shortest path"},
		[]kernel.Kernel[graph.Graph]{graph.WL{Iterations: 1}, graph.WL{Iterations: 3}, graph.WLAssignment{Iterations: 3},
			graph.ShortestPath{}}}
}
