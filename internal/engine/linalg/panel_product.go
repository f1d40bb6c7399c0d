package linalg

import "github.com/mercer-ml/mercer/internal/engine/simd"

// panels is a block of rows packed once, to be multiplied from many times: register tiles' panels
// one after the other, each of depth terms.
type panels[F Float] struct {
	data  []F
	depth int
}

// packLeft packs rows i0 … i0+n of src, terms p0 … p0+k, as a left factor that begins at term at.
func (b panels[F]) packLeft(t *simd.Tile[F], src source[F], i0, n, p0, at, k int) {
	for i := 0; i < n; i += t.MR {
		src.pack(t, b.data[i*b.depth+at*t.MR:], t.MR, i0+i, min(t.MR, n-i), p0, k)
	}
}

// packRight is packLeft for a right factor.
func (b panels[F]) packRight(t *simd.Tile[F], src source[F], i0, n, p0, at, k int) {
	for i := 0; i < n; i += t.NR {
		r := min(t.NR, n-i)
		src.pack(t, b.data[i*b.depth+at*t.Width(r):], t.Width(r), i0+i, r, p0, k)
	}
}

// panelProduct is alpha·left·rightᵀ, of packed blocks, in one goroutine.
type panelProduct[F Float] struct {
	tile        *simd.Tile[F]
	part        Triangle // of c: the rest is neither read nor written
	alpha       F
	left, right panels[F]
	c           Matrix[F]
	scratch     []F // room for a register tile
}

// add sets rows r0 … r1 and columns c0 … c1 of c, which are all of left and right, to beta times
// themselves and the product of k terms: those from l in left, from r in right.
func (p panelProduct[F]) add(beta F, r0, r1, c0, c1, l, r, k int) {
	t, stride := p.tile, p.c.Stride
	fetched := t.Fetched(k)
	for i := r0; i < r1; i += t.MR {
		nr := min(t.MR, r1-i)
		ap := p.left.data[(i-r0)*p.left.depth+l*t.MR:][:k*t.MR]
		var soon []F // the next panel, fetched meanwhile
		if i+t.MR < r1 {
			soon = p.left.data[(i+t.MR-r0)*p.left.depth+l*t.MR:][:k*t.MR]
		}
		for j := c0; j < c1; j += t.NR {
			nc := min(t.NR, c1-j)
			if p.part.outside(i, nr, j, nc) {
				continue
			}
			next := ap
			if len(soon) > 0 {
				next, soon = soon, soon[min(fetched, len(soon)):]
			}
			w := t.Width(nc)
			bp := p.right.data[(j-c0)*p.right.depth+r*w:][:k*w]
			to := p.c.Data[i*stride+j:]
			if nr == t.MR && nc == w && p.part.inside(i, nr, j, nc) {
				t.Gemm(k, w, p.alpha, ap, bp, beta, to, stride, next)
				continue
			}
			t.Gemm(k, w, p.alpha, ap, bp, 0, p.scratch, w, next)
			for q := range nr {
				lo, hi := p.part.columns(i+q, j, nc)
				blend(beta, to[q*stride:], p.scratch[q*w:], lo, hi)
			}
		}
	}
}
