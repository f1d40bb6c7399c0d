package linalg

import "github.com/mercer-ml/mercer/internal/engine/simd"

// Who asks for a few rows of a large matrix again and again would pack its columns for the product
// every time, which takes longer than the product. packedColumns is the panels of all columns,
// packed once.
type packedColumns[F Float] struct{ panels []F }

// A tile of at most packedTall rows is made from packed columns, where there are some. Deeper sums
// than packedDeep would not find both panels in cache.
const (
	packedTall = 96
	packedDeep = 2048
)

// PackColumns keeps the columns packed, for narrow tiles of products and squared distances, which
// then have the same values wherever they are placed. It is called before p is used.
func (p *Pairs[F]) PackColumns() {
	if p.metric != InnerProduct && p.metric != SquaredDistance || p.dim == 0 || p.dim > packedDeep || p.cols == 0 {
		return
	}
	t := simd.TileOf[F]()
	panels := make([]F, roundUp(p.cols, t.NR)*p.dim)
	packPanels(t, byRow[F](p.y), panels, t.NR, 0, p.cols, 0, p.dim, t.Width)
	p.packed = &packedColumns[F]{panels}
}

// PackColumnsRowwise is PackColumns where tiles from packed columns have the bits of all others:
// sums that are taken in one go.
func (p *Pairs[F]) PackColumnsRowwise() {
	if p.dim <= slice {
		p.PackColumns()
	}
}

// packRows packs up to MR rows of x from i on into a panel of MR. It is what packPanels does,
// without anything to allocate.
func packRows[F Float](t *simd.Tile[F], x Matrix[F], panel []F, i int) {
	n := min(t.MR, x.Rows-i)
	t.Transpose(n, x.Cols, x.Data[i*x.Stride:], x.Stride, panel, t.MR)
	for p := 0; n < t.MR && p < x.Cols; p++ {
		clear(panel[p*t.MR+n : (p+1)*t.MR])
	}
}

// multiply sets dst = alpha·x·yᵀ for the rows of x given and the columns of y from j on.
func (k *packedColumns[F]) multiply(alpha F, x Matrix[F], cols, j int, dst Matrix[F]) {
	t := simd.TileOf[F]()
	depth := x.Cols
	buf := borrow[F](roundUp(x.Rows, t.MR)*depth + t.MR*t.NR)
	defer giveBack(buf)
	a, scratch := (*buf)[:roundUp(x.Rows, t.MR)*depth], (*buf)[roundUp(x.Rows, t.MR)*depth:]
	for i := 0; i < x.Rows; i += t.MR {
		packRows(t, x, a[i*depth:], i)
	}
	end := j + dst.Cols
	for at := j / t.NR * t.NR; at < end; at += t.NR {
		width := t.Width(min(t.NR, cols-at))
		b := k.panels[at*depth : at*depth+width*depth]
		lo, hi := max(at, j), min(at+width, end, cols)
		for i := 0; i < x.Rows; i += t.MR {
			rows := min(t.MR, x.Rows-i)
			if rows == t.MR && lo == at && hi == at+width {
				t.Gemm(depth, width, alpha, a[i*depth:], b, 0, dst.Data[i*dst.Stride+at-j:], dst.Stride, nil)
				continue
			}
			t.Gemm(depth, width, alpha, a[i*depth:], b, 0, scratch, width, nil)
			for r := range rows {
				copy(dst.Row(i + r)[lo-j:hi-j], scratch[r*width+lo-at:r*width+hi-at])
			}
		}
	}
}
