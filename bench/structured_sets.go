package main

import (
	"fmt"
	"path/filepath"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/mixing"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/kernel/seq"
)

var structuredFolder = filepath.Join("..", "..", "shared", "data")

// structuredSet is a set of objects with a published number to reach. References are quoted as the
// README of the sets quotes them.
type structuredSet struct {
	name           string
	file, test     string // without test: ten folds
	target, groups string
	kinds          map[string]data.Kind
	repeats        int // of the ten folds; 0: once
	reference      string
	bar            float64
	balanced       bool     // balanced accuracy, in place of accuracy
	whole          bool     // what kernels compare does not depend on other rows
	choices        []string // kernels, as text
	more           func(mixed.Schema, data.Points[mixed.Row]) ([]kernel.Kernel[mixed.Row], []string, error)
	plainFlags     []string // what mercer fit has to be told to judge by the same protocol
	seeds          int      // of plain mercer fit, where a fifth of the rows is too few to judge by; 0: structuredSeeds
	again          bool     // the file has another row, which plain mercer fit is judged in
}

func structuredSets() []structuredSet {
	sets := []structuredSet{
		graphSet("mutag", "MUTAG", "WL family 84–87 %", 0.84, true),
		graphSet("ptc_mr", "PTC_MR", "WL family 57–62 %", 0.57, true),
		graphSet("nci1", "NCI1", "WL family 82–86 %", 0.82, false),
		graphSet("proteins", "PROTEINS_full", "WL family 72–75 %", 0.72, false),
		{
			name: "trec", file: "trec_qc_trees_train.tsv.gz", test: "trec_qc_trees_test.tsv",
			reference: "Zhang & Lee 2003: 90.0 %", bar: 0.901, whole: true,
			choices: []string{"normalize(subsettree(decay=0.4)) on grct",
				"normalize(subsettree(decay=0.6)) on grct + normalize(subsettree(decay=0.6)) on lct",
				"normalize(partialtree(gap=0.4, depth=0.4)) on lct",
				"normalize(partialtree(gap=0.4, depth=0.4)) on grct + normalize(partialtree(gap=0.4, depth=0.4)) on lct"},
		},
		{
			name: "splice", file: "splice_junctions.csv", reference: "string kernels 95–97 %", bar: 0.95, whole: true,
			choices: append(span("normalize(weighteddegree(k=%d))", 2, 3, 5, 10), span("normalize(blended(k=%d))", 4, 6)...),
		},
		{
			name: "promoters", file: "promotergene.csv", reference: "string kernels 90+ %", bar: 0.90, repeats: 10, seeds: 10,
			whole:   true,
			choices: append(span("normalize(weighteddegree(k=%d))", 1, 2, 3, 5), span("normalize(blended(k=%d))", 4, 6)...),
		},
		{name: "r8", file: "r8_train.csv.gz", test: "r8_test.csv.gz", reference: "SVM 94–97 %", bar: 0.94,
			choices: textChoices, more: weighedWords("text")},
		// The README has no number for these two; the bars are those of scikit-learn's LinearSVC on
		// its tf-idf of words (fixtures/words_linear.py).
		{name: "news20", file: "news20_4cat_train.csv.gz", test: "news20_4cat_test.csv.gz",
			reference: "scikit-learn's LinearSVC on tf-idf", bar: 0.888, choices: textChoices, more: weighedWords("text")},
		{name: "sms", file: "sms_spam.csv", reference: "scikit-learn's LinearSVC on tf-idf", bar: 0.987, choices: textChoices,
			more: weighedWords("text")},
		bagSet("musk1", "musk1.csv", "Gärtner 2002: 86.4 %", 0.864),
		bagSet("musk2", "musk2.csv.gz", "Gärtner 2002: 88.0 %", 0.880),
		{
			name: "coiledcoil", file: "coiledcoil.csv", groups: "group", reference: "kebabs' annotated pairs, balanced",
			bar: 0.5989, balanced: true, whole: true, repeats: 5, kinds: map[string]data.Kind{"heptad": data.Text},
			plainFlags: []string{"--groups", "group", "--metric", "balanced-accuracy", "--class-weight", "balanced"},
			choices: append(span("normalize(gappypairs(k=1, gap=%d)) on sequence,heptad", 4, 7, 10, 15),
				span("normalize(gappypairs(k=1, gap=%d)) on sequence", 6, 10)...),
		},
	}
	for _, u := range []struct {
		name  string
		error float64 // of the nearest neighbour by dynamic time warping
	}{{"ItalyPowerDemand", 0.0496}, {"GunPoint", 0.0933}, {"ECG200", 0.2300}, {"Coffee", 0}, {"ArrowHead", 0.2971}} {
		for i, family := range []string{"gak", "signature"} {
			s := structuredSet{name: fmt.Sprintf("%s-%s", u.name, family), file: "ucr_" + u.name + "_train.csv", test: "ucr_" +
				u.name + "_test.csv",
				reference: fmt.Sprintf("1-NN DTW %.2f %%", 100*(1-u.error)), bar: 1 - u.error, again: i > 0}
			if family == "gak" {
				for _, width := range []float64{1, 2, 4, 8, 16} {
					s.choices = append(s.choices, fmt.Sprintf("normalize(gak(width=%g))", width))
				}
			} else {
				// with the time, and with the level that a signature does not see by itself
				for _, scale := range []float64{0.25, 0.5, 1, 2, 4} {
					s.choices = append(s.choices, fmt.Sprintf("withtime(normalize(sigpde(scale=%g)))", scale),
						fmt.Sprintf("withstart(withtime(normalize(sigpde(scale=%g))))", scale))
				}
				// steps are alike that are at about the same time and height, and perhaps came from
				// about the same
				for _, level := range []int{2, 3} {
					for _, width := range []float64{0.06, 0.125, 0.25, 0.5} {
						lifted := fmt.Sprintf("withtime(normalize(signature(level=%d, static=gaussian(lengthscale=%g))))", level, width)
						s.choices = append(s.choices, lifted, "withlag("+lifted+")")
					}
				}
			}
			sets = append(sets, s)
		}
	}
	return sets
}

