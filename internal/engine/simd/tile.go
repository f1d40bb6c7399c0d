package simd

import (
	"fmt"
	"unsafe"
)

// Tile is the machinery of a blocked matrix product at one CPU level: the
// shape of the register tile and the kernels that work on packed panels.
//
// A panel of A holds MR rows, column after column: a[p*MR+i]. A panel of B
// holds w columns, row after row: b[p*w+j], where w is NR, or for the last
// panel what Width says. Short panels are padded with zeros.
type Tile[F Float] struct {
	// MR and NR are the rows and columns of the full tile; Lanes divides NR.
	MR, NR, Lanes int

	gemm      [3]func(k int, alpha F, a, b *F, beta F, c *F, ldc int, next *F)
	trsm      func(l, x *F)
	transpose func(n int, src *F, ld int, dst *F, stride int)
	panels    func(k, panels int, src *F, ld int, dst *F)
}

// Width is how wide the panel for n ≤ NR columns of B is.
func (t *Tile[F]) Width(n int) int { return (n + t.Lanes - 1) / t.Lanes * t.Lanes }

// Gemm does, for i < MR and j < w,
//
//	c[i*ldc+j] = beta*c[i*ldc+j] + alpha * Σ_{p<k} a[p*MR+i]*b[p*w+j]
//
// where w is a value of Width. With beta = 0, c is not read. If it can, it
// meanwhile brings the first Fetched elements of next nearer, which will be needed.
func (t *Tile[F]) Gemm(k, w int, alpha F, a, b []F, beta F, c []F, ldc int, next []F) {
	if len(a) < k*t.MR || len(b) < k*w || k < 1 || ldc < w || len(c) < (t.MR-1)*ldc+w {
		panic(fmt.Sprintf("simd: %d×%d tile of depth %d from panels of %d and %d into %d with stride %d",
			t.MR, w, k, len(a), len(b), len(c), ldc))
	}
	t.gemm[w/t.Lanes-1](k, alpha, &a[0], &b[0], beta, &c[0], ldc, unsafe.SliceData(next))
}

// Fetched is how many elements of its argument next Gemm brings nearer: a
// cache line for every four terms.
func (t *Tile[F]) Fetched(k int) int { return k / 4 * (64 / int(unsafe.Sizeof(*new(F)))) }

// Trsm solves L·X = X in place for one MR×NR tile x without padding; l is
// MR×MR, row-major, with the reciprocals of L's diagonal on its diagonal: in
// order of i, for j < NR,
//
//	x[i*NR+j] = (x[i*NR+j] - Σ_{p<i} l[i*MR+p]*x[p*NR+j]) * l[i*MR+i]
func (t *Tile[F]) Trsm(l, x []F) {
	_, _ = l[t.MR*t.MR-1], x[t.MR*t.NR-1]
	t.trsm(&l[0], &x[0])
}

// Transpose does dst[p*stride+r] = src[r*ld+p] for r < rows and p < n.
func (t *Tile[F]) Transpose(rows, n int, src []F, ld int, dst []F, stride int) {
	if rows <= 0 || n <= 0 {
		return
	}
	_, _ = src[(rows-1)*ld+n-1], dst[(n-1)*stride+rows-1]
	r := 0
	for ; r+4 <= rows; r += 4 {
		t.transpose(n, &src[r*ld], ld, &dst[r], stride)
	}
	for ; r < rows; r++ {
		for p, v := range src[r*ld : r*ld+n] {
			dst[p*stride+r] = v
		}
	}
}

// PackPanels fills whole panels of B from k rows of a matrix:
//
//	dst[(q*k+p)*NR+j] = src[p*ld+q*NR+j]   for q < panels, p < k, j < NR
func (t *Tile[F]) PackPanels(k, panels int, src []F, ld int, dst []F) {
	if k <= 0 || panels <= 0 {
		return
	}
	_, _ = src[(k-1)*ld+panels*t.NR-1], dst[k*panels*t.NR-1]
	t.panels(k, panels, &src[0], ld, &dst[0])
}

// TileOf returns the kernels of the current level.
func TileOf[F Float]() *Tile[F] {
	var t any
	switch any(*new(F)).(type) {
	case float64:
		t = tile64()
	default:
		t = tile32()
	}
	return t.(*Tile[F])
}
