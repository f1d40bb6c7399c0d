package tune

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/bracket"
	"github.com/mercer-ml/mercer/data/graphs"
	"github.com/mercer-ml/mercer/internal/mixing"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/discrete"
	"github.com/mercer-ml/mercer/kernel/graph"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/kernel/prob"
	"github.com/mercer-ml/mercer/kernel/seq"
	"github.com/mercer-ml/mercer/kernel/tree"
)

// proposal is a kernel that is worth a try on a column, and what to vary of it.
type proposal struct {
	name   string
	kernel kernel.Kernel[mixed.Row]
	axes   []Axis
	given  bool     // it is the user's
	hold   []string // parameters of it that were written
}

// proposals are the kernels for a column of objects, the likeliest first, as far as comparing n²
// pairs of such objects takes no more than work elementary steps.
func proposals(c mixed.Column, rows data.Points[mixed.Row], work float64, seed uint64) []proposal {
	switch c.Kind {
	case data.Text:
		return stringProposals(c, objectsOf[string](c, rows), work)
	case data.Sequence:
		return seriesProposals(c, objectsOf[seq.Series](c, rows), work, seed)
	case data.Bag:
		return bagProposals(c, objectsOf[[]kernel.Vec](c, rows), seed)
	case data.Tree:
		return []proposal{
			propose(c, "subsettree", kernel.Normalize(kernel.Kernel[*bracket.Tree](tree.SubsetTree{})),
				Over("subsettree.decay", 0.2, 0.4, 0.6)),
			propose(c, "partialtree", kernel.Normalize(kernel.Kernel[*bracket.Tree](tree.Partial{}))),
			propose(c, "subtree", kernel.Normalize(kernel.Kernel[*bracket.Tree](tree.Subtree{Leaves: true}))),
		}
	case data.Set:
		return []proposal{
			propose(c, "jaccard", kernel.Kernel[[]string](discrete.Jaccard[string]{})),
			propose(c, "setou", kernel.Kernel[[]string](discrete.OrnsteinUhlenbeck[string]{Rate: 0.1}),
				Over("setou.rate", 0.01, 0.03, 0.1, 0.3)),
		}
	case data.Fuzzy:
		return []proposal{
			propose(c, "fuzzyintersection",
				kernel.Normalize(kernel.Kernel[[]discrete.Member[string]](discrete.FuzzyIntersection[string]{}))),
			propose(c, "fuzzyproduct",
				kernel.Normalize(kernel.Kernel[[]discrete.Member[string]](discrete.FuzzyIntersection[string]{Norm: discrete.Product}))),
		}
	case data.Ranking:
		return []proposal{
			propose(c, "kendall", kernel.Kernel[discrete.Ranking](discrete.Kendall{})),
			propose(c, "mallows", kernel.Kernel[discrete.Ranking](discrete.Mallows{Rate: 0.1}),
				Over("mallows.rate", 0.01, 0.03, 0.1, 0.3, 1)),
		}
	case data.Histogram:
		histogram := func(of prob.Divergence) kernel.Kernel[kernel.Vec] { return prob.Hilbertian{Of: of} }
		return []proposal{
			propose(c, "jensenshannon", kernel.Substitute(kernel.Gaussian{Lengthscale: 0.5}, histogram(prob.JensenShannon)),
				Over("gaussian.lengthscale", 0.125, 0.25, 0.5, 1)),
			propose(c, "hellinger", histogram(prob.Hellinger)),
			propose(c, "totalvariation", histogram(prob.TotalVariation)),
		}
	case data.Distribution:
		return distributionProposals(c, objectsOf[prob.Mixture](c, rows))
	case data.Graph:
		return graphProposals(c, objectsOf[graphs.Graph](c, rows), work)
	}
	return nil
}

// distributionProposals is the expected likelihood, which mixtures have, and where all are of one
// part Bhattacharyya's kernel and those of powers beside it.
func distributionProposals(c mixed.Column, all []prob.Mixture) []proposal {
	product := func(rho float64) kernel.Kernel[prob.Mixture] {
		return kernel.Normalize[prob.Mixture](prob.MixtureProduct{Rho: rho})
	}
	for _, m := range all {
		if len(m.Parts) > 1 {
			return []proposal{propose(c, "mixtureproduct", product(1))}
		}
	}
	return []proposal{propose(c, "mixtureproduct", product(0.5), Over("mixtureproduct.rho", 0.05, 0.2, 0.5, 1))}
}

// propose carries a kernel on objects over to rows. Axes that the kernel does not have are left
// out.
func propose[U any](c mixed.Column, name string, k kernel.Kernel[U], axes ...Axis) proposal {
	p := proposal{name: name, kernel: mixing.On(c, k)}
	for _, a := range axes {
		if slices.ContainsFunc(kernel.Params(k), func(q kernel.Param) bool { return q.Name == a.Name }) {
			p.axes = append(p.axes, a)
		}
	}
	return p
}

