package kernel

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"gonum.org/v1/gonum/mat"
)

// InputGradDot sets row j of dst to Σᵢ Wᵢⱼ ∂k(xᵢ, yⱼ)/∂yⱼ, the points x being held: what the
// gradient of a loss of K(X, Y) by the points Y asks for. Where all leaves of the kernel are
// functions of a metric one backward pass over tiles does it (Σᵢ Aᵢⱼ ∂‖u-v‖²ᵢⱼ/∂vⱼ needs only AᵀU);
// else pairs one by one, and the error says which part has no derivative by its points. Once ctx
// has ended the rest is left out, and its error returned.
func InputGradDot(ctx context.Context, k Kernel[Vec], dst, w *mat.Dense, x, y data.Points[Vec]) error {
	if r, c := w.Dims(); r != x.Len() || c != y.Len() {
		return fault.Errorf("kernel", "the weights are %d×%d, the Gram block is %d×%d", r, c, x.Len(), y.Len())
	}
	if x.Len() == 0 || y.Len() == 0 {
		dst.Zero()
		return nil
	}
	if r, c := dst.Dims(); r != y.Len() || c != len(y.At(0)) {
		return fault.Errorf("kernel", "room for %d×%d derivatives by %d points of %d coordinates", r, c, y.Len(),
			len(y.At(0)))
	}
	dst.Zero()
	if !slopedByPoints(OnVectors(k)) {
		return pointPairs(ctx, k, dst, w, x, y)
	}
	b, p := startPlan(ctx, data.EraseVectors(x), data.EraseVectors(y))
	b.plan.same, p.same = false, false // x is held, even where it is y
	p.theta, p.points = par.Indices(0, len(Params(k))), true
	b.plan.grad = lowerGrad(b, OnVectors(k), p)
	b.shareProducts()
	weights, none := linalg.Of(w), make([]bool, len(p.theta))
	pieces := gradPieces(b.plan, y.Len()) // whole rows: each piece has derivatives by all of y
	parts := make([]linalg.Matrix[float64], len(pieces))
	backward(b.plan, pieces, func(piece int) *gradient {
		parts[piece] = linalg.New[float64](dst.Dims())
		return &gradient{sum: make([]float64, len(none)), want: none, points: parts[piece]}
	}, func(_ *gradient, i, j, r, c int) linalg.Matrix[float64] { return weights.Slice(i, i+r, j, j+c) })
	out := linalg.Of(dst)
	for _, part := range parts {
		addScaled(1, part, out)
	}
	return ctx.Err()
}

// slopedByPoints says that a backward pass over tiles reaches the points through every part of k.
func slopedByPoints(k Kernel[any]) bool {
	if o, ok := operatorOf(k); ok {
		if !o.pointwise() {
			return false
		}
		for _, p := range o.parts() {
			if !slopedByPoints(p) {
				return false
			}
		}
		return true
	}
	if _, own := bare(k).(gradLowerer[Vec]); own || lowersItself(k) {
		return false
	}
	switch k := bare(k).(type) {
	case InputDifferentiable:
		return false // it knows better than its metric
	case embedded:
		return !ownGradient(k) && slopedByPoints(OnVectors(k.embedding().inner))
	case Differentiable:
		return true
	}
	return false
}

// pointPairs is InputGradDot a pair at a time; each yⱼ belongs to one goroutine.
func pointPairs(ctx context.Context, k Kernel[Vec], dst, w *mat.Dense, x, y data.Points[Vec]) error {
	errs, of := make([]error, y.Len()), OnVectors(k)
	par.For(0, y.Len(), 1, func(j, _ int) {
		to := dst.RawRowView(j)
		for i := 0; i < x.Len() && errs[j] == nil && ctx.Err() == nil; i++ {
			errs[j] = addInputGrad(of, to, w.At(i, j), y.At(j), x.At(i))
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// backPoints takes the adjoint of the metric through all maps to the points y.
func (g *gradient) backPoints(n profileGrad, adj linalg.Matrix[float64]) {
	i, j, d := g.w.i, g.w.j, n.src.x.Cols
	_, vbar := metricAdjoint(n.src.metric, adj, n.src.x.Slice(i, i+adj.Rows, 0, d), n.src.y.Slice(j, j+adj.Cols, 0, d))
	for l := len(n.links) - 1; l >= 0; l-- {
		y := n.links[l].y
		vbar = pullAll(n.links[l].e, vbar, y.Slice(j, j+adj.Cols, 0, y.Cols))
	}
	addScaled(1, vbar, g.points.Slice(j, j+adj.Cols, 0, g.points.Cols))
}

// diagonalPiece is how many points DiagGradDot gives to a goroutine.
const diagonalPiece = 256

// DiagGradDot sets grad[p] = Σᵢ wᵢ ∂k(xᵢ, xᵢ)/∂θₚ for the parameters that are wanted, nil all of
// them, in the order of Params; the others get 0. A stationary kernel is asked at one point. Once
// ctx has ended the rest is left out, and its error returned.
func DiagGradDot[T any](
	ctx context.Context, k Kernel[T], grad []float64, wanted []bool, w []float64, x data.Points[T],
) error {
	return diagGradDot(ctx, Erase(k), grad, wanted, w, data.Erase(x))
}

func diagGradDot(
	ctx context.Context, k Kernel[any], grad []float64, wanted []bool, w []float64, x data.Points[any],
) error {
	if n := len(Params(k)); len(grad) != n || wanted != nil && len(wanted) != n {
		return fault.Errorf("kernel", "room for %d derivatives, %d of them marked, by %d parameters", len(grad), len(wanted),
			n)
	}
	if len(w) != x.Len() {
		return fault.Errorf("kernel", "%d weights for %d points", len(w), x.Len())
	}
	clear(grad)
	if len(grad) == 0 || len(w) == 0 {
		return nil
	}
	if PropertiesOf(k).Stationary == Yes {
		total := 0.0
		for _, v := range w {
			total += v
		}
		one := data.Span(x, 0, 1)
		return paramGradDot(ctx, k, grad, wanted, mat.NewDense(1, 1, []float64{total}), one, one)
	}
	parts := make([][]float64, (len(w)+diagonalPiece-1)/diagonalPiece)
	par.For(0, len(w), diagonalPiece, func(lo, hi int) {
		sum, d := make([]float64, len(grad)), make([]float64, len(grad))
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			xi := x.At(i)
			pairGrad(k, xi, xi, d)
			for p, v := range d {
				sum[p] += w[i] * v
			}
		}
		parts[lo/diagonalPiece] = sum
	})
	for _, part := range parts {
		for p, v := range part {
			if wanted == nil || wanted[p] {
				grad[p] += v
			}
		}
	}
	return ctx.Err()
}
