package cuda

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// under is the devices that the arithmetic is tested on: emulated ones, and the chip where there is
// one.
func under(t *testing.T) map[string]Device {
	out := map[string]Device{"sm_80": Emulate(Emulated{}), "hopper": Emulate(Emulated{Hopper: true})}
	real, err := Open()
	if err != nil {
		t.Log("SKIPPED: kernels are NOT tested on a GPU here:", err)
		return out
	}
	t.Cleanup(func() { _ = real[0].Close() })
	out["chip"] = real[0]
	if d := asOlder(t); d != nil {
		out["chip as sm_80"] = d
	}
	return out
}

// product is K(a, b)·v as a device makes it, of points that are dealt with as a caller does.
func product(
	t *testing.T, d Device, tree Tree, p Precision, a, b [][]float64, v []float64, columns int,
) ([]float64, *Sums) {
	t.Helper()
	reach := 0.0
	for _, x := range append(append([][]float64{}, a...), b...) {
		s := 0.0
		for _, c := range x {
			s += c * c
		}
		reach = math.Max(reach, math.Sqrt(s))
	}
	s, err := NewSums(d, tree, p, slices.Repeat([]float64{reach}, len(tree.Sources)), int64(max(32*len(a)*columns, 1<<14)))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var given []Ptr
	defer func() {
		for _, q := range given {
			_ = d.Free(q)
		}
	}()
	give := func(bytes int64) Ptr {
		q, err := d.Alloc(bytes)
		if err != nil {
			t.Fatal(err)
		}
		given = append(given, q)
		return q
	}
	put := func(x [][]float64) Points {
		var flat32 []float32
		var flat64 []float64
		for i := range tree.Sources {
			scale, _ := s.Scale(i)
			for _, row := range x {
				for _, c := range row {
					flat32, flat64 = append(flat32, float32(c*scale)), append(flat64, c*scale)
				}
			}
		}
		raw := bytesOf(flat32)
		if p == Double {
			raw = bytesOf(flat64)
		}
		from := give(max(int64(len(raw)), s.DeviceBytes(len(x))))
		check(t, d.ToDevice(0, from, raw))
		out := Points{N: len(x), At: from}
		if s.Packed() {
			out.At = give(s.DeviceBytes(len(x)))
		}
		check(t, s.Put(0, from, len(x), out.At))
		return out
	}
	vs := make([]float64, Stride(len(b))*columns)
	vs32 := make([]float32, len(vs))
	for j := range b {
		for c := range columns {
			vs[c*Stride(len(b))+s.Slot(j)] = v[j*columns+c]
			vs32[c*Stride(len(b))+s.Slot(j)] = float32(v[j*columns+c])
		}
	}
	raw := bytesOf(vs32)
	if p == Double {
		raw = bytesOf(vs)
	}
	pv, out := give(int64(len(raw))), give(int64(8*len(a)*columns))
	check(t, d.ToDevice(0, pv, raw))
	x, y := put(a), put(b)
	got := make([]float64, len(a)*columns)
	var first []float64
	for range 2 { // twice: the same bits
		check(t, s.Times(0, x, y, pv, columns, 0.5, false, out))
		check(t, s.Times(0, x, y, pv, columns, 0.5, true, out))
		check(t, d.ToHost(0, bytesOf(got), out))
		check(t, d.Sync(0))
		if first != nil {
			for i := range got {
				if got[i] != first[i] {
					t.Errorf("other bits the second time: %g and %g", first[i], got[i])
					break
				}
			}
		}
		first = append([]float64{}, got...)
	}
	return got, s
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// trees are kernels of d columns with their meaning.
func trees(d int) map[string]struct {
	tree Tree
	eval func(x, y []float64) float64
} {
	sq := func(x, y []float64) float64 { return metricOf(SqDist, x, y) }
	in := func(x, y []float64) float64 { return metricOf(Inner, x, y) }
	l := math.Sqrt(float64(d))
	one := func(m Metric, code ...Instruction) Tree {
		return Tree{Sources: []Source{{m, d}}, Code: append([]Instruction{{Op: Load}}, code...)}
	}
	m32, m52 := one(SqDist, Instruction{Op: Matern, Index: 2, A: math.Sqrt(3) / l}),
		one(SqDist, Instruction{Op: Matern, Index: 3, A: math.Sqrt(5) / l})
	m32.Table, m52.Table = []float64{1, 1}, []float64{1, 1, 1.0 / 3}
	both := Tree{Sources: []Source{{SqDist, d}, {Inner, d}}, Table: []float64{1, 1}, Code: []Instruction{
		{Op: Load}, {Op: Exp, A: -0.5 / (l * l)}, {Op: Load, Index: 1}, {Op: Affine, A: 0.1, B: 1}, {Op: PowerI, Index: 3},
		{Op: Mul},
		{Op: Constant, A: 0.25}, {Op: Add}, {Op: Load}, {Op: Matern, Index: 2, A: 1 / l}, {Op: Add},
	}}
	sum, _ := Tree{Sources: []Source{{SqDist, d}, {Inner, d}}, Table: []float64{1, 1}, Code: []Instruction{
		{Op: Load}, {Op: Exp, A: -0.5 / (l * l)}, {Op: Load, Index: 1}, {Op: Affine, A: 0.1 / l, B: 1},
		{Op: PowerI, Index: 2}, {Op: Add}, {Op: Affine, A: 3},
		{Op: Load}, {Op: Matern, Index: 2, A: 1 / l}, {Op: Affine, A: 0.5}, {Op: Add},
	}}.Separate()
	return map[string]struct {
		tree Tree
		eval func(x, y []float64) float64
	}{
		"sum": {sum, func(x, y []float64) float64 {
			z := math.Sqrt(sq(x, y)) / l
			return 3*(math.Exp(-0.5*z*z)+math.Pow(0.1*in(x, y)/l+1, 2)) + 0.5*(1+z)*math.Exp(-z)
		}},
		"gaussian": {one(SqDist, Instruction{Op: Exp, A: -0.5 / (l * l)}),
			func(x, y []float64) float64 { return math.Exp(-0.5 * sq(x, y) / (l * l)) }},
		"scaled": {one(SqDist, Instruction{Op: Exp, A: -0.5 / (l * l)}, Instruction{Op: Affine, A: 3}),
			func(x, y []float64) float64 { return 3 * math.Exp(-0.5*sq(x, y)/(l*l)) }},
		"laplace": {one(SqDist, Instruction{Op: Sqrt}, Instruction{Op: Exp, A: -1 / l}),
			func(x, y []float64) float64 { return math.Exp(-math.Sqrt(sq(x, y)) / l) }},
		"matern 3/2": {m32, func(x, y []float64) float64 { z := math.Sqrt(3*sq(x, y)) / l; return (1 + z) * math.Exp(-z) }},
		"matern 5/2": {m52, func(x, y []float64) float64 {
			z := math.Sqrt(5*sq(x, y)) / l
			return (1 + z + z*z/3) * math.Exp(-z)
		}},
		"rational": {one(SqDist, Instruction{Op: Ratio, A: 0.25 / (l * l), B: -2}),
			func(x, y []float64) float64 { return math.Pow(1+0.25*sq(x, y)/(l*l), -2) }},
		"linear": {one(Inner), func(x, y []float64) float64 { return in(x, y) }},
		"polynomial": {one(Inner, Instruction{Op: Affine, A: 1 / (l * l), B: 1}, Instruction{Op: PowerI, Index: 3}),
			func(x, y []float64) float64 { return math.Pow(in(x, y)/(l*l)+1, 3) }},
		"exponential": {one(Inner, Instruction{Op: Exp, A: 0.5 / (l * l)}),
			func(x, y []float64) float64 { return math.Exp(0.5 * in(x, y) / (l * l)) }},
		"tanh": {one(Inner, Instruction{Op: Affine, A: 0.1, B: 0.2}, Instruction{Op: Tanh}),
			func(x, y []float64) float64 { return math.Tanh(0.1*in(x, y) + 0.2) }},
		"l1": {one(L1Dist, Instruction{Op: Exp, A: -1 / (l * l)}),
			func(x, y []float64) float64 { return math.Exp(-metricOf(L1Dist, x, y) / (l * l)) }},
		"min": {one(MinSum), func(x, y []float64) float64 { return metricOf(MinSum, x, y) }},
		"tree": {both, func(x, y []float64) float64 {
			z := math.Sqrt(sq(x, y)) / l
			return math.Exp(-0.5*z*z)*math.Pow(0.1*in(x, y)+1, 3) + 0.25 + (1+z)*math.Exp(-z)
		}},
	}
}

// Every kernel, in every way that a device makes it, is the double loop to the digits of its
// precision: rows that do not come out even, one column and several, points that are on both sides
// (where a distance is 0).
func TestSumsAgainstLoop(t *testing.T) {
	for where, d := range under(t) {
		for _, c := range []struct{ n, m, dim, columns int }{{1, 1, 5, 1}, {70, 150, 9, 1}, {40, 131, 28, 3}, {130, 20, 3, 2},
			{5, 140, 60, 1}, {33, 40, 1, 1}, {33, 40, 2, 3}, {20, 50, 4, 1}, {1, 1100, 6, 5}, {10, 10, 200, 1}} {
			if strings.HasPrefix(where, "chip") {
				c.n, c.m = c.n*20, c.m*9
			} else if testing.Short() {
				c.n, c.m = min(c.n, 12), min(c.m, 40)
			}
			rng := rand.New(rand.NewPCG(uint64(c.n), 7))
			points := func(n int) [][]float64 {
				x := make([][]float64, n)
				for i := range x {
					x[i] = make([]float64, c.dim)
					for j := range x[i] {
						x[i][j] = rng.NormFloat64()
					}
				}
				return x
			}
			b := points(c.m)
			a := append(points(c.n), b[:min(c.m, c.n, 30)]...)
			v := make([]float64, c.m*c.columns)
			for i := range v {
				v[i] = rng.NormFloat64()
			}
			for name, k := range trees(c.dim) {
				for p, tol := range map[Precision]float64{Single: 4e-6, Double: 1e-13} {
					got, s := product(t, d, k.tree, p, a, b, v, c.columns)
					worst := 0.0
					for i, x := range a {
						for col := range c.columns {
							want, size := 0.0, 0.0
							for j, y := range b {
								e := k.eval(x, y)
								want += e * v[j*c.columns+col]
								size += math.Max(math.Abs(e), 1e-3) * math.Abs(v[j*c.columns+col])
							}
							worst = math.Max(worst, math.Abs(got[col*len(a)+i]-want)/size)
						}
					}
					if !(worst <= tol) {
						t.Errorf("%s, %s, %+v, %s: off by %.2g of the terms", where, name, c, s.Way(), worst)
					}
					if strings.HasPrefix(where, "chip") {
						t.Logf("%-13s %-12s d=%-3d columns=%d %-32s off by %.2g", where, name, c.dim, c.columns, s.Way(), worst)
					}
				}
			}
		}
	}
}

// Gaussians of few columns whose points reach as far as matrix instructions take them, with weights
// that are the same for whole stages of columns, and others.
func TestClose(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for where, d := range under(t) {
		for dim := 1; dim <= closeColumns; dim++ {
			for columns := 1; columns <= 3; columns++ {
				points := func(n int) [][]float64 {
					x := make([][]float64, n)
					for i := range x {
						x[i] = make([]float64, dim)
						for e := range x[i] {
							x[i][e] = (2*rng.Float64() - 1) * 37 / math.Sqrt(float64(dim))
						}
					}
					return x
				}
				b := points(1500)
				a := append(points(100), b[:100]...)
				v := make([]float64, len(b)*columns)
				for j := range v {
					v[j] = 0.7
					if j/columns%300 == 299 {
						v[j] = rng.NormFloat64()
					}
				}
				got, s := product(t, d, Tree{Sources: []Source{{SqDist, dim}}, Code: []Instruction{{Op: Load}, {Op: Exp, A: -0.5}}},
					Double, a, b, v, columns)
				if !s.close {
					t.Fatal(s.Way())
				}
				for i, x := range a {
					for c := range columns {
						want, size := 0.0, 0.0
						for j, y := range b {
							e := math.Exp(-0.5 * metricOf(SqDist, x, y))
							want += e * v[j*columns+c]
							size += e * math.Abs(v[j*columns+c])
						}
						if off := math.Abs(got[c*len(a)+i] - want); !(off <= 1e-12*size+1e-290) {
							t.Fatalf("%s, %d columns, %d sides: row %d is off by %.2g of the terms", where, dim, columns, i, off/size)
						}
					}
				}
			}
		}
	}
}

// Which way is taken: matrix instructions for profiles of distances that have the digits,
// differences for points far out, few columns and trees.
func TestWays(t *testing.T) {
	gauss := func(d int) Tree {
		return Tree{Sources: []Source{{SqDist, d}}, Code: []Instruction{{Op: Load}, {Op: Exp, A: -0.5}}}
	}
	hopper, old := Emulate(Emulated{Hopper: true}), Emulate(Emulated{})
	for _, c := range []struct {
		d     Device
		tree  Tree
		p     Precision
		reach float64
		want  string
	}{
		{hopper, gauss(28), Single, 5, "matrix instructions of Hopper"}, {old, gauss(28), Single, 5, "matrix instructions"},
		{hopper, gauss(60), Single, 5, "matrix instructions"},
		{hopper, gauss(28), Single, 100, "single precision by differences"},
		{hopper, gauss(3), Single, 1, "single precision by differences of few columns"},
		{hopper, gauss(8), Single, 100, "single precision by differences of few columns"},
		{hopper, gauss(9), Single, 100, "single precision by differences"},
		{hopper, gauss(300), Single, 1, "matrix instructions, some columns at a time"},
		{old, gauss(300), Single, 100, "single precision by differences"},
		{old, trees(300)["laplace"].tree, Single, 1, "single precision by differences"},
		{hopper, gauss(28), Double, 5, "double precision by matrix instructions"},
		{hopper, gauss(28), Double, 100, "double precision"},
		{hopper, trees(5)["laplace"].tree, Double, 1, "double precision by differences of few columns"},
		{hopper, trees(9)["laplace"].tree, Double, 1, "double precision"},
		{hopper, gauss(3), Double, 30, "double precision by matrix instructions for few columns"},
		{hopper, gauss(3), Double, 40, "double precision by differences of few columns"},
		{hopper, gauss(4), Double, 1, "double precision by differences of few columns"},
		{old, gauss(8), Double, 100, "double precision by differences of few columns"},
		{old, gauss(8), Double, 1, "double precision by matrix instructions"},
		{hopper, trees(3)["rational"].tree, Double, 100, "double precision"},
		{hopper, trees(5)["l1"].tree, Double, 1, "double precision"},
		{hopper, trees(28)["sum"].tree, Single, 5, "term by term, matrix instructions of Hopper"},
		{hopper, trees(28)["sum"].tree, Single, 100, "single precision by differences"},
		{hopper, trees(28)["sum"].tree, Double, 1, "double precision"},
		{hopper, trees(28)["tree"].tree, Single, 1, "single precision by differences"},
	} {
		s, err := NewSums(c.d, c.tree, c.p, slices.Repeat([]float64{c.reach}, len(c.tree.Sources)), 1<<20)
		check(t, err)
		if c.reach > s.Limit(0) {
			t.Errorf("%d columns, reach %g: taken for points up to %g only", c.tree.Sources[0].Dim, c.reach, s.Limit(0))
		}
		if got := s.Way(); got != c.want {
			t.Errorf("%d columns, reach %g: %q, want %q", c.tree.Sources[0].Dim, c.reach, got, c.want)
		}
		s.Close()
	}
	if left := Left(hopper) + Left(old); left != "" {
		t.Error(left)
	}
}

// The lower triangle of a matrix is what the double loop says, with the ridge on its diagonal, by a
// list of operations and by products.
func TestMatrix(t *testing.T) {
	for where, d := range under(t) {
		for _, dim := range []int{1, 7, 40} {
			for name, k := range trees(dim) {
				const n = 150
				rng := rand.New(rand.NewPCG(1, 1))
				x := make([]float64, n*dim)
				for i := range x {
					x[i] = rng.NormFloat64()
				}
				s, err := NewSums(d, k.tree, Double, []float64{10, 10}, 1<<20)
				check(t, err)
				var scaled []float64
				for i := range k.tree.Sources {
					scale, _ := s.Scale(i)
					for _, v := range x {
						scaled = append(scaled, v*scale)
					}
				}
				raw, err := d.Alloc(s.DeviceBytes(n))
				check(t, err)
				out, err := d.Alloc(8 * n * n)
				check(t, err)
				check(t, d.ToDevice(0, raw, bytesOf(scaled)))
				check(t, s.Put(0, raw, n, raw))
				check(t, s.Matrix(0, Points{n, raw}, 0.5, out))
				got := make([]float64, n*n)
				check(t, d.ToHost(0, bytesOf(got), out))
				check(t, d.Sync(0))
				for i := range n {
					for j := range i + 1 {
						want := k.eval(x[i*dim:(i+1)*dim], x[j*dim:(j+1)*dim])
						if i == j {
							want += 0.5
						}
						if !(math.Abs(got[i*n+j]-want) <= 1e-12*math.Max(1, math.Abs(want))) {
							t.Fatalf("%s, %s of %d columns: (%d, %d) is %g, want %g", where, name, dim, i, j, got[i*n+j], want)
						}
					}
				}
				s.Close()
				check(t, d.Free(raw))
				check(t, d.Free(out))
			}
		}
	}
}

// What goes wrong has a name, and a lost device stays lost.
func TestErrors(t *testing.T) {
	d := Emulate(Emulated{Bytes: 1 << 20})
	if _, err := d.Alloc(2 << 20); !errors.Is(err, ErrOutOfMemory) ||
		fmt.Sprint(err) != "cuMemAlloc of 2 MiB: CUDA_ERROR_OUT_OF_MEMORY" {
		t.Error(err)
	}
	p, err := d.Alloc(100)
	check(t, err)
	if err := d.Free(p + 8); err == nil {
		t.Error("an address inside a block was freed")
	}
	if err := d.Launch(0, "nothing", Shape{Blocks: [2]int{1}, Threads: 1}); err == nil || errors.Is(err, ErrLost) {
		t.Error("a kernel that is not there:", err)
	}
	if err := d.ToDevice(0, p, make([]byte, 4096)); !errors.Is(err, ErrLost) {
		t.Error("a copy beyond the end:", err)
	}
	if _, err := d.Alloc(1); !errors.Is(err, ErrLost) {
		t.Error("a lost device works on:", err)
	}
	for status, reason := range reasons {
		if err := failed("x", status); !errors.Is(err, reason) ||
			err.Error() == "x: "+fmt.Sprintf("CUDA error %d", int(status)) {
			t.Error(status, err)
		}
	}
	if failed("x", success) != nil || failed("x", 12345).Error() != "x: CUDA error 12345" {
		t.Error("plain numbers")
	}
	if !Built {
		if _, err := Open(); !errors.Is(err, ErrNotBuilt) {
			t.Error(err)
		}
	}
}

// A tree that kernels have no room for is refused.
func TestFits(t *testing.T) {
	deep := Tree{Sources: []Source{{Inner, 2}}}
	for range mostAside + 2 {
		deep.Code = append(deep.Code, Instruction{Op: Load})
	}
	for range mostAside + 1 {
		deep.Code = append(deep.Code, Instruction{Op: Add})
	}
	for _, bad := range []Tree{{}, deep, {Code: []Instruction{{Op: Load}, {Op: Load}}},
		{Code: make([]Instruction, mostCode+1)}} {
		if bad.Fits() {
			t.Errorf("%d operations fit", len(bad.Code))
		}
	}
	if _, err := NewSums(Emulate(Emulated{}), deep, Single, []float64{1}, 1); err == nil {
		t.Error("a tree that is too deep was taken")
	}
}

// A sum is taken apart where each of its terms has one source: factors of sums are those of their
// terms. Constants and products of sources stay together.
func TestSeparate(t *testing.T) {
	two := []Source{{SqDist, 3}, {Inner, 3}}
	load := func(i int) Instruction { return Instruction{Op: Load, Index: i} }
	exp, add, mul, three, plus := Instruction{Op: Exp, A: -1}, Instruction{Op: Add}, Instruction{Op: Mul},
		Instruction{Op: Affine, A: 3}, Instruction{Op: Affine, A: 3, B: 1}
	for name, c := range map[string]struct {
		code []Instruction
		from []int
		last []Instruction // of each term; nil where the tree stays whole
	}{
		"one":      {[]Instruction{load(0), exp}, []int{0, 1}, nil},
		"two":      {[]Instruction{load(0), exp, load(1), add}, []int{0, 1}, []Instruction{exp, load(0)}},
		"the same": {[]Instruction{load(0), exp, load(0), add}, []int{0, 0}, []Instruction{exp, load(0)}},
		"scaled":   {[]Instruction{load(0), exp, load(1), add, three}, []int{0, 1}, []Instruction{three, three}},
		"nested": {[]Instruction{load(1), load(0), load(0), exp, add, three, add}, []int{1, 0, 0},
			[]Instruction{load(0), three, three}},
		"shifted":      {[]Instruction{load(0), exp, load(1), add, plus}, []int{0, 1}, nil},
		"product":      {[]Instruction{load(0), exp, load(1), mul}, []int{0, 1}, nil},
		"sum, product": {[]Instruction{load(0), exp, load(1), mul, load(0), add}, []int{0, 1}, nil},
		"constant":     {[]Instruction{load(0), exp, {Op: Constant, A: 2}, add}, []int{0, 1}, nil},
	} {
		apart, from := Tree{Sources: two, Code: c.code}.Separate()
		var last []Instruction
		for _, term := range apart.terms() {
			last = append(last, term.Code[len(term.Code)-1])
		}
		if !slices.Equal(from, c.from) || len(apart.Sources) != len(from) || !slices.Equal(last, c.last) {
			t.Errorf("%s: sources %v of %v, terms end with %v", name, from, apart.Sources, last)
		}
	}
}

// A thread of matrix instructions has columns 8j + 2t and 8j + 2t + 1 of every eight (t of four):
// those of 32 lie next to one another.
func TestPackedSlots(t *testing.T) {
	for i := range 256 {
		j, thread, e := i/8, i%8/2, i%2
		if got, want := packedSlot(i), i/32*32+8*thread+2*(j%4)+e; got != want {
			t.Errorf("entry %d is at %d, want %d", i, got, want)
		}
	}
}
