package gram

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

func points(n, d int, seed uint64) data.DenseRows {
	r := rand.New(rand.NewPCG(seed, 9))
	m := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			m.Set(i, j, r.NormFloat64())
		}
	}
	return data.Rows(m)
}

func random(r, c int, seed uint64) *mat.Dense { return linalgDense(points(r, c, seed)) }

func linalgDense(p data.DenseRows) *mat.Dense {
	m := mat.NewDense(p.Len(), p.Dim(), nil)
	for i := range p.Len() {
		m.SetRow(i, p.At(i))
	}
	return m
}

// loop is the meaning of a Gram matrix.
func loop(k kernel.Kernel[kernel.Vec], x, y data.Points[kernel.Vec]) *mat.Dense {
	m := mat.NewDense(x.Len(), y.Len(), nil)
	for i := range x.Len() {
		for j := range y.Len() {
			m.Set(i, j, k.Eval(x.At(i), y.At(j)))
		}
	}
	return m
}

var gauss kernel.Kernel[kernel.Vec] = kernel.Gaussian{Lengthscale: 1.5}

// checkAccess compares every way to read g with the matrix want.
func checkAccess(t *testing.T, name string, g Accessor, want *mat.Dense, tol float64) {
	t.Helper()
	r, c := want.Dims()
	if gr, gc := g.Dims(); gr != r || gc != c {
		t.Fatalf("%s: %d×%d, want %d×%d", name, gr, gc, r, c)
	}
	near := func(what string, got, exp float64) {
		t.Helper()
		if !(math.Abs(got-exp) <= tol*(1+math.Abs(exp))) {
			t.Fatalf("%s: %s is %.10g, want %.10g", name, what, got, exp)
		}
	}
	for _, trans := range []bool{false, true} {
		for _, m := range []int{1, 3} {
			in, out := c, r
			if trans {
				in, out = r, c
			}
			v := random(in, m, 77)
			got, exp := mat.NewDense(out, m, nil), mat.NewDense(out, m, nil)
			g.MulTo(got, v, trans)
			if trans {
				exp.Mul(want.T(), v)
			} else {
				exp.Mul(want, v)
			}
			for i := range out {
				for j := range m {
					if !(math.Abs(got.At(i, j)-exp.At(i, j)) <= tol*math.Sqrt(float64(in))*3) {
						t.Fatalf("%s: product (trans %v, %d columns) at (%d, %d) is %.10g, want %.10g", name, trans, m, i, j,
							got.At(i, j), exp.At(i, j))
					}
				}
			}
		}
	}
	diag := make([]float64, min(r, c))
	g.Diag(diag)
	for i, v := range diag {
		near("diagonal", v, want.At(i, i))
	}
	col, row := make([]float64, r), make([]float64, c)
	for _, j := range []int{0, c / 2, c - 1} {
		g.Column(col, j)
		for i, v := range col {
			near("column", v, want.At(i, j))
		}
	}
	for _, i := range []int{0, r / 2, r - 1} {
		g.Row(row, i)
		for j, v := range row {
			near("row", v, want.At(i, j))
		}
	}
	br, bc := max(1, r/3), max(1, c/2)
	block := mat.NewDense(br, bc, nil)
	g.Block(block, r-br, c-bc)
	for a := range br {
		for b := range bc {
			near("block", block.At(a, b), want.At(r-br+a, c-bc+b))
		}
	}
	if s, ok := g.(Columns32); ok {
		for i, v := range s.Column32(c - 1) {
			if math.Abs(float64(v)-want.At(i, c-1)) > 1e-6 {
				t.Fatalf("%s: Column32[%d] = %g, want %g", name, i, v, want.At(i, c-1))
			}
		}
	}
}

