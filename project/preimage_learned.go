package project

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// MapLearner learns pre-images (Bakir, Weston and Schölkopf 2004): a ridge
// regression from the scores of the training points back to the points,
//
//	minimise over Γ   Σᵢ ‖xᵢ − Γ(zᵢ)‖² + λ‖Γ‖²,
//
// with a kernel on scores. It serves any kernel of the PCA, on points of any
// type that have vectors to be recovered.
type MapLearner struct {
	Kernel kernel.Kernel[kernel.Vec] // on scores; nil means Gaussian with the median distance between scores
	Lambda float64                   // zero means 1e-3
	// of the regression's Gram matrix, which is factored by incomplete Cholesky; 0 means 1000
	MaxRank int
	Threads int
}

// LearnedMap is a fitted MapLearner: x = Γ(z).
type LearnedMap struct {
	f       *rkhs.Func[kernel.Vec]
	threads int
}

// Fit learns from scores, a row for each training point (PCAModel.Scores), and
// the vectors to be recovered, one for each.
func (l MapLearner) Fit(ctx context.Context, scores *mat.Dense, x data.Points[kernel.Vec]) (*LearnedMap, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if scores == nil || scores.IsEmpty() {
		return nil, fault.Errorf("project", "there are no scores to learn from; give at least one row")
	}
	n, columns := scores.Dims()
	if err := checkScores(scores, columns); err != nil {
		return nil, err
	}
	if x == nil || x.Len() != n {
		return nil, fault.Errorf("project", "%d rows of scores need as many vectors to recover", n)
	}
	if !(l.Lambda >= 0) || l.MaxRank < 0 || math.IsInf(l.Lambda, 0) {
		return nil, fault.Errorf("project", "MapLearner with λ = %g and rank at most %d; neither may be negative", l.Lambda,
			l.MaxRank)
	}
	if l.Lambda == 0 {
		l.Lambda = 1e-3
	}
	z := data.Rows(mat.DenseCopyOf(scores))
	if l.Kernel == nil {
		w, err := kernel.WidthMedian(z)
		if err != nil {
			return nil, fault.Errorf("project", "pre-image map: %w", err)
		}
		l.Kernel = kernel.Gaussian{Lengthscale: w}
	}
	d := len(x.At(0))
	if d == 0 {
		return nil, fault.Errorf("project", "vectors to recover have no coordinates")
	}
	y := linalg.New[float64](n, d)
	mean := make([]float64, d)
	for i := range n {
		row := x.At(i)
		if len(row) != d {
			return nil, fault.Errorf("project", "vector %d has %d coordinates, vector 0 has %d", i, len(row), d)
		}
		for j, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fault.Errorf("project", "vector %d, coordinate %d is %g", i, j, v)
			}
			mean[j] += v / float64(n)
		}
		copy(y.Row(i), row)
	}
	for i := range n {
		row := y.Row(i)
		for j := range row {
			row[j] -= mean[j]
		}
	}
	k, low := kernel.Erase(l.Kernel), LowRank{MaxRank: l.MaxRank, Tolerance: 1e-12}
	a, err := factor(ctx, k, data.EraseVectors(z), low, l.Threads, 0)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// (FᵀF + λI)·B = Fᵀ·(X − mean)
	f := linalg.Of(a.Factor())
	r := f.Cols
	normal, b := linalg.New[float64](r, r), linalg.New[float64](r, d)
	linalg.Syrk(l.Threads, linalg.Lower, linalg.Trans, 1, f, 0, normal)
	for i := range r {
		normal.Row(i)[i] += l.Lambda
	}
	linalg.Gemm(l.Threads, linalg.Trans, linalg.NoTrans, 1, f, y, 0, b)
	c, err := linalg.NewCholeskyContext(ctx, l.Threads, normal)
	if err != nil {
		return nil, fault.Errorf("project", "pre-image map: %w; raise lambda", err)
	}
	c.Solve(l.Threads, b)
	nystrom := a.Map.(*gram.NystromMap[any])
	out := &rkhs.Func[any]{
		Kernel: k, Centers: data.Own(nystrom.Centers), Coef: nystrom.Coefficients(linalg.Dense(b)), Bias: mean,
	}
	return &LearnedMap{f: rkhs.Typed(l.Kernel, out).Prepare(), threads: l.Threads}, nil
}

// Func is Γ: an output for each coordinate.
func (m *LearnedMap) Func() *rkhs.Func[kernel.Vec] { return m.f }

// Preimages implements Preimager; there is nothing to start.
func (m *LearnedMap) Preimages(ctx context.Context, scores *mat.Dense, _ data.Points[kernel.Vec]) (*mat.Dense, error) {
	return forScores(scores, m.f.Outputs(), func(dst *mat.Dense) error { return m.PreimagesTo(ctx, dst, scores, nil) })
}

// PreimagesTo implements Preimager; there is nothing to start.
func (m *LearnedMap) PreimagesTo(ctx context.Context, dst, scores *mat.Dense, _ data.Points[kernel.Vec]) error {
	if err := checkScores(scores, len(m.f.Centers.At(0))); err != nil {
		return err
	}
	points := data.Points[kernel.Vec](data.Slice[kernel.Vec]{})
	if !scores.IsEmpty() {
		points = data.Rows(scores)
	}
	if err := apply.To(ctx, m.f, dst, points, rkhs.EvalOptions{Threads: m.threads}); err != nil {
		return fault.Errorf("project", "pre-image map: %w", err)
	}
	return nil
}

var (
	_ Preimager = FixedPoint{}
	_ Preimager = Gradient{}
	_ Preimager = (*LearnedMap)(nil)
)
