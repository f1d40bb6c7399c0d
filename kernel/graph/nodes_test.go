package graph

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// segments are paths side by side.
func segments(lengths ...int) Graph {
	g := Graph{}
	for _, n := range lengths {
		for i := range n - 1 {
			g.Edges = append(g.Edges, [2]int32{int32(g.Nodes + i), int32(g.Nodes + i + 1)})
		}
		g.Nodes += n
	}
	return g
}

func weightedGraph(seed uint64, n int) Graph {
	g := randomGraph(rand.New(rand.NewPCG(seed, 1)), n, 0.3)
	g.Nodes++ // and a node alone
	g.NodeLabels, g.NodeAttrs, g.EdgeLabels = nil, nil, nil
	return g
}

// The definition, entry by entry, and fᵀLf = ½ Σ Wᵢⱼ(fᵢ − fⱼ)².
func TestLaplacianEntries(t *testing.T) {
	g := weightedGraph(1, 9)
	w, _ := adjacency(g)
	l, err := NewLaplacian(g)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewNormalisedLaplacian(g)
	if err != nil {
		t.Fatal(err)
	}
	degree := make([]float64, g.Nodes)
	f, rough := make([]float64, g.Nodes), 0.0
	for i := range w {
		f[i] = math.Sin(float64(3 * i))
		for _, v := range w[i] {
			degree[i] += v
		}
	}
	for i := range w {
		for j := range w {
			rough += w[i][j] * (f[i] - f[j]) * (f[i] - f[j]) / 2
			want, scaled := -w[i][j], 0.0
			if i == j {
				want += degree[i]
			}
			if degree[i] > 0 && degree[j] > 0 {
				scaled = want / math.Sqrt(degree[i]*degree[j])
			}
			if math.Abs(l.Dense().At(i, j)-want) > 1e-14 || math.Abs(s.Dense().At(i, j)-scaled) > 1e-14 {
				t.Errorf("entry (%d, %d): %v and %v, want %v and %v", i, j, l.Dense().At(i, j), s.Dense().At(i, j), want, scaled)
			}
		}
	}
	if got := l.Smoothness(f); math.Abs(got-rough) > 1e-12 {
		t.Errorf("fᵀLf = %v, want %v", got, rough)
	}
	for _, l := range []*Laplacian{l, s} {
		values, _, err := l.Eigen()
		if err != nil || values[len(values)-1] > l.Largest()+1e-12 {
			t.Errorf("eigenvalues %v, bound %v, error %v", values, l.Largest(), err)
		}
	}
}

// Two linear segments: as many eigenvalues 0 as components, the others 4 sin²(πk/2m), and null
// vectors that are constant on a component.
func TestTwoSegments(t *testing.T) {
	l, err := NewLaplacian(segments(8, 12))
	if err != nil {
		t.Fatal(err)
	}
	values, _, err := l.Eigen()
	if err != nil {
		t.Fatal(err)
	}
	var want []float64
	for _, m := range []int{8, 12} {
		for k := range m {
			s := math.Sin(math.Pi * float64(k) / float64(2*m))
			want = append(want, 4*s*s)
		}
	}
	for _, w := range want {
		near := math.Inf(1)
		for _, v := range values {
			near = min(near, math.Abs(v-w))
		}
		if near > 1e-12 {
			t.Errorf("no eigenvalue %v among %v", w, values)
		}
	}
	if values[1] > 1e-12 || values[2] < 1e-3 {
		t.Errorf("eigenvalues %v, want two zeros", values[:3])
	}
	component, count := l.Components()
	if count != 2 || component[7] != 0 || component[8] != 1 {
		t.Errorf("components %v", component)
	}
}

