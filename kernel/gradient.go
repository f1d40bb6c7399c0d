package kernel

import (
	"context"

	"github.com/mercer-ml/mercer/internal/fault"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"gonum.org/v1/gonum/mat"
)

// ParamGrads sets dst[p][i, j] = ∂k(x.At(i), y.At(j))/∂θₚ for every parameter in the order of
// Params, in parallel. Entries for integer parameters are 0. A Tunable kernel that knows no
// derivative is differenced. Once ctx has ended the rest is left out, and its error returned.
func ParamGrads[T any](ctx context.Context, k Kernel[T], dst []*mat.Dense, x, y data.Points[T]) error {
	return paramGrads(ctx, Erase(k), dst, data.Erase(x), data.Erase(y))
}

func paramGrads(ctx context.Context, k Kernel[any], dst []*mat.Dense, x, y data.Points[any]) error {
	n := len(Params(k))
	if len(dst) != n {
		return fault.Errorf("kernel", "%d matrices for the derivatives by %d parameters", len(dst), n)
	}
	for p, m := range dst {
		if r, c := m.Dims(); r != x.Len() || c != y.Len() {
			return fault.Errorf("kernel", "matrix %d is %d×%d, the Gram block is %d×%d", p, r, c, x.Len(), y.Len())
		}
	}
	if n == 0 || x.Len() == 0 || y.Len() == 0 {
		return nil
	}
	p := newGradPlan(ctx, k, x, y)
	store := make([]linalg.Matrix[float64], n)
	for i, m := range dst {
		m.Zero()
		store[i] = linalg.Of(m)
	}
	if !p.grad.storable() {
		pairGrads(ctx, k, store, x, y, p.same)
		return ctx.Err()
	}
	backward(p, gradPieces(p, gradRun), func(int) *gradient { return &gradient{store: store} },
		func(g *gradient, i, j, r, c int) linalg.Matrix[float64] {
			ones := linalg.New[float64](r, c)
			fill(ones.Data, 1)
			return ones
		})
	if p.same {
		par.For(0, n, 1, func(i, _ int) { mirror(store[i], store[i], true) })
	}
	return ctx.Err()
}

// pairGrads is ParamGrads a pair at a time.
func pairGrads(ctx context.Context, k Kernel[any], dst []linalg.Matrix[float64], x, y data.Points[any], same bool) {
	x, y = data.Boxed(x), data.Boxed(y)
	par.For(0, x.Len(), 8, func(lo, hi int) {
		dtheta := make([]float64, len(dst))
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			xi := x.At(i)
			last := y.Len()
			if same {
				last = i + 1
			}
			for j := range last {
				pairGrad(k, xi, y.At(j), dtheta)
				for p, v := range dtheta {
					dst[p].Set(i, j, v)
					if same {
						dst[p].Set(j, i, v)
					}
				}
			}
		}
	})
}

// gradTile is the side of the tiles ParamGradDot works on: small, because
// several derivatives of one tile are in flight together.
const gradTile = 128

// ParamGradDot sets grad[p] = Σᵢⱼ Wᵢⱼ ∂k(xᵢ, yⱼ)/∂θₚ for every parameter in the order of
// Params, without storing a matrix for each: what the gradient of a Gaussian process' marginal
// likelihood, with W = ½(ααᵀ - K⁻¹), or of any loss of K asks for. One backward pass over
// tiles serves all parameters; the length-scales of ARD come from one matrix product
// (Σᵢⱼ Aᵢⱼ ∂‖u-v‖²ᵢⱼ needs only A·V and Aᵀ·U).
//
// wanted marks the parameters that are asked for, nil all of them; grad[p] of the others is 0. A
// parameter that is held costs nothing then, which matters where its derivative is dear, like that
// of a Matérn kernel by ν. Once ctx has ended the rest is left out, and its error returned.
func ParamGradDot[T any](
	ctx context.Context, k Kernel[T], grad []float64, wanted []bool, w *mat.Dense, x, y data.Points[T],
) error {
	return paramGradDot(ctx, Erase(k), grad, wanted, w, data.Erase(x), data.Erase(y))
}

