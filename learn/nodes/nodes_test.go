package nodes

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/kernel/graph"
	"gonum.org/v1/gonum/mat"
)

// blocks is a graph of planted groups with weights, a path that hangs on it, a pair of nodes apart,
// and a node alone.
func blocks(groups, size int, seed uint64) (g graph.Graph, group []int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	n := groups * size
	g = graph.Graph{Nodes: n + 5}
	join := func(a, b int) {
		g.Edges = append(g.Edges, [2]int32{int32(a), int32(b)})
		g.Weights = append(g.Weights, 0.5+rng.Float64())
	}
	for i := range n {
		group = append(group, i/size)
		for j := range i {
			p := 0.02
			if i/size == j/size {
				p = 0.4
			}
			if rng.Float64() < p || j == i-1 && i/size == j/size {
				join(i, j)
			}
		}
	}
	join(0, n)
	join(n, n+1)
	join(n+2, n+3) // apart
	return g, append(group, 0, 0, 1, 1, 1)
}

// bruteKernel is r(L) by its definition, without eigenvectors of the package: an inverse, a series,
// powers; the step function by gonum's decomposition.
func bruteKernel(t *testing.T, l *mat.Dense, r graph.Transform, largest float64) *mat.Dense {
	n, _ := l.Dims()
	eye := mat.NewDense(n, n, nil)
	for i := range n {
		eye.Set(i, i, 1)
	}
	out := mat.NewDense(n, n, nil)
	switch r := r.(type) {
	case graph.Regularised:
		var a mat.Dense
		a.Scale(r.Epsilon, eye)
		a.Add(&a, l)
		if err := out.Inverse(&a); err != nil {
			t.Fatal(err)
		}
	case graph.Diffusion:
		var a mat.Dense
		a.Scale(-r.Sigma*r.Sigma/2, l)
		out.Exp(&a)
	case graph.WalkSteps:
		alpha := r.Alpha
		if alpha == 0 {
			alpha = largest
		}
		var a mat.Dense
		a.Scale(alpha, eye)
		a.Sub(&a, l)
		out.Pow(&a, max(r.Steps, 1))
	case graph.InverseCosine: // Σ (-1)^k (πL/4)^{2k}/(2k)!
		var a, square, term mat.Dense
		a.Scale(math.Pi/4, l)
		square.Mul(&a, &a)
		term.CloneFrom(eye)
		for k := 1; k < 40; k++ {
			out.Add(out, &term)
			var next mat.Dense
			next.Mul(&term, &square)
			next.Scale(-1/float64((2*k-1)*(2*k)), &next)
			term.CloneFrom(&next)
		}
	case graph.Cutoff:
		var e mat.EigenSym
		s := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				s.SetSym(i, j, l.At(i, j))
			}
		}
		if !e.Factorize(s, true) {
			t.Fatal("no eigenvectors")
		}
		var v mat.Dense
		e.VectorsTo(&v)
		for c, lambda := range e.Values(nil) {
			if lambda > r.Cut {
				continue
			}
			for i := range n {
				for j := range n {
					out.Set(i, j, out.At(i, j)+v.At(i, c)*v.At(j, c))
				}
			}
		}
	}
	return out
}

// knownOf is every fifth node of those below n with its class, and one of the pair apart.
func knownOf(group []int, n, classes int) Known {
	k := Known{Classes: classes}
	for i := 0; i < n; i += 5 {
		k.Nodes, k.Y = append(k.Nodes, i), append(k.Y, float64(group[i]))
	}
	k.Nodes, k.Y = append(k.Nodes, n+2), append(k.Y, 1)
	if classes == 0 {
		for i := range k.Y {
			k.Y[i] = math.Sin(float64(3*i)) + k.Y[i]
		}
	}
	return k
}

