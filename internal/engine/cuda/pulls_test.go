package cuda

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// The derivatives of Σ Wᵢⱼ k(aᵢ, bⱼ) by all numbers and by the coordinates of both sides are the
// differences of the sum: several blocks on the left, weights of rows and vectors or none, sources
// of which only one side is wanted.
func TestPulls(t *testing.T) {
	for where, d := range under(t) {
		if where == "sm_80" {
			continue // the emulation is the same
		}
		chip := strings.HasPrefix(where, "chip")
		for name, tree := range slopeTrees() {
			for _, size := range [][2]int{{9, 5}, {300, 130}} {
				if size[0] > 9 && !chip && name != "gauss" {
					continue
				}
				pullsOnce(t, d, where+", "+name, tree, size[0], size[1], size[0]%2)
			}
		}
		if !chip && Left(d) != "" {
			t.Error(Left(d))
		}
	}
}

func pullsOnce(t *testing.T, d Device, name string, tree Tree, na, nb, targets int) {
	t.Helper()
	const h = 1e-5
	rng := rand.New(rand.NewPCG(uint64(na), 4))
	draw := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = rng.NormFloat64()
		}
		return out
	}
	given, scale, left, right := draw(na*nb), draw(na), draw(targets*na), draw(targets*nb)
	if targets == 0 {
		scale = nil
	}
	weight := func(i, j int) float64 {
		w := given[i*nb+j]
		if scale != nil {
			w *= scale[i]
		}
		for c := range targets {
			w += left[c*na+i] * right[c*nb+j]
		}
		return w
	}
	e := tree64(tree)
	a, b := make([][]float64, len(tree.Sources)), make([][]float64, len(tree.Sources))
	for i, s := range tree.Sources {
		point := func() float64 { return 0.2 + rng.Float64()*1.5/math.Sqrt(float64(s.Dim))*2 }
		for range na * s.Dim {
			a[i] = append(a[i], point())
		}
		for range nb * s.Dim {
			b[i] = append(b[i], point())
		}
		e.origins = append(e.origins, origin[float64]{a[i], b[i], s.Dim, s.Metric})
	}
	total := func(rows, columns []int) float64 { // of some pairs
		sum := 0.0
		for _, i := range rows {
			for _, j := range columns {
				sum += weight(i, j) * e.at(uint64(i), uint64(j))
			}
		}
		return sum
	}
	all := func(n int) []int {
		out := make([]int, n)
		for i := range out {
			out[i] = i
		}
		return out
	}
	wanted, moves := make([][2]bool, len(tree.Code)), make([]bool, len(tree.Sources))
	for i := range wanted {
		wanted[i] = [2]bool{true, true}
	}
	for i := range moves {
		moves[i] = i == 0 || na == 9
	}
	s, err := NewTree(d, tree)
	check(t, err)
	defer s.Close()
	flat := func(x [][]float64, first, last, n int) (out []float64) {
		for i := range x {
			dim := len(x[i]) / n
			out = append(out, x[i][first*dim:last*dim]...)
		}
		return out
	}
	pb := put(t, d, flat(b, 0, nb, nb))
	taken := []Ptr{pb}
	p, err := s.NewPulls(0, Points{nb, pb}, wanted, moves, 2)
	check(t, err)
	byLeft := make([][]float64, len(a))
	for _, span := range [][2]int{{0, na / 3}, {na / 3, na}} {
		first, last := span[0], span[1]
		points := Points{last - first, put(t, d, flat(a, first, last, na))}
		w := PairWeights{Given: put(t, d, given[first*nb:last*nb]), Apart: na, Targets: targets}
		taken = append(taken, points.At, w.Given)
		if targets > 0 {
			w.Scale, w.Left, w.Right = put(t, d, scale[first:last]), put(t, d, left), put(t, d, right)
			taken = append(taken, w.Scale, w.Left, w.Right)
			w.Left += Ptr(8 * first)
		}
		values := put(t, d, make([]float64, points.N*nb))
		check(t, s.Rectangle(0, points, Points{nb, pb}, values))
		for at, v := range get(t, d, values, points.N*nb) {
			if want := e.at(uint64(first+at/nb), uint64(at%nb)); !(math.Abs(v-want) <= 1e-13*(1+math.Abs(want))) {
				t.Fatalf("%s: k is %g, want %g", name, v, want)
			}
		}
		to := make([]Ptr, len(a))
		for i, src := range tree.Sources {
			if moves[i] {
				to[i] = put(t, d, make([]float64, points.N*src.Dim))
			}
		}
		check(t, p.Add(0, points, w, to))
		for i, src := range tree.Sources {
			if moves[i] {
				byLeft[i] = append(byLeft[i], get(t, d, to[i], points.N*src.Dim)...)
				taken = append(taken, to[i])
			}
		}
		taken = append(taken, values)
	}
	if p.Add(0, Points{1, pb}, PairWeights{}, make([]Ptr, len(a))) == nil {
		t.Error("more blocks of points than were said")
	}
	numbers, byRight, err := p.Total(0)
	check(t, err)
	p.Close()
	for _, at := range taken {
		check(t, d.Free(at))
	}
	near := func(what string, got float64, rows, columns []int, v *float64) {
		t.Helper()
		at := *v
		*v = at + h
		up := total(rows, columns)
		*v = at - h
		down := total(rows, columns)
		*v = at
		if want := (up - down) / (2 * h); !(math.Abs(got-want) <= 2e-6*(float64(na)+math.Abs(want))) {
			t.Errorf("%s, %d × %d: %s is %.10g, differences give %.10g", name, na, nb, what, got, want)
		}
	}
	for i, c := range tree.Code {
		for second := range 2 {
			byA := c.Op == Constant || c.Op == Exp || c.Op == Power || c.Op == Matern || c.Op == Affine || c.Op == Ratio
			if second == 0 && byA || second == 1 && (c.Op == Affine || c.Op == Ratio) {
				near("a derivative by a number", numbers[i][second], all(na), all(nb), &e.code[4*i+2+second])
			}
		}
	}
	for i, src := range tree.Sources {
		if !moves[i] {
			if byRight[i] != nil {
				t.Errorf("%s: source %d was not to move", name, i)
			}
			continue
		}
		for c := range a[i] {
			if c%max(1, len(a[i])/20) == 0 { // some
				near("a derivative by a point on the left", byLeft[i][c], []int{c / src.Dim}, all(nb), &a[i][c])
			}
		}
		for c := range b[i] {
			if c%max(1, len(b[i])/20) == 0 {
				near("a derivative by a point on the right", byRight[i][c], all(na), []int{c / src.Dim}, &b[i][c])
			}
		}
	}
}

