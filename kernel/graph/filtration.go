package graph

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Filtration follows the Weisfeiler–Lehman labels of a graph while its edges come in: stage i has
// the edges of value ≥ Cuts[i], where the value of an edge is its weight, or without weights the
// larger degree of its ends. How often a label comes at the stages is a histogram; graphs are
// compared by how much of each label they have and by when they have it,
//
//	k(G, G') = Σ_{t=0}^{h} Σ_a m_a(G)·m_a(G')·exp(-γ·W(φ_a(G), φ_a(G'))),
//
// m_a the sum of the histogram, φ_a the histogram divided by it, and W the Wasserstein distance
// with the distances of the cuts, scaled so that the first and the last are 1 apart (T. Schulz, P.
// Welke and S. Wrobel, Graph filtration kernels, AAAI 2022). h = Iterations, γ = Gamma (1 when
// zero). Cuts decrease; without any there is one stage of all edges, and the kernel is WL.
type Filtration struct {
	Iterations int
	Gamma      float64
	Cuts       []float64
}

// Name is "filtration".
func (Filtration) Name() string { return "filtration" }

// stages is the graph at each cut.
func (k Filtration) stages(f *form) []*form {
	if len(k.Cuts) == 0 {
		return []*form{f}
	}
	out := make([]*form, len(k.Cuts))
	for s, cut := range k.Cuts {
		g := &form{n: f.n, label: f.label, ptr: make([]int32, f.n+1)}
		for i := range f.n {
			for e := f.ptr[i]; e < f.ptr[i+1]; e++ {
				value := f.weightAt(e)
				if f.weight == nil {
					value = float64(max(f.degree(i), f.degree(int(f.to[e]))))
				}
				if value >= cut {
					g.to = append(g.to, f.to[e])
				}
			}
			g.ptr[i+1] = int32(len(g.to))
		}
		out[s] = g
	}
	return out
}

// spreads are the histograms of the labels of one graph, by increasing label.
type spreads struct {
	key   []int32
	mass  []float64
	share []float64 // how much has come up to each stage, by label and stage
}

func (k Filtration) embed(ctx context.Context, by *reader, all []*form) []spreads {
	stages := max(len(k.Cuts), 1)
	var each []*form
	for _, f := range all {
		each = append(each, k.stages(f)...)
	}
	r := by.refine(ctx, each, k.Iterations, false)
	out := make([]spreads, len(all))
	for g := range all {
		base := int32(0)
		for t := range r.levels() {
			var labels []int32
			for s := range stages {
				labels = append(labels, r.of(t, g*stages+s)...)
			}
			slices.Sort(labels)
			for len(labels) > 0 && labels[0] == unknown {
				labels = labels[1:]
			}
			present, mass := runs(labels)
			from := len(out[g].share)
			out[g].share = append(out[g].share, make([]float64, len(present)*stages)...)
			for s := range stages {
				for _, l := range r.of(t, g*stages+s) {
					if at, ok := slices.BinarySearch(present, l); ok {
						out[g].share[from+at*stages+s]++
					}
				}
			}
			for i, l := range present {
				out[g].key, out[g].mass = append(out[g].key, base+l), append(out[g].mass, mass[i])
				h := out[g].share[from+i*stages:][:stages]
				sum := 0.0
				for s := range h {
					sum += h[s]
					h[s] = sum / mass[i]
				}
			}
			base += int32(r.kinds[t])
		}
	}
	return out
}

func (k Filtration) between(x, y spreads) float64 {
	stages, gamma := max(len(k.Cuts), 1), orDefault(k.Gamma, 1)
	s := 0.0
	for i, j := 0, 0; i < len(x.key) && j < len(y.key); {
		switch {
		case x.key[i] < y.key[j]:
			i++
			continue
		case x.key[i] > y.key[j]:
			j++
			continue
		}
		w := 0.0
		for c := range stages - 1 {
			w += math.Abs(x.share[i*stages+c]-y.share[j*stages+c]) * (k.Cuts[c] - k.Cuts[c+1]) / (k.Cuts[0] - k.Cuts[stages-1])
		}
		s += x.mass[i] * y.mass[j] * math.Exp(-gamma*w)
		i++
		j++
	}
	return s
}

// Eval compares two graphs.
func (k Filtration) Eval(x, y Graph) float64 { return evalPair(x, y, k.embed, k.between) }

// PreparePoints relabels all stages of all graphs at once.
func (k Filtration) PreparePoints(ctx context.Context, x, y data.Points[Graph]) kernel.Rectangle {
	return preparePairs(ctx, x, y, k.embed, k.between)
}

// Params are the number of iterations and γ.
func (k Filtration) Params() []kernel.Param {
	return []kernel.Param{count("filtration.h", k.Iterations), positive("filtration.gamma", orDefault(k.Gamma, 1))}
}

// With sets the number of iterations and γ.
func (k Filtration) With(theta []float64) kernel.Kernel[Graph] {
	return Filtration{int(theta[0]), theta[1], k.Cuts}
}

// Validate refuses a negative number of iterations, γ < 0, and cuts that do not decrease.
func (k Filtration) Validate() error {
	if err := mustBeCount("filtration", "h", k.Iterations); err != nil {
		return err
	}
	for i, c := range k.Cuts {
		if math.IsNaN(c) || math.IsInf(c, 0) || i > 0 && c >= k.Cuts[i-1] {
			return fmt.Errorf("kernel: filtration: cuts[%d] = %g; cuts are finite and decrease", i, c)
		}
	}
	return mustBePositive("filtration", "gamma", k.Gamma)
}

// CheckPoints refuses graphs that make no sense, labels on some graphs alone, and weights on some
// graphs alone.
func (k Filtration) CheckPoints(x data.Points[Graph]) error {
	if err := checkGraphs("filtration", x); err != nil {
		return err
	}
	shown := -1
	for i := range x.Len() {
		if len(x.At(i).Edges) == 0 {
			continue
		}
		if shown < 0 {
			shown = i
		}
		if (x.At(i).Weights != nil) != (x.At(shown).Weights != nil) {
			return fmt.Errorf("kernel: filtration: one of the graphs %d and %d alone has weights; give them to all "+
				"graphs, or to none", shown, i)
		}
	}
	return nil
}

// Properties of a sum of exponentials of L1 distances.
func (Filtration) Properties() kernel.Properties { return psd(math.Inf(1)) }