func objectsOf[U any](c mixed.Column, rows data.Points[mixed.Row]) []U {
	out := make([]U, rows.Len())
	for i := range out {
		out[i] = rows.At(i).Objects[c.Object].(U)
	}
	return out
}

// stringProposals looks at the letters and the lengths: molecules, strings of one length that may
// be aligned, or any.
func stringProposals(c mixed.Column, texts []string, work float64) []proposal {
	letters := map[rune]int{}
	shortest, longest, total := math.MaxInt, 0, 0
	for _, s := range texts {
		n := 0
		for _, r := range s {
			letters[r]++
			n++
		}
		shortest, longest, total = min(shortest, n), max(longest, n), total+n
	}
	mean := float64(total) / float64(max(len(texts), 1))
	normal := func(k kernel.Kernel[string]) kernel.Kernel[string] { return kernel.Normalize(k) }
	few := len(letters) <= 8
	run := []float64{2, 3, 4, 6}
	if !few {
		run = []float64{1, 2, 3, 5}
	}
	var out []proposal
	if !few {
		out = append(out, propose(c, "ngrams", normal(seq.NGrams{From: 1, To: 5, Ends: true})))
	}
	out = append(out, propose(c, "blended", normal(seq.Blended{K: int(run[2])}), whole("blended.k", run...)))
	if shortest == longest && longest > 1 {
		out = append(out, propose(c, "weighteddegree", normal(seq.WeightedDegree{K: 5}),
			whole("weighteddegree.k", 1, 3, 5, 10, 20)))
	}
	out = append(out, propose(c, "spectrum", normal(seq.Spectrum{K: int(run[2])}), whole("spectrum.k", run[1:]...)))
	pairs := float64(len(texts)) * float64(len(texts)) / 2
	if few {
		alphabet := make([]rune, 0, len(letters))
		for r := range letters {
			alphabet = append(alphabet, r)
		}
		slices.Sort(alphabet)
		out = append(out, propose(c, "mismatch", normal(seq.Mismatch{K: 5, M: 1, Alphabet: seq.Alphabet(alphabet)})))
	} else {
		out = append(out, propose(c, "gappy", normal(seq.Gappy{K: 3, Window: 5, Decay: 0.5})),
			propose(c, "gappypairs", normal(seq.GappyPairs{K: 1, Gap: 10}), whole("gappypairs.gap", 4, 10)))
	}
	if pairs*mean*mean*3 <= work {
		out = append(out, propose(c, "ssk", normal(seq.Subsequences{Length: 3, Decay: 0.5}),
			Over("ssk.decay", 0.3, 0.5, 0.8)))
	}
	return out
}

// whole is an axis of whole numbers.
func whole(name string, values ...float64) Axis {
	return Axis{Name: name, Values: values, Linear: true}
}

// seriesProposals scales widths by the distance of steps and the length of the series.
func seriesProposals(c mixed.Column, all []seq.Series, work float64, seed uint64) []proposal {
	n, equal, length := len(all), true, 0
	total := 0.0
	for _, s := range all {
		total += float64(s.Len())
		equal = equal && s.Len() == all[0].Len()
	}
	mean := total / float64(max(n, 1))
	if n > 0 {
		length = all[0].Len()
	}
	step, whole, moves := seriesDistances(all, seed)
	width := step * math.Sqrt(mean)
	pairs := float64(n) * float64(n) / 2
	var out []proposal
	if equal && length > 0 {
		out = append(out, propose(c, "gaussian",
			kernel.Kernel[seq.Series](seq.Windows{Length: length, Kernel: kernel.Gaussian{Lengthscale: whole}}),
			Axis{Name: "gaussian.lengthscale", Values: []float64{whole / 8, whole / 4, whole / 2, whole, 2 * whole}}))
	}
	if pairs*mean*mean*4 <= work {
		out = append(out, propose(c, "gak", seq.NormalizeLog[seq.Series](seq.GlobalAlignment{Width: width / 2}),
			Axis{Name: "gak.width", Values: []float64{width / 8, width / 4, width / 2, width, 2 * width}}))
	}
	if scale := 1 / max(moves, 1e-300); pairs*mean*mean*6 <= work {
		timed := kernel.PullbackOf[seq.Series,
			seq.Series]{Kernel: kernel.Normalize(kernel.Kernel[seq.Series](seq.SignaturePDE{Scale: scale})),
			Map: seq.Series.WithTime, Name: "withtime"}
		out = append(out, propose(c, "sigpde", kernel.Kernel[seq.Series](timed),
			Axis{Name: "sigpde.scale", Values: []float64{scale / 4, scale / 2, scale, 2 * scale}}))
	}
	if len(out) == 0 {
		out = append(out, propose(c, "windows",
			kernel.Kernel[seq.Series](seq.Windows{Length: 1, Kernel: kernel.Gaussian{Lengthscale: step}})))
	}
	return out
}

