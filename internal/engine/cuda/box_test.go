package cuda

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// boxCase is a programme over points of a Gaussian kernel, on a device.
type boxCase struct {
	d      Device
	x      [][]float64
	p      BoxProgram
	square BoxPoints
	single BoxPoints
	double BoxPoints
}

func newBoxCase(t *testing.T, d Device, n, dim, groups, twice int) *boxCase {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(n), uint64(dim)))
	c := &boxCase{d: d}
	vars := n * twice
	for range n {
		row := make([]float64, dim)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		c.x = append(c.x, row)
	}
	c.p = BoxProgram{Groups: groups, Point: make([]int32, vars), Group: make([]uint8, vars), Linear: make([]float64, vars),
		Lower: make([]float64, vars), Upper: make([]float64, vars), Start: make([]float64, vars)}
	for v := range vars {
		i := v % n
		c.p.Point[v], c.p.Group[v] = int32(i), uint8(v%groups)
		side := 1.0
		if math.Sin(2*c.x[i][0])+0.3*rng.NormFloat64() < 0 {
			side = -1
		}
		if c.p.Linear[v] = side; side > 0 {
			c.p.Upper[v] = 0.5 + rng.Float64()
		} else {
			c.p.Lower[v] = -0.5 - rng.Float64()
		}
	}
	tree := Tree{Sources: []Source{{SqDist, dim}}, Code: []Instruction{{Op: Load}, {Op: Exp, A: -0.15}}}
	put := func(s *Sums, err error) BoxPoints {
		if err != nil {
			t.Fatal(err)
		}
		scale, _ := s.Scale(0)
		var host []byte
		if s.double {
			host = bytesOf(scaledTo[float64](c.x, scale))
		} else {
			host = bytesOf(scaledTo[float32](c.x, scale))
		}
		raw, err := d.Alloc(max(s.HostBytes(n), s.DeviceBytes(n)))
		if err != nil {
			t.Fatal(err)
		}
		at := raw
		if s.Packed() {
			if at, err = d.Alloc(s.DeviceBytes(n)); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.ToDevice(0, raw, host); err != nil {
			t.Fatal(err)
		}
		if err := s.Put(0, raw, n, at); err != nil {
			t.Fatal(err)
		}
		if err := d.Sync(0); err != nil {
			t.Fatal(err)
		}
		return BoxPoints{s, raw, Points{n, at}}
	}
	reach := []float64{10}
	c.square = put(NewTree(d, tree))
	c.single = put(NewSums(d, tree, Single, reach, 1<<20))
	c.double = put(NewSums(d, tree, Double, reach, 1<<20))
	return c
}

func scaledTo[F float32 | float64](x [][]float64, scale float64) (out []F) {
	for _, row := range x {
		for _, v := range row {
			out = append(out, F(v*scale))
		}
	}
	return out
}

func (c *boxCase) kernel(i, j int) float64 {
	s := 0.0
	for k, v := range c.x[i] {
		s += (v - c.x[j][k]) * (v - c.x[j][k])
	}
	return math.Exp(-0.15 * s)
}

// Working sets bring the violation below the target: β stays in its boxes and keeps the sums of its
// groups, and Kβ is what it is by a double loop, in either precision, whatever the size of a set.
func TestBox(t *testing.T) {
	for name, d := range under(t) {
		for _, c := range []struct {
			n, dim, groups, twice, size int
			double                      bool
		}{{200, 7, 1, 1, 64, false}, {100, 3, 1, 1, 256, true}, {120, 7, 2, 2, 130, false}, {40, 40, 1, 2, 2, false},
			{3, 6, 1, 1, 2, false}, {2600, 6, 1, 1, 2048, false}} {
			if _, fake := d.(*emulated); fake && c.n > 1000 && testing.Short() {
				continue
			}
			t.Run(fmt.Sprintf("%s %v", name, c), func(t *testing.T) {
				b := newBoxCase(t, d, c.n, c.dim, c.groups, c.twice)
				box, err := NewBox(d, 0, b.p, c.n, c.size, b.square, b.single, b.double)
				if err != nil {
					t.Fatal(err)
				}
				defer box.Close()
				if err := box.SetState(BoxState{Target: 1e-3, Inner: 0.2, Limit: 1000, Most: 1e8}); err != nil {
					t.Fatal(err)
				}
				var s BoxState
				for range 400 {
					if err := box.Run(8, c.double); err != nil {
						t.Fatal(err)
					}
					if s, err = box.State(); err != nil {
						t.Fatal(err)
					}
					if s.Done != BoxGoesOn {
						break
					}
				}
				if s.Done != BoxReached || s.Violation > 1e-3 {
					t.Fatalf("stopped at %+v", s)
				}
				b.check(t, box, s)
			})
		}
	}
}

func (b *boxCase) check(t *testing.T, box *Box, s BoxState) {
	t.Helper()
	beta, f := make([]float64, len(b.p.Linear)), make([]float64, len(b.x))
	if err := box.Read(beta, f); err != nil {
		t.Fatal(err)
	}
	exact, sums := make([]float64, len(b.x)), make([]float64, 2)
	var points []int32
	var coef []float64
	for v, x := range beta {
		if x < b.p.Lower[v] || x > b.p.Upper[v] {
			t.Fatalf("variable %d is %g, outside of [%g, %g]", v, x, b.p.Lower[v], b.p.Upper[v])
		}
		sums[b.p.Group[v]] += x
		for i := range exact {
			exact[i] += x * b.kernel(i, int(b.p.Point[v]))
		}
		points, coef = append(points, b.p.Point[v]), append(coef, x)
	}
	if math.Abs(sums[0])+math.Abs(sums[1]) > 1e-10 {
		t.Errorf("the sums of the groups are %v", sums)
	}
	near := func(what string, bound float64) {
		for i := range exact {
			if math.Abs(f[i]-exact[i]) > bound {
				t.Fatalf("%s: Kβ of point %d is %.12g, by a double loop %.12g", what, i, f[i], exact[i])
			}
		}
	}
	near("updated", 2e-4)
	high, low := [2]float64{math.Inf(-1), math.Inf(-1)}, [2]float64{math.Inf(1), math.Inf(1)}
	for v, x := range beta {
		z, g := b.p.Linear[v]-f[b.p.Point[v]], b.p.Group[v]
		if x < b.p.Upper[v] {
			high[g] = max(high[g], z)
		}
		if x > b.p.Lower[v] {
			low[g] = min(low[g], z)
		}
	}
	if want := max(high[0]-low[0], high[1]-low[1]); want != s.Violation {
		t.Errorf("violation %g, by Kβ of the device %g", s.Violation, want)
	}
	if err := box.Renew(points, coef, 97); err != nil {
		t.Fatal(err)
	}
	if err := box.Read(beta, f); err != nil {
		t.Fatal(err)
	}
	near("anew", 1e-11)
}
