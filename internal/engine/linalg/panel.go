package linalg

import "github.com/mercer-ml/mercer/internal/engine/simd"

// source gives the engine one factor of a product in panels: element (i, p)
// has i along the result and p along the summation.
type source[F Float] interface {
	// pack does dst[p*w+i] = element(i0+i, p0+p) for i < n and p < k, and 0
	// for n ≤ i < w.
	pack(t *simd.Tile[F], dst []F, w, i0, n, p0, k int)
}

// packPanels packs n rows of src from i0 into panels of w; the last, of r
// rows, into one of width(r).
func packPanels[F Float](t *simd.Tile[F], src source[F], dst []F, w, i0, n, p0, k int, width func(r int) int) {
	i := 0
	if s, ok := src.(byColumn[F]); ok && n >= w && k > 0 {
		// Along the rows of the matrix, several panels at once: one panel at a
		// time would touch a new page for every few elements.
		i = n / w * w
		if w == t.NR {
			t.PackPanels(k, n/w, s.Data[p0*s.Stride+i0:], s.Stride, dst)
		} else {
			s.packNarrow(dst, w, i0, n/w, p0, k)
		}
	}
	for ; i < n; i += w {
		r := min(w, n-i)
		src.pack(t, dst[i*k:], width(r), i0+i, r, p0, k)
	}
}

// byRow is the source whose element (i, p) is Data[i*Stride+p]: A in A·B, B in A·Bᵀ.
type byRow[F Float] Matrix[F]

func (s byRow[F]) pack(t *simd.Tile[F], dst []F, w, i0, n, p0, k int) {
	t.Transpose(n, k, s.Data[i0*s.Stride+p0:], s.Stride, dst, w)
	if n < w {
		for p := range k {
			clear(dst[p*w+n : (p+1)*w])
		}
	}
}

// byColumn is the source whose element (i, p) is Data[p*Stride+i]: A in Aᵀ·B, B in A·B.
type byColumn[F Float] Matrix[F]

func (s byColumn[F]) pack(_ *simd.Tile[F], dst []F, w, i0, n, p0, k int) {
	for p := range k {
		lo := (p0+p)*s.Stride + i0
		copy(dst[p*w:p*w+n], s.Data[lo:lo+n])
		clear(dst[p*w+n : (p+1)*w])
	}
}

// packNarrow packs whole panels of A, w wide.
func (s byColumn[F]) packNarrow(dst []F, w, i0, panels, p0, k int) {
	for p := range k {
		row := s.Data[(p0+p)*s.Stride+i0:][:panels*w]
		to := dst[p*w:]
		if w == 8 {
			for q := range panels {
				*(*[8]F)(to[q*k*8:]) = *(*[8]F)(row[q*8:])
			}
			continue
		}
		for q := range panels {
			copy(to[q*k*w:][:w], row[q*w:])
		}
	}
}

// symmetric is the source of a symmetric matrix of which one triangle is stored.
type symmetric[F Float] struct {
	m    Matrix[F]
	uplo Triangle
}

func (s symmetric[F]) pack(t *simd.Tile[F], dst []F, w, i0, n, p0, k int) {
	// Before the diagonal block the element is in row i of the lower triangle
	// (column i of the upper), after it the other way round.
	before, after := source[F](byRow[F](s.m)), source[F](byColumn[F](s.m))
	if s.uplo == Upper {
		before, after = after, before
	}
	lo := min(max(i0-p0, 0), k)
	hi := min(max(i0+n-p0, 0), k)
	if lo > 0 {
		before.pack(t, dst, w, i0, n, p0, lo)
	}
	for p := lo; p < hi; p++ {
		for i := range n {
			r, c := i0+i, p0+p
			if (c > r) == (s.uplo == Lower) {
				r, c = c, r
			}
			dst[p*w+i] = s.m.At(r, c)
		}
		clear(dst[p*w+n : (p+1)*w])
	}
	if hi < k {
		after.pack(t, dst[hi*w:], w, i0, n, p0+hi, k-hi)
	}
}

func left[F Float](o Op, a Matrix[F]) source[F] {
	if o == Trans {
		return byColumn[F](a)
	}
	return byRow[F](a)
}

func right[F Float](o Op, b Matrix[F]) source[F] { return left(!o, b) }
