package seq_test

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/seq"
	"gonum.org/v1/gonum/mat"
)

func ExampleBLOSUM62() {
	m := seq.BLOSUM62()
	w := m.Alphabet.Index('W')
	fmt.Println(m.Scores[w][w])
	// Output: 11
}

func ExamplePAM250() {
	m := seq.PAM250()
	w := m.Alphabet.Index('W')
	fmt.Println(m.Scores[w][w])
	// Output: 17
}

func ExampleBackground() {
	fmt.Println(seq.Background()[seq.Protein.Index('L')])
	// Output: 0.09019
}

func ExampleSubstitutionMatrix() {
	m := seq.BLOSUM62().Only(seq.Protein)
	l, i := seq.Protein.Index('L'), seq.Protein.Index('I')
	q := seq.Background()
	fmt.Printf("%.4f %.3f\n", m.Joint(q)[l][i], m.Conditional(q)[l][i])
	// Output: 0.0089 0.104
}

func ExampleLocalAlignment() {
	k := seq.LocalAlignment{Scores: seq.BLOSUM62()}
	fmt.Printf("%.2f\n", k.LogEval("HEAGAWGHEE", "PAWHEAE"))
	fmt.Println(k.Eval("", "PAWHEAE")) // the empty alignment alone
	// Output:
	// 10.49
	// 1
}

func ExampleLog() {
	// The soft Smith-Waterman score: the logarithm of the kernel, divided by β.
	k := seq.Log[string](seq.LocalAlignment{Scores: seq.BLOSUM62(), Beta: 5}, 5)
	// Three alignments have the score 17: the value is 17 + (log 3)/5.
	fmt.Printf("%.2f, positive semi-definite: %v\n", k.Eval("HEAGAWGHEE", "PAWHEAE"), kernel.PropertiesOf(k).PSD)
	// Output: 17.22, positive semi-definite: no
}

func ExampleEmpirical() {
	similarity := seq.Log[string](seq.LocalAlignment{Scores: seq.BLOSUM62()}, 0.5)
	k := seq.Empirical(similarity, []string{"HEAGAWGHEE", "PAWHEAE"})
	fmt.Println(kernel.PropertiesOf(k).PSD)
	// Output: yes
}

func ExamplePairHMM() {
	k := seq.PairHMM{Alphabet: "ab", Joint: [][]float64{{0.45, 0.05}, {0.05, 0.45}}, End: 0.2}
	fmt.Printf("%.4f %.4f %.4f\n", k.Eval("", ""), k.Eval("ab", "ab"), k.Eval("ab", "ba"))
	// Output: 0.1620 0.0139 0.0003
}

func ExampleContextTree() {
	k := seq.ContextTree{Alphabet: "ab", Depth: 1, Sigma: 10}
	fmt.Println(k.Eval("abababab", "babababa") > k.Eval("abababab", "aabbaabb"))
	// Output: true
}

func ExampleLogarithmic() {
	var k seq.Logarithmic[string] = seq.LocalAlignment{Scores: seq.BLOSUM62()}
	x := data.Slice[string]{"HEAGAWGHEE", "PAWHEAE"}
	logs := mat.NewDense(1, 2, nil)
	k.PrepareLogs(context.Background(), x, x)(logs, 1, 0) // the second row
	fmt.Println(logs.At(0, 0) == k.LogEval(x[1], x[0]))
	// Output: true
}

func ExampleNormalizeLog() {
	long := seq.Univariate(make([]float64, 1000))
	k := seq.GlobalAlignment{}
	fmt.Println(k.Eval(long, long)) // too large for float64
	fmt.Printf("%.6f\n", seq.NormalizeLog[seq.Series](k).Eval(long, long))
	// Output:
	// +Inf
	// 1.000000
}

func ExampleNormalizedLogOf() {
	k := seq.NormalizedLogOf[string]{Kernel: seq.LocalAlignment{Scores: seq.BLOSUM62()}}
	fmt.Printf("%.3f\n", k.Eval("HEAGAWGHEE", "HEAGAWGHEE"))
	// Output: 1.000
}

func ExampleLogOf() {
	k := seq.LogOf[string]{Kernel: seq.LocalAlignment{Scores: seq.BLOSUM62()}, Scale: 0.5}
	fmt.Println(k.Eval("", "PAWHEAE")) // the empty alignment has the score 0
	// Output: 0
}

func ExampleEmpiricalOf() {
	k := seq.EmpiricalOf[string]{Similarity: seq.Spectrum{K: 1}, References: []string{"a", "b"}}
	fmt.Println(k.Eval("aab", "ab")) // 2·1 + 1·1
	// Output: 3
}
