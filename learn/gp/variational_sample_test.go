package gp

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// TestSampledStart: a search that begins with a sample of the rows ends where one from nothing ends,
// after fewer steps on all of them, also where rows have weights and come sorted by class.
func TestSampledStart(t *testing.T) {
	const n = 15000
	rng := rand.New(rand.NewPCG(4, 4))
	x, codes, weights := mat.NewDense(n, 2, nil), make([]float64, n), make([]float64, n)
	for i := range n {
		if i >= n/2 {
			codes[i] = 1
		}
		for c := range 2 {
			x.Set(i, c, rng.NormFloat64()+codes[i])
		}
		weights[i] = float64(i % 3) // also rows that do not count
	}
	points := data.Erase[kernel.Vec](data.Rows(x))
	rows := data.NewInMemory(points, codes, 1, weights)
	k := kernel.Erase[kernel.Vec](kernel.Gaussian{Lengthscale: 1})
	census, err := fitting.Survey(t.Context(), k, rows)
	if err != nil {
		t.Fatal(err)
	}
	z := data.Span(points, 0, 20)
	solve := func(from *variational) *variational {
		t.Helper()
		p := &variationalProblem{Resources: learn.Resources{Threads: 2}, rows: rows, census: census, outputs: 1,
			steps: variationalSteps, tol: 1e-9}
		u, err := newInducing(t.Context(), 2, k, z)
		if err != nil {
			t.Fatal(err)
		}
		if from == nil {
			from = p.prior(u)
		}
		q, err := p.solve(t.Context(), k, z, nil, from, nil)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	p := &variationalProblem{Resources: learn.Resources{Threads: 2}, rows: rows, census: census, outputs: 1,
		steps: variationalSteps, tol: 1e-9}
	sample, err := p.sampled(t.Context(), k, z)
	if err != nil || sample == nil {
		t.Fatal(sample, err)
	}
	begun, plain := solve(sample), solve(nil)
	if !begun.settled || !plain.settled || math.Abs(begun.value-plain.value) > 1e-9*math.Abs(plain.value) {
		t.Errorf("bound %.12g from a sample, %.12g from nothing", begun.value, plain.value)
	}
	if begun.iterated >= plain.iterated {
		t.Errorf("%d steps from a sample, %d from nothing", begun.iterated, plain.iterated)
	}
	p.census.Kept = sampleFrom*sampleLeast - 1
	if few, err := p.sampled(t.Context(), k, z); few != nil || err != nil {
		t.Errorf("a sample of few rows: %v", err)
	}
}
