package linalg

import "github.com/mercer-ml/mercer/internal/engine/simd"

// Who asks for a few rows of a large matrix again and again would pack its columns for the product every time, which takes
// longer than the product. packedColumns is the panels of all columns, packed once.
type packedColumns[F Float] struct{ panels []F }

// A tile of at most packedTall rows is made from packed columns, where there are some. Deeper sums than packedDeep would
// not find both panels in cache.
const (
	packedTall = 96
	packedDeep = 2048
)

// PackColumns keeps the columns packed, for narrow tiles of products and squared distances, which then have the same values
// wherever they are placed. It is called before p is used.
func (p *Pairs[F]) PackColumns() {
	if p.metric != InnerProduct && p.metric != SquaredDistance || p.dim == 0 || p.dim > packedDeep || p.cols == 0 {
		return
	}
	t := simd.TileOf[F]()
	panels := make([]F, roundUp(p.cols, t.NR)*p.dim)
	packPanels(t, byRow[F](p.y), panels, t.NR, 0, p.cols, 0, p.dim, t.Width)
	p.packed = &packedColumns[F]{panels}
}

// multiply sets dst = alpha·x·yᵀ for the rows of x given and the columns of y from j on.
func (k *packedColumns[F]) multiply(alpha F, x Matrix[F], cols, j int, dst Matrix[F]) {
	t := simd.TileOf[F]()
	depth := x.Cols
	buf := borrow[F](roundUp(x.Rows, t.MR)*depth + t.MR*t.NR)
	defer giveBack(buf)
	a, scratch := (*buf)[:roundUp(x.Rows, t.MR)*depth], (*buf)[roundUp(x.Rows, t.MR)*depth:]
	packPanels(t, byRow[F](x), a, t.MR, 0, x.Rows, 0, depth, func(int) int { return t.MR })
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
