package gram

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// shift is the Between of Kᵀ(Kv + u), u being the targets.
func shift[T any](b data.Block[T], kv, u *mat.Dense) {
	for i := range b.Len() {
		for j, z := range b.Target(i) {
			u.Set(i, j, z)
			if kv != nil {
				u.Set(i, j, z+kv.At(i, j))
			}
		}
	}
}

// loopWithOnes is loop with a column of ones after it.
func loopWithOnes(k kernel.Kernel[kernel.Vec], x, y data.Points[kernel.Vec]) *mat.Dense {
	n, m := x.Len(), y.Len()
	out := mat.NewDense(n, m+1, nil)
	out.Slice(0, n, 0, m).(*mat.Dense).Copy(loop(k, x, y))
	for i := range n {
		out.Set(i, m, 1)
	}
	return out
}

// pairByLoop is Kᵀ(Kv + z), and the same with all terms positive.
func pairByLoop(k, v, z *mat.Dense) (sum, size *mat.Dense) {
	abs := func(m *mat.Dense) *mat.Dense {
		var a mat.Dense
		a.Apply(func(_, _ int, x float64) float64 { return math.Abs(x) }, m)
		return &a
	}
	product := func(k, v, z *mat.Dense) *mat.Dense {
		var kv, out mat.Dense
		kv.Mul(k, v)
		kv.Add(&kv, z)
		out.Mul(k.T(), &kv)
		return &out
	}
	return product(k, v, z), product(abs(k), abs(v), abs(z))
}

// Kᵀ(Kv + u) in one pass is what it is by the whole matrix: for one column, for few and for many,
// for strips, pieces, slots and blocks that do not come out even, in both precisions, with the
// error of the entries and no more.
func TestPairAgainstMatrix(t *testing.T) {
	for _, c := range []struct{ n, m, d, columns int }{{1, 1, 1, 1}, {63, 7, 3, 1}, {300, 40, 5, 3}, {1000, 129, 4, 12},
		{17000, 16, 2, 2}, {700, 600, 3, 1}, {200, 1500, 2, 100}} {
		x, y := points(c.n, c.d, 1), points(c.m, c.d, 2)
		v, z := random(c.m, c.columns, 3), random(c.n, c.columns, 4)
		want, size := pairByLoop(loop(gauss, x, y), v, z)
		for precision, tol := range map[Precision]float64{Double: 1e-13, Either: 1e-13, Single: 3e-6} {
			p, err := NewPair(gauss, data.NewInMemory[kernel.Vec](x, z.RawMatrix().Data, c.columns, nil),
				data.Points[kernel.Vec](y), PairOptions{Precision: precision})
			if err != nil {
				t.Fatal(err)
			}
			if n, m := p.Dims(); n != c.n || m != c.m {
				t.Errorf("%v: %d×%d", c, n, m)
			}
			got := mat.NewDense(c.m, c.columns, nil)
			if err := p.MulTo(t.Context(), got, v, shift[kernel.Vec]); err != nil {
				t.Fatal(err)
			}
			for i := range c.m {
				for j := range c.columns {
					if !(math.Abs(got.At(i, j)-want.At(i, j)) <= tol*size.At(i, j)) {
						t.Fatalf("%+v, %v: (%d, %d) is %g, want %g", c, precision, i, j, got.At(i, j), want.At(i, j))
					}
				}
			}
		}
	}
}

