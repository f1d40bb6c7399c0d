package graph

import (
	"os"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/tudataset"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"gonum.org/v1/gonum/mat"
)

// readSet reads a folder of graphs, or skips the test.
func readSet(tb testing.TB, name string) *tudataset.Set {
	tb.Helper()
	datatest.Path(tb, name)
	s, err := tudataset.Read(os.DirFS(datatest.Folder(tb)), name)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// fillGram is the whole Gram matrix, by strips on all processors.
func fillGram(tb testing.TB, k Kernel, x data.Points[Graph]) *mat.Dense {
	n := x.Len()
	out := mat.NewDense(n, n, nil)
	fill := k.PreparePoints(tb.Context(), x, x)
	par.For(0, n, 64, func(lo, hi int) {
		fill(out.Slice(lo, hi, 0, n).(*mat.Dense), lo, 0)
	})
	return out
}

func benchmarkGram(b *testing.B, set string, k Kernel) {
	x := readSet(b, set).Points()
	b.ResetTimer()
	for range b.N {
		fillGram(b, k, x)
	}
}

func BenchmarkWLOnNCI1(b *testing.B)           { benchmarkGram(b, "NCI1", WL{Iterations: 5}) }
func BenchmarkWLAssignmentOnNCI1(b *testing.B) { benchmarkGram(b, "NCI1", WLAssignment{Iterations: 5}) }
func BenchmarkShortestPathOnNCI1(b *testing.B) { benchmarkGram(b, "NCI1", ShortestPath{}) }
func BenchmarkWLPathOnMUTAG(b *testing.B)      { benchmarkGram(b, "MUTAG", WLPath{Iterations: 3}) }

func BenchmarkWLLabelsOnNCI1(b *testing.B) {
	x := forms(readSet(b, "NCI1").Points())
	b.ResetTimer()
	for range b.N {
		WL{Iterations: 5}.embed(b.Context(), learner(false), x)
	}
}

func BenchmarkMarginalisedOnMUTAG(b *testing.B) { benchmarkGram(b, "MUTAG", Marginalised{}) }
func BenchmarkGeometricWalkOnMUTAG(b *testing.B) {
	benchmarkGram(b, "MUTAG", GeometricWalk{Lambda: 0.01})
}
func BenchmarkMultiscaleOnMUTAG(b *testing.B) { benchmarkGram(b, "MUTAG", Multiscale{Levels: 1}) }
func BenchmarkGraphletOnMUTAG(b *testing.B)   { benchmarkGram(b, "MUTAG", Graphlet{Size: 5}) }
