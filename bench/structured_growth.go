package main

import (
	"context"
	"errors"
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

// structuredGrowth is time and memory against the length of strings, and against the number of
// objects.
func structuredGrowth(w io.Writer) error {
	letters, objects := growthTable{name: "letters", size: "letters", shown: w},
		growthTable{name: "objects", size: "objects", shown: w}
	measure := func(t *growthTable, method string, size int, f func()) {
		f() // caches warm, memory there
		t.measure(method, size, f)
	}
	rng := rand.New(rand.NewPCG(9, 9))
	random := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "ACGT"[rng.IntN(4)]
		}
		return string(b)
	}
	for n := 1000; n <= 1_000_000; n *= 10 {
		x, y := random(n), random(n)
		measure(&letters, "all substrings", n, func() { seq.Substrings{Decay: 0.5}.Eval(x, y) })
		measure(&letters, "spectrum k=5", n, func() { seq.Spectrum{K: 5}.Eval(x, y) })
		if n <= 10_000 { // quadratic
			measure(&letters, "ssk n=4", n, func() { seq.Subsequences{Length: 4, Decay: 0.5}.Eval(x, y) })
		}
	}
	set, err := tudataset.Read(os.DirFS(structuredFolder), "NCI1")
	if err != nil {
		fmt.Fprintln(w, "no graphs:", err)
	}
	for _, n := range []int{250, 500, 1000, 2000, 4000} {
		texts := make(data.Slice[string], n)
		for i := range texts {
			texts[i] = random(60)
		}
		m := mat.NewDense(n, n, nil)
		ctx := context.Background()
		measure(&objects, "strings: spectrum k=5", n,
			func() { kernel.Block[string](ctx, seq.Spectrum{K: 5}, m, texts, texts) })
		if set != nil {
			g := data.Slice[graph.Graph](set.Graphs[:n])
			measure(&objects, "graphs of NCI1: WL h=3", n,
				func() { kernel.Block[graph.Graph](ctx, graph.WL{Iterations: 3}, m, g, g) })
		}
	}
	return errors.Join(letters.close(), objects.close())
}