// span is a text with each of some numbers in it.
func span(format string, numbers ...int) (out []string) {
	for _, n := range numbers {
		out = append(out, fmt.Sprintf(format, n))
	}
	return out
}

func graphSet(name, folder, reference string, bar float64, edges bool) structuredSet {
	s := structuredSet{name: name, file: folder, repeats: 10, reference: reference, bar: bar, whole: true,
		choices: append(span("normalize(wl(h=%d))", 1, 2, 3, 5), span("normalize(wloa(h=%d))", 1, 2, 3, 5)...)}
	if edges {
		s.choices = append(s.choices, span("normalize(wl(h=%d, edges=true))", 1, 2, 3)...)
	}
	return s
}

// bagSet scales the coordinates to variance 1 by the rows to fit on; two instances of 166
// coordinates are then about 18 apart.
func bagSet(name, file, reference string, bar float64) structuredSet {
	s := structuredSet{name: name, file: file, reference: reference, bar: bar, repeats: 10, seeds: 20}
	for _, width := range []float64{3, 4, 5, 6, 8, 12} {
		s.choices = append(s.choices, fmt.Sprintf("normalize(multiinstance(kernel=gaussian(lengthscale=%g)))", width))
	}
	return s
}

var textChoices = []string{"normalize(words(fold=true)) on text", "normalize(ngrams(from=2, to=5, fold=true)) on text"}

// weighedWords is tf-idf of words, and of pairs of words, of a column.
func weighedWords(
	column string,
) func(mixed.Schema, data.Points[mixed.Row]) ([]kernel.Kernel[mixed.Row], []string, error) {
	return func(s mixed.Schema, rows data.Points[mixed.Row]) (out []kernel.Kernel[mixed.Row], names []string, err error) {
		c, ok := s.Column(column)
		if !ok {
			return nil, nil, fmt.Errorf("no column %q", column)
		}
		texts := make(data.Slice[string], rows.Len())
		for i := range texts {
			texts[i] = rows.At(i).Objects[c.Object].(string)
		}
		for _, to := range []int{1, 2} {
			k, err := seq.FitTFIDF(seq.TFIDF{Terms: seq.NGrams{To: to, Split: true}, TF: seq.SublinearTF, IDF: seq.SmoothIDF},
				texts)
			if err != nil {
				return nil, nil, err
			}
			out, names = append(out, mixing.On(c, kernel.Normalize[string](k))),
				append(names, fmt.Sprintf("tfidf of 1 to %d words", to))
		}
		return out, names, nil
	}
}
