package spec

import (
	"slices"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/discrete"
	"github.com/mercer-ml/mercer/kernel/seq"
)

var (
	termFrequencies = map[string]seq.TermFrequency{"log": seq.LogTF, "raw": seq.RawTF, "sublinear": seq.SublinearTF,
		"binary": seq.BinaryTF}
	documentFrequencies = map[string]seq.DocumentFrequency{"shifted": seq.ShiftedIDF, "plain": seq.PlainIDF,
		"smooth": seq.SmoothIDF, "none": seq.NoIDF}
	tNorms = map[string]discrete.TNorm{"minimum": discrete.Minimum, "product": discrete.Product,
		"hamacher": discrete.Hamacher}
)

var (
	runLength = field{"k", "K", "3", "letters of a run"}
	alphabet  = field{"alphabet", "", "", `dna, rna, protein, protein-ambiguous, or the letters in quotes`}
	byLength  = field{"weights", "", "[]", "one for each length from 1 on, ≥ 0, in place of the decay"}
	foldCase  = field{"fold", "", "false",
		"true: upper and lower case are one, and signs at the edges of words are dropped"}
)

// Strings is the catalogue of kernels on strings and texts.
func Strings() Catalogue {
	return slices.Concat(runKernels(), wholeStringKernels(), termKernels(), textModelEntries(),
		[]Entry{overAlphabet(), logarithm().shown(Anywhere, "log(local(scores=blosum62))",
			"log(local(scores=pam250), scale=2)")})
}

// runKernels compare strings by the runs of letters that they have.
func runKernels() []Entry {
	return []Entry{
		byFields[string, seq.BagOfCharacters]("chars", "Σ n_c(x)·n_c(y) over characters c").shown(Anywhere, "chars()"),
		byFields[string, seq.Spectrum]("spectrum", "Σ n_s(x)·n_s(y) over runs s of k letters", runLength).shown(Anywhere,
			"spectrum()", "spectrum(k=4)", "normalize(spectrum(k=2))"),
		byFields[string, seq.Blended]("blended", "Σ λ^|s|·n_s(x)·n_s(y) over runs s of 1 to k letters", runLength,
			field{"decay", "", "1", "λ > 0"}, byLength).
			shown(Anywhere, "blended(k=4, decay=0.8)", "blended(weights=[1, 0.5, 0.25])"),
		byFields[string, seq.Substrings]("substrings", "Σ λ^|s|·n_s(x)·n_s(y) over all substrings s",
			field{"decay", "", "1", "λ > 0"}, field{"longest", "", "0", "the longest that count; 0: all"}, byLength).
			shown(Anywhere, "substrings(decay=0.5)", "substrings(decay=0.9, longest=6)"),
		byFields[string, seq.Mismatch]("mismatch", "runs of k letters that differ in at most m places", runLength,
			field{"m", "", "0", "places that may differ"}, alphabet).
			shown(Anywhere, "mismatch(k=4, m=1, alphabet=dna)", `mismatch(m=1, alphabet="AB")`),
		byFields[string, seq.Wildcard]("wildcard", "patterns of k letters with holes that match any letter", runLength,
			field{"holes", "", "0", "the most of a pattern"}, field{"decay", "", "1", "λ for each hole"}).
			shown(Anywhere, "wildcard(k=4, holes=1, decay=0.5)"),
		byFields[string, seq.Substitution]("substitution", "runs of k letters that are likely to come from the same run",
			runLength, field{"limit", "", "", "of -Σ log P(a|b)"}, alphabet,
			field{"given", "", "", "P(a|b), a row for each b"}).shown(Anywhere,
			`substitution(k=2, limit=2, alphabet="AB", given=[[0.9, 0.1], [0.1, 0.9]])`),
		byFields[string, seq.Gappy]("gappy", "runs of k letters with gaps, within windows", runLength,
			field{"window", "", "0", "letters of a window; 0: k+1"},
			field{"decay", "", "0", "λ for each letter left out; 0: gaps cost nothing"}).
			shown(Anywhere, "gappy(k=3, window=5)", "gappy(k=2, window=4, decay=0.5)"),
		byFields[string, seq.GappyPairs]("gappypairs", "pairs of runs of k letters with as many letters between them",
			field{"k", "K", "1", "letters of a run"}, field{"gap", "", "10", "the most letters between the runs"}).
			shown(Anywhere, "gappypairs()", "normalize(gappypairs(k=2, gap=6))"),
		byFields[string, seq.Subsequences]("ssk", "Σ λ^(spans) over common subsequences of k letters",
			field{"k", "Length", "3", "letters of a subsequence"},
			field{"decay", "", "0.5", "λ for each letter of the stretch it is spread over, > 0"}, byLength).
			shown(Anywhere, "ssk()", "ssk(k=4, decay=0.7)"),
		byFields[string, seq.WeightedDegree]("weighteddegree", "runs of up to k letters at the same place of both",
			field{"k", "K", "5", "letters of a run"}).
			shown(Anywhere, "weighteddegree()", "normalize(weighteddegree(k=8))"),
	}
}

