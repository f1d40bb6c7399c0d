package seq

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// ContextTree is the mutual information kernel of context-tree models (variable-length Markov
// chains),
//
//	k(x, y) = Σ_D π(D) ∫ P_{D,θ}(x)^{σ/N_x}·P_{D,θ}(y)^{σ/N_y} w(dθ),
//
// the mean over all trees D of contexts up to Depth letters (2 when zero) and over the
// probabilities θ_s of the letter after each context s. A node of a tree has children with the
// probability ε = Branch (0.5 when zero), θ_s is Dirichlet with all parameters equal to Prior (0.5
// when zero), σ = Sigma (1 when zero), and N_x = |x| - Depth counts the letters of x with a full
// context (M. Cuturi and J.-P. Vert, The context-tree kernel for strings, Neural Networks 2005). A
// value takes O(Depth·(|x|+|y|)): with G_s the integral at one context, the tree below s gives
// (1-ε)G_s + ε·Π_{children} of the trees below them. Strings of no more than Depth letters count
// nothing: two of them have the value 1.
type ContextTree struct {
	Alphabet             Alphabet
	Depth                int
	Branch, Prior, Sigma float64
}

func (k ContextTree) depth() int { return or(k.Depth, 2) }

// Name is "contexttree".
func (ContextTree) Name() string { return "contexttree" }

func (k ContextTree) code(s string) *coded { return &coded{s, k.Alphabet.codes(s)} }

// Eval returns k(x, y).
func (k ContextTree) Eval(x, y string) float64 { return k.pair(k.code(x), k.code(y)) }

// PreparePoints looks the letters of each string up once.
func (k ContextTree) PreparePoints(ctx context.Context, x, y data.Points[string]) kernel.Rectangle {
	return preparePairs(ctx, x, y, k.code, k.pair)
}

// treeSum is what one value needs.
type treeSum struct {
	strings [2][]int
	weight  [2]float64 // σ/N
	letters int
	depth   int
	branch  float64
	prior   float64
}

func (k ContextTree) pair(x, y *coded) float64 {
	if x.text > y.text {
		x, y = y, x
	}
	t := treeSum{strings: [2][]int{x.codes, y.codes}, letters: k.Alphabet.Size(), depth: k.depth(),
		branch: or(k.Branch, 0.5), prior: or(k.Prior, 0.5)}
	var places [2][]int // of the letters with a full context
	for s, codes := range t.strings {
		for i := t.depth; i < len(codes); i++ {
			places[s] = append(places[s], i)
		}
		if n := len(places[s]); n > 0 {
			t.weight[s] = or(k.Sigma, 1) / float64(n)
		}
	}
	return math.Exp(t.below(places, 0))
}

// below is the logarithm of the mean over the trees below a context of some depth; places are where
// it stands before a letter.
func (t *treeSum) below(places [2][]int, depth int) float64 {
	if len(places[0]) == 0 && len(places[1]) == 0 {
		return 0
	}
	own := t.integral(places)
	if depth == t.depth {
		return own
	}
	children := 0.0
	next := make([][2][]int, t.letters)
	for s, codes := range t.strings {
		for _, i := range places[s] {
			c := codes[i-depth-1]
			next[c][s] = append(next[c][s], i)
		}
	}
	for _, p := range next {
		children += t.below(p, depth+1)
	}
	a, b := math.Log1p(-t.branch)+own, math.Log(t.branch)+children
	return max(a, b) + math.Log1p(math.Exp(-math.Abs(a-b)))
}

// integral is the logarithm of ∫ Π_c θ_c^{n_c} Dirichlet(dθ), n_c the weighted number of letters c
// at the places.
func (t *treeSum) integral(places [2][]int) float64 {
	n := make([]float64, t.letters)
	for s, codes := range t.strings {
		count := make([]int, t.letters)
		for _, i := range places[s] {
			count[codes[i]]++
		}
		for c, v := range count {
			n[c] += t.weight[s] * float64(v)
		}
	}
	all, log := 0.0, 0.0
	for _, v := range n {
		if v > 0 {
			log += logGamma(t.prior+v) - logGamma(t.prior)
			all += v
		}
	}
	total := t.prior * float64(t.letters)
	return log + logGamma(total) - logGamma(total+all)
}

func logGamma(v float64) float64 {
	g, _ := math.Lgamma(v)
	return g
}

// Params are ε, the prior and σ; the depth is a whole number.
func (k ContextTree) Params() []kernel.Param {
	inside := kernel.Domain{Low: 0, High: 1, OpenLow: true, OpenHigh: true}
	return []kernel.Param{whole("contexttree.depth", k.depth(), 1),
		{Name: "contexttree.branch", Value: or(k.Branch, 0.5), Domain: inside},
		positive("contexttree.prior", or(k.Prior, 0.5)), positive("contexttree.sigma", or(k.Sigma, 1))}
}

// With sets the parameters in the order of Params.
func (k ContextTree) With(theta []float64) kernel.Kernel[string] {
	return ContextTree{k.Alphabet, int(theta[0]), theta[1], theta[2], theta[3]}
}

// Validate refuses a depth below 1, ε outside (0, 1), and a prior or σ below 0.
func (k ContextTree) Validate() error {
	return firstError(
		mustBe(k.Depth >= 0, "contexttree", "depth", k.Depth, "at least 1"),
		mustBe(k.Branch >= 0 && k.Branch < 1, "contexttree", "branch", k.Branch, "a number in (0, 1)"),
		mustBe(k.Prior >= 0 && finite(k.Prior), "contexttree", "prior", k.Prior, "a finite number > 0"),
		mustBe(k.Sigma >= 0 && finite(k.Sigma), "contexttree", "sigma", k.Sigma, "a finite number > 0"),
		k.Alphabet.valid("contexttree"))
}

// CheckPoints refuses letters that are not of the alphabet.
func (k ContextTree) CheckPoints(x data.Points[string]) error {
	return k.Alphabet.check("contexttree", x)
}

// Properties of a mean of products P(x)·P(y) ≤ 1.
func (ContextTree) Properties() kernel.Properties {
	p := sums()
	p.Bound = 1
	return p
}
