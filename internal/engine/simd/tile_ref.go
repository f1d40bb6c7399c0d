package simd

import "unsafe"

// The plain Go tile is 4×4 with one lane, whatever the element.
const (
	refRows = 4
	refCols = 4
)

func gemmTileRef[F Float](w int) func(k int, alpha F, a, b *F, beta F, c *F, ldc int, next *F) {
	return func(k int, alpha F, a, b *F, beta F, c *F, ldc int, _ *F) {
		gemmRef(refRows, w, k, alpha, unsafe.Slice(a, k*refRows), unsafe.Slice(b, k*w), beta,
			unsafe.Slice(c, (refRows-1)*ldc+w), ldc)
	}
}

// gemmRef is the meaning of every gemm kernel with tiles of rows × cols.
func gemmRef[F Float](rows, cols, k int, alpha F, a, b []F, beta F, c []F, ldc int) {
	for i := range rows {
		for j := range cols {
			var s F
			for p := range k {
				s += a[p*rows+i] * b[p*cols+j]
			}
			s *= alpha
			if beta != 0 {
				s += beta * c[i*ldc+j]
			}
			c[i*ldc+j] = s
		}
	}
}

// trsmRef is the meaning of every trsm kernel with tiles of rows × cols.
func trsmRef[F Float](rows, cols int, l, x []F) {
	for i := range rows {
		for j := range cols {
			s := x[i*cols+j]
			for p := range i {
				s -= l[i*rows+p] * x[p*cols+j]
			}
			x[i*cols+j] = s * l[i*rows+i]
		}
	}
}

func transposeFourRef[F Float](n int, src *F, ld int, dst *F, stride int) {
	s, d := unsafe.Slice(src, 3*ld+n), unsafe.Slice(dst, (n-1)*stride+4)
	for r := range 4 {
		for p := range n {
			d[p*stride+r] = s[r*ld+p]
		}
	}
}

// packPanelsRef is the meaning of every kernel for panels cols wide.
func packPanelsRef[F Float](cols, k, panels int, src []F, ld int, dst []F) {
	for p := range k {
		for q := range panels {
			copy(dst[(q*k+p)*cols:][:cols], src[p*ld+q*cols:])
		}
	}
}

func tileRef[F Float]() *Tile[F] {
	t := &Tile[F]{MR: refRows, NR: refCols, Lanes: 2, transpose: transposeFourRef[F]}
	t.gemm[0] = gemmTileRef[F](2)
	t.gemm[1] = gemm4x4Ref[F]
	t.panels = func(k, panels int, src *F, ld int, dst *F) {
		packPanelsRef(refCols, k, panels, unsafe.Slice(src, (k-1)*ld+panels*refCols), ld, unsafe.Slice(dst, k*panels*refCols))
	}
	t.trsm = func(l, x *F) {
		trsmRef(refRows, refCols, unsafe.Slice(l, refRows*refRows), unsafe.Slice(x, refRows*refCols))
	}
	return t
}

// gemm4x4Ref is gemmRef for the 4×4 tile with its sums in registers, which
// is what makes the fallback bearable.
func gemm4x4Ref[F Float](k int, alpha F, ap, bp *F, beta F, cp *F, ldc int, _ *F) {
	a, b, c := unsafe.Slice(ap, k*4), unsafe.Slice(bp, k*4), unsafe.Slice(cp, 3*ldc+4)
	// Two rows at a time: eight sums and six operands fit sixteen registers.
	for i := 0; i < 4; i += 2 {
		var s00, s01, s02, s03, s10, s11, s12, s13 F
		for p := 0; p+4 <= len(a) && p+4 <= len(b); p += 4 {
			a0, a1 := a[p+i], a[p+i+1]
			b0, b1, b2, b3 := b[p], b[p+1], b[p+2], b[p+3]
			s00 += a0 * b0
			s01 += a0 * b1
			s02 += a0 * b2
			s03 += a0 * b3
			s10 += a1 * b0
			s11 += a1 * b1
			s12 += a1 * b2
			s13 += a1 * b3
		}
		for r, s := range [2][4]F{{s00, s01, s02, s03}, {s10, s11, s12, s13}} {
			row := c[(i+r)*ldc : (i+r)*ldc+4]
			for j := range row {
				v := alpha * s[j]
				if beta != 0 {
					v += beta * row[j]
				}
				row[j] = v
			}
		}
	}
}

var (
	tile64Ref = tileRef[float64]()
	tile32Ref = tileRef[float32]()
)