// wholeStringKernels align two strings, or ask which models explain both.
func wholeStringKernels() []Entry {
	open := field{"open", "", "11", "what a gap costs"}
	return []Entry{
		byFields[string, seq.LocalAlignment]("local", "Σ exp(β·score) over local alignments",
			field{"scores", "", "", "blosum62 or pam250"}, field{"beta", "", "0.5", "β > 0"}, open,
			field{"extend", "", "1", "what each further letter of a gap costs"}).
			shown(Anywhere, "local(scores=blosum62)", "normalize(local(scores=pam250, beta=0.2, open=9))"),
		byFields[string, seq.PairHMM]("pairhmm", "probability that a pair hidden Markov model writes both", alphabet,
			field{"joint", "", "", "probabilities of pairs of letters, a row for each"},
			field{"open", "", "0.1", "a gap begins"}, field{"continue", "", "0.5", "a gap goes on"},
			field{"end", "", "0.01", "the strings end"}).
			shown(Anywhere, `normalize(pairhmm(alphabet="AB", joint=[[0.4, 0.1], [0.1, 0.4]]))`),
		byFields[string, seq.ContextTree]("contexttree", "mean likelihood of both under context-tree models", alphabet,
			field{"depth", "", "2", "letters of a context"},
			field{"branch", "", "0.5", "probability that a context has longer ones"},
			field{"prior", "", "0.5", "of the letters, > 0"}, field{"sigma", "", "1", "σ > 0"}).
			shown(Anywhere, "contexttree(alphabet=dna, depth=3)"),
	}
}

// termKernels compare texts by words, or by runs of words or characters.
func termKernels() []Entry {
	terms := func(in string) []field {
		return []field{{"from", in + "From", "1", "the shortest run"},
			{"to", in + "To", "0", "the longest run; 0: as the shortest"},
			{"words", in + "Words", "false", "true: runs of words, not of characters"},
			{"fold", in + "Fold", "false", foldCase.meaning},
			{"split", in + "Split", "false", "true: runs of words, which are two or more letters and digits"},
			{"ends", in + "Ends", "false", "true: runs of characters keep to words, whose ends are a blank"}}
	}
	return []Entry{
		byFields[string, seq.BagOfWords]("words", "Σ n_w(x)·n_w(y) over words w", foldCase).shown(Anywhere, "words()",
			"normalize(words(fold=true))"),
		byFields[string, seq.NGrams]("ngrams", "Σ n_t(x)·n_t(y) over runs t of characters or words",
			terms("")...).shown(Anywhere, "ngrams(from=1, to=3)", "ngrams(to=2, words=true, fold=true)", "ngrams(split=true)",
			"ngrams(from=2, to=4, ends=true)"),
		byFields[string, seq.Hashed]("hashed", "ngrams with the runs put into buckets by a signed hash",
			append(terms("Terms."), field{"buckets", "", "1048576", "their number"}, field{"seed", "", "0", "of the hash"})...).
			shown(Anywhere, "hashed(from=2, to=3, buckets=64)"),
		tfidf(terms("Terms.")),
	}
}

