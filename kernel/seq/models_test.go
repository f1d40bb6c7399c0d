package seq

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/kernel"
)

var abcScores = SubstitutionMatrix{"abc", [][]float64{{4, -1, -2}, {-1, 5, 0}, {-2, 0, 6}}, math.Ln2 / 2}

// skeletons calls visit with every increasing sequence of pairs of places of strings of n and m
// letters, the empty one too.
func skeletons(n, m int, visit func(pairs [][2]int)) {
	var walk func(pairs [][2]int, i, j int)
	walk = func(pairs [][2]int, i, j int) {
		visit(pairs)
		for a := i; a < n; a++ {
			for b := j; b < m; b++ {
				walk(append(append([][2]int(nil), pairs...), [2]int{a, b}), a+1, b+1)
			}
		}
	}
	walk(nil, 0, 0)
}

var shortABC = append(randomStrings(21, "abc", 8, 5), "abcab", "ccc")

func TestLocalAlignmentEqualsEnumeration(t *testing.T) {
	k := LocalAlignment{Scores: abcScores, Beta: 0.3, Open: 3, Extend: 0.5}
	for _, x := range shortABC {
		for _, y := range shortABC {
			u, v, want := abcScores.Alphabet.codes(x), abcScores.Alphabet.codes(y), 0.0
			skeletons(len(u), len(v), func(pairs [][2]int) {
				score := 0.0
				for p, at := range pairs {
					score += abcScores.Scores[u[at[0]]][v[at[1]]]
					if p > 0 {
						for side := range 2 {
							if gap := at[side] - pairs[p-1][side] - 1; gap > 0 {
								score -= k.Open + k.Extend*float64(gap-1)
							}
						}
					}
				}
				want += math.Exp(k.Beta * score)
			})
			got := k.Eval(x, y)
			if !(math.Abs(got-want) <= 1e-12*want) {
				t.Errorf("k(%q, %q) = %v, want %v", x, y, got, want)
			}
			wide := localWide(u, v, k.weights(), math.Exp(-k.Beta*k.Open), math.Exp(-k.Beta*k.Extend))
			agree(t, "wide", wide, math.Log(want), 1e-12)
		}
	}
}

func TestLocalAlignmentOfLongProteins(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	k := LocalAlignment{Scores: BLOSUM62()}
	x := randomString(rng, string(Protein), 900)
	y := x[:300] + randomString(rng, string(Protein), 40) + x[300:]
	if v := k.LogEval(x, x); !(v > 710) || math.IsInf(v, 0) { // e^710 is above all float64
		t.Errorf("log k(x, x) = %v", v)
	}
	normal := NormalizeLog[string](k)
	agree(t, "normalised k(x, x)", normal.Eval(x, x), 1, 1e-9)
	near, far := Log[string](k, 0.5).Eval(x, y), Log[string](k, 0.5).Eval(x, randomString(rng, string(Protein), 900))
	if !(near > 10*far) {
		t.Errorf("a relative scores %v, a stranger %v", near, far)
	}
	// Where float64 has the range, both programs agree.
	a, b := k.code(x[:120]), k.code(y[250:420])
	open, extend := k.gaps()
	plain := math.Log(localPlain(a.codes, b.codes, k.weights(), math.Exp(-0.5*open), math.Exp(-0.5*extend)))
	agree(t, "wide", localWide(a.codes, b.codes, k.weights(), math.Exp(-0.5*open), math.Exp(-0.5*extend)), plain, 1e-12)
}

var abcJoint = [][]float64{{0.3, 0.05, 0.05}, {0.05, 0.2, 0.05}, {0.05, 0.05, 0.2}}