func TestLayoutsAreTheDoubleLoop(t *testing.T) {
	sizes := []int{1, 2, 63, 256, 257, 700}
	if testing.Short() {
		sizes = []int{1, 2, 63, 300} // still more than a tile
	}
	for _, n := range sizes {
		x, y := points(n, 4, 1), points(max(1, n-n/3), 4, 2)
		square, rect := loop(gauss, x, x), loop(gauss, x, y)
		for _, l := range []Layout{Auto, Full, Half, Columns, Lazy} {
			for p, tol := range map[Precision]float64{Double: 1e-13, Single: 2e-6, Either: 1e-13} {
				o := Options{Layout: l, Precision: p}
				name := fmt.Sprintf("n=%d %v %v", n, l, p)
				g, err := New(context.Background(), gauss, x, o)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				checkAccess(t, name, g, square, tol)
				if l == Half {
					continue
				}
				g, err = Cross(context.Background(), gauss, x, y, o)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				checkAccess(t, name+" cross", g, rect, tol)
			}
		}
	}
}

func TestPrecomputed(t *testing.T) {
	x := points(50, 3, 3)
	m := loop(gauss, x, x)
	g, err := Precomputed(m, 0)
	if err != nil {
		t.Fatal(err)
	}
	checkAccess(t, "precomputed", g, m, 1e-15)
	for want, bad := range map[string]func(*mat.Dense) *mat.Dense{
		"not symmetric": func(m *mat.Dense) *mat.Dense { m.Set(3, 4, 7); return m },
		"entry (5, 6)":  func(m *mat.Dense) *mat.Dense { m.Set(5, 6, math.NaN()); return m },
		"50×49":         func(m *mat.Dense) *mat.Dense { return m.Slice(0, 50, 0, 49).(*mat.Dense) },
	} {
		if _, err := Precomputed(bad(mat.DenseCopyOf(m)), 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}

func TestBudgetDecides(t *testing.T) {
	n := 600
	x := points(n, 2, 4)
	nn := int64(n) * int64(n)
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Bytes: 8 * nn}, "full float64"},
		{Options{Bytes: 8*nn - 1}, "half float64"},
		{Options{Bytes: 3 * nn}, "lazy float64"},
		{Options{Bytes: 4 * nn, Precision: Single}, "full float32"},
		{Options{Bytes: 4*nn - 1, Precision: Single}, "half float32"},
		{Options{Bytes: 4*nn - 1, Precision: Either}, "half float32"},
		{Options{Bytes: 8 * nn, Precision: Either}, "full float64"},
		{Options{Bytes: 1 << 19, Precision: Single, ByColumn: true}, "columns float32"},
		{Options{Bytes: 1}, "lazy float64"},
	} {
		g, err := New(context.Background(), gauss, x, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Describe(); !strings.HasPrefix(got, c.want+", 600×600") {
			t.Errorf("%+v: %q, want %q", c.o, got, c.want)
		}
	}
	_, err := New(context.Background(), gauss, x, Options{Layout: Full, Bytes: 1000})
	if err == nil || !strings.Contains(err.Error(), "2.75 MiB") || !strings.Contains(err.Error(), "1000 B") {
		t.Errorf("full in 1000 bytes: %v", err)
	}
}