// tfidf is the inner product of weighted terms, with the counts of the texts that it was fitted to.
func tfidf(terms []field) Entry {
	e := byFields[string, seq.TFIDF]("tfidf", "Σ φ_t(x)·φ_t(y), φ_t(x) = tf(n_t(x))·idf(d_t)", append(terms,
		field{"tf", "TF", "log", "log: log(1+n), raw: n, sublinear: 1+log n, binary: 1"},
		field{"idf", "IDF", "shifted", "shifted: log(N/(1+d)), plain: log(N/d), smooth: log((1+N)/(1+d))+1, none: 1"},
		field{"texts", "", "", "N, the texts it was fitted to"})...)
	e.Params = append(e.Params, Parameter{"documents", "", "the terms in quotes"},
		Parameter{"counts", "", "d of each, in how many texts it is"})
	build, args := e.build, e.args
	e.build = func(a *arguments) kernel.Kernel[any] {
		k := kernel.Concrete(build(a)).(seq.TFIDF)
		documents, counts := a.texts("documents"), a.list("counts")
		if len(documents) != len(counts) && a.err == nil {
			a.fail(a.call.column(), "documents and counts differ in length", "give a count for each term")
			return nil
		}
		k.Documents = make(map[string]int, len(documents))
		for i, term := range documents {
			k.Documents[term] = int(counts[i])
		}
		return kernel.Erase[string](k)
	}
	e.args = func(k any) ([]Arg, bool) {
		t, ok := k.(seq.TFIDF)
		if !ok {
			return nil, false
		}
		plain := t
		plain.Documents = nil // written below
		out, ok := args(plain)
		if !ok {
			return nil, false
		}
		var names []string
		for term := range t.Documents {
			names = append(names, term)
		}
		slices.Sort(names)
		documents, counts := List{}, List{}
		for _, term := range names {
			documents.Items = append(documents.Items, Text{Value: term})
			counts.Items = append(counts.Items, num(float64(t.Documents[term])))
		}
		return append(out, named("documents", documents), named("counts", counts)), true
	}
	return e.shown(Anywhere, `tfidf(words=true, texts=4, documents=["a", "b"], counts=[2, 1])`)
}

// overAlphabet refuses letters that are not of an alphabet.
func overAlphabet() Entry {
	return Entry{
		Name: "over", Formula: "k on strings of the alphabet alone",
		Params:  []Parameter{innerKernel, {"alphabet", "", alphabet.meaning}},
		Samples: []string{"over(spectrum(k=3), alphabet=dna)"},
		build: func(a *arguments) kernel.Kernel[any] {
			k, _ := kernel.Retyped[string](a.kernel("kernel"))
			x, ok := a.get("alphabet")
			if !ok {
				a.missing("alphabet")
				return nil
			}
			return kernel.Erase(seq.Over(a.alphabet("alphabet", x), k))
		},
		print: func(c Catalogue, k kernel.Kernel[any]) (Expr, bool, error) {
			own, ok := kernel.Concrete(k).(seq.OverOf)
			if !ok {
				return nil, false, nil
			}
			inner, err := c.expr(kernel.Erase(own.Kernel))
			return Call{Name: "over", Args: []Arg{{Value: inner}, named("alphabet", alphabetText(own.Alphabet))}}, true, err
		},
	}
}

// logarithm is the logarithm of a kernel that knows it.
func logarithm() Entry {
	return Entry{
		Name: "log", Formula: "log k(x,y)/s, of kernels that know their logarithms; not positive semi-definite",
		Params: []Parameter{innerKernel, {"scale", "1", "s > 0"}},
		build: func(a *arguments) kernel.Kernel[any] {
			k, scale := a.kernel("kernel"), a.number("scale", 0)
			switch logs := kernel.Concrete(k).(type) {
			case seq.Logarithmic[string]:
				return kernel.Erase(seq.Log(logs, scale))
			case seq.Logarithmic[series]:
				return kernel.Erase(seq.Log(logs, scale))
			}
			a.fail(a.call.column(), "log of a kernel that does not know its logarithms", "alignment kernels do")
			return nil
		},
		print: func(c Catalogue, k kernel.Kernel[any]) (Expr, bool, error) {
			var of kernel.Kernel[any]
			var scale float64
			switch own := kernel.Concrete(k).(type) {
			case seq.LogOf[string]:
				of, scale = kernel.Erase[string](own.Kernel), own.Scale
			case seq.LogOf[series]:
				of, scale = kernel.Erase[series](own.Kernel), own.Scale
			default:
				return nil, false, nil
			}
			inner, err := c.expr(of)
			args := []Arg{{Value: inner}}
			if scale != 0 {
				args = append(args, named("scale", num(scale)))
			}
			return Call{Name: "log", Args: args}, true, err
		},
	}
}