// The strings of up to five letters, by enumeration of all paths of the model; and the
// probabilities of all pairs sum to 1.
func TestPairHMMEqualsEnumeration(t *testing.T) {
	k := PairHMM{"abc", abcJoint, 0.2, 0.4, 0.3}
	q := []float64{0.4, 0.3, 0.3}
	run := func(letters []int) float64 {
		if len(letters) == 0 {
			return 1 - k.Open
		}
		p := k.Open * (1 - k.Continue) * math.Pow(k.Continue, float64(len(letters)-1))
		for _, c := range letters {
			p *= q[c]
		}
		return p
	}
	for _, x := range shortABC {
		for _, y := range shortABC {
			u, v, want := k.Alphabet.codes(x), k.Alphabet.codes(y), 0.0
			skeletons(len(u), len(v), func(pairs [][2]int) {
				p, i, j := k.End, 0, 0
				for _, at := range pairs {
					p *= run(u[i:at[0]]) * run(v[j:at[1]]) * (1 - k.End) * abcJoint[u[at[0]]][v[at[1]]]
					i, j = at[0]+1, at[1]+1
				}
				want += p * run(u[i:]) * run(v[j:])
			})
			if got := k.Eval(x, y); !(math.Abs(got-want) <= 1e-12*want) {
				t.Errorf("k(%q, %q) = %v, want %v", x, y, got, want)
			}
		}
	}
	short := PairHMM{"ab", [][]float64{{0.4, 0.1}, {0.1, 0.4}}, 0.05, 0.1, 0.8}
	sum := 0.0
	var all []string
	for n := range 6 {
		all = append(all, everyRun("ab", n)...)
	}
	for _, x := range all {
		for _, y := range all {
			sum += short.Eval(x, y)
		}
	}
	if sum > 1 || sum < 0.99 {
		t.Errorf("all pairs of strings of up to 5 letters have the probability %v", sum)
	}
	rng := rand.New(rand.NewPCG(3, 1))
	long := randomString(rng, "abc", 2000)
	if v := k.LogEval(long, long[5:]); !finite(v) || v > -800 {
		t.Errorf("log k of 2000 letters is %v", v)
	}
}

// The context-tree kernel against the sum over all trees, each integral by the Dirichlet formula
// written out anew.
func TestContextTreeEqualsEnumeration(t *testing.T) {
	k := ContextTree{"ab", 2, 0.3, 0.7, 1.5}
	// A tree over two letters up to depth 2 as its list of contexts (the letter before last to the
	// left), with its probability.
	e := k.Branch
	trees := map[string]float64{
		"":            1 - e,
		".a .b":       e * (1 - e) * (1 - e),
		"aa ba .b":    e * e * (1 - e),
		".a ab bb":    e * (1 - e) * e,
		"aa ba ab bb": e * e * e,
	}
	match := func(pattern, s string, i int) bool {
		for d := range len(pattern) {
			if c := pattern[len(pattern)-1-d]; c != '.' && c != s[i-1-d] {
				return false
			}
		}
		return true
	}
	texts := data.Slice[string]{"abab", "aab", "bbbbb", "abbaabab", "ba", "", "aaab"}
	for _, x := range texts {
		for _, y := range texts {
			want := 0.0
			for tree, p := range trees {
				for _, leaf := range strings.Split(tree, " ") {
					n := map[byte]float64{}
					for _, s := range []string{x, y} {
						for i := 2; i < len(s); i++ {
							if match(leaf, s, i) {
								n[s[i]] += k.Sigma / float64(len(s)-2)
							}
						}
					}
					beta := func(a, b float64) float64 { return math.Gamma(a) * math.Gamma(b) / math.Gamma(a+b) }
					p *= beta(k.Prior+n['a'], k.Prior+n['b']) / beta(k.Prior, k.Prior)
				}
				want += p
			}
			agree(t, "context tree "+x+", "+y, k.Eval(x, y), want, 1e-12)
		}
	}
}

func TestModelKernelsConform(t *testing.T) {
	abc := randomStrings(22, "abc", 12, 12)
	for name, k := range map[string]kernel.Kernel[string]{
		"local":            LocalAlignment{Scores: abcScores, Beta: 0.3, Open: 3, Extend: 0.5},
		"normalised local": NormalizeLog[string](LocalAlignment{Scores: abcScores, Beta: 0.3, Open: 3, Extend: 0.5}),
		"log of local":     Log[string](LocalAlignment{Scores: abcScores, Beta: 0.3}, 0.3),
		"empirical":        Empirical(Log[string](LocalAlignment{Scores: abcScores, Beta: 0.3}, 0.3), abc[:4]),
		"pair hmm":         PairHMM{"abc", abcJoint, 0.2, 0.4, 0.3},
		"normalised hmm":   NormalizeLog[string](PairHMM{Alphabet: "abc", Joint: abcJoint}),
		"context tree":     ContextTree{Alphabet: "abc"},
		"deep tree":        ContextTree{"abc", 4, 0.7, 1, 3},
	} {
		t.Run(name, func(t *testing.T) {
			kerneltest.Run(t, k, kerneltest.Options[string]{Points: abc,
				Adversarial: []data.Points[string]{data.Slice[string](shortABC)}})
		})
	}
}

