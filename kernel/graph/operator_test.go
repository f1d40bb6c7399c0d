package graph

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Products with r(L) are those with the matrix of Eval, for any number of columns and threads.
func TestOperatorIsTheKernel(t *testing.T) {
	g := weightedGraph(4, 40)
	for _, make := range []func(Graph) (*Laplacian, error){NewLaplacian, NewNormalisedLaplacian} {
		l, err := make(g)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []Transform{Regularised{0.5}, Diffusion{1.5}, WalkSteps{Steps: 3}} {
			k := Nodes{l, r}
			op, err := k.Operator(1e-13, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, cols := range []int{1, 3, 16, 17} {
				rng := rand.New(rand.NewPCG(1, 2))
				v, got := mat.NewDense(g.Nodes, cols, nil), mat.NewDense(g.Nodes, cols, nil)
				for i := range v.RawMatrix().Data {
					v.RawMatrix().Data[i] = rng.NormFloat64()
				}
				op.MulTo(got, v, false)
				for i := range g.Nodes {
					for c := range cols {
						want := 0.0
						for j := range g.Nodes {
							want += k.Eval(i, j) * v.At(j, c)
						}
						if math.Abs(got.At(i, c)-want) > 1e-9*r.At(0, l.Largest())*float64(g.Nodes) {
							t.Fatalf("%s, %d columns: (%d, %d) is %v, want %v", r.Name(), cols, i, c, got.At(i, c), want)
						}
					}
				}
			}
		}
		if _, err := (Nodes{l, Cutoff{0.3}}).Operator(1e-12, 1); err == nil {
			t.Error("a step has no series, and no error")
		}
		d := l.Dense()
		for i, x := range l.Diagonal() {
			if x != d.At(i, i) {
				t.Errorf("diagonal %d: %v, want %v", i, x, d.At(i, i))
			}
		}
	}
}

// Moments of a large graph tell the mean of r as all eigenvalues do.
func TestSpectrumOfALargeGraph(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	g := Graph{Nodes: ExactNodes + 100}
	for i := 1; i < g.Nodes; i++ {
		for range 3 {
			if j := rng.IntN(i); j != i {
				g.Edges = append(g.Edges, [2]int32{int32(i), int32(j)})
			}
		}
	}
	l, err := NewNormalisedLaplacian(g)
	if err != nil {
		t.Fatal(err)
	}
	s, err := l.Spectrum(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	one, err := l.Spectrum(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	values, _, err := l.Eigen()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []Transform{Regularised{0.1}, Diffusion{2}, WalkSteps{Steps: 4, Alpha: 2}, InverseCosine{}} {
		want := 0.0
		for _, v := range values {
			want += r.At(v, 2) / float64(len(values))
		}
		if got := s.Mean(r); math.Abs(got-want) > 0.03*want || got != one.Mean(r) {
			t.Errorf("%s: mean %v, want %v, and with one thread %v", r.Name(), got, want, one.Mean(r))
		}
	}
	_, share := s.Density(20)
	sum := 0.0
	for _, v := range share {
		sum += v
	}
	if math.Abs(sum-1) > 0.1 {
		t.Errorf("shares sum to %v", sum)
	}
	// The smallest eigenvalues are those of the whole decomposition.
	low, err := l.Lowest(t.Context(), 3, 1e-8, 0, 1)
	if err != nil || len(low.Values) != 3 {
		t.Fatal(low, err)
	}
	for i, v := range low.Values {
		if math.Abs(v-values[i]) > 1e-6 {
			t.Errorf("eigenvalue %d is %v, want %v", i, v, values[i])
		}
	}
}