// Components and the null space, for isolated nodes too, of both Laplacians.
func TestNullSpace(t *testing.T) {
	g := weightedGraph(3, 6)
	for _, make := range []func(Graph) (*Laplacian, error){NewLaplacian, NewNormalisedLaplacian} {
		l, err := make(segmentsWith(g))
		if err != nil {
			t.Fatal(err)
		}
		values, _, err := l.Eigen()
		if err != nil {
			t.Fatal(err)
		}
		_, count := l.Components()
		for i, v := range values {
			if (v < 1e-12) != (i < count) {
				t.Errorf("%d components, eigenvalues %v", count, values)
				break
			}
		}
		n := l.NullSpace()
		var zero, gram mat.Dense
		zero.Mul(l.Dense(), n)
		gram.Mul(n.T(), n)
		if mat.Norm(&zero, 2) > 1e-13 {
			t.Errorf("‖L·N‖ = %v", mat.Norm(&zero, 2))
		}
		for i := range count {
			gram.Set(i, i, gram.At(i, i)-1)
		}
		if mat.Norm(&gram, 2) > 1e-13 {
			t.Errorf("NᵀN is not the identity")
		}
	}
}

// segmentsWith is g and two nodes and a pair besides.
func segmentsWith(g Graph) Graph {
	n := int32(g.Nodes)
	g.Nodes += 4
	g.Edges = append(g.Edges, [2]int32{n + 1, n + 3})
	g.Weights = append(g.Weights, 2)
	return g
}

// Each transform against a formula with the matrix itself.
func TestTransformsOfTheMatrix(t *testing.T) {
	g := weightedGraph(2, 12)
	n := g.Nodes
	for _, normalised := range []bool{true, false} {
		l, err := newLaplacian(g, normalised)
		if err != nil {
			t.Fatal(err)
		}
		eye := mat.NewDense(n, n, nil)
		for i := range n {
			eye.Set(i, i, 1)
		}
		shifted := func(sign, by float64) *mat.Dense { // sign·L + by·I
			var m mat.Dense
			m.Scale(by, eye)
			var s mat.Dense
			s.Scale(sign, l.Dense())
			m.Add(&m, &s)
			return &m
		}
		var inverse, heat, cube mat.Dense
		if err := inverse.Inverse(shifted(1, 0.3)); err != nil {
			t.Fatal(err)
		}
		heat.Exp(shifted(-0.5*1.3*1.3, 0))
		cube.Pow(shifted(-1, l.Largest()+0.5), 3)
		want := map[Transform]*mat.Dense{
			Regularised{0.3}: &inverse, Diffusion{1.3}: &heat, WalkSteps{Alpha: l.Largest() + 0.5, Steps: 3}: &cube,
			WalkSteps{}: shifted(-1, l.Largest()),
		}
		if normalised {
			want[InverseCosine{}] = cosine(shifted(math.Pi/4, 0))
		}
		for r, m := range want {
			k := Nodes{l, r}
			for i := range n {
				for j := range n {
					if got := k.Eval(i, j); math.Abs(got-m.At(i, j)) > 1e-11*mat.Norm(m, 2) {
						t.Fatalf("%s: k(%d, %d) = %v, want %v", r.Name(), i, j, got, m.At(i, j))
					}
				}
			}
			all := list(data.Indices(n))
			c := k.columns(context.Background(), all, all)
			for i := range n {
				for j := range n {
					if math.Abs(c.At(i, j)-m.At(i, j)) > 1e-11*mat.Norm(m, 2) {
						t.Fatalf("%s: column %d, row %d of the series is %v, want %v", r.Name(), j, i, c.At(i, j), m.At(i, j))
					}
				}
			}
			kerneltest.Run(t, kernel.Kernel[int](k), kerneltest.Options[int]{Points: data.Indices(n)})
		}
		kerneltest.Run(t, kernel.Kernel[int](Nodes{l, Cutoff{0.7}}), kerneltest.Options[int]{Points: data.Indices(n)})
	}
}

// cosine is Σ (−1)^k m^{2k}/(2k)!.
func cosine(m *mat.Dense) *mat.Dense {
	n, _ := m.Dims()
	sum, term := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		sum.Set(i, i, 1)
		term.Set(i, i, 1)
	}
	for k := 1; k < 30; k++ {
		var next mat.Dense
		next.Product(m, m, term)
		next.Scale(-1/float64(2*k*(2*k-1)), &next)
		term.Copy(&next)
		sum.Add(sum, term)
	}
	return sum
}

