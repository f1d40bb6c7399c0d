package spec

import (
	"github.com/mercer-ml/mercer/data/bracket"
	"github.com/mercer-ml/mercer/kernel/discrete"
	"github.com/mercer-ml/mercer/kernel/graph"
	"github.com/mercer-ml/mercer/kernel/prob"
	"github.com/mercer-ml/mercer/kernel/tree"
)

// Trees is the catalogue of kernels on trees.
func Trees() Catalogue {
	decay := field{"decay", "", "0.4", "λ for each production of a fragment, > 0"}
	leaves := field{"leaves", "", "false", "true: a leaf alone is a fragment too"}
	return Catalogue{
		byFields[*bracket.Tree, tree.Subtree]("subtree", "Σ λ^|s| over common complete subtrees", decay,
			leaves).shown(Anywhere, "subtree(decay=0.6, leaves=true)"),
		byFields[*bracket.Tree, tree.SubsetTree]("subsettree",
			"Σ λ^|s| over common fragments whose nodes have all of their children or none", decay, leaves).
			shown(Anywhere, "subsettree()", "normalize(subsettree(decay=0.3))"),
		byFields[*bracket.Tree, tree.Partial]("partialtree", "common fragments whose nodes have any of their children",
			field{"gap", "", "0.4", "λ for children left out, > 0"}, field{"depth", "", "0.4", "μ for each node, > 0"},
			field{"span", "", "false", "true: λ for every child from the first to the last, as Moschitti's formula is printed"}).
			shown(Anywhere, "partialtree(gap=0.5, depth=0.3)", "partialtree(gap=0.5, span=true)"),
	}
}

// Sets is the catalogue of kernels on sets of names.
func Sets() Catalogue {
	return Catalogue{
		byFields[[]string, discrete.Jaccard[string]]("jaccard", "|A∩B|/|A∪B|").shown(Anywhere, "jaccard()"),
		byFields[[]string, discrete.SharedSubsets[string]]("sharedsubsets", "(1+w)^|A∩B|",
			field{"weight", "", "1", "w of each element, > 0"}, field{"largest", "", "0", "subset that counts; 0: all do"}).
			shown(Anywhere, "sharedsubsets(weight=0.5)", "sharedsubsets(weight=0.5, largest=2)"),
		byFields[[]string, discrete.OrnsteinUhlenbeck[string]]("setou", "exp(-λ·|A Δ B|)",
			field{"rate", "", "1", "λ > 0"}).shown(Anywhere, "setou(rate=0.3)"),
	}
}

// FuzzySets is the catalogue of kernels on fuzzy sets of names.
func FuzzySets() Catalogue {
	return Catalogue{
		byFields[[]discrete.Member[string], discrete.FuzzyIntersection[string]]("fuzzyintersection",
			"Σ T(A(e), B(e)) over elements e", field{"norm", "", "minimum", "T: minimum, product or hamacher"}).
			shown(Anywhere, "fuzzyintersection()", "normalize(fuzzyintersection(norm=product))"),
		byFields[[]discrete.Member[string], discrete.FuzzyCross[string]]("fuzzycross",
			"Σ Σ κ(e, f)·A(e)·B(f) over the elements of both", field{"elements", "", "", "κ on the names of elements"},
			field{"degrees", "", "product", "a kernel on the two degrees, in place of A(e)·B(f)"}).
			shown(Anywhere, "fuzzycross(elements=spectrum(k=2))",
				"normalize(fuzzycross(elements=spectrum(k=1), degrees=gaussian(lengthscale=0.5)))"),
	}
}

// Rankings is the catalogue of kernels on rankings.
func Rankings() Catalogue {
	rate := field{"rate", "", "1", "λ for each pair in a different order, > 0"}
	return Catalogue{
		byFields[discrete.Ranking, discrete.Kendall]("kendall", "(pairs alike - pairs apart)/pairs").shown(Anywhere,
			"kendall()"),
		byFields[discrete.Ranking, discrete.Spearman]("spearman", "correlation of the places").shown(Anywhere, "spearman()"),
		byFields[discrete.Ranking, discrete.Mallows]("mallows", "exp(-λ·pairs apart)", rate).shown(Anywhere,
			"mallows(rate=0.2)"),
		byFields[discrete.Ranking, discrete.MallowsMean]("mallowsmean",
			"mean of mallows over all that the rankings leave open", rate, field{"pairs", "", "0", "drawn for each ranking"},
			field{"seed", "", "0", "of the draws"}).
			shown(Anywhere, "mallowsmean(rate=0.2, pairs=20)"),
	}
}

