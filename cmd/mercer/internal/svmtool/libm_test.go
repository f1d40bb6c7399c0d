package svmtool

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// Bits of glibc 2.36 on x86-64 with FMA, by Python's math module.
func TestLibmBits(t *testing.T) {
	for _, c := range []struct{ x, exp, tanh float64 }{
		{0.0, 0x1.0000000000000p+0, 0x0.0p+0},
		{0.001, 0x1.0041919b7ee34p+0, 0x1.0624d77516ce2p-10},
		{-0.3648695636103812, 0x1.63799cd17d8e0p-1, -0x1.65e24aa6b8cc9p-2},
		{0.27735689157400334, 0x1.51d3bf4250cc7p+0, 0x1.14f2b2478ba97p-2},
		{-0.08276789179808208, 0x1.d75444c01d2cbp-1, -0x1.523ec8cf02bbcp-4},
		{-1.0570034110010258, 0x1.63d5dfcfa3968p-2, -0x1.91abda8b157f0p-1},
		{-1.834901826853631, 0x1.46eba8d406637p-3, -0x1.e68e2ab99473bp-1},
		{-1.7118109149860297, 0x1.71be32dc4b8f7p-3, -0x1.dfad56e9730b3p-1},
		{-2.45572191993681, 0x1.5f711cb114b4ep-4, -0x1.f8843d07c3a40p-1},
		{2.684698204244925, 0x1.d4ebc065424c4p+3, 0x1.fb40de9b4f077p-1},
		{0.4626176917049918, 0x1.9695fb3c2ccecp+0, 0x1.ba96a5aa90b71p-2},
		{-0.2224224621759271, 0x1.99e53d2b7521ap-1, -0x1.c027b620f25efp-3},
		{-2.2932465715297896, 0x1.9d7166c3b9f0cp-4, -0x1.f5ac13ac73e61p-1},
		{-2.381665725338452, 0x1.7a74cbe2112dcp-4, -0x1.f754fd2a3d1d3p-1},
		{0.2864667942573469, 0x1.54eb34885084bp+0, 0x1.1d929e6b3e6a1p-2},
		{1.5860123290092858, 0x1.389747622a870p+2, 0x1.d6cd6137c9be8p-1},
		{0.5133711810458323, 0x1.abc110477736fp+0, 0x1.e3e8c92dad4cap-2},
		{-1.6473002997248856, 0x1.8a61a93f545dap-3, -0x1.db628c05d159fp-1},
		{-0.3261906186234191, 0x1.717e6ac7f0bf9p-1, -0x1.42a7eeb572ac8p-2},
		{-19.096711087251894, 0x1.5d8780adcd394p-28, -0x1.0000000000000p+0},
		{-0.0016579088104000544, 0x1.ff26dfe6a648dp-1, -0x1.b29c4662a3875p-10},
		{2.9037876326687346, 0x1.23e3ca56493cdp+4, 0x1.fceeb198e2825p-1},
		{-7.491080614041586, 0x1.2492cef7c57efp-11, -0x1.ffffeb1a0ca7dp-1},
		{-0.03248328570226975, 0x1.efa2c2605b391p-1, -0x1.0a0270060619cp-5},
		{-8.479208593690435, 0x1.b3ab32f2bc07fp-13, -0x1.fffffd1a90c07p-1},
		{-0.31303168329859754, 0x1.76635a136784cp-1, -0x1.36781ff7dc7b8p-2},
		{8.43263579420941, 0x1.1f298349667cdp+12, 0x1.fffffcd22f7a4p-1},
		{-0.8672153427579241, 0x1.ae33e34c445ffp-2, -0x1.6660b4904d3f1p-1},
		{-18.53298889906579, 0x1.3318bc132c62ap-27, -0x1.fffffffffffffp-1},
		{-0.1746650485019039, 0x1.adf22bd91c97fp-1, -0x1.621ec37f68eccp-3},
		{-38.72283020708391, 0x1.1910e245f16b0p-56, -0x1.0000000000000p+0},
		{-4.235174139415072, 0x1.da644d347f353p-7, -0x1.ffc9117935142p-1},
		{2.7463872237839473, 0x1.f2c25188195dep+3, 0x1.fbcd550cd8944p-1},
		{0.9511000618339809, 0x1.4b55cac25fec8p+1, 0x1.7b06114f5977ap-1},
		{-24.795319830746802, 0x1.2bcfe91a299f7p-36, -0x1.0000000000000p+0},
	} {
		if got := libmExp(c.x); got != c.exp {
			t.Errorf("exp(%v) = %x, want %x", c.x, got, c.exp)
		}
		if got := libmTanh(c.x); got != c.tanh {
			t.Errorf("tanh(%v) = %x, want %x", c.x, got, c.tanh)
		}
	}
	for x := -600.0; x < 600; x += 0.37 {
		if got, want := libmExp(x), math.Exp(x); math.Abs(got-want) > 4e-16*want {
			t.Errorf("exp(%v) = %g, want %g", x, got, want)
		}
	}
	if libmTanh(math.Inf(1)) != 1 || libmTanh(math.Inf(-1)) != -1 || libmExp(math.Inf(-1)) != 0 {
		t.Error("wrong at infinity")
	}
}

// Rows of entries that are laid out have the bits that values have one by one: random ones, and
// exponents where the two ways of raising differ.
func TestRowsLaidOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	rows := make([]data.SparseVec, 300)
	for i := range rows {
		for c := range int32(7) {
			if rng.IntN(3) > 0 {
				rows[i].Index = append(rows[i].Index, c)
				rows[i].Value = append(rows[i].Value, rng.NormFloat64()*math.Pow(10, float64(i%4)-1))
			}
		}
	}
	x := data.SparseOf(rows, 7)
	fast := newRowEvaluator(kernelParams{Type: rbf, Gamma: 0.3}, x)
	slow := newRowEvaluator(kernelParams{Type: rbf, Gamma: 0.3}, x)
	if fast.whole == nil {
		t.Fatal("the rows were not laid out")
	}
	slow.whole = nil
	a, b := make([]float32, len(rows)), make([]float32, len(rows))
	for i := range rows {
		fast.fill(a, i)
		slow.fill(b, i)
		for j := range a {
			if math.Float32bits(a[j]) != math.Float32bits(b[j]) {
				t.Fatalf("k(%d, %d) is %g, want %g", i, j, a[j], b[j])
			}
		}
	}
	ambiguous := 0
	y := make([]float64, 1)
	for range 200_000 {
		v := -20 * rng.Float64()
		simd.Exp64(y, []float64{v})
		if !sameInSingle(y[0]) {
			ambiguous++
			continue
		}
		if float32(y[0]) != float32(libmExp(v)) {
			t.Fatalf("exp(%v) differs in single precision", v)
		}
	}
	// The middle between two numbers, a little beside it, and far from it.
	for y, want := range map[float64]bool{1 + 0x1p-24: false, 1 + 0x1p-24 + 0x1p-51: false, 1 + 0x1p-24 + 0x1p-47: true,
		1: true, 0x1p-130: false} {
		if sameInSingle(y) != want {
			t.Errorf("%v: %v", y, !want)
		}
	}
}