// Direct and iterative solutions, of numbers, two classes and three, are those of (K + λ)α = y by
// elimination with K by its definition.
func TestFitIsTheDenseSolution(t *testing.T) {
	for _, classes := range []int{0, 2, 3} {
		groups := max(classes, 2)
		g, group := blocks(groups, 24/groups, 3)
		n := 24
		known := knownOf(group, n, classes)
		part := g
		part.Nodes-- // the node alone has no answer
		for _, combinatorial := range []bool{false, true} {
			laplacian := graph.NewNormalisedLaplacian
			if combinatorial {
				laplacian = graph.NewLaplacian
			}
			l, err := laplacian(part)
			if err != nil {
				t.Fatal(err)
			}
			values, _, _ := l.Eigen()
			transforms := []graph.Transform{graph.Regularised{Epsilon: 0.05}, graph.Diffusion{Sigma: 2},
				graph.WalkSteps{Steps: 1}, graph.WalkSteps{Steps: 5, Alpha: l.Largest() + 1},
				graph.Cutoff{Cut: (values[5] + values[6]) / 2}}
			if !combinatorial {
				transforms = append(transforms, graph.InverseCosine{})
			}
			for _, r := range transforms {
				k := bruteKernel(t, l.Dense(), r, l.Largest())
				k.Scale(1/r.At(0, l.Largest()), k)
				want := bruteValues(t, k, known, 0.1)
				for _, iterative := range []bool{false, true} {
					s, err := NewSpace(g, known.Nodes)
					if err != nil {
						t.Fatal(err)
					}
					s.Iterative = iterative
					m, err := s.Fit(t.Context(), known, Setting{combinatorial, r, 0.1}, 1)
					if err != nil {
						t.Fatalf("%v %v: %v", r, iterative, err)
					}
					if rep := m.Report(); !rep.Converged || iterative && rep.Certified != "relative residual" &&
						rep.Certified != "residual of eigenvectors" || rep.Certificate > 2e-8*(1+l.Largest()) {
						t.Errorf("%v: report %+v", r, rep)
					}
					for v := range part.Nodes {
						for c, x := range m.Decision(v) {
							if d := math.Abs(x - want.At(v, c)); d > 2e-6 {
								t.Fatalf("%d classes, %s, iterative %v: f(%d)[%d] = %v, want %v", classes, Setting{combinatorial, r, 0.1},
									iterative, v, c, x, want.At(v, c))
							}
						}
					}
					if !m.Alone(n+4) || m.Alone(n+3) || !m.Alone(-1) || !m.Alone(g.Nodes) {
						t.Errorf("alone: %v %v", m.Alone(n+4), m.Alone(n+3))
					}
				}
			}
		}
	}
}

// bruteValues is b + K·(K_known + λ·mean(kᵢᵢ))⁻¹(y − b) at every node.
func bruteValues(t *testing.T, k *mat.Dense, known Known, lambda float64) *mat.Dense {
	n, _ := k.Dims()
	m := len(known.Nodes)
	mean := mat.Trace(k) / float64(n)
	y, bias := known.targets()
	a, cross := mat.NewDense(m, m, nil), mat.NewDense(n, m, nil)
	for j, v := range known.Nodes {
		for i, u := range known.Nodes {
			a.Set(i, j, k.At(u, v))
		}
		a.Set(j, j, a.At(j, j)+lambda*mean)
		for i := range n {
			cross.Set(i, j, k.At(i, v))
		}
	}
	var alpha, out mat.Dense
	if err := alpha.Solve(a, y); err != nil {
		t.Fatal(err)
	}
	out.Mul(cross, &alpha)
	for i := range n {
		for c, b := range bias {
			out.Set(i, c, out.At(i, c)+b)
		}
	}
	return &out
}

// A large graph is solved to the certificate, and each value is that of f = K·α with the residual
// seen anew; the bits are the same at any number of threads.
func TestLargeGraphHasTheSameBits(t *testing.T) {
	g, group := blocks(4, 420, 9) // above graph.ExactNodes
	if g.Nodes <= graph.ExactNodes {
		t.Fatal("the graph is too small for this test")
	}
	known := knownOf(group, 1680, 4)
	var first []Plain
	for _, threads := range []int{1, 2, 8} {
		for i, r := range []graph.Transform{graph.Regularised{Epsilon: 0.1}, graph.Diffusion{Sigma: 3},
			graph.WalkSteps{Steps: 4}, graph.InverseCosine{}} {
			s, err := NewSpace(g, known.Nodes)
			if err != nil {
				t.Fatal(err)
			}
			s.Resources.Threads = threads
			m, err := s.Fit(t.Context(), known, Setting{Transform: r, Lambda: 0.1}, 0)
			if err != nil {
				t.Fatal(err)
			}
			if rep := m.Report(); !rep.Converged || rep.Certificate > 1e-7 {
				t.Errorf("%s: %+v", r.Name(), rep)
			}
			p := m.Plain()
			if threads == 1 {
				first = append(first, p)
				continue
			}
			if !mat.Equal(p.Values, first[i].Values) || p.Slope != first[i].Slope {
				t.Errorf("%s: other bits with %d threads", r.Name(), threads)
			}
		}
	}
}

