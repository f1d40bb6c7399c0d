package seq_test

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/seq"
)

func ExampleBagOfCharacters() {
	fmt.Println(seq.BagOfCharacters{}.Eval("banana", "ban")) // a: 3·1, b: 1·1, n: 2·1
	// Output: 6
}

func ExampleBagOfWords() {
	k := kernel.Normalize[string](seq.BagOfWords{Fold: true}) // the cosine of two texts
	fmt.Printf("%.3f\n", k.Eval("The cat sat.", "the cat ran"))
	// Output: 0.667
}

func ExampleSpectrum() {
	fmt.Println(seq.Spectrum{K: 2}.Eval("banana", "bandana")) // an: 2·2, ba: 1·1, na: 2·1
	// Output: 7
}

func ExampleBlended() {
	fmt.Printf("%.4f\n", seq.Blended{K: 2, Decay: 0.5}.Eval("ab", "ab")) // two letters, one pair
	// Output: 1.2500
}

func ExampleNGrams() {
	k := seq.NGrams{From: 1, To: 2, Words: true}
	fmt.Println(k.Terms("to be to"))
	fmt.Println(k.Eval("to be to", "to be"))
	// Output:
	// map[be:1 be to:1 to:2 to be:1]
	// 4
}

func ExampleTFIDF() {
	texts := data.Slice[string]{"the cat sat", "the dog ran", "the bird sang a song"}
	k, err := seq.FitTFIDF(seq.TFIDF{Terms: seq.NGrams{Words: true}, IDF: seq.PlainIDF}, texts)
	if err != nil {
		panic(err)
	}
	fmt.Printf("the %.3f, cat %.3f\n", k.Vector("the cat")["the"], k.Vector("the cat")["cat"])
	// Output: the 0.000, cat 0.762
}

func ExampleFitTFIDF() {
	_, err := seq.FitTFIDF(seq.TFIDF{}, data.Slice[string]{"fine", "b\xffd"})
	fmt.Println(err)
	// Output: seq: tfidf: row 1, byte 1 is 0xff, which is no UTF-8; convert the text to UTF-8 first
}

func ExampleHashed() {
	k := seq.Hashed{Terms: seq.NGrams{Words: true}, Buckets: 1 << 16}
	fmt.Println(len(k.Vector("a rose is a rose")), k.Eval("a rose is a rose", "a rose"))
	// Output: 3 4
}

func ExampleSubstrings() {
	fmt.Println(seq.Substrings{}.Eval("abc", "xabcx")) // a, b, c, ab, bc, abc
	fmt.Println(seq.Substrings{Decay: 0.5}.Eval("abc", "xabcx"))
	// Output:
	// 6
	// 2.125
}

func ExampleSubsequences() {
	k := seq.Subsequences{Length: 2, Decay: 0.5}
	fmt.Println(k.Eval("cat", "car")) // ca, without a gap in both: λ⁴
	fmt.Println(k.Eval("cat", "ct"))  // ct, with a gap in the first: λ⁵
	// Output:
	// 0.0625
	// 0.03125
}

func ExampleAlphabet() {
	fmt.Println(seq.DNA.Size(), seq.DNA.Index('G'))
	fmt.Println(seq.DNA.Check(data.Slice[string]{"ACGT", "ACNT"}))
	// Output:
	// 4 2
	// seq: alphabet: row 1, position 2 is 'N', which is no letter of "ACGT"; replace it or choose another alphabet
}

func ExampleOver() {
	k := seq.Over(seq.DNA, seq.Spectrum{K: 2})
	fmt.Println(k.Eval("ACGT", "CGTA"))
	fmt.Println(kernel.Check(k, data.Points[string](data.Slice[string]{"acgt"})))
	// Output:
	// 2
	// seq: spectrum: row 0, position 0 is 'a', which is no letter of "ACGT"; replace it or choose another alphabet
}

func ExampleMismatch() {
	fmt.Println(seq.Mismatch{K: 2, M: 1, Alphabet: seq.DNA}.Eval("AC", "AG")) // AA, AC, AG, AT are near both
	// Output: 4
}

func ExampleWildcard() {
	fmt.Println(seq.Wildcard{K: 2, Holes: 1, Decay: 0.5}.Eval("ac", "ag")) // a*, once in each
	// Output: 0.25
}

func ExampleGappy() {
	fmt.Println(seq.Gappy{K: 2, Window: 3}.Eval("abc", "axc")) // ac
	// Output: 1
}

func ExampleGappyPairs() {
	k := seq.GappyPairs{Gap: 2}
	fmt.Println(k.Eval("abc", "axc"), k.Eval("abc", "axxc")) // a and c with one letter between them
	// Output: 1 0
}

func ExampleSubstitution() {
	given := [][]float64{{0.9, 0.1}, {0.2, 0.8}} // P(a | b) in row b, column a
	k := seq.Substitution{K: 1, Limit: 2, Alphabet: "ab", Given: given}
	fmt.Println(k.Eval("a", "b")) // a and b are both likely from b
	// Output: 1
}

func ExampleProfile() {
	p := seq.ProfileOf("ab", "ab").Smooth(1, []float64{0.5, 0.5})
	fmt.Println(p.P)
	// Output: [[0.75 0.25] [0.25 0.75]]
}

func ExampleProfileOf() {
	fmt.Println(seq.ProfileOf("ab", "ab").P)
	// Output: [[1 0] [0 1]]
}

func ExampleProfileKernel() {
	x := seq.ProfileOf("ab", "ab").Smooth(1, []float64{0.5, 0.5})
	k := seq.ProfileKernel{K: 2, Limit: 2, Alphabet: "ab"}
	fmt.Println(k.Eval(x, x)) // aa, ab and bb have more than e⁻², ba less
	// Output: 3
}

func ExampleOverOf() {
	k := seq.OverOf{Alphabet: seq.DNA, Kernel: seq.Spectrum{K: 2}}
	fmt.Println(k.Name(), k.Eval("ACGT", "CGTA"), k.HasFeatures())
	// Output: spectrum 2 true
}