// Products with a triangle and sums of products, in strips and parts that do not come out even, are
// those of three loops; so are rows times numbers and their squares.
func TestRectangles(t *testing.T) {
	for where, d := range under(t) {
		d, chip := dense(t, where, d)
		if d == nil {
			continue
		}
		for _, size := range [][2]int{{3, 5}, {21, 130}, {50, 300}} {
			rows, n := size[0], size[1]
			rng := rand.New(rand.NewPCG(uint64(n), 6))
			a, l, by, base := make([]float64, rows*n), make([]float64, n*n), make([]float64, rows), make([]float64, rows*n)
			for i := range a {
				a[i], base[i] = rng.NormFloat64(), rng.NormFloat64()
			}
			for i := range n {
				for j := range i + 1 {
					l[i*n+j] = rng.NormFloat64()
				}
			}
			for i := range by {
				by[i] = rng.NormFloat64()
			}
			pa, pl, pb, po := put(t, d, a), put(t, d, l), put(t, d, by), put(t, d, base)
			near := func(what string, got, want float64) {
				t.Helper()
				if !(math.Abs(got-want) <= 1e-11*(1+math.Abs(want))) {
					t.Fatalf("%s, %d × %d, %s: %g, want %g", where, rows, n, what, got, want)
				}
			}
			for _, transposed := range []bool{false, true} {
				check(t, d.ToDevice(0, po, bytesOf(base)))
				check(t, TimesTriangle(d, 0, rows, n, pa, pl, transposed, transposed, po))
				got := get(t, d, po, rows*n)
				for i := range rows {
					for j := range n {
						want := 0.0
						for k := range n {
							if transposed {
								want += a[i*n+k] * l[j*n+k]
							} else {
								want += a[i*n+k] * l[k*n+j]
							}
						}
						if transposed {
							want += base[i*n+j]
						}
						near("a product with a triangle", got[i*n+j], want)
					}
				}
			}
			check(t, Scaled(d, 0, rows, n, pa, pb, po))
			scaled := get(t, d, po, rows*n)
			for i, v := range scaled {
				near("a number of a row", v, by[i/n]*a[i])
			}
			m, err := NewMoment(d, n)
			check(t, err)
			for range 2 {
				check(t, m.Add(0, rows, pa, po))
			}
			sum := put(t, d, l)
			check(t, m.Sum(0, -0.5, true, sum))
			got := get(t, d, sum, n*n)
			for i := range n {
				for j := range i + 1 {
					want := l[i*n+j]
					for k := range rows {
						want -= a[k*n+i] * scaled[k*n+j]
					}
					near("a moment", got[i*n+j], want)
				}
			}
			m.Close()
			check(t, Squares(d, 0, rows, n, pa, pb))
			for i, v := range get(t, d, pb, rows) {
				want := 0.0
				for _, x := range a[i*n : (i+1)*n] {
					want += x * x
				}
				near("a sum of squares", v, want)
			}
			for _, p := range []Ptr{pa, pl, pb, po, sum} {
				check(t, d.Free(p))
			}
		}
		if !chip && Left(d) != "" {
			t.Error(Left(d))
		}
	}
}
