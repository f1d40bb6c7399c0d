package nodes

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel/graph"
)

// A space that is made smaller again and again ends where elimination does, for every shift; of two
// columns that say the same one is left out.
func TestKrylovIsElimination(t *testing.T) {
	const m, wanted, c = 120, 7, 3
	rng := rand.New(rand.NewPCG(3, 4))
	root := linalg.New[float64](m+wanted, m+wanted)
	for i := range root.Data {
		root.Data[i] = rng.NormFloat64()
	}
	all := linalg.New[float64](m+wanted, m+wanted)
	linalg.Gemm(1, linalg.NoTrans, linalg.Trans, 1.0/m, root, root, 0, all)
	sys := system{at: make([]int, m), want: make([]int, wanted), y: linalg.New[float64](m, c)}
	for i := range sys.at {
		sys.at[i] = i
		sys.y.Set(i, 0, rng.NormFloat64())
		sys.y.Set(i, 1, rng.NormFloat64())
		sys.y.Set(i, 2, -sys.y.At(i, 0)-sys.y.At(i, 1))
	}
	for i := range sys.want {
		sys.want[i] = m + i
	}
	shifts := []float64{0.02, 0.2, 5}
	for _, most := range []int{m, 24} {
		k := newKrylov(sys, shifts, 1e-10, 2, roomOfSpaces)
		k.most = most
		if k.next.Cols != 2 {
			t.Fatalf("%d columns of a block of rank 2", k.next.Cols)
		}
		shrunk := false
		for range 2000 {
			if k.next.Cols == 0 {
				break
			}
			size := k.size
			image := linalg.New[float64](m+wanted, k.next.Cols)
			linalg.Gemm(1, linalg.NoTrans, linalg.NoTrans, 1, all.Slice(0, m+wanted, 0, m), k.next, 0, image)
			if err := k.grow(image); err != nil {
				t.Fatal(err)
			}
			shrunk = shrunk || k.size < size
		}
		if shrunk != (most < m) {
			t.Errorf("a space of %d columns shrunk: %v", most, shrunk)
		}
		for s, shift := range shifts {
			a, x := all.Slice(0, m, 0, m).Clone(), sys.y.Clone()
			for i := range m {
				a.Set(i, i, a.At(i, i)+shift)
			}
			chol, err := linalg.NewCholeskyOf(1, a)
			if err != nil {
				t.Fatal(err)
			}
			chol.Solve(1, x)
			want := linalg.New[float64](wanted, c)
			linalg.Gemm(1, linalg.NoTrans, linalg.NoTrans, 1, all.Slice(m, m+wanted, 0, m), x, 0, want)
			got := k.values(s)
			for i := range want.Data {
				if d := math.Abs(got.Data[i] - want.Data[i]); !(d < 1e-7) {
					t.Errorf("most %d, shift %g: value %d is %v, want %v", most, shift, i, got.Data[i], want.Data[i])
				}
			}
		}
	}
}

// A matrix that is not positive definite is said to be none, for the shifts that do not mend it.
func TestKrylovOfAnIndefiniteMatrix(t *testing.T) {
	sys := system{at: []int{0, 1}, want: []int{}, y: linalg.New[float64](2, 1)}
	sys.y.Set(0, 0, 1)
	k := newKrylov(sys, []float64{0.5, 2}, 1e-8, 1, roomOfSpaces)
	image := linalg.New[float64](2, 1)
	image.Set(0, 0, -1)
	if err := k.grow(image); err != nil {
		t.Fatal(err)
	}
	if !k.broken[0] || k.broken[1] || k.weights[1].At(0, 0) != 1 || k.next.Cols != 0 {
		t.Errorf("broken %v, weights %v, %d columns more", k.broken, k.weights[1].Data, k.next.Cols)
	}
}

// Folds that are solved side by side say of a node held out what a fit without it does, to the
// accuracy of a trial, in every way that large graphs are solved.
func TestFoldsSideBySide(t *testing.T) {
	g, group := blocks(3, 30, 11)
	known := knownOf(group, 90, 3)
	s, err := NewSpace(g, known.Nodes)
	if err != nil {
		t.Fatal(err)
	}
	s.Iterative = true
	for _, r := range []graph.Transform{graph.Regularised{Epsilon: 0.1}, graph.Diffusion{Sigma: 2},
		graph.WalkSteps{Steps: 4}, graph.Cutoff{Cut: 0.2}} {
		choice, err := s.Choose(t.Context(), known, Search{Candidates: []Candidate{{Transform: r}},
			Lambdas: []float64{0.1, 1}, Folds: 3, Seed: 4})
		if err != nil {
			t.Fatal(err)
		}
		part := known.Folds(3, 4)
		for _, cell := range choice.Cells {
			if !cell.Converged {
				t.Errorf("%s: not converged", cell.Setting)
			}
			for f := range 3 {
				var train []int
				for i, p := range part {
					if p != f {
						train = append(train, i)
					}
				}
				m, err := s.Fit(t.Context(), known.Gather(train), cell.Setting, 1)
				if err != nil {
					t.Fatal(err)
				}
				for row, i := range cell.Held {
					if part[i] != f {
						continue
					}
					for c, want := range m.Decision(known.Nodes[i]) {
						if got := cell.Values.At(row, c); math.Abs(got-want) > 0.05 {
							t.Errorf("%s: node %d: f[%d] = %v, want %v", cell.Setting, known.Nodes[i], c, got, want)
						}
					}
				}
			}
		}
	}
}
