package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// dotExactly sums in float64, with the sum of magnitudes for the bound.
func dotExactly[F Float](x, y []F) (sum, abs float64) {
	for i, v := range x {
		p := float64(v) * float64(y[i])
		sum += p
		abs += math.Abs(p)
	}
	return sum, abs
}

func testLevel1[F Float](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 257 {
		for _, off := range []int{1, 8} {
			gx, gy := guard[F](r, n, off), guard[F](r, n, off+2)
			x, y := gx.x, gy.x
			want, abs := dotExactly(x, y)
			near(t, "dot", n, Dot(x, y), want, abs)
			near(t, "dot reference", n, dotRef(x, y), want, abs)
			a := 0.0
			for _, v := range x {
				a += math.Abs(float64(v))
			}
			near(t, "asum", n, Asum(x), a, a)
			near(t, "asum reference", n, asumRef(x), a, a)
			sq, _ := dotExactly(x, x)
			near(t, "norm", n, Norm(x), math.Sqrt(sq), math.Sqrt(sq))

			old := append([]F(nil), y...)
			Axpy(1.5, x, y)
			for i := range y {
				w := float64(old[i]) + 1.5*float64(x[i])
				near(t, "axpy", 1, y[i], w, math.Abs(float64(old[i]))+math.Abs(w))
			}
			copy(old, y)
			Scal(-3, y)
			for i := range y {
				if y[i] != -3*old[i] {
					t.Fatalf("scal: n=%d: element %d is %g, want %g", n, i, y[i], -3*old[i])
				}
			}
			gx.intact(t)
			gy.intact(t)
		}
	}
}

func TestLevel1(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		t.Run("float64", testLevel1[float64])
		t.Run("float32", testLevel1[float32])
	})
}

func testRows[F Float](t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 257 {
		for _, extra := range []int{0, 1, 5} {
			lda := n + extra
			ga, gx, gw := guard[F](r, 3*lda+n, 3), guard[F](r, n, 1), guard[F](r, 4, 2)
			a, x := ga.x, gx.x
			w := (*[4]F)(gw.x)
			out := [4]F{F(math.NaN())}
			DotRows(a, lda, x, &out)
			for i := range out {
				want, abs := dotExactly(a[i*lda:i*lda+n], x)
				near(t, "dotRows", n, out[i], want, abs)
			}
			old := append([]F(nil), x...)
			AxpyRows(w, a, lda, x)
			for i := range x {
				want, abs := float64(old[i]), math.Abs(float64(old[i]))
				for p := range 4 {
					v := float64(w[p]) * float64(a[p*lda+i])
					want += v
					abs += math.Abs(v)
				}
				near(t, "axpyRows", 4, x[i], want, abs)
			}
			ga.intact(t)
			gx.intact(t)
			gw.intact(t)
		}
	}
}

func TestRows(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		t.Run("float64", testRows[float64])
		t.Run("float32", testRows[float32])
	})
}

func TestLengthsAreChecked(t *testing.T) {
	for name, f := range map[string]func(){
		"dot":      func() { Dot64(make([]float64, 3), make([]float64, 2)) },
		"axpy":     func() { Axpy32(1, make([]float32, 3), make([]float32, 4)) },
		"dotRows":  func() { DotRows64(make([]float64, 11), 3, make([]float64, 3), new([4]float64)) },
		"axpyRows": func() { AxpyRows32(new([4]float32), make([]float32, 8), 3, make([]float32, 3)) },
		"gemm": func() {
			TileOf[float64]().Gemm(2, 24, 1, make([]float64, 3), make([]float64, 48), 0, make([]float64, 200), 24, nil)
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s took slices that are too short", name)
				}
			}()
			f()
		}()
	}
}

func TestNormOverTheWholeRange(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		for _, c := range []struct {
			x    []float64
			want float64
		}{
			{nil, 0},
			{[]float64{0, 0}, 0},
			{[]float64{3e300, 4e300}, 5e300},
			{[]float64{3e-320, 4e-320}, 5e-320},
			{[]float64{1e308, 0, 1e308}, math.Sqrt2 * 1e308},
			{[]float64{0x1p-1074}, 0x1p-1074},
			{[]float64{1e-200, 1}, 1},
			{[]float64{1, math.Inf(-1)}, math.Inf(1)},
			{[]float64{math.MaxFloat64, math.MaxFloat64}, math.Inf(1)},
		} {
			if got := Norm64(c.x); got != c.want && !(math.Abs(got-c.want) <= 4*0x1p-53*c.want+0x1p-1074) {
				t.Errorf("norm of %v is %g, want %g", c.x, got, c.want)
			}
		}
		if !math.IsNaN(Norm64([]float64{1e308, math.NaN(), 1e308})) {
			t.Error("NaN is lost")
		}
		if got := Norm32([]float32{3e30, 4e30}); math.Abs(float64(got)-5e30) > 1e24 {
			t.Errorf("norm in float32 is %g, want 5e30", got)
		}
		if got := Norm32([]float32{3e-30, 4e-30}); math.Abs(float64(got)-5e-30) > 1e-36 {
			t.Errorf("norm in float32 is %g, want 5e-30", got)
		}
	})
}