func TestBadInput(t *testing.T) {
	x := points(5, 2, 5)
	nan := linalgDense(x)
	nan.Set(3, 1, math.NaN())
	huge := linalgDense(x)
	huge.Set(2, 0, 1e308)
	ragged := data.Slice[kernel.Vec]{{1, 2}, {1}}
	for want, f := range map[string]func() error{
		"no points": func() error {
			_, err := New(context.Background(), gauss, data.Points[kernel.Vec](data.Slice[kernel.Vec]{}), Options{})
			return err
		},
		"no kernel": func() error { _, err := New[kernel.Vec](context.Background(), nil, x, Options{}); return err },
		"row 3": func() error {
			_, err := New(context.Background(), gauss, data.Points[kernel.Vec](data.Rows(nan)), Options{})
			return err
		},
		"row 2": func() error {
			_, err := New[kernel.Vec](context.Background(), kernel.Linear{}, data.Rows(huge), Options{})
			return err
		},
		"row 1": func() error {
			_, err := New(context.Background(), gauss, data.Points[kernel.Vec](ragged), Options{})
			return err
		},
		"budget is -1": func() error {
			_, err := New(context.Background(), gauss, data.Points[kernel.Vec](x), Options{Bytes: -1})
			return err
		},
		"needs K(X, X)": func() error {
			_, err := Cross(context.Background(), gauss, x, x, Options{Layout: Half})
			return err
		},
		"unknown layout":  func() error { _, err := New(context.Background(), gauss, x, Options{Layout: 9}); return err },
		"unknown precisi": func() error { _, err := New(context.Background(), gauss, x, Options{Precision: 9}); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}

func TestNoColumnsIsAConstant(t *testing.T) {
	p := data.Slice[kernel.Vec]{{}, {}, {}}
	g, err := New(context.Background(), gauss, data.Points[kernel.Vec](p), Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkAccess(t, "d=0", g, mat.NewDense(3, 3, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1}), 1e-15)
}

func TestSameBitsAtAnyThreadCount(t *testing.T) {
	x := points(1300, 5, 6)
	for _, l := range []Layout{Full, Half, Columns, Lazy} {
		for _, p := range []Precision{Double, Single} {
			for _, m := range []int{1, 4} {
				v := random(1300, m, 7)
				var first []float64
				for _, threads := range datatest.Threads() {
					g, err := New(context.Background(), gauss, x, Options{Layout: l, Precision: p, Threads: threads})
					if err != nil {
						t.Fatal(err)
					}
					out := mat.NewDense(1300, m, nil)
					g.MulTo(out, v, false)
					if first == nil {
						first = out.RawMatrix().Data
						continue
					}
					for i, e := range out.RawMatrix().Data {
						if math.Float64bits(e) != math.Float64bits(first[i]) {
							t.Fatalf("%v %v: entry %d differs at %d threads", l, p, i, threads)
						}
					}
				}
			}
		}
	}
}

func TestSymmetricPathIsTaken(t *testing.T) {
	s := symMul[float32]{n: 100000, tile: lazyTile[float32]()}
	if g := s.groups(1, 4<<30); g != maxGroups {
		t.Errorf("one column of 100000: %d groups, want %d", g, maxGroups)
	}
	if g := s.groups(100, 4<<30); g != 0 {
		t.Errorf("100 columns of 100000 would need %d accumulators", g)
	}
	// Every row of tiles belongs to exactly one group, and loads are even.
	const groups, blocks = 8, 400
	load := make([]int, groups)
	for b := range blocks {
		load[dealt(b, groups)] += b + 1
	}
	for _, l := range load {
		if math.Abs(float64(l)/(blocks*(blocks+1)/2/groups)-1) > 0.05 {
			t.Errorf("uneven loads %v", load)
		}
	}
}

func TestColumnsCache(t *testing.T) {
	n := 64
	x := points(n, 3, 8)
	g, err := New(context.Background(), gauss, x, Options{Layout: Columns, Precision: Single, Bytes: int64(4 * n * 3)})
	if err != nil {
		t.Fatal(err)
	}
	c := g.(*cached[float32])
	for _, j := range []int{0, 1, 2, 0, 3, 0, 1} { // room for 3: asking for 3 evicts 1
		c.Column32(j)
	}
	if h, m := c.CacheStats(); h != 2 || m != 5 {
		t.Errorf("%d hits, %d misses; want 2 and 5", h, m)
	}
	if c.order.Len() != 3 || len(c.entries) != 3 {
		t.Errorf("%d columns kept, %d indexed; want 3", c.order.Len(), len(c.entries))
	}
	want := loop(gauss, x, x)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r := rand.New(rand.NewPCG(uint64(w), 1))
			dst := make([]float64, n)
			for range 200 {
				j := r.IntN(n)
				c.Column(dst, j)
				for i, v := range dst {
					if math.Abs(v-want.At(i, j)) > 1e-6 {
						t.Errorf("column %d row %d: %g, want %g", j, i, v, want.At(i, j))
						return
					}
				}
			}
		}()
	}
	wg.Wait()
}
