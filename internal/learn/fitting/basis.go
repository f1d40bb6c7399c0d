package fitting

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/blas/blas64"
)

// largestFeature bounds kernel values so that their squares and sums are finite.
const LargestFeature = 1e150

// KernelBasis is the functions k(xⱼ, ·) at all points, a row each, with room for
// extra rows after them, which are left 0. copies is how many arrays of that
// size the learner needs in all. The caller runs it inside Heed.
func KernelBasis[T any](
	ctx context.Context, learner string, k kernel.Kernel[T], x data.Points[T], r learn.Resources, extra, copies int,
) (linalg.Matrix[float64], error) {
	n := int64(x.Len())
	if need := 8 * n * (n + int64(extra)) * int64(copies); need > r.Bytes {
		return linalg.Matrix[float64]{}, &learn.OverBudget{Learner: learner, Points: int(n), Needs: need, Budget: r.Bytes,
			Instead: "give it more memory or take fewer points"}
	}
	m := linalg.New[float64](int(n)+extra, int(n))
	kernel.FillSym(r.Threads, blas64.General(m.Slice(0, int(n), 0, int(n))), kernel.Prepare(ctx, k, x, x))
	if err := ctx.Err(); err != nil {
		return m, err
	}
	return m, CheckFeatures(ctx, m)
}