// A ring too large to decompose: r(L) is a Fourier sum.
func TestLargeRing(t *testing.T) {
	const n = 2000
	g := segments(n)
	g.Edges = append(g.Edges, [2]int32{n - 1, 0})
	l, err := NewNormalisedLaplacian(g)
	if err != nil {
		t.Fatal(err)
	}
	x, y := data.Slice[int]{0, 3, 999, 1999}, data.Slice[int]{0, 5, 1998}
	for _, r := range []Transform{Regularised{0.01}, Diffusion{3}, WalkSteps{Steps: 7}, InverseCosine{}} {
		k := Nodes{l, r}
		if err := kernel.Check(kernel.Kernel[int](k), data.Points[int](x)); err != nil {
			t.Fatal(err)
		}
		dst := mat.NewDense(4, 3, nil)
		k.PreparePoints(context.Background(), x, y)(dst, 0, 0)
		for i, a := range x {
			for j, b := range y {
				want := 0.0
				for f := range n {
					angle := 2 * math.Pi * float64(f) / n
					want += r.At(1-math.Cos(angle), 2) * math.Cos(angle*float64(a-b)) / n
				}
				big := r.At(0, 2)
				if math.Abs(dst.At(i, j)-want) > 1e-12*big {
					t.Errorf("%s: k(%d, %d) = %v, want %v", r.Name(), a, b, dst.At(i, j), want)
				}
			}
		}
		flat := mat.NewDense(2, 3, nil)
		k.PreparePoints(context.Background(), y, x)(flat, 1, 0)
		if math.Abs(flat.At(0, 2)-dst.At(2, 1)) > 1e-12 || math.Abs(flat.At(1, 1)-dst.At(1, 2)) > 1e-12 {
			t.Errorf("%s: the transposed block is %v", r.Name(), flat)
		}
		if got := k.Eval(999, 5); math.Abs(got-dst.At(2, 1)) > 1e-12 || got != k.Eval(5, 999) {
			t.Errorf("%s: Eval is %v, in a block %v", r.Name(), got, dst.At(2, 1))
		}
	}
	if err := (Nodes{l, Regularised{1e-12}}).CheckPoints(x); err == nil ||
		!strings.Contains(err.Error(), "varies too fast") {
		t.Errorf("a pole at the end of the spectrum: %v", err)
	}
}

// Forty complete graphs, too large together to decompose: the functions below the cut are constant
// on each.
func TestLargeCutoff(t *testing.T) {
	g := Graph{Nodes: 40 * 40}
	for c := range 40 {
		for i := range 40 {
			for j := range i {
				g.Edges = append(g.Edges, [2]int32{int32(40*c + i), int32(40*c + j)})
			}
		}
	}
	l, err := NewLaplacian(g)
	if err != nil {
		t.Fatal(err)
	}
	k := Nodes{l, Cutoff{1}}
	if err := k.CheckPoints(data.Indices(g.Nodes)); err != nil {
		t.Fatal(err)
	}
	for _, p := range [][2]int{{0, 0}, {0, 39}, {0, 40}, {1599, 1561}, {800, 900}} {
		want := 0.0
		if p[0]/40 == p[1]/40 {
			want = 1.0 / 40
		}
		if got := k.Eval(p[0], p[1]); math.Abs(got-want) > 1e-8 {
			t.Errorf("k(%d, %d) = %v, want %v", p[0], p[1], got, want)
		}
	}
}

