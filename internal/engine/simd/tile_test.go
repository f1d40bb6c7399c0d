package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// tileCheck runs every kernel of the tile at one depth, between guards, and
// compares with the reference loops.
func tileCheck[F Float](t *testing.T, r *rand.Rand, k, extra int, alpha, beta F) {
	t.Helper()
	tile := TileOf[F]()
	for w := tile.Lanes; w <= tile.NR; w += tile.Lanes {
		ldc := w + extra
		ga, gb := guard[F](r, k*tile.MR, 8), guard[F](r, k*w, 5)
		gc := guard[F](r, (tile.MR-1)*ldc+w, 3)
		for i := range tile.MR - 1 { // between the rows
			for j := w; j < ldc; j++ {
				gc.x[i*ldc+j] = F(math.NaN())
			}
		}
		want := append([]F(nil), gc.x...)
		if beta == 0 {
			for i := range gc.x {
				gc.x[i] = F(math.NaN())
			}
		}
		gemmRef(tile.MR, w, k, alpha, ga.x, gb.x, beta, want, ldc)
		tile.Gemm(k, w, alpha, ga.x, gb.x, beta, gc.x, ldc, ga.x)
		for i := range tile.MR {
			for j := range ldc {
				if i*ldc+j >= len(want) {
					continue
				}
				got := gc.x[i*ldc+j]
				if j >= w {
					if got == got {
						t.Fatalf("gemm %d×%d: wrote between rows at (%d, %d)", tile.MR, w, i, j)
					}
					continue
				}
				abs := math.Abs(float64(want[i*ldc+j]))
				for p := range k {
					abs += math.Abs(float64(alpha * ga.x[p*tile.MR+i] * gb.x[p*w+j]))
				}
				near(t, "gemm tile", 2*k+2, got, float64(want[i*ldc+j]), 2*abs)
			}
		}
		ga.intact(t)
		gb.intact(t)
		gc.intact(t)
	}
}

func testTile[F Float](t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for k := 1; k <= 256; k++ {
		extra := k % 4
		tileCheck[F](t, r, k, extra, 1, 0)
		if k < 70 {
			tileCheck[F](t, r, k, extra, -0.5, 1)
			tileCheck[F](t, r, k, 0, 2, -3)
		}
	}
}

func testTrsmTile[F Float](t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	tile := TileOf[F]()
	for range 20 {
		gl, gx := guard[F](r, tile.MR*tile.MR, 3), guard[F](r, tile.MR*tile.NR, 5)
		want := append([]F(nil), gx.x...)
		trsmRef(tile.MR, tile.NR, gl.x, want)
		tile.Trsm(gl.x, gx.x)
		size := 0.0
		for _, v := range want {
			size = max(size, math.Abs(float64(v)))
		}
		for i := range want {
			near(t, "trsm tile", 200, gx.x[i], float64(want[i]), size)
		}
		gl.intact(t)
		gx.intact(t)
	}
}

func testPacking[F Float](t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	tile := TileOf[F]()
	for n := range 257 {
		rows := n % 27
		ld, stride := n+n%3, rows+n%5
		src, dst := guard[F](r, rows*ld, 3), guard[F](r, n*stride, 5)
		tile.Transpose(rows, n, src.x, ld, dst.x, stride)
		for i := range rows {
			for p := range n {
				if dst.x[p*stride+i] != src.x[i*ld+p] {
					t.Fatalf("transpose %d×%d: element (%d, %d)", rows, n, i, p)
				}
			}
		}
		src.intact(t)
		dst.intact(t)

		k, panels := n%61, n%5
		ld = panels*tile.NR + n%7
		src, dst = guard[F](r, k*ld, 3), guard[F](r, k*panels*tile.NR, 5)
		want := make([]F, len(dst.x))
		packPanelsRef(tile.NR, k, panels, src.x, ld, want)
		tile.PackPanels(k, panels, src.x, ld, dst.x)
		for i := range want {
			if k*panels > 0 && dst.x[i] != want[i] {
				t.Fatalf("panels %d×%d: element %d is %g, want %g", k, panels, i, dst.x[i], want[i])
			}
		}
		src.intact(t)
		dst.intact(t)
	}
}

func TestTile(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		t.Run("gemm64", testTile[float64])
		t.Run("gemm32", testTile[float32])
		t.Run("trsm64", testTrsmTile[float64])
		t.Run("trsm32", testTrsmTile[float32])
		t.Run("packing64", testPacking[float64])
		t.Run("packing32", testPacking[float32])
	})
}

// FuzzLevel1 compares every level with the reference on arbitrary bits: where
// the reference is finite, so is the routine, and close; where it is not, neither is it.
func FuzzLevel1(f *testing.F) {
	f.Add([]byte("0123456789abcdef0123456789abcdef"), 1.0)
	f.Add([]byte{}, math.Inf(1))
	f.Add(make([]byte, 333), math.NaN())
	f.Fuzz(func(t *testing.T, raw []byte, alpha float64) {
		x := make([]float64, len(raw)/2)
		y := make([]float64, len(x))
		for i := range x {
			x[i] = math.Ldexp(float64(int8(raw[2*i])), int(raw[2*i+1]%40))
			y[i] = float64(int8(raw[2*i+1]))
		}
		for _, l := range Supported() {
			restore := Force(l)
			sum, abs := dotExactly(x, y)
			near(t, "dot", len(x), Dot64(x, y), sum, abs)
			got, want := append([]float64(nil), y...), append([]float64(nil), y...)
			Axpy64(alpha, x, got)
			axpyRef(alpha, x, want)
			for i := range got {
				same := math.IsNaN(got[i]) && math.IsNaN(want[i]) || got[i] == want[i]
				if !same && !(math.Abs(got[i]-want[i]) <= 0x1p-52*(math.Abs(alpha*x[i])+math.Abs(y[i]))) {
					t.Fatalf("%v: axpy element %d is %g, want %g", l, i, got[i], want[i])
				}
			}
			restore()
		}
	})
}

// FuzzTile draws depths, strides and scalars for the tile kernels.
func FuzzTile(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint8(0), 1.0, 0.0)
	f.Add(uint64(2), uint8(200), uint8(9), -2.0, 0.25)
	f.Fuzz(func(t *testing.T, seed uint64, k, extra uint8, alpha, beta float64) {
		if k == 0 || !(math.Abs(alpha) < 1e6) || !(math.Abs(beta) < 1e6) {
			t.Skip("no depth, or scalars so large that they only test overflow")
		}
		for _, l := range Supported() {
			restore := Force(l)
			tileCheck[float64](t, rand.New(rand.NewPCG(seed, 1)), int(k), int(extra), alpha, beta)
			tileCheck[float32](t, rand.New(rand.NewPCG(seed, 1)), int(k), int(extra), float32(alpha), float32(beta))
			restore()
		}
	})
}
