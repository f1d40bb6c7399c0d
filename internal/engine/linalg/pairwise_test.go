package linalg

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exactMetrics are those that were asked for, by a hash of the question: every CPU level, precision
// and way asks for the same.
var (
	exactMetrics = map[uint64]float64{}
	exactSeed    = maphash.MakeSeed()
)

// exactMetric is the metric of two rows in 300-bit arithmetic, rounded to float64.
func exactMetric(m PairMetric, x, y []float64) float64 {
	question := make([]byte, 1, 1+16*len(x))
	question[0] = byte(m)
	for i, v := range x {
		question = binary.LittleEndian.AppendUint64(question, math.Float64bits(v))
		question = binary.LittleEndian.AppendUint64(question, math.Float64bits(y[i]))
	}
	key := maphash.Bytes(exactSeed, question)
	v, known := exactMetrics[key]
	if !known {
		v = newExactMetric(m, x, y)
		exactMetrics[key] = v
	}
	return v
}

func newExactMetric(m PairMetric, x, y []float64) float64 {
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }
	s := num(0)
	for i := range x {
		a, b := num(x[i]), num(y[i])
		d := num(0).Sub(a, b)
		switch m {
		case InnerProduct:
			s.Add(s, a.Mul(a, b))
		case SquaredDistance:
			s.Add(s, d.Mul(d, d))
		case L1Distance:
			s.Add(s, d.Abs(d))
		case ChiSquared:
			if a.Add(a, b).Sign() != 0 {
				d.Mul(d, d)
				s.Add(s, d.Quo(d, a))
			}
		case MinimumSum:
			if d.Sign() > 0 {
				a = b
			}
			s.Add(s, a)
		}
	}
	f, _ := s.Float64()
	return f
}

var allMetrics = []PairMetric{InnerProduct, SquaredDistance, L1Distance, ChiSquared, MinimumSum}

// histograms is n rows of d nonnegative numbers, some of them zero, in storage with a wider stride.
func histograms(seed uint64, n, d int) Matrix[float64] {
	r := rand.New(rand.NewPCG(seed, 2))
	m := New[float64](n, d+3).Slice(0, n, 0, d)
	for i := range n {
		row := m.Row(i)
		for j := range row {
			row[j] = max(0, r.Float64()*2-0.5)
		}
	}
	return m
}

// pairWithin checks got against want to a relative tolerance, plus one relative to size.
func pairWithin[F Float](t *testing.T, got F, want, relative, size float64, what string, of ...any) {
	t.Helper()
	if !(math.Abs(float64(got)-want) <= relative*math.Abs(want)+size) {
		t.Fatalf("%s: %v, want %v", fmt.Sprintf(what, of...), got, want)
	}
}

func checkMetrics[F Float](t *testing.T, relative float64) {
	for _, metric := range allMetrics {
		for _, d := range []int{0, 1, 7, 8, 33} {
			for _, shape := range [][2]int{{0, 3}, {1, 1}, {5, 3}, {1, 40}, {40, 19}} {
				x, y := histograms(1, shape[0], d), histograms(2, shape[1], d)
				p := NewPairs[F](metric, x, y)
				dst := New[F](shape[0], shape[1])
				// The profile must see each value once.
				PairwiseFull(2, p, dst, func(m []F) {
					for i := range m {
						m[i]++
					}
				})
				for i := range dst.Rows {
					for j := range dst.Cols {
						want := exactMetric(metric, x.Row(i), y.Row(j)) + 1
						pairWithin(t, dst.At(i, j), want, relative, 0, "%v d=%d %v (%d,%d)", metric, d, shape, i, j)
					}
				}
				if shape[0] > 3 && shape[1] > 2 {
					tile := New[F](shape[0]-3, shape[1]-2)
					p.Tile(tile, 3, 1, nil)
					for i := range tile.Rows {
						for j := range tile.Cols {
							pairWithin(t, tile.At(i, j), exactMetric(metric, x.Row(3+i), y.Row(1+j)), relative, relative,
								"%v d=%d tile (%d,%d)", metric, d, i, j)
						}
					}
				}
			}
		}
	}
}

