package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/bracket"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/graph"
	"github.com/mercer-ml/mercer/kernel/seq"
	"github.com/mercer-ml/mercer/kernel/tree"
	"gonum.org/v1/gonum/mat"
)

// structuredSpeed is whole Gram matrices of strings, series, trees and graphs beside kernlab,
// tslearn and GraKeL.
func structuredSpeed() []Case {
	return []Case{
		stringGram("spectrum, k=4", seq.Spectrum{K: 4}, 0, "\n", "spectrum", 50, true),
		// kernlab's "string" counts runs without gaps: λ^{2(n+1)} times the spectrum kernel, as the
		// values say.
		stringGram("kernlab's \"string\" n=4 λ=0.5", kernel.Scale(math.Pow(0.5, 10),
			kernel.Kernel[string](seq.Spectrum{K: 4})), 0, "", "string", 60, true),
		// The subsequence kernel is kernlab's "sequence", which takes minutes of the whole texts.
		stringGram("SSK n=4 λ=0.5, first 200 letters", seq.Subsequences{Length: 4, Decay: 0.5}, 200, "", "sequence", 60,
			true),
		// Another kernel, with gaps and much more work, beside the time of the one without: no bar.
		stringGram("SSK n=4 λ=0.5 | kernlab's \"string\": no gaps", seq.Subsequences{Length: 4, Decay: 0.5}, 0, "", "string",
			0, false),
		graphGram("WL subtree, h=5", "NCI1", graph.WL{Iterations: 5}, "wl", map[string]any{"h": 5}, 5),
		graphGram("shortest path", "NCI1", graph.ShortestPath{}, "shortest_path", nil, 5),
		alignmentGram(1000, 200, 1, 1, 5), alignmentGram(400, 50, 3, 2, 0), alignmentGram(40, 1000, 1, 2, 0),
		alignmentGram(200, 100, 1, 0.1, 0),
		treeGram(),
	}
}

// gramOf is the Gram matrix of points, and what is asked of it when both sides are done.
func gramOf[T any](k kernel.Kernel[T], x data.Points[T], in Inputs, tol float64) Work {
	m := mat.NewDense(x.Len(), x.Len(), nil)
	return Work{
		Inputs: in,
		Run: func() {
			if err := kernel.Block(context.Background(), k, m, x, x); err != nil {
				panic(err)
			}
		},
		Check: func(theirs Inputs) error {
			if tol == 0 {
				return nil
			}
			return agree("entry", m.RawMatrix().Data, theirs["result"].Data, tol)
		},
	}
}

// stringGram is of the texts of reuters40, or of their first letters, with an end as kernlab puts
// one there.
func stringGram(work string, k kernel.Kernel[string], letters int, end, kind string, bar float64, same bool) Case {
	file := filepath.Join(structuredFolder, "reuters40.csv")
	return Case{Work: "Gram matrix of reuters40, " + work, Bar: bar, Peer: "kernlab", Yardstick: !same,
		Args: map[string]any{"file": file, "kind": kind, "letters": letters}, Prepare: func() Work {
			d, err := load.Read(context.Background(), file,
				load.Options{Told: data.Kinds(map[string]data.Kind{"text": data.Text})})
			if err != nil {
				return Work{Run: func() {}, Note: err.Error(), Check: func(Inputs) error { return err }}
			}
			c, err := d.Column("text")
			if err != nil {
				return Work{Run: func() {}, Note: err.Error(), Check: func(Inputs) error { return err }}
			}
			texts := make(data.Slice[string], c.Len())
			for i, s := range c.Strings {
				if r := []rune(s); letters > 0 && len(r) > letters {
					s = string(r[:letters])
				}
				texts[i] = s + end
			}
			tol := 0.0
			if same {
				tol = 1e-9
			}
			return gramOf(k, data.Points[string](texts), nil, tol)
		}}
}

// alignmentGram is of smooth random series, normalised, with the width that tslearn calls sigma.
// The first has a bar; the others are what it was not tuned on: short series of several channels,
// few long ones, and a width so narrow that values leave the range of float64.
func alignmentGram(n, length, channels int, width, bar float64) Case {
	work := fmt.Sprintf("GAK Gram matrix of %d series of length %d", n, length)
	if bar == 0 {
		work += fmt.Sprintf(", %d channels, σ = %g", channels, width)
	}
	return Case{Work: work, Bar: bar, Peer: "gak", Args: map[string]any{"sigma": width, "channels": channels},
		Prepare: func() Work {
			rng := rand.New(rand.NewPCG(4, 4))
			x := make(data.Slice[seq.Series], n)
			flat := make([]float64, 0, n*length*channels)
			for i := range x {
				values, level := make([]float64, length*channels), make([]float64, channels)
				for t := range values { // of variance 1
					c := t % channels
					level[c] = 0.9*level[c] + math.Sqrt(1-0.81)*rng.NormFloat64()
					values[t] = level[c]
				}
				x[i] = must(seq.NewSeries(values, channels))
				flat = append(flat, values...)
			}
			return gramOf(seq.NormalizeLog[seq.Series](seq.GlobalAlignment{Width: width}), data.Points[seq.Series](x),
				Inputs{"series": {Rows: n, Cols: length * channels, Data: flat}}, 1e-6)
		}}
}

// treeSeconds is what the Gram matrix of the TREC trees may take.
const treeSeconds = 20

func treeGram() Case {
	return Case{Work: "Gram matrix of the 5 452 TREC trees (grct), subset trees", Yardstick: true,
		Go: GoPeer{Name: fmt.Sprintf("none: at most %d s", treeSeconds), Run: func(Inputs) {}}, Prepare: func() Work {
			fail := func(err error) Work {
				return Work{Run: func() {}, Note: err.Error(), Check: func(Inputs) error { return err }}
			}
			d, err := load.Read(context.Background(), filepath.Join(structuredFolder, "trec_qc_trees_train.tsv.gz"),
				load.Options{})
			if err != nil {
				return fail(err)
			}
			c, err := d.Column("grct")
			if err != nil {
				return fail(err)
			}
			trees := make(data.Slice[*bracket.Tree], c.Len())
			for i, s := range c.Strings {
				if trees[i], err = bracket.Parse(s); err != nil {
					return fail(err)
				}
			}
			w := gramOf(kernel.Normalize[*bracket.Tree](tree.SubsetTree{Decay: 0.4}), data.Points[*bracket.Tree](trees), nil, 0)
			run, took := w.Run, 0.0
			w.Run = func() {
				start := time.Now()
				run()
				took = time.Since(start).Seconds()
			}
			w.Check = func(Inputs) error {
				if took > treeSeconds {
					return fmt.Errorf("%.1f s, want at most %d", took, treeSeconds)
				}
				return nil
			}
			return w
		}}
}
