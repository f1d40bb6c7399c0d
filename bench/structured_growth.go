package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/tudataset"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/graph"
	"github.com/mercer-ml/mercer/kernel/seq"
	"gonum.org/v1/gonum/mat"
)

// structuredGrowth prints processor seconds against the length of strings, and against the number of objects.
func structuredGrowth(w io.Writer) {
	cost := func(f func()) float64 {
		f() // caches warm, memory there
		used := processorSeconds()
		f()
		return processorSeconds() - used
	}
	rng := rand.New(rand.NewPCG(9, 9))
	random := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "ACGT"[rng.IntN(4)]
		}
		return string(b)
	}
	fmt.Fprintf(w, "\nprocessor seconds of one value, two random strings of four letters\n%-10s %16s %16s %16s\n", "letters", "all substrings", "spectrum, k=5", "ssk, n=4")
	for n := 1000; n <= 1_000_000; n *= 10 {
		x, y := random(n), random(n)
		ssk := "-"
		if n <= 10_000 { // quadratic
			ssk = fmt.Sprintf("%.4f", cost(func() { seq.Subsequences{Length: 4, Decay: 0.5}.Eval(x, y) }))
		}
		fmt.Fprintf(w, "%-10d %16.4f %16.4f %16s\n", n, cost(func() { seq.Substrings{Decay: 0.5}.Eval(x, y) }), cost(func() { seq.Spectrum{K: 5}.Eval(x, y) }), ssk)
	}
	set, err := tudataset.Read(os.DirFS(structuredFolder), "NCI1")
	if err != nil {
		fmt.Fprintln(w, "no graphs:", err)
		return
	}
	fmt.Fprintf(w, "\nprocessor seconds of a Gram matrix\n%-10s %22s %22s\n", "objects", "strings, spectrum k=5", "graphs of NCI1, WL h=3")
	for _, n := range []int{250, 500, 1000, 2000, 4000} {
		texts := make(data.Slice[string], n)
		for i := range texts {
			texts[i] = random(60)
		}
		m := mat.NewDense(n, n, nil)
		ctx := context.Background()
		fmt.Fprintf(w, "%-10d %22.4f %22.4f\n", n, cost(func() { kernel.Block[string](ctx, seq.Spectrum{K: 5}, m, texts, texts) }), cost(func() {
			g := data.Slice[graph.Graph](set.Graphs[:n])
			kernel.Block[graph.Graph](ctx, graph.WL{Iterations: 3}, m, g, g)
		}))
	}
}