// Without v the pass is Kᵀu, without dst it shows K·v, a row at a time and each once; Visit shows
// the rows of K.
func TestPairOneSide(t *testing.T) {
	const n, m = 2500, 30
	x, y := points(n, 3, 1), points(m, 3, 2)
	v, z := random(m, 2, 3), random(n, 2, 4)
	k := loop(gauss, x, y)
	for _, precision := range []Precision{Double, Single} {
		p, err := NewPair(gauss, data.NewInMemory[kernel.Vec](x, z.RawMatrix().Data, 2, nil), data.Points[kernel.Vec](y),
			PairOptions{Precision: precision, Threads: 3})
		if err != nil {
			t.Fatal(err)
		}
		var want, kv mat.Dense
		want.Mul(k.T(), z)
		kv.Mul(k, v)
		got, seen, counts := mat.NewDense(m, 2, nil), mat.NewDense(n, 2, nil), make([]int, n)
		if err := p.MulTo(t.Context(), got, nil, shift[kernel.Vec]); err != nil {
			t.Fatal(err)
		}
		if err := p.MulTo(t.Context(), nil, v, func(b data.Block[kernel.Vec], kv, u *mat.Dense) {
			if u != nil {
				t.Error("a place for what nobody wants")
			}
			for i := range b.Len() {
				seen.SetRow(b.First+i, kv.RawRowView(i))
				counts[b.First+i]++
			}
		}); err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(got, &want, 1e-3) || !mat.EqualApprox(seen, &kv, 1e-4) {
			t.Error(precision, "one side of the product is wrong")
		}
		for i, c := range counts {
			if c != 1 {
				t.Fatalf("row %d was shown %d times", i, c)
			}
		}
		row := 0
		if err := p.Visit(t.Context(), func(b data.Block[kernel.Vec], tile *mat.Dense) error {
			for i := range b.Len() {
				for j := range m {
					if math.Abs(tile.At(i, j)-k.At(row, j)) > 1e-5 {
						t.Fatalf("row %d, centre %d is %g", row, j, tile.At(i, j))
					}
				}
				row++
			}
			return nil
		}); err != nil || row != n {
			t.Error(row, err)
		}
	}
}