// Bags is the catalogue of kernels on bags of vectors: the instances of an example, or a sample of
// a distribution.
func Bags() Catalogue {
	inner := field{"kernel", "", "", "κ on the vectors"}
	return Catalogue{
		byFields[[]vec, discrete.MultiInstance[vec]]("multiinstance", "Σ Σ κ(x,y)^p over the members of both", inner,
			field{"power", "", "1", "p = 1, 2, 3, …"}).
			shown(Anywhere, "normalize(multiinstance(kernel=gaussian(lengthscale=2), power=3))"),
		byFields[[]vec, prob.MeanEmbedding[vec]]("meanembedding", "mean of κ(x,y) over the members of both", inner).
			shown(Anywhere, "meanembedding(kernel=gaussian(lengthscale=1))",
				"substitute(gaussian(lengthscale=0.5), meanembedding(kernel=gaussian(lengthscale=1)))"),
		byFields[[]vec, discrete.PyramidMatch]("pyramid", "matches in grids from fine to coarse",
			field{"side", "", "1", "of the finest cells, > 0"}, field{"levels", "", "0", "of coarser grids"},
			field{"origin", "", "[]", "that cells are counted from"}).
			shown(Anywhere, "pyramid(side=0.5, levels=4)"),
		byFields[[]vec, prob.SemigroupVariance]("semigroupvariance", "|I+Σ/η|^{-1/2}, Σ the covariance of both together",
			field{"ridge", "", "1", "η > 0"}).shown(Anywhere, "semigroupvariance(ridge=0.5)"),
	}
}

// Histograms is the catalogue of kernels on histograms: vectors of shares that sum to 1.
func Histograms() Catalogue {
	return Catalogue{
		byFields[vec, prob.Product]("probproduct", "Σ pᵢ^ρ·qᵢ^ρ; ρ = 0.5: Bhattacharyya's kernel",
			field{"rho", "", "0.5", "ρ > 0; 1: expected likelihood"}).
			shown(Anywhere, "probproduct()", "probproduct(rho=1)", "normalize(probproduct(rho=0.25))"),
		byFields[vec, prob.Hilbertian]("hilbertian", "1-D(p,q), D a divergence whose root is a distance in a Hilbert space",
			field{"of", "", "hellinger", "D: hellinger, jensenshannon, chisquare or totalvariation"}).
			shown(Anywhere, "hilbertian()", "hilbertian(of=jensenshannon)",
				"substitute(gaussian(lengthscale=0.5), hilbertian(of=chisquare))", "hilbertian(of=totalvariation)"),
		byFields[vec, prob.SemigroupEntropy]("semigroupentropy", "exp(-t·H((p+q)/2)), H the entropy",
			field{"rate", "", "1", "t > 0"}).shown(Anywhere, "semigroupentropy(rate=2)"),
	}
}

// Distributions is the catalogue of kernels on normal distributions and mixtures of them.
func Distributions() Catalogue {
	return Catalogue{
		byFields[prob.Mixture, prob.MixtureProduct]("mixtureproduct", "∫ p(x)^ρ·q(x)^ρ dx; ρ = 0.5: Bhattacharyya's kernel",
			field{"rho", "", "1", "ρ > 0; other than 1 for distributions of one part"}).
			shown(Anywhere, "mixtureproduct()", "normalize(mixtureproduct(rho=0.5))"),
	}
}