func TestSubstitutionMatrices(t *testing.T) {
	for name, m := range map[string]SubstitutionMatrix{"BLOSUM62": BLOSUM62(), "PAM250": PAM250()} {
		if err := (LocalAlignment{Scores: m}).Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		only := m.Only(Protein)
		joint := only.Joint(Background())
		if err := (PairHMM{Alphabet: Protein, Joint: joint}).Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := (Substitution{3, 6, Protein, only.Conditional(Background())}).Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		w, c := only.Alphabet.Index('W'), only.Alphabet.Index('C')
		if want := map[string][2]float64{"BLOSUM62": {11, -2}, "PAM250": {17, -8}}[name]; only.Scores[w][w] != want[0] ||
			only.Scores[w][c] != want[1] {
			t.Errorf("%s: W with W and with C score %v and %v", name, only.Scores[w][w], only.Scores[w][c])
		}
	}
	sum := 0.0
	for _, p := range Background() {
		sum += p
	}
	agree(t, "the background sums to", sum, 1, 1e-4)
	if p := (LocalAlignment{Scores: BLOSUM62().Only(Protein)}).Properties().PSD; p != kernel.Yes {
		t.Errorf("e^{β·BLOSUM62} at β = 0.5: positive semi-definite %v", p)
	}
	if p := (LocalAlignment{Scores: SubstitutionMatrix{"ab", [][]float64{{0, 1}, {1, 0}},
		1}}).Properties().PSD; p != kernel.Unknown {
		t.Errorf("a matrix that prefers other letters: positive semi-definite %v", p)
	}
}

func TestModelKernelsRefuseBadInput(t *testing.T) {
	for want, k := range map[string]kernel.Kernel[string]{
		"local: beta = -1":          LocalAlignment{Scores: abcScores, Beta: -1},
		"1 rows of scores":          LocalAlignment{Scores: SubstitutionMatrix{"ab", [][]float64{{1, 2}}, 1}},
		"row 1 of the scores":       LocalAlignment{Scores: SubstitutionMatrix{"ab", [][]float64{{1, 2}, {1}}, 1}},
		"the scores 0, 1 and 1, 0":  LocalAlignment{Scores: SubstitutionMatrix{"ab", [][]float64{{1, 2}, {1, 1}}, 1}},
		"pairhmm: open = 1":         PairHMM{"abc", abcJoint, 1, 0.4, 0.3},
		"sum to 2":                  PairHMM{"ab", [][]float64{{1, 0}, {0, 1}}, 0.1, 0.4, 0.3},
		"contexttree: branch = 1":   ContextTree{Alphabet: "ab", Branch: 1},
		"contexttree: the alphabet": ContextTree{},
		"empirical: no reference":   Empirical[string](Spectrum{}, nil),
		"log: scale = -1":           Log[string](LocalAlignment{Scores: abcScores}, -1),
		"normalize: no kernel":      NormalizedLogOf[string]{},
	} {
		if err := kernel.Validate(k); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
	for name, k := range map[string]kernel.Kernel[string]{
		"local": LocalAlignment{Scores: abcScores}, "pairhmm": PairHMM{Alphabet: "abc", Joint: abcJoint},
		"tree":      ContextTree{Alphabet: "abc"},
		"normal":    NormalizeLog[string](LocalAlignment{Scores: abcScores}),
		"log":       Log[string](LocalAlignment{Scores: abcScores}, 1),
		"empirical": Empirical(kernel.Kernel[string](LocalAlignment{Scores: abcScores}), []string{"a"}),
	} {
		if err := kernel.Check(k, data.Points[string](data.Slice[string]{"abc", "abxc"})); err == nil ||
			!strings.Contains(err.Error(), "row 1, position 2 is 'x'") {
			t.Errorf("%s: a letter outside the alphabet gives the error %v", name, err)
		}
	}
}