// A search finds the planted groups, says how well, and takes the best of what it tried.
func TestChoose(t *testing.T) {
	for _, classes := range []int{2, 3} {
		g, group := blocks(classes, 40, 5)
		known := knownOf(group, classes*40, classes)
		s, err := NewSpace(g, known.Nodes)
		if err != nil {
			t.Fatal(err)
		}
		for _, iterative := range []bool{false, true} {
			s.Iterative = iterative
			candidates, reasons, err := s.Candidates(t.Context(), false, classes)
			if err != nil || len(reasons) > 0 {
				t.Fatal(err, reasons)
			}
			families := map[string]bool{}
			for _, c := range candidates {
				families[c.Transform.Name()] = true
			}
			if len(families) != 5 {
				t.Fatalf("candidates of %v", families)
			}
			choice, err := s.Choose(t.Context(), known, Search{Candidates: candidates, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if choice.Tried != len(candidates) || len(choice.Cells) != 4*len(candidates) ||
				len(choice.Best.Held) != len(known.Nodes) {
				t.Errorf("tried %d of %d, %d cells", choice.Tried, len(candidates), len(choice.Cells))
			}
			for _, c := range choice.Cells {
				if c.better(choice.Best, true) {
					t.Errorf("%s: %v is better than what was chosen, %s: %v", c.Setting, c.Score, choice.Best.Setting,
						choice.Best.Score)
				}
			}
			if choice.Best.Score < 0.9 {
				t.Errorf("%d classes: %s classifies %v right", classes, choice.Best.Setting, choice.Best.Score)
			}
			m, err := s.Fit(t.Context(), known, choice.Best.Setting, choice.Best.Slope)
			if err != nil {
				t.Fatal(err)
			}
			all := make([]int, classes*40)
			right := 0
			for i := range all {
				all[i] = i
			}
			p := m.Predict(all)
			for i, c := range p.Class {
				if c == group[i] {
					right++
				}
				sum := 0.0
				for _, v := range p.Prob[i*classes : (i+1)*classes] {
					sum += v
				}
				if math.Abs(sum-1) > 1e-12 {
					t.Fatalf("probabilities of node %d sum to %v", i, sum)
				}
			}
			if right < len(all)*9/10 {
				t.Errorf("%d of %d nodes right", right, len(all))
			}
		}
	}
}

// Out-of-fold values are those of a fit without the fold.
func TestHeldOutValuesAreOfAFitWithoutThem(t *testing.T) {
	g, group := blocks(2, 20, 7)
	known := knownOf(group, 40, 0)
	s, err := NewSpace(g, known.Nodes)
	if err != nil {
		t.Fatal(err)
	}
	set := Setting{Transform: graph.Diffusion{Sigma: 2}, Lambda: 0.1}
	choice, err := s.Choose(t.Context(), known, Search{Candidates: []Candidate{{Transform: set.Transform}},
		Lambdas: []float64{0.1}, Folds: 3, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	part := known.Folds(3, 4)
	sum := 0.0
	for f := range 3 {
		var train, test []int
		for i, p := range part {
			if p == f {
				test = append(test, i)
			} else {
				train = append(train, i)
			}
		}
		m, err := s.Fit(t.Context(), known.Gather(train), set, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range test {
			want := m.Predict([]int{known.Nodes[i]}).Value[0]
			if got := choice.Best.Values.At(i, 0); math.Abs(got-want) > 1e-9 {
				t.Errorf("node %d: %v, want %v", known.Nodes[i], got, want)
			}
			sum += (want - known.Y[i]) * (want - known.Y[i])
		}
	}
	if want := math.Sqrt(sum / float64(len(known.Y))); math.Abs(choice.Best.Score-want) > 1e-9 {
		t.Errorf("score %v, want %v", choice.Best.Score, want)
	}
}

// A model is what its plain data make.
func TestRestore(t *testing.T) {
	g, group := blocks(3, 10, 2)
	known := knownOf(group, 30, 3)
	s, err := NewSpace(g, known.Nodes)
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.Fit(t.Context(), known, Setting{Transform: graph.Diffusion{Sigma: 2}, Lambda: 0.1}, 2)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Restore(m.Plain())
	if err != nil {
		t.Fatal(err)
	}
	all := make([]int, g.Nodes+1)
	for i := range all {
		all[i] = i - 1
	}
	a, b := m.Predict(all), again.Predict(all)
	for i := range a.Prob {
		if a.Prob[i] != b.Prob[i] || a.Score[i] != b.Score[i] {
			t.Fatalf("entry %d: %v, want %v", i, b.Prob[i], a.Prob[i])
		}
	}
}
