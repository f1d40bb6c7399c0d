package seq

import (
	"context"
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// texts are those of a CSV file with the columns label and text named by MERCER_TEXTS, or made up
// ones of the same lengths.
func texts(b *testing.B) data.Slice[string] {
	b.Helper()
	name := os.Getenv("MERCER_TEXTS")
	if name == "" {
		rng := rand.New(rand.NewPCG(4, 4))
		out := make(data.Slice[string], 40)
		for i := range out {
			out[i] = randomString(rng, "  eeetttaaooiinnsshhrrdlcumwfgypbvk", 150+rng.IntN(1900))
		}
		return out
	}
	f, err := os.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		b.Fatal(err)
	}
	var out data.Slice[string]
	for _, r := range rows[1:] {
		out = append(out, r[1])
	}
	return out
}

func benchmarkGram[T any](b *testing.B, k kernel.Kernel[T], x data.Slice[T]) {
	m := mat.NewDense(len(x), len(x), nil)
	b.ReportAllocs()
	for b.Loop() {
		kernel.Block(context.Background(), k, m, data.Points[T](x), data.Points[T](x))
	}
}

func BenchmarkSpectrumGram(b *testing.B) { benchmarkGram[string](b, Spectrum{K: 4}, texts(b)) }
func BenchmarkSubsequencesGram(b *testing.B) {
	benchmarkGram[string](b, Subsequences{Length: 4, Decay: 0.5}, texts(b))
}
func BenchmarkSubstringsGram(b *testing.B) {
	benchmarkGram[string](b, Substrings{Decay: 0.5}, texts(b))
}

func BenchmarkAlignmentGram(b *testing.B) {
	rng := rand.New(rand.NewPCG(4, 4))
	x := make(data.Slice[Series], 60)
	for i := range x {
		values, level := make([]float64, 200), 0.0
		for t := range values { // of variance 1
			level = 0.9*level + math.Sqrt(1-0.81)*rng.NormFloat64()
			values[t] = level
		}
		x[i] = Univariate(values)
	}
	benchmarkGram(b, NormalizeLog[Series](GlobalAlignment{Width: 1}), x)
}
