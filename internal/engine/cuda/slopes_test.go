package cuda

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// slopeTrees have every operation and metric, sums and products, a source that is loaded twice,
// more than eight operations and more than sixteen coordinates.
func slopeTrees() map[string]Tree {
	one := func(m Metric, d int, code ...Instruction) Tree {
		return Tree{Sources: []Source{{m, d}}, Code: append([]Instruction{{Op: Load}}, code...),
			Table: []float64{1, 1, 1.0 / 3}}
	}
	return map[string]Tree{
		"gauss":    one(SqDist, 3, Instruction{Op: Exp, A: -0.7}, Instruction{Op: Affine, A: 2, B: 0.5}),
		"wide":     one(SqDist, 37, Instruction{Op: Exp, A: -0.05}),
		"laplace":  one(SqDist, 2, Instruction{Op: Sqrt}, Instruction{Op: Exp, A: -0.8}),
		"l1":       one(L1Dist, 4, Instruction{Op: Exp, A: -0.5}),
		"matern":   one(SqDist, 3, Instruction{Op: Matern, Index: 3, A: 1.2}),
		"matern 1": one(SqDist, 3, Instruction{Op: Matern, Index: 1, A: 1.2}),
		"ratio":    one(SqDist, 3, Instruction{Op: Ratio, A: 0.6, B: -1.5}),
		"power":    one(SqDist, 3, Instruction{Op: Affine, A: 0.5, B: 1}, Instruction{Op: Power, A: -0.7}),
		"poly":     one(Inner, 18, Instruction{Op: Affine, A: 0.2, B: 1}, Instruction{Op: PowerI, Index: 3}),
		"tanh":     one(Inner, 3, Instruction{Op: Affine, A: 0.2, B: 0.1}, Instruction{Op: Tanh}),
		"chi":      one(ChiSqDist, 3, Instruction{Op: Exp, A: -1}),
		"min":      one(MinSum, 3),
		"many": {Sources: []Source{{SqDist, 3}, {Inner, 2}}, Table: []float64{1, 1}, Code: []Instruction{
			{Op: Load}, {Op: Exp, A: -0.5}, {Op: Load, Index: 1}, {Op: Affine, A: 0.3, B: 1}, {Op: PowerI, Index: 2}, {Op: Mul},
			{Op: Constant, A: 0.25}, {Op: Add}, {Op: Load}, {Op: Matern, Index: 2, A: 0.9}, {Op: Constant, A: 1.5}, {Op: Mul},
			{Op: Add}, {Op: Affine, A: 2},
		}},
	}
}

// tree64 is a tree without points.
func tree64(t Tree) tree[float64] {
	e := tree[float64]{table: t.Table}
	for _, c := range t.Code {
		e.code = append(e.code, float64(c.Op), float64(c.Index), c.A, c.B)
	}
	return e
}

// weighed is Σ Wᵢⱼ k(xᵢ, xⱼ) by loops, of points in each source.
func weighed(t Tree, x [][]float64, w []float64, n int) float64 {
	e := tree64(t)
	for i, s := range t.Sources {
		e.origins = append(e.origins, origin[float64]{x[i], x[i], s.Dim, s.Metric})
	}
	sum := 0.0
	for i := range n {
		for j := range n {
			sum += w[i*n+j] * e.at(uint64(i), uint64(j))
		}
	}
	return sum
}

// The derivatives by all numbers and all coordinates are the differences of the sum, on one tile,
// several, and several targets; sources that do not move are left alone.
func TestSlopes(t *testing.T) {
	for where, d := range under(t) {
		chip := strings.HasPrefix(where, "chip")
		if where == "sm_80" {
			continue // the emulation is the same
		}
		for name, tree := range slopeTrees() {
			for _, n := range []int{7, 70} {
				if n > 7 && !chip && name != "many" {
					continue
				}
				slopesOnce(t, d, where+", "+name, tree, n, 1+n%2)
			}
		}
		if !chip && Left(d) != "" {
			t.Error(Left(d))
		}
	}
}

func slopesOnce(t *testing.T, d Device, name string, tree Tree, n, targets int) {
	t.Helper()
	const h = 1e-5
	rng := rand.New(rand.NewPCG(uint64(n), 3))
	x := make([][]float64, len(tree.Sources))
	var all []float64
	for i, s := range tree.Sources {
		for range n * s.Dim {
			x[i] = append(x[i], 0.2+rng.Float64()*1.5/math.Sqrt(float64(s.Dim))*2)
		}
		all = append(all, x[i]...)
	}
	inverse, alpha, w := make([]float64, n*n), make([]float64, targets*n), make([]float64, n*n)
	for i := range alpha {
		alpha[i] = rng.NormFloat64()
	}
	for i := range n {
		for j := range n {
			inverse[i*n+j] = math.NaN() // above the diagonal nothing is read
			if j <= i {
				v := rng.NormFloat64()
				inverse[i*n+j] = v
				v *= -float64(targets)
				for c := range targets {
					v += alpha[c*n+i] * alpha[c*n+j]
				}
				w[i*n+j], w[j*n+i] = v/2, v/2
			}
		}
	}
	wanted, moves := make([][2]bool, len(tree.Code)), make([]bool, len(tree.Sources))
	for i := range wanted {
		wanted[i] = [2]bool{true, true}
	}
	for i := range moves {
		moves[i] = i == 0 || n == 7
	}
	s, err := NewTree(d, tree)
	check(t, err)
	defer s.Close()
	px, pi, pa := put(t, d, all), put(t, d, inverse), put(t, d, alpha)
	numbers, images, err := s.Slopes(0, Points{n, px}, Weights{pi, pa, targets}, wanted, moves)
	check(t, err)
	for _, p := range []Ptr{px, pi, pa} {
		check(t, d.Free(p))
	}
	slope := func(v *float64) float64 {
		at := *v
		*v = at + h
		up := weighed(tree, x, w, n)
		*v = at - h
		down := weighed(tree, x, w, n)
		*v = at
		return (up - down) / (2 * h)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 2e-6*(float64(n)+math.Abs(want))) {
			t.Errorf("%s, n = %d: %s is %.10g, differences give %.10g", name, n, what, got, want)
		}
	}
	tree.Code = slices.Clone(tree.Code)
	for i := range tree.Code {
		c := &tree.Code[i]
		switch c.Op {
		case Constant, Exp, Power, Matern, Affine, Ratio:
			near("a derivative by A", numbers[i][0], slope(&c.A))
		}
		if c.Op == Affine || c.Op == Ratio {
			near("a derivative by B", numbers[i][1], slope(&c.B))
		}
	}
	for i := range x {
		if !moves[i] {
			if images[i] != nil {
				t.Errorf("%s: source %d was not to move", name, i)
			}
			continue
		}
		for c := range x[i] {
			if c%max(1, len(x[i])/20) == 0 { // some
				near("a derivative by a coordinate", images[i][c], slope(&x[i][c]))
			}
		}
	}
}