// seriesDistances is the median distance of two steps, of two whole series (as far as both reach),
// and the median root of the summed squares of the moves from step to step.
func seriesDistances(all []seq.Series, seed uint64) (step, whole, moves float64) {
	var steps, wholes, roots []float64
	for _, p := range somePairs(len(all), 500, seed) {
		x, y := all[p[0]], all[p[1]]
		sum := 0.0
		for t := range min(x.Len(), y.Len()) {
			d := kernel.SqDist.Between(x.At(t), y.At(t))
			sum += d
			if t%7 == 0 {
				steps = append(steps, math.Sqrt(d))
			}
		}
		wholes = append(wholes, math.Sqrt(sum))
		sum = 0
		for t := 1; t < x.Len(); t++ {
			sum += kernel.SqDist.Between(x.At(t), x.At(t-1))
		}
		roots = append(roots, math.Sqrt(sum))
	}
	return medianOr1(steps), medianOr1(wholes), medianOr1(roots)
}

func medianOr1(v []float64) float64 {
	v = slices.DeleteFunc(v, func(x float64) bool { return !(x > 0) || math.IsInf(x, 0) })
	if len(v) == 0 {
		return 1
	}
	sort.Float64s(v)
	return v[len(v)/2]
}

// bagProposals scales the kernel on instances by their median distance.
func bagProposals(c mixed.Column, all [][]kernel.Vec, seed uint64) []proposal {
	var distances []float64
	for _, p := range somePairs(len(all), 1000, seed) {
		x, y := all[p[0]], all[p[1]]
		if len(x) > 0 && len(y) > 0 {
			distances = append(distances, math.Sqrt(kernel.SqDist.Between(x[p[1]%len(x)], y[p[0]%len(y)])))
		}
	}
	median := medianOr1(distances)
	widths := Axis{Name: "gaussian.lengthscale", Values: []float64{median / 8, median / 4, median / 2, median}}
	instance := kernel.Gaussian{Lengthscale: median / 2}
	return []proposal{
		propose(c, "multiinstance",
			kernel.Normalize(kernel.Kernel[[]kernel.Vec](discrete.MultiInstance[kernel.Vec]{Kernel: instance})), widths),
		propose(c, "meanembedding", prob.GaussianMMD[kernel.Vec](instance, 0.5)),
	}
}

// graphProposals are the kernels of the Weisfeiler–Lehman family and shortest paths; labels of
// edges count where all graphs have them.
func graphProposals(c mixed.Column, all []graphs.Graph, work float64) []proposal {
	edges, nodes := true, 0.0
	for _, g := range all {
		edges = edges && g.EdgeLabels != nil
		nodes += float64(g.Nodes)
	}
	nodes /= float64(max(len(all), 1))
	normal := func(k kernel.Kernel[graph.Graph]) kernel.Kernel[graph.Graph] { return kernel.Normalize(k) }
	rounds := []float64{1, 2, 3, 4, 5}
	out := []proposal{
		propose(c, "wl", normal(graph.WL{Iterations: 3}), whole("wl.h", rounds...)),
		propose(c, "wloa", normal(graph.WLAssignment{Iterations: 3}), whole("wloa.h", rounds...)),
	}
	if edges {
		out = append(out, propose(c, "wl with edges", normal(graph.WL{Iterations: 3, EdgeLabels: true}),
			whole("wl.h", rounds...)))
	}
	if float64(len(all))*nodes*nodes*nodes <= work {
		out = append(out, propose(c, "shortestpath", normal(graph.ShortestPath{})))
	}
	return out
}

// textPolicies says for each text column whether its values are words, to be weighted by rarity, or
// strings of signs (a molecule, a code), to be compared by a kernel on strings: words have blanks
// between them.
func textPolicies(d *data.Dataset) (policies map[string]data.TextPolicy, words, why []string) {
	policies = map[string]data.TextPolicy{}
	var signs []string
	for _, c := range d.Features() {
		if c.Kind != data.Text {
			continue
		}
		if c.OfWords() {
			policies[c.Name] = "tfidf"
			words = append(words, c.Name)
			if n := c.Missing(); n > 0 {
				why = append(why, fmt.Sprintf("%s is empty in %s of %s rows, which have no words there", c.Name,
					phrase.Thousands(n),
					phrase.Thousands(c.Len())))
			}
		} else {
			policies[c.Name] = "keep"
			signs = append(signs, c.Name)
		}
	}
	if signs != nil {
		why = append(why, fmt.Sprintf("%s: strings without blanks, compared letter by letter", strings.Join(signs, ", ")))
	}
	return policies, words, why
}
