package gram

import (
	"context"
	"errors"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Where a kernel is a sum over sparse features, K = ΦΦᵀ, a product with K is two with Φ: it takes
// four operations for each entry of Φ, and no entry of K is ever made.
const (
	productFrom = 1000 // points: below, K is there in milliseconds
	// productShare is how many entries of K must come on one of Φ: those of K are read in order,
	// and made once for all products.
	productShare = 16
)

// sparseProduct is K by the rows of Φ.
type sparseProduct struct {
	phi, turned *linalg.CSR // Φ and Φᵀ
	diag        []float64
	threads     int
	why         string
}

// newSparseProduct is K by sparse features where the layout is open, the kernel has them, and they
// are few; nil where not.
func newSparseProduct[T any](ctx context.Context, k kernel.Kernel[T], x data.Points[T], o Options) (Accessor, error) {
	n := x.Len()
	if o.Layout != Auto || o.ByColumn || o.Precision != Double || o.Device != nil || n < productFrom {
		return nil, nil
	}
	if _, dense := data.VectorsOf(x); dense {
		return nil, nil
	}
	of, points := kernel.Erase(k), data.Erase(x)
	rows, linear := linearRows(of, points)
	if !linear {
		if !kernel.HasSparseMap(of) {
			return nil, nil
		}
		bytes := o.Bytes
		if bytes == 0 {
			bytes = par.DefaultBytes()
		}
		const entry = 40 // bytes, with the blocks that rows are put together from
		most := int(min(float64(n)*float64(n)/productShare, float64(bytes)/entry))
		_, mapped, err := kernel.MapSparse(ctx, o.Threads, of, points, max(most, 1))
		if errors.Is(err, kernel.ErrManyFeatures) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		rows = (*linalg.CSR)(mapped.CSR())
	}
	if float64(rows.NNZ()) > float64(n)*float64(n)/productShare {
		return nil, nil
	}
	g := &sparseProduct{phi: rows, turned: rows.T(), diag: make([]float64, n), threads: o.Threads}
	g.why = fmt.Sprintf("%s entries of %s features", phrase.Thousands(rows.NNZ()), phrase.Thousands(rows.Cols))
	rows.RowNormsSquared(g.diag)
	return g, finiteSelves(g.diag, "row")
}

// linearRows is sparse rows whose kernel is the linear one: they are Φ.
func linearRows(k kernel.Kernel[any], x data.Points[any]) (*linalg.CSR, bool) {
	points, ok := data.SparseOfPoints(x)
	if !ok {
		return nil, false
	}
	of, ok := kernel.Concrete(k).(kernel.SparseOf)
	if !ok {
		return nil, false
	}
	rows, held := data.Concrete(points).(interface{ CSR() *data.CSR })
	if _, ok = of.Dense.(kernel.Linear); !ok || !held {
		return nil, false
	}
	return (*linalg.CSR)(rows.CSR()), true
}

// Dims returns the shape.
func (g *sparseProduct) Dims() (int, int) { return g.phi.Rows, g.phi.Rows }

// MulTo sets dst = Φ(Φᵀv).
func (g *sparseProduct) MulTo(dst, v *mat.Dense, trans bool) {
	checkMul(g, dst, v, trans)
	w := linalg.New[float64](g.phi.Cols, linalg.Of(v).Cols)
	g.turned.MulDense(g.threads, w, linalg.Of(v))
	g.phi.MulDense(g.threads, linalg.Of(dst), w)
}

// Diag sets dst to the diagonal.
func (g *sparseProduct) Diag(dst []float64) { copy(dst, g.diag) }

// Column sets dst to column j.
func (g *sparseProduct) Column(dst []float64, j int) {
	one := make([]float64, g.phi.Cols)
	index, value := g.phi.Row(j)
	for e, c := range index {
		one[c] = value[e]
	}
	column := func(v []float64) linalg.Matrix[float64] {
		return linalg.Matrix[float64]{Rows: len(v), Cols: 1, Stride: 1, Data: v}
	}
	g.phi.MulDense(g.threads, column(dst), column(one))
}

// Row sets dst to row i.
func (g *sparseProduct) Row(dst []float64, i int) { g.Column(dst, i) }

// Block sets dst[a, b] = K[i+a, j+b].
func (g *sparseProduct) Block(dst *mat.Dense, i, j int) {
	o := linalg.Of(dst)
	linalg.NewRowProducts(g.phi.SliceRows(i, i+o.Rows), g.phi.SliceRows(j, j+o.Cols)).Tile(o, 0, 0)
}

// Describe says how the matrix is kept, and why.
func (g *sparseProduct) Describe() string {
	return fmt.Sprintf("products of sparse features float64, %d×%d: %s", g.phi.Rows, g.phi.Rows, g.why)
}
