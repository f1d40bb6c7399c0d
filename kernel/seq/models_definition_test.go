package seq

import (
	"fmt"
	"math"
	"testing"
)

// contextTree is a tree of contexts: a leaf, or a child for each letter before.
type contextTree struct{ children []*contextTree }

// everyTree lists the complete trees over some letters down to a depth, with π(D) = Π over the
// nodes above the last depth of ε where a node has children and 1-ε where it has none (M. Cuturi
// and J.-P. Vert 2005, section 3.2: a branching process stopped at the depth D).
func everyTree(letters, depth int, branch float64) (trees []*contextTree, prior []float64) {
	if depth == 0 {
		return []*contextTree{{}}, []float64{1}
	}
	trees, prior = []*contextTree{{}}, []float64{1 - branch}
	below, weight := everyTree(letters, depth-1, branch)
	chosen := make([]int, letters)
	for {
		t, p := &contextTree{}, branch
		for _, c := range chosen {
			t.children = append(t.children, below[c])
			p *= weight[c]
		}
		trees, prior = append(trees, t), append(prior, p)
		at := 0
		for at < letters && chosen[at] == len(below)-1 {
			chosen[at] = 0
			at++
		}
		if at == letters {
			return trees, prior
		}
		chosen[at]++
	}
}

// leaf is the context that the letters before place i of a string have in a tree.
func (t *contextTree) leaf(s []int, i int) string {
	end := i
	for t.children != nil {
		i--
		t = t.children[s[i]]
	}
	return fmt.Sprint(s[i:end])
}

// dirichletMean is ∫ Π θ_c^{n_c} w(dθ) for two or three letters by sums over a grid of θ, without
// the Gamma function: the weights of the grid are the density Π θ^{prior-1}, normalised by its own
// sum. With θ = sin²φ the powers are smooth at the ends where the exponents are halves.
func dirichletMean(n []float64, prior float64) float64 {
	const steps = 100
	node := func(i int) (cos, sin float64) {
		phi := (float64(i) + 0.5) / steps * math.Pi / 2
		c, s := math.Cos(phi), math.Sin(phi)
		return c * c, s * s
	}
	top, all := 0.0, 0.0
	for i := range steps {
		a, b := node(i)
		if len(n) == 2 { // dθ = 2 sin φ cos φ dφ
			w := math.Pow(a*b, prior-0.5)
			all += w
			top += w * math.Pow(a, n[0]) * math.Pow(b, n[1])
			continue
		}
		for j := range steps { // θ = (a, b·c, b·d), dθ ∝ b·√(ab)·√(cd) dφ dψ
			c, d := node(j)
			w := math.Pow(a, prior-0.5) * math.Pow(b, 2*prior-0.5) * math.Pow(c*d, prior-0.5)
			all += w
			top += w * math.Pow(a, n[0]) * math.Pow(b*c, n[1]) * math.Pow(b*d, n[2])
		}
	}
	return top / all
}

// The definition of the context-tree kernel, k(x, y) = Σ_D π(D) ∫ P_{D,θ}(x)^{σ/N_x}
// P_{D,θ}(y)^{σ/N_y} w(dθ): all trees one by one, the likelihood letter by letter, the integral
// over θ by a grid.
func TestContextTreeByDefinition(t *testing.T) {
	for _, k := range []ContextTree{{"ab", 3, 0.4, 2, 1.5}, {"ab", 1, 0.5, 1.5, 1}, {"abc", 2, 0.3, 1.5, 2},
		{"abc", 1, 0.6, 2, 0.7}} {
		trees, prior := everyTree(k.Alphabet.Size(), k.Depth, k.Branch)
		total := 0.0
		for _, p := range prior {
			total += p
		}
		agree(t, "the trees have the probability", total, 1, 1e-12)
		texts := []string{"abab", "aabbab", "bb", "baabbaba", "bbbbb"}
		if k.Alphabet.Size() == 3 {
			texts = []string{"abcab", "ccab", "a", "bacbca"}
		}
		if testing.Short() {
			texts = texts[:3]
		}
		means := map[string]float64{} // of the letters after a context
		for i, x := range texts {
			for _, y := range texts[:i+1] {
				want := 0.0
				for d, tree := range trees {
					after := map[string][]float64{}
					for _, text := range []string{x, y} {
						s := k.Alphabet.codes(text)
						for at := k.Depth; at < len(s); at++ {
							leaf := tree.leaf(s, at)
							if after[leaf] == nil {
								after[leaf] = make([]float64, k.Alphabet.Size())
							}
							after[leaf][s[at]] += k.Sigma / float64(len(s)-k.Depth)
						}
					}
					product := prior[d]
					for _, n := range after {
						key := fmt.Sprint(n)
						if _, known := means[key]; !known {
							means[key] = dirichletMean(n, k.Prior)
						}
						product *= means[key]
					}
					want += product
				}
				agree(t, fmt.Sprintf("%+v of %q and %q", k, x, y), k.Eval(x, y), want, 1e-5)
			}
		}
	}
}

// The pair hidden Markov model as a machine with three kinds of states, M after a pair, X within a
// run of letters of x, Y within one of y, and silent ends: its transitions are written down one by
// one, and every way that it can write two strings is walked.
func TestPairHMMByItsStates(t *testing.T) {
	k := PairHMM{"abc", abcJoint, 0.2, 0.4, 0.3}
	margin := make([]float64, 3)
	for a, row := range abcJoint {
		for _, p := range row {
			margin[a] += p
		}
	}
	const m, inX, inY = 0, 1, 2
	// leave is the probability to go from a state to the next one; end stands behind the states.
	leave := func(from, to int) float64 {
		skipX, skipY := 1-k.Open, 1-k.Open // no run begins
		next := map[int]float64{m: 1 - k.End, inY + 1: k.End}
		switch from {
		case m:
			switch to {
			case inX:
				return k.Open
			case inY:
				return skipX * k.Open
			}
			return skipX * skipY * next[to]
		case inX:
			switch to {
			case inX:
				return k.Continue
			case inY:
				return (1 - k.Continue) * k.Open
			}
			return (1 - k.Continue) * skipY * next[to]
		}
		switch to {
		case inX:
			return 0 // the run of x comes first
		case inY:
			return k.Continue
		}
		return (1 - k.Continue) * next[to]
	}
	for state := range 3 {
		sum := 0.0
		for to := range 4 {
			sum += leave(state, to)
		}
		agree(t, fmt.Sprint("leaving state ", state), sum, 1, 1e-15)
	}
	var write func(state int, x, y []int) float64
	write = func(state int, x, y []int) float64 {
		p := 0.0
		if len(x)+len(y) == 0 {
			p = leave(state, 3)
		}
		if len(x) > 0 {
			p += leave(state, inX) * margin[x[0]] * write(inX, x[1:], y)
		}
		if len(y) > 0 {
			p += leave(state, inY) * margin[y[0]] * write(inY, x, y[1:])
		}
		if len(x) > 0 && len(y) > 0 {
			p += leave(state, m) * abcJoint[x[0]][y[0]] * write(m, x[1:], y[1:])
		}
		return p
	}
	for _, x := range shortABC {
		for _, y := range shortABC {
			want := write(m, k.Alphabet.codes(x), k.Alphabet.codes(y))
			if got := k.Eval(x, y); !(math.Abs(got-want) <= 1e-12*want) {
				t.Errorf("k(%q, %q) = %v, the machine has %v", x, y, got, want)
			}
		}
	}
}
