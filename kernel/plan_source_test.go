package kernel

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// twins is points around an offset, every other one close to the one before it,
// from a distance of a tenth of the spread down to none.
func twins(n, d int, offset float64) linalg.Matrix[float64] {
	r := rand.New(rand.NewPCG(31, 32))
	m := linalg.New[float64](n, d)
	for i := range n {
		for j := range m.Row(i) {
			m.Row(i)[j] = offset + r.NormFloat64()
			if i%2 == 1 {
				m.Row(i)[j] = m.Row(i - 1)[j] + math.Pow(10, -float64(i)/2)*r.NormFloat64()
			}
		}
	}
	return m
}

// exactPair is ⟨x, y⟩, Σ|xᵢyᵢ| and ‖x-y‖² in 300 bits, rounded.
func exactPair(x, y []float64) (inner, size, dist float64) {
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }
	s, q := num(0), num(0)
	for i := range x {
		p := num(0).Mul(num(x[i]), num(y[i]))
		s.Add(s, p)
		v, _ := p.Float64()
		size += math.Abs(v)
		d := num(0).Sub(num(x[i]), num(y[i]))
		q.Add(q, d.Mul(d, d))
	}
	inner, _ = s.Float64()
	dist, _ = q.Float64()
	return
}

// checkSources compares the metrics of a plan, as its nodes read them, with exact ones.
func checkSources[F linalg.Float](t *testing.T, p *plan, x, y linalg.Matrix[float64], unit, relative float64) {
	t.Helper()
	w := new(work[F])
	dst := linalg.New[F](p.rows-1, p.cols-2)
	start(w, 1, 2, dst.Rows, dst.Cols, len(p.sources))
	for _, s := range p.sources {
		metricOf(w, s, dst)
		for a := range dst.Rows {
			for b := range dst.Cols {
				inner, size, dist := exactPair(x.Row(a+1), y.Row(b+2))
				got, want, slack := float64(dst.At(a, b)), inner, (3+2*float64(x.Cols))*unit*size
				if s.metric == SqDist {
					want, slack = dist, relative*dist
				}
				if want > 0 && want < 1e-37 {
					continue
				}
				if !(math.Abs(got-want) <= slack) {
					t.Fatalf("metric %d of (%d, %d) is %v, want %v", s.metric, a+1, b+2, got, want)
				}
			}
		}
	}
}

// Inner products keep the accuracy of a plain sum, and distances theirs of a
// relative 1e-12, near the origin, where both come from one matrix product, and
// far from it, where they do not.
func TestProductsAndDistancesFromOneMatrixProduct(t *testing.T) {
	k := Sum[Vec](Gaussian{Lengthscale: 2}, Linear{}, Matern{Nu: 2.5, Lengthscale: 3})
	for _, d := range []int{1, 3, 60} {
		for _, c := range []struct {
			offset float64
			shared bool
		}{{0, true}, {100, false}, {1e6, false}, {1e12, false}} {
			x, y := twins(24, d, c.offset), twins(20, d, c.offset)
			for name, y := range map[string]linalg.Matrix[float64]{"with themselves": x, "with others": y} {
				t.Run(fmt.Sprintf("d=%d offset=%g %s", d, c.offset, name), func(t *testing.T) {
					p := newPlan(context.Background(), OnVectors(k), data.EraseVectors(data.RowsOf(x)),
						data.EraseVectors(data.RowsOf(y)))
					if len(p.sources) != 2 {
						t.Fatalf("%d sources", len(p.sources))
					}
					for _, s := range p.sources {
						if s.metric == SqDist && (s.products != nil) != c.shared {
							t.Errorf("one matrix product for both: %v", s.products != nil)
						}
					}
					checkSources[float64](t, p, x, y, 0x1p-53, 1e-12)
					checkSources[float32](t, p, x, y, 0x1p-24, 1e-4)
				})
			}
		}
	}
}

// The order of the readers decides which of them may write over a metric; none
// may do so before the last has read it.
func TestSharedProductsInEveryOrder(t *testing.T) {
	g, m, l := Kernel[Vec](Gaussian{Lengthscale: 3}), Kernel[Vec](Matern{Nu: 1.5, Lengthscale: 2}), Kernel[Vec](Linear{})
	poly := Kernel[Vec](Power(l, 2))
	x := twins(30, 5, 0.3)
	points := data.Points[Vec](data.RowsOf(x))
	for name, k := range map[string]Kernel[Vec]{
		"g+l": Sum(g, l), "l+g": Sum(l, g), "g+m+l": Sum(g, m, l), "g+l+m": Sum(g, l, m), "l+g+m": Sum(l, g, m),
		"l+g+l": Sum(l, g, l),
		"g*l":   Product(g, l), "l*g+m": Sum(Product(l, g), m), "g+l²+m+l": Sum(g, poly, m, l),
		"l²+g·l+m": Sum(poly, Product(g, l), m),
	} {
		p := newPlan(context.Background(), OnVectors(k), data.EraseVectors(points), data.EraseVectors(points))
		for _, s := range p.sources {
			if s.metric == SqDist && s.products == nil {
				t.Errorf("%s: two matrix products", name)
			}
		}
		got, single := mat.NewDense(30, 30, nil), linalg.New[float32](30, 30)
		Fill(0, got.RawMatrix(), p)
		Fill32(0, linalg.General32(single), p)
		rows, cols := []int{7, 0, 29}, []int{1, 6, 7}
		cut := linalg.New[float64](3, 3)
		p.Select(rows, cols).Tile(blas64.General(cut), 0, 0)
		for i := range 30 {
			for j := range 30 {
				want := k.Eval(x.Row(i), x.Row(j))
				if math.Abs(got.At(i, j)-want) > 1e-12*(1+math.Abs(want)) {
					t.Fatalf("%s: (%d, %d) is %v, want %v", name, i, j, got.At(i, j), want)
				}
				if math.Abs(float64(single.At(i, j))-want) > 1e-4*(1+math.Abs(want)) {
					t.Fatalf("%s in float32: (%d, %d) is %v, want %v", name, i, j, single.At(i, j), want)
				}
			}
		}
		for a, i := range rows {
			for b, j := range cols {
				if want := got.At(i, j); math.Abs(cut.At(a, b)-want) > 1e-12*(1+math.Abs(want)) {
					t.Errorf("%s: (%d, %d) is %v after the cut, %v before", name, i, j, cut.At(a, b), want)
				}
			}
		}
	}
}