func TestPairMetricsAgainstExactSums(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		t.Run("float64", func(t *testing.T) { checkMetrics[float64](t, 1e-14*20) })
		t.Run("float32", func(t *testing.T) { checkMetrics[float32](t, 1e-5) })
	})
}

// closeClouds are pairs of rows at relative distances down to one unit in the
// last place and equal ones, in clusters far from the origin and from each other.
func closeClouds(seed uint64, d int, offsets ...float64) Matrix[float64] {
	r := rand.New(rand.NewPCG(seed, 3))
	const each = 24
	x := New[float64](each*len(offsets), d)
	for c, offset := range offsets {
		for i := range each {
			row := x.Row(c*each + i)
			for j := range row {
				row[j] = offset + r.NormFloat64()
			}
			if i%2 == 1 {
				twin := x.Row(c*each + i - 1)
				shift := math.Pow(10, -float64(i)/3) // 0.5 to 2e-7, and then
				switch i {
				case each - 3:
					shift = 1e-15
				case each - 1:
					shift = 0
				}
				for j := range row {
					row[j] = twin[j] + shift*r.NormFloat64()
				}
			}
		}
	}
	return x
}

func checkSquaredDistances[F Float](t *testing.T, x Matrix[float64], relative float64) {
	t.Helper()
	dst := New[F](x.Rows, x.Rows)
	PairwiseSym(2, NewPairs[F](SquaredDistance, x, x), dst, nil)
	for i := range x.Rows {
		for j := range x.Rows {
			got, want := dst.At(i, j), exactMetric(SquaredDistance, x.Row(i), x.Row(j))
			if got < 0 || want == 0 && got != 0 {
				t.Fatalf("(%d,%d): %v, want %v", i, j, got, want)
			}
			if float64(F(want)) < 1e-300 || math.IsInf(float64(F(want)), 0) || float64(F(want)) < 1e-37 && !isFloat64[F]() {
				// Not representable, or a denormal: rounding is all that may happen.
				if math.IsInf(float64(F(want)), 0) != math.IsInf(float64(got), 0) || math.IsNaN(float64(got)) ||
					!(float64(got) <= 1e-299 || float64(got) > 1e200 || !isFloat64[F]()) {
					t.Fatalf("(%d,%d): %v, want %v", i, j, got, want)
				}
				continue
			}
			pairWithin(t, got, want, relative, 0, "(%d,%d)", i, j)
		}
	}
}

func TestSquaredDistancesOfClosePoints(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		dims := []int{1, 3, 20, 300}
		if testing.Short() {
			dims = []int{2, 40}
		}
		for _, d := range dims {
			for _, offsets := range [][]float64{{0}, {1e4}, {1e8}, {-1e8, 1e8, 3e5}, {1e15, 2}} {
				t.Run(fmt.Sprintf("d=%d offsets=%v", d, offsets), func(t *testing.T) {
					x := closeClouds(uint64(d), d, offsets...)
					checkSquaredDistances[float64](t, x, 1e-12)
					checkSquaredDistances[float32](t, x, 1e-4)
				})
			}
		}
	})
}

func TestSquaredDistancesAtExtremeScales(t *testing.T) {
	for _, scale := range []float64{1e308, 1e300, 1e160, 1e100, 1e30, 1e-30, 1e-100, 1e-150, 1e-160, 1e-200, 1e-308,
		5e-324} {
		t.Run(fmt.Sprint(scale), func(t *testing.T) {
			x := New[float64](12, 5)
			r := rand.New(rand.NewPCG(4, 4))
			for i := range x.Data {
				x.Data[i] = scale * (r.Float64() - 0.5)
			}
			copy(x.Row(3), x.Row(7))
			checkSquaredDistances[float64](t, x, 1e-12)
			checkSquaredDistances[float32](t, x, 1e-4)
			// Ordinary points beside an extreme one keep their distances.
			for j := range 5 {
				x.Row(1)[j], x.Row(2)[j] = float64(j), float64(2*j)
			}
			checkSquaredDistances[float64](t, x, 1e-12)
			checkSquaredDistances[float32](t, x, 1e-4)
		})
	}
}

