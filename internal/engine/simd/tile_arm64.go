//go:build !noasm

package simd

import "unsafe"

// The NEON tile is 4 rows by six registers, the shape of AVX2's.
var (
	tile64NEON = &Tile[float64]{MR: 4, NR: 12, Lanes: 4, trsm: trsmTileNEON[float64](12),
		panels: packPanelsNEON[float64](12), transpose: transposeFourRef[float64],
		gemm: [3]func(int, float64, *float64, *float64, float64, *float64, int, *float64){gemmOne64NEON, gemmTwo64NEON,
			gemmThree64NEON}}
	tile32NEON = &Tile[float32]{MR: 4, NR: 24, Lanes: 8, trsm: trsmTileNEON[float32](24),
		panels: packPanelsNEON[float32](24), transpose: transposeFourRef[float32],
		gemm: [3]func(int, float32, *float32, *float32, float32, *float32, int, *float32){gemmOne32NEON, gemmTwo32NEON,
			gemmThree32NEON}}
)

// trsmTileNEON and packPanelsNEON are the plain loops for the NEON tile: they
// are a vanishing part of a large product.
func trsmTileNEON[F Float](cols int) func(l, x *F) {
	return func(l, x *F) { trsmRef(4, cols, unsafe.Slice(l, 16), unsafe.Slice(x, 4*cols)) }
}

func packPanelsNEON[F Float](cols int) func(k, panels int, src *F, ld int, dst *F) {
	return func(k, panels int, src *F, ld int, dst *F) {
		packPanelsRef(cols, k, panels, unsafe.Slice(src, (k-1)*ld+panels*cols), ld, unsafe.Slice(dst, k*panels*cols))
	}
}

func tile64() *Tile[float64] {
	if Current() == NEON {
		return tile64NEON
	}
	return tile64Ref
}

func tile32() *Tile[float32] {
	if Current() == NEON {
		return tile32NEON
	}
	return tile32Ref
}

// gemmThree64NEON is gemmRef with tiles of 4×12:
//
//	c[i*ldc+j] = beta*c[i*ldc+j] + alpha * Σ_{p<k} a[p*4+i]*b[p*12+j]
//
// k ≥ 1; with beta = 0, c is not read. next is not used.
//
//go:noescape
func gemmThree64NEON(k int, alpha float64, a, b *float64, beta float64, c *float64, ldc int, next *float64)

// gemmTwo64NEON is gemmThree64NEON with tiles of 4×8.
//
//go:noescape
func gemmTwo64NEON(k int, alpha float64, a, b *float64, beta float64, c *float64, ldc int, next *float64)

// gemmOne64NEON is gemmThree64NEON with tiles of 4×4.
//
//go:noescape
func gemmOne64NEON(k int, alpha float64, a, b *float64, beta float64, c *float64, ldc int, next *float64)

// gemmThree32NEON is gemmRef with tiles of 4×24 in float32.
//
//go:noescape
func gemmThree32NEON(k int, alpha float32, a, b *float32, beta float32, c *float32, ldc int, next *float32)

// gemmTwo32NEON is gemmRef with tiles of 4×16 in float32.
//
//go:noescape
func gemmTwo32NEON(k int, alpha float32, a, b *float32, beta float32, c *float32, ldc int, next *float32)

// gemmOne32NEON is gemmRef with tiles of 4×8 in float32.
//
//go:noescape
func gemmOne32NEON(k int, alpha float32, a, b *float32, beta float32, c *float32, ldc int, next *float32)