func TestNodesRefuse(t *testing.T) {
	if _, err := NewLaplacian(Graph{Nodes: 1, Edges: [][2]int32{{0, 1}}}); err == nil {
		t.Error("an edge to nowhere: no error")
	}
	if _, err := NewLaplacian(Graph{Nodes: 3, Edges: [][2]int32{{0, 1}, {1, 2}},
		Weights: []float64{1e308, 1e308}}); err == nil {
		t.Error("degrees that overflow: no error")
	}
	l, err := NewLaplacian(segments(5))
	if err != nil {
		t.Fatal(err)
	}
	for what, k := range map[string]Nodes{
		"a Laplacian and a Transform": {}, "epsilon = -1": {l, Regularised{-1}}, "sigma = NaN": {l, Diffusion{math.NaN()}},
		"alpha = 1, want at least 4": {l, WalkSteps{Alpha: 1}}, "steps = -2": {l, WalkSteps{Steps: -2}},
		"take the normalised Laplacian": {l, InverseCosine{}}, "cut = -1": {l, Cutoff{-1}},
	} {
		if err := kernel.Validate(kernel.Kernel[int](k)); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("error %v, want %q", err, what)
		}
	}
	err = Nodes{l, Diffusion{}}.CheckPoints(data.Slice[int]{1, 5})
	if err == nil || !strings.Contains(err.Error(), "point 1 is node 5") {
		t.Errorf("a node that is not there: %v", err)
	}
	empty, err := NewLaplacian(Graph{})
	if err != nil {
		t.Fatal(err)
	}
	if v, _, err := empty.Eigen(); err != nil || len(v) != 0 || !empty.NullSpace().IsEmpty() || !empty.Dense().IsEmpty() {
		t.Errorf("a graph without nodes: %v %v", v, err)
	}
	alone, err := NewNormalisedLaplacian(Graph{Nodes: 2000})
	if err != nil {
		t.Fatal(err)
	}
	if k := (Nodes{alone, Diffusion{2}}); k.Eval(7, 7) != 1 || k.Eval(7, 8) != 0 {
		t.Errorf("nodes alone: %v %v", k.Eval(7, 7), k.Eval(7, 8))
	}
}

// The neighbours are those of a full sort, and joined from either side.
func TestNearest(t *testing.T) {
	x := kerneltest.Vectors(3, 20, 2)
	k := kernel.Gaussian{Lengthscale: 2}
	g, err := Nearest(t.Context(), kernel.Kernel[kernel.Vec](k), x, 3)
	if err != nil || g.Validate() != nil {
		t.Fatal(err, g.Validate())
	}
	w, _ := adjacency(g)
	for i := range 20 {
		for j := range 20 {
			closer := func(i, j int) int { // points nearer to i than j is
				n := 0
				for m := range 20 {
					if m != i && kernel.SqDist.Between(x.At(i), x.At(m)) < kernel.SqDist.Between(x.At(i), x.At(j)) {
						n++
					}
				}
				return n
			}
			want := 0.0
			if i != j && (closer(i, j) < 3 || closer(j, i) < 3) {
				want = k.Eval(x.At(i), x.At(j))
			}
			if math.Abs(w[i][j]-want) > 1e-15 {
				t.Errorf("weight of (%d, %d) is %v, want %v", i, j, w[i][j], want)
			}
		}
	}
	if _, err := Nearest(t.Context(), kernel.Kernel[kernel.Vec](k), x, 20); err == nil {
		t.Error("as many neighbours as points: no error")
	}
	if _, err := Nearest(t.Context(), kernel.Kernel[kernel.Vec](kernel.Linear{}), x, 19); err == nil ||
		!strings.Contains(err.Error(), "weights of a graph are positive") {
		t.Errorf("negative weights: %v", err)
	}
}

func BenchmarkColumnOf100000Edges(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	g := Graph{Nodes: 20000}
	for range 100000 {
		if a, c := rng.Int32N(20000), rng.Int32N(20000); a != c {
			g.Edges = append(g.Edges, [2]int32{a, c})
		}
	}
	l, err := NewNormalisedLaplacian(g)
	if err != nil {
		b.Fatal(err)
	}
	k := Nodes{l, Diffusion{3}}
	b.ResetTimer()
	for range b.N {
		k.Eval(1, 2)
	}
}