func checkThreads[F Float](t *testing.T) {
	n := 700
	if testing.Short() {
		n = 300 // still several tiles
	}
	x := histograms(5, n, 21)
	for _, metric := range allMetrics {
		p := NewPairs[F](metric, x, x)
		profile := func(m []F) {
			for i, v := range m {
				m[i] = v*2 + 1
			}
		}
		want := New[F](n, n)
		PairwiseSym(1, p, want, profile)
		for i := range n {
			for j := range i {
				if want.At(i, j) != want.At(j, i) {
					t.Fatalf("%v: not symmetric at (%d,%d)", metric, i, j)
				}
			}
		}
		full := New[F](n, n)
		PairwiseFull(1, p, full, profile)
		for _, threads := range []int{2, 8} {
			got := New[F](n, n)
			PairwiseSym(threads, p, got, profile)
			rect := New[F](n, n)
			PairwiseFull(threads, p, rect, profile)
			for k := range got.Data {
				if got.Data[k] != want.Data[k] || rect.Data[k] != full.Data[k] {
					t.Fatalf("%v: bits differ at %d threads", metric, threads)
				}
			}
		}
		for k, v := range full.Data {
			pairWithin(t, v, float64(want.Data[k]), 1e-5, 1e-5, "%v", metric)
		}
	}
}

func TestPairwiseSameBitsAtAnyThreadCount(t *testing.T) {
	checkThreads[float64](t)
	checkThreads[float32](t)
}

func TestPairsRefuseWrongShapes(t *testing.T) {
	mustPanic := func(what string, f func()) {
		defer func() {
			if recover() == nil {
				t.Errorf("%s: no panic", what)
			}
		}()
		f()
	}
	x, y := histograms(1, 4, 3), histograms(2, 4, 3)
	mustPanic("dimensions", func() { NewPairs[float64](L1Distance, x, histograms(1, 4, 2)) })
	mustPanic("metric", func() { NewPairs[float64](PairMetric(99), x, y) })
	p := NewPairs[float64](L1Distance, x, y)
	mustPanic("tile", func() { p.Tile(New[float64](2, 2), 3, 0, nil) })
	mustPanic("whole", func() { PairwiseFull(1, p, New[float64](4, 3), nil) })
	mustPanic("symmetric", func() { PairwiseSym(1, p, New[float64](4, 4), nil) })
}

func checkWithRows[F Float](t *testing.T, relative, size float64) {
	t.Helper()
	x, y := histograms(3, 7, 5), histograms(4, 9, 5)
	for _, far := range []float64{1, 1e150} {
		for i := range x.Data {
			x.Data[i] *= far
		}
		for m := InnerProduct; m <= MinimumSum; m++ {
			if far > 1 && m != SquaredDistance {
				continue
			}
			p := NewPairs[F](m, y, y).WithRows(x)
			if r, c := p.Dims(); r != 7 || c != 9 || p.Symmetric() {
				t.Fatalf("%v: %d×%d, symmetric %v", m, r, c, p.Symmetric())
			}
			got := New[F](7, 9)
			p.Tile(got, 0, 0, nil)
			for i := range 7 {
				for j := range 9 {
					want := exactMetric(m, x.Row(i), y.Row(j))
					if isFloat64[F]() || want < 1e30 {
						pairWithin(t, got.At(i, j), want, relative, size, "%v", m)
					}
				}
			}
		}
	}
}

func TestPairsWithOtherRows(t *testing.T) {
	checkWithRows[float64](t, 1e-12, 1e-14)
	checkWithRows[float32](t, 1e-4, 1e-6)
}