func paramGradDot(
	ctx context.Context, k Kernel[any], grad []float64, wanted []bool, w *mat.Dense, x, y data.Points[any],
) error {
	if n := len(Params(k)); len(grad) != n || wanted != nil && len(wanted) != n {
		return fault.Errorf("kernel", "room for %d derivatives, %d of them marked, by %d parameters", len(grad), len(wanted),
			n)
	}
	if r, c := w.Dims(); r != x.Len() || c != y.Len() {
		return fault.Errorf("kernel", "the weights are %d×%d, the Gram block is %d×%d", r, c, x.Len(), y.Len())
	}
	clear(grad)
	if len(grad) == 0 || x.Len() == 0 || y.Len() == 0 {
		return nil
	}
	p := newGradPlan(ctx, k, x, y)
	weights := linalg.Of(w)
	pieces := gradPieces(p, gradRun)
	parts := make([][]float64, len(pieces))
	backward(p, pieces, func(piece int) *gradient {
		parts[piece] = make([]float64, len(grad))
		return &gradient{sum: parts[piece], want: wanted}
	}, func(g *gradient, i, j, r, c int) linalg.Matrix[float64] {
		tile := weights.Slice(i, i+r, j, j+c)
		if p.same && i != j { // the mirrored tile has the same derivatives
			return g.addMirror(tile, weights.Slice(j, j+c, i, i+r))
		}
		return tile
	})
	for _, part := range parts {
		for i, v := range part {
			if wanted == nil || wanted[i] {
				grad[i] += v
			}
		}
	}
	return ctx.Err()
}

// gradRun is how many tiles of a row are one piece of a backward pass: a thousand points are
// eighteen pieces, for as many threads.
const gradRun = 3

// gradPiece is a run of tiles of one row of tiles.
type gradPiece struct{ row, first, last int }

// gradPieces cuts the tiles of p, those on and below the diagonal when both sides are the same
// points, into runs of at most run tiles.
func gradPieces(p *plan, run int) []gradPiece {
	across := (p.cols + gradTile - 1) / gradTile
	down := (p.rows + gradTile - 1) / gradTile
	var list []gradPiece
	for row := range down {
		last := across
		if p.same {
			last = row + 1
		}
		for first := 0; first < last; first += run {
			list = append(list, gradPiece{row, first, min(first+run, last)})
		}
	}
	return list
}

// backward runs a backward pass over the tiles of the pieces. Each piece has a gradient of its own.
func backward(
	p *plan, pieces []gradPiece, begin func(piece int) *gradient,
	weights func(g *gradient, i, j, r, c int) linalg.Matrix[float64],
) {
	par.For(0, len(pieces), 1, func(at, _ int) {
		g := begin(at)
		g.plan = p
		g.w = &work[float64]{keep: true}
		piece := pieces[at]
		i := piece.row * gradTile
		r := min(gradTile, p.rows-i)
		for bj := piece.first; bj < piece.last; bj++ {
			if p.stopped() {
				return
			}
			j := bj * gradTile
			c := min(gradTile, p.cols-j)
			start(g.w, i, j, r, c, len(p.sources))
			p.grad.back(g, weights(g, i, j, r, c))
		}
	})
}

// gradient is a backward pass in one goroutine. It adds weighted derivatives up,
// or stores those of each pair when store is there.
type gradient struct {
	sum    []float64
	want   []bool // which parameters; nil means all
	store  []linalg.Matrix[float64]
	points linalg.Matrix[float64] // by the points y, a row each; none means not
	w      *work[float64]
	mirror linalg.Matrix[float64]
	plan   *plan
}

// wanted says whether the derivative by the parameter at place at is asked for.
func (g *gradient) wanted(at int) bool { return at >= 0 && (g.want == nil || g.want[at]) }

// emit takes adj·d, a row of the derivatives by the parameter at place at.
func (g *gradient) emit(at, a int, adj, d []float64) {
	if g.store == nil {
		g.sum[at] += simd.Dot(adj, d)
		return
	}
	row := g.store[at].Row(g.w.i + a)[g.w.j:]
	for b, v := range adj {
		row[b] += v * d[b]
	}
}

func (g *gradient) addMirror(a, b linalg.Matrix[float64]) linalg.Matrix[float64] {
	if g.mirror.Rows != a.Rows || g.mirror.Cols != a.Cols {
		g.mirror = linalg.New[float64](a.Rows, a.Cols)
	}
	for i := range a.Rows {
		row, in := g.mirror.Row(i), a.Row(i)
		for j := range row {
			row[j] = in[j] + b.At(j, i)
		}
	}
	return g.mirror
}

// chain passes adj·slope(value) down to in.
func (g *gradient) chain(in gradNode, value node, adj linalg.Matrix[float64], slope func(float64) float64) {
	t := push(g.w)
	evaluate(value, t, g.w)
	for a := range adj.Rows {
		row, v := adj.Row(a), t.Row(a)
		for b := range row {
			v[b] = row[b] * slope(v[b])
		}
	}
	in.back(g, t)
	pop(g.w)
}
