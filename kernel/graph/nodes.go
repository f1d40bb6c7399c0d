package graph

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Nodes is the kernel on the nodes of one graph that a spectral transform makes of its Laplacian,
//
//	k(i, j) = Σₖ r(λₖ)·φₖ(i)·φₖ(j).
//
// Its functions are smooth on the graph, which is what semi-supervised learning asks of them: fit
// on the nodes that have labels, predict on the others.
//
// Up to ExactNodes nodes the Laplacian is decomposed, once. On larger graphs r(L) is applied to
// single columns by a Chebyshev series (D. Hammond, P. Vandergheynst and R. Gribonval 2011) to 12
// digits, for the price of a few hundred products with the sparse Laplacian a column, and a Cutoff
// is made of the eigenvectors below it by Lanczos' method.
type Nodes struct {
	Laplacian *Laplacian
	Transform Transform
}

// ExactNodes is the largest graph whose Laplacian is decomposed whole.
const ExactNodes = 1500

// Name is "nodes".
func (Nodes) Name() string { return "nodes" }

func (k Nodes) exact() bool { return k.Laplacian.Nodes() <= ExactNodes }

// spectrum is the eigenvectors in use, and r of their eigenvalues; of a large graph only a Cutoff
// has them.
func (k Nodes) spectrum() (r []float64, vectors linalg.Matrix[float64], err error) {
	l := k.Laplacian
	values := []float64(nil)
	if k.exact() {
		if err := l.decompose(); err != nil {
			return nil, vectors, err
		}
		values, vectors = l.values, l.vectors
	} else {
		low := l.below(k.Transform.(Cutoff))
		if low.err != nil {
			return nil, vectors, low.err
		}
		values, vectors = low.values, low.vectors
	}
	r = make([]float64, len(values))
	for i, v := range values {
		r[i] = k.Transform.At(v, l.largest)
	}
	return r, vectors, nil
}

func (k Nodes) decomposed() bool {
	_, cut := k.Transform.(Cutoff)
	return k.exact() || cut
}

// Eval is k(i, j). Of a large graph it makes a whole column; a Gram matrix makes each only once.
func (k Nodes) Eval(i, j int) float64 {
	if !k.decomposed() {
		i, j = min(i, j), max(i, j)
		return k.columns(context.Background(), []int{j}, []int{i}).At(0, 0)
	}
	r, vectors, err := k.spectrum()
	if err != nil {
		return math.NaN()
	}
	s, a, b := 0.0, vectors.Row(i), vectors.Row(j)
	for c, v := range r {
		s += a[c] * b[c] * v
	}
	return s
}

// PreparePoints makes the rows of √r(Λ)·φ of a small graph, the columns of r(L) of a large one.
func (k Nodes) PreparePoints(ctx context.Context, x, y data.Points[int]) kernel.Rectangle {
	if !k.decomposed() {
		columns := kernel.Kept(ctx, y, func() []int { return list(y) })
		if x.Len() < y.Len() { // columns are dear, rows cost nothing
			block := k.columns(ctx, columns, list(x))
			return func(dst *mat.Dense, i, j int) {
				out := linalg.Of(dst)
				for a := range out.Rows {
					row := out.Row(a)
					for b := range row {
						row[b] = block.At(j+b, i+a)
					}
				}
			}
		}
		block := k.columns(ctx, list(x), columns)
		return func(dst *mat.Dense, i, j int) {
			out := linalg.Of(dst)
			out.CopyFrom(block.Slice(i, i+out.Rows, j, j+out.Cols))
		}
	}
	r, vectors, err := k.spectrum()
	if err != nil {
		return func(dst *mat.Dense, _, _ int) { dst.Apply(func(int, int, float64) float64 { return math.NaN() }, dst) }
	}
	rows := func(p data.Points[int]) linalg.Matrix[float64] {
		m := linalg.New[float64](p.Len(), len(r))
		for i := range m.Rows {
			row := m.Row(i)
			for c, v := range vectors.Row(p.At(i)) {
				row[c] = v * math.Sqrt(r[c])
			}
		}
		return m
	}
	b := kernel.Kept(ctx, y, func() linalg.Matrix[float64] { return rows(y) })
	a := b
	if !kernel.SamePoints(x, y) {
		a = rows(x)
	}
	return func(dst *mat.Dense, i, j int) {
		out := linalg.Of(dst)
		linalg.Gemm(1, linalg.NoTrans, linalg.Trans, 1, a.Slice(i, i+out.Rows, 0, a.Cols), b.Slice(j, j+out.Cols, 0, b.Cols),
			0, out)
	}
}

func list(p data.Points[int]) []int {
	out := make([]int, p.Len())
	for i := range out {
		out[i] = p.At(i)
	}
	return out
}

// Params are those of the transform.
func (k Nodes) Params() []kernel.Param {
	if k.Transform == nil {
		return nil
	}
	return k.Transform.Params()
}

// With sets the parameters of the transform.
func (k Nodes) With(theta []float64) kernel.Kernel[int] {
	if len(theta) == 0 {
		return k
	}
	return Nodes{k.Laplacian, k.Transform.With(theta)}
}

// Validate refuses a transform that is not a decreasing function ≥ 0 on the eigenvalues.
func (k Nodes) Validate() error {
	if k.Laplacian == nil || k.Transform == nil {
		return fmt.Errorf("kernel: nodes: a Laplacian and a Transform are needed")
	}
	return k.Transform.Validate(k.Laplacian.largest)
}

// CheckPoints refuses numbers of nodes that are not there.
func (k Nodes) CheckPoints(x data.Points[int]) error {
	for i := range x.Len() {
		if v := x.At(i); v < 0 || v >= k.Laplacian.Nodes() {
			return fmt.Errorf("kernel: nodes: point %d is node %d, and the graph has the nodes 0 to %d", i, v,
				k.Laplacian.Nodes()-1)
		}
	}
	if k.decomposed() {
		_, _, err := k.spectrum()
		return err
	}
	_, err := k.series(columnDigits)
	return err
}

// Properties follow from the values of r: k(i, i) ≤ r(0), and k is strict where r > 0.
func (k Nodes) Properties() kernel.Properties {
	p := psd(k.Transform.At(0, k.Laplacian.largest))
	if k.Transform.At(k.Laplacian.largest, k.Laplacian.largest) > 0 {
		p.Strict, p.Universal, p.Characteristic = kernel.Yes, kernel.Yes, kernel.Yes
	} else {
		p.Strict = kernel.Unknown
	}
	return p
}