// A column of ones is one more centre, at which every row has the value 1.
func TestPairWithOnes(t *testing.T) {
	const n, m = 2100, 20
	x, y := points(n, 3, 1), points(m, 3, 2)
	v, z := random(m+1, 2, 3), random(n, 2, 4)
	k := loopWithOnes(gauss, x, y)
	want, size := pairByLoop(k, v, z)
	for precision, tol := range map[Precision]float64{Double: 1e-13, Single: 3e-6} {
		p, err := NewPair(gauss, data.NewInMemory[kernel.Vec](x, z.RawMatrix().Data, 2, nil), data.Points[kernel.Vec](y),
			PairOptions{Precision: precision, Ones: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, c := p.Dims(); c != m+1 {
			t.Error(c, "columns")
		}
		got := mat.NewDense(m+1, 2, nil)
		if err := p.MulTo(t.Context(), got, v, shift[kernel.Vec]); err != nil {
			t.Fatal(err)
		}
		for i := range m + 1 {
			for j := range 2 {
				if !(math.Abs(got.At(i, j)-want.At(i, j)) <= tol*size.At(i, j)) {
					t.Errorf("%v: (%d, %d) is %g, want %g", precision, i, j, got.At(i, j), want.At(i, j))
				}
			}
		}
		if err := p.Visit(t.Context(), func(b data.Block[kernel.Vec], tile *mat.Dense) error {
			if _, c := tile.Dims(); c != m+1 || tile.At(b.Len()-1, m) != 1 {
				t.Error("no ones")
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
}

// byHand is a source that reads its rows anew in every pass, one by one.
type byHand struct{ x data.Points[kernel.Vec] }

func (s byHand) Len() int     { return s.x.Len() }
func (s byHand) Outputs() int { return 0 }
func (s byHand) Pass(ctx context.Context, size int, f func(data.Block[kernel.Vec]) error) error {
	for lo := 0; lo < s.Len(); lo += size {
		var block data.Slice[kernel.Vec]
		for i := lo; i < min(lo+size, s.Len()); i++ {
			block = append(block, append(kernel.Vec(nil), s.x.At(i)...))
		}
		if err := f(data.Block[kernel.Vec]{First: lo, Points: block}); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Neither threads nor where the rows come from leave a trace in the bits.
func TestPairBits(t *testing.T) {
	const n, m = 20000, 50
	x, y, v := points(n, 4, 1), points(m, 4, 2), random(m, 3, 3)
	for _, k := range []kernel.Kernel[kernel.Vec]{gauss, kernel.Sum[kernel.Vec](kernel.Laplace{}, kernel.Linear{})} {
		for _, precision := range []Precision{Double, Single} {
			var first *mat.Dense
			for _, threads := range datatest.Threads() {
				for _, source := range []data.Source[kernel.Vec]{data.NewInMemory[kernel.Vec](x, nil, 0, nil), byHand{x}} {
					p, err := NewPair(k, source, data.Points[kernel.Vec](y), PairOptions{Precision: precision, Threads: threads})
					if err != nil {
						t.Fatal(err)
					}
					got := mat.NewDense(m, 3, nil)
					if err := p.MulTo(t.Context(), got, v, Copy[kernel.Vec]); err != nil {
						t.Fatal(err)
					}
					if first == nil {
						first = got
					}
					if !mat.Equal(first, got) {
						t.Errorf("%T, %v, %d threads, %T: other bits", k, precision, threads, source)
					}
				}
			}
		}
	}
}

// A pass that ends early, by its context or by its source, leaves the destination alone and says
// why.
func TestPairStops(t *testing.T) {
	x, y, v := points(40000, 2, 1), points(20, 2, 2), random(20, 1, 3)
	p, err := NewPair(gauss, data.NewInMemory[kernel.Vec](x, nil, 0, nil), data.Points[kernel.Vec](y), PairOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	got := mat.NewDense(20, 1, []float64{7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7})
	err = p.MulTo(ctx, got, v, func(b data.Block[kernel.Vec], kv, u *mat.Dense) {
		if u.Copy(kv); b.First > 20000 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || got.At(3, 0) != 7 {
		t.Error(err, got.At(3, 0))
	}
	worn := errors.New("disk is gone")
	p, _ = NewPair(gauss, failing{x, worn}, data.Points[kernel.Vec](y), PairOptions{})
	if err := p.MulTo(t.Context(), got, v, Copy[kernel.Vec]); !errors.Is(err, worn) || got.At(3, 0) != 7 {
		t.Error(err, got.At(3, 0))
	}
}

type failing struct {
	data.Points[kernel.Vec]
	err error
}

func (failing) Outputs() int { return 0 }
func (s failing) Pass(_ context.Context, size int, f func(data.Block[kernel.Vec]) error) error {
	if err := f(data.Block[kernel.Vec]{Points: data.Span(s.Points, 0, min(size, s.Len()))}); err != nil {
		return err
	}
	return s.err
}

func TestPairRefuses(t *testing.T) {
	x := points(5, 2, 1)
	source := data.NewInMemory[kernel.Vec](x, nil, 0, nil)
	for _, c := range []struct {
		k       kernel.Kernel[kernel.Vec]
		rows    data.Source[kernel.Vec]
		centers data.Points[kernel.Vec]
		o       PairOptions
	}{{nil, source, x, PairOptions{}}, {gauss, nil, x, PairOptions{}}, {gauss, source, nil, PairOptions{}},
		{gauss, source, data.Slice[kernel.Vec]{}, PairOptions{}}, {gauss, source, x, PairOptions{Precision: 9}}} {
		if _, err := NewPair(c.k, c.rows, c.centers, c.o); err == nil {
			t.Errorf("%+v was taken", c)
		}
	}
}

func ExampleNewPair() {
	x := data.Line([]float64{0, 1, 2, 3})
	centers := data.Line([]float64{0, 3})
	rows := data.NewInMemory[kernel.Vec](x, []float64{1, 1, 1, 1}, 1, nil)
	p, _ := NewPair[kernel.Vec](kernel.Linear{}, rows, centers, PairOptions{})
	v, w := mat.NewDense(2, 1, []float64{0, 2}), mat.NewDense(2, 1, nil)
	// Kᵀ(Kv - y): the gradient of ½‖Kv - y‖².
	err := p.MulTo(context.Background(), w, v, func(b data.Block[kernel.Vec], kv, u *mat.Dense) {
		for i := range b.Len() {
			u.Set(i, 0, kv.At(i, 0)-b.Target(i)[0])
		}
	})
	fmt.Println(w.At(0, 0), w.At(1, 0), err)
	// Output: 0 234 <nil>
}

func ExampleCopy() {
	x := data.Line([]float64{1, 2})
	p, _ := NewPair[kernel.Vec](kernel.Linear{}, data.NewInMemory[kernel.Vec](x, nil, 0, nil), x, PairOptions{})
	v, w := mat.NewDense(2, 1, []float64{1, 0}), mat.NewDense(2, 1, nil)
	_ = p.MulTo(context.Background(), w, v, Copy[kernel.Vec])
	fmt.Println(w.At(0, 0), w.At(1, 0))
	// Output: 5 10
}