// Graphs is the catalogue of kernels between graphs.
func Graphs() Catalogue {
	rounds := field{"h", "Iterations", "", "rounds of the Weisfeiler–Lehman test"}
	edges := field{"edges", "EdgeLabels", "false", "true: the labels of edges count too"}
	attributes := field{"attributes", "", "constant()", "a kernel on the attributes of nodes"}
	return Catalogue{
		byFields[graph.Graph, graph.WL]("wl", "Weisfeiler–Lehman subtrees in common", rounds, edges).shown(Anywhere,
			"wl(h=3)", "normalize(wl(h=2, edges=true))"),
		byFields[graph.Graph, graph.WLAssignment]("wloa", "the best assignment of nodes by Weisfeiler–Lehman labels", rounds,
			edges).shown(Anywhere, "wloa(h=3)"),
		byFields[graph.Graph, graph.WLAlignment]("wlalign", "edges that line up by Weisfeiler–Lehman labels", rounds,
			edges).shown(Anywhere, "wlalign(h=2)"),
		byFields[graph.Graph, graph.WLEdge]("wledge", "edges with the same labels at their ends, each round", rounds,
			edges).shown(Anywhere, "wledge(h=2)"),
		byFields[graph.Graph, graph.WLPath]("wlpath", "shortest paths with the same labels at their ends, each round", rounds,
			edges).shown(Anywhere, "wlpath(h=2)"),
		byFields[graph.Graph, graph.ShortestPath]("shortestpath",
			"shortest paths of one length with the same labels at their ends", attributes).
			shown(Anywhere, "shortestpath()"),
		byFields[graph.Graph, graph.Graphlet]("graphlet", "shares of the subgraphs on k nodes",
			field{"size", "", "3", "k = 3, 4 or 5"}, field{"connected", "", "false", "true: connected subgraphs alone"},
			field{"samples", "", "0", "drawn; 0: all are counted"}, field{"seed", "", "0", "of the draws"}).
			shown(Anywhere, "graphlet(size=4, connected=true)"),
		byFields[graph.Graph, graph.GeometricWalk]("geometricwalk", "Σ λ^k over pairs of walks of k steps",
			field{"lambda", "", "0.1", "λ, below 1/ρ²"}, edges).shown(Anywhere, "geometricwalk(lambda=0.01)"),
		byFields[graph.Graph, graph.StepWalk]("stepwalk", "Σ λ^k over pairs of walks of at most p steps",
			field{"steps", "", "", "p"}, field{"lambda", "", "1", "λ > 0"}, edges).shown(Anywhere,
			"stepwalk(steps=3, lambda=0.5)"),
		byFields[graph.Graph, graph.ExponentialWalk]("exponentialwalk", "Σ λ^k/k! over pairs of walks of k steps",
			field{"lambda", "", "1", "λ > 0"}, edges).shown(Anywhere, "exponentialwalk(lambda=0.2)"),
		byFields[graph.Graph, graph.Marginalised]("marginalised", "probability that two random walks meet the same labels",
			field{"stop", "", "0.1", "a walk ends at a node"}, edges).shown(Anywhere, "marginalised(stop=0.2)"),
		byFields[graph.Graph, graph.Multiscale]("multiscale", "multiscale Laplacian kernel",
			field{"levels", "", "0", "of neighbourhoods"}, field{"gamma", "", "0", "γ > 0"}, field{"eta", "", "0", "η > 0"},
			attributes).
			shown(Anywhere, "multiscale(levels=1, gamma=0.1, eta=0.1)"),
		byFields[graph.Graph, graph.NeighbourhoodHash]("neighbourhoodhash", "labels of bits that spread to neighbours",
			field{"rounds", "Iterations", "", "of hashing"}, field{"bits", "", "0", "of a label"},
			field{"counts", "CountSensitive", "false", "true: neighbours of one label are counted"}).
			shown(Anywhere, "neighbourhoodhash(rounds=2, counts=true)"),
		byFields[graph.Graph, graph.Filtration]("filtration", "Weisfeiler–Lehman labels while edges come in", rounds,
			field{"gamma", "", "1", "γ > 0"}, field{"cuts", "", "", "values of edges that end a stage, falling"}).
			shown(Anywhere, "filtration(h=1, cuts=[3, 2, 1])"),
		byFields[graph.Graph, graph.TraceAlignment]("tracealignment", "alignments of two complexity traces",
			field{"sigma", "", "1", "σ > 0"}).shown(Anywhere, "tracealignment(sigma=0.5)"),
		byFields[graph.Graph, graph.TraceReproducing]("tracereproducing", "Σ ½exp(-|sᵢ-s'ᵢ|) over two complexity traces",
			field{"layers", "", "10", "of a trace"}).shown(Anywhere, "tracereproducing(layers=5)"),
	}
}
