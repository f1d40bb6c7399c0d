package seq

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// randomString is n letters of an alphabet, always the same for a generator.
func randomString(rng *rand.Rand, alphabet string, n int) string {
	letters := []rune(alphabet)
	out := make([]rune, n)
	for i := range out {
		out[i] = letters[rng.IntN(len(letters))]
	}
	return string(out)
}

// randomStrings are n strings of up to longest letters, the empty one among them.
func randomStrings(seed uint64, alphabet string, n, longest int) data.Slice[string] {
	rng := rand.New(rand.NewPCG(seed, 7))
	out := make(data.Slice[string], n)
	for i := range out {
		out[i] = randomString(rng, alphabet, rng.IntN(longest+1))
	}
	out[n-1] = ""
	return out
}

// sentences are texts of a few words, with letters of one, two, three and four bytes.
var sentences = data.Slice[string]{
	"the cat sat on the mat", "The Cat sat, and sat.", "a dog sat on a cat", "", "größe ist größe", "größe und 猫 und 猫",
	"猫 sat 🙂 on the 猫", "on the on the on the", "   spaces   and\ttabs ", "mat mat mat mat", "e\u0301 or é", "z",
}

// agree fails the test where two numbers are not near.
func agree(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*(1+math.Abs(want))) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// gram is the Gram matrix by the prepared path.
func gram[T any](k kernel.Kernel[T], x data.Slice[T]) *mat.Dense {
	m := mat.NewDense(len(x), len(x), nil)
	kernel.Block(context.Background(), k, m, data.Points[T](x), data.Points[T](x))
	return m
}

// substringsOf counts the substrings of s of each number of runes from 1 to longest, by
// enumeration.
func substringsOf(s string, longest int) map[string]float64 {
	out := map[string]float64{}
	r := []rune(s)
	for i := range r {
		for j := i + 1; j <= len(r) && j-i <= longest; j++ {
			out[string(r[i:j])]++
		}
	}
	return out
}
