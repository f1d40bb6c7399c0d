package simd

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// expCases are the functions that take another way where results are denormal.
func expCases[F Float]() []elementwise[F] {
	if c, ok := any(elementwise64[:2]).([]elementwise[F]); ok {
		return c
	}
	return any(elementwise32[:2]).([]elementwise[F])
}

// checkExp compares with the reference, bit for bit.
func checkExp[F Float](t *testing.T, src []F) {
	t.Helper()
	got, want := make([]F, len(src)), make([]F, len(src))
	for _, c := range expCases[F]() {
		c.run(got, src)
		c.ref(want, src)
		for i := range got {
			if !sameBits(got[i], want[i]) {
				t.Fatalf("%s(%v) = %v (%#x), want %v (%#x), at %d of %d", c.name, src[i], got[i], toBits(got[i]), want[i],
					toBits(want[i]), i, len(src))
			}
		}
	}
}

// Every float32 whose exponential is denormal, and those on both sides: the
// least normal result, the least denormal one and the last tie towards zero are among them.
func TestExp32OfEveryArgumentThatUnderflows(t *testing.T) {
	step := uint32(1)
	if testing.Short() {
		step = 7
	}
	var src []float32
	for b := math.Float32bits(-86.5); b <= math.Float32bits(-105.5); b += step {
		src = append(src, math.Float32frombits(b))
	}
	everyLevel(t, func(t *testing.T) {
		checkExp(t, src)
		normal, denormal, zero := 0, 0, 0
		dst := make([]float32, len(src))
		exp32(dst, src)
		for i, y := range dst {
			switch {
			case y >= 0x1p-126:
				normal++
			case y > 0:
				denormal++
			default:
				zero++
			}
			if i > 0 && y > dst[i-1] {
				t.Fatalf("exp(%v) = %v is more than exp(%v) = %v", src[i], y, src[i-1], dst[i-1])
			}
		}
		if normal == 0 || denormal == 0 || zero == 0 {
			t.Errorf("%d normal, %d denormal results and %d zeros", normal, denormal, zero)
		}
	})
}

// Denormal results beside everything else that a lane can hold.
func TestExpOfMixedLanes(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		t.Run("64", func(t *testing.T) { testMixedLanes[float64](t, -746.5, -707, 710) })
		t.Run("32", func(t *testing.T) { testMixedLanes[float32](t, -105, -86, 89) })
	})
}

func testMixedLanes[F Float](t *testing.T, low, high, overflow float64) {
	r := rand.New(rand.NewPCG(21, 22))
	others := []float64{0, math.Copysign(0, -1), 1, -1, overflow, -overflow, 2 * overflow, math.Inf(1), math.Inf(-1),
		math.NaN(), 1e-320, -1e300, 1e300}
	for n := range 257 {
		src := make([]F, n)
		for i := range src {
			switch r.IntN(3) {
			case 0:
				src[i] = F(others[r.IntN(len(others))])
			case 1: // where the power of two of the reduction changes
				k := math.Round((low + (high-low)*r.Float64()) / math.Ln2)
				src[i] = F((k + 0.5) * math.Ln2 * (1 + 1e-15*(r.Float64()-0.5)))
			default:
				src[i] = F(low + (high-low)*r.Float64())
			}
		}
		checkExp(t, src)
	}
}

// FuzzExpDenormal draws whole vectors around the least normal and the least
// denormal result, and any other bits between them.
func FuzzExpDenormal(f *testing.F) {
	f.Add([]byte("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"))
	f.Add(make([]byte, 1100))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var x []float64
		var x32 []float32
		for ; len(raw) >= 8 && len(x) < 300; raw = raw[8:] {
			bits := binary.LittleEndian.Uint64(raw)
			u := float64(bits>>2) * 0x1p-62
			switch bits % 4 {
			case 0:
				x, x32 = append(x, math.Float64frombits(bits)), append(x32, math.Float32frombits(uint32(bits>>2)))
			case 1:
				x, x32 = append(x, -708.4+0.4*u), append(x32, float32(-87.4+0.4*u))
			case 2:
				x, x32 = append(x, -745.2+0.2*u), append(x32, float32(-104.1+0.2*u))
			default:
				x, x32 = append(x, -746+40*u), append(x32, float32(-105+20*u))
			}
		}
		for _, l := range Supported() {
			restore := Force(l)
			checkExp(t, x)
			checkExp(t, x32)
			restore()
		}
	})
}

// BenchmarkExpUnderflow is exp where no result is denormal, where one in fifty
// is, where all are and where all are zero: the last three are what a narrow Gaussian meets.
func BenchmarkExpUnderflow(b *testing.B) {
	for _, l := range Supported() {
		defer Force(l)()
		for _, c := range []struct {
			name             string
			low, high, low64 float64
		}{{"normal", -80, -1, -700}, {"mixed", -900, -1, -7000}, {"denormal", -103, -88, -745}, {"zero", -900, -105, -7000}} {
			r := rand.New(rand.NewPCG(1, 2))
			x, y := make([]float64, 4096), make([]float64, 4096)
			x32, y32 := make([]float32, 4096), make([]float32, 4096)
			for i := range x {
				u := r.Float64()
				x32[i] = float32(c.low + (c.high-c.low)*u)
				high64 := map[string]float64{"denormal": -709, "zero": -746.5}[c.name]
				x[i] = c.low64 + (high64-c.low64)*u
			}
			run := func(name string, f func()) {
				b.Run(fmt.Sprintf("%v/%s/%s", l, c.name, name), func(b *testing.B) {
					for b.Loop() {
						f()
					}
					b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/4096*1e9, "ns/element")
				})
			}
			run("64", func() { Exp64(y, x) })
			run("32", func() { exp32(y32, x32) })
		}
	}
}
