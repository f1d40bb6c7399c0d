package neighbours

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Centroid gives a point the label of the class whose mean in feature space is nearest: with μ_c =
// Σ wᵢφ(xᵢ) / Σ wᵢ over class c,
//
//	‖φ(x) - μ_c‖² = k(x, x) - 2 Σ wᵢk(xᵢ, x)/Σ wᵢ + ‖μ_c‖²,
//
// so the nearest has the largest ⟨φ(x), μ_c⟩ - ½‖μ_c‖². With a kernel that is a density it compares
// the Parzen estimates of the classes; with the linear kernel it is the nearest centroid (B.
// Schölkopf and A. Smola, Learning with Kernels, 2002, section 1.2). Nothing is iterated and there
// is nothing to tune but the kernel. Class weights would not move a mean.
type Centroid[T any, L cmp.Ordered] struct {
	Kernel  kernel.Kernel[T]
	Weights []float64 // weight of a point; nil means 1
	learn.Resources
}

// Fit learns from points and their labels. The objective is the squared distances of all points to
// their means, by weight.
func (c Centroid[T, L]) Fit(
	ctx context.Context, x data.Points[T], y []L,
) (_ *learn.ExpansionClassifier[T, L], err error) {
	defer fault.Name("nearest centroid", &err)
	start := time.Now()
	labels, weights, err := fitting.CheckClassification(c.Kernel, x, y, learn.Unbalanced, nil, c.Weights)
	if err == nil {
		c.Resources, err = c.Resources.WithDefaults()
	}
	if err != nil {
		return nil, err
	}
	moved := fitting.MoveToMean(c.Kernel, data.Own(x))
	return fitting.Heed(ctx, func() (*learn.ExpansionClassifier[T, L],
		error) {
		return c.fit(ctx, moved, labels, weights, start)
	})
}

func (c Centroid[T, L]) fit(
	ctx context.Context, moved fitting.Moved[T], labels learn.Labels[L], weights []float64, start time.Time,
) (*learn.ExpansionClassifier[T, L], error) {
	x := moved.Points
	n, k := x.Len(), len(labels.Classes)
	report := learn.Report{Learner: "nearest centroid", Certified: "exact", Converged: true,
		Bytes: 8 * int64(n) * int64(k+2), Warnings: fitting.Doubts(ctx, c.Kernel, x, c.Resources)}
	if report.Bytes > c.Bytes { // the coefficients, k(x, x) and K·w
		return nil, &learn.OverBudget{Learner: "nearest centroid", Points: n, Needs: report.Bytes, Budget: c.Bytes,
			Instead: "raise Bytes or take fewer points"}
	}
	self := make([]float64, n)
	kernel.Diag(ctx, c.Kernel, self, x)
	shares, norm := make([][]float64, k), make([]float64, k)
	for code, members := range labels.Members() {
		shares[code] = make([]float64, n)
		total := 0.0
		for _, i := range members {
			total += weights[i]
			report.Objective += weights[i] * self[i]
		}
		if total == 0 {
			return nil, fmt.Errorf("the points of class %v have no weight, and so no mean; give one of them some",
				labels.Classes[code])
		}
		for _, i := range members {
			shares[code][i] = weights[i] / total
		}
		var err error
		if norm[code], err = c.squaredNorm(ctx, data.Gather(x, members), data.Take(shares[code], members)); err != nil {
			return nil, err
		}
		report.Objective -= total * norm[code]
	}
	report.Objective = max(report.Objective, 0)
	f, support := nearest(c.Kernel, x, shares, norm)
	report.Elapsed = time.Since(start)
	return learn.NewExpansionClassifier(moved.Back(f), labels.Classes, support, report), nil
}

// nearest is the decision function of the class whose point μ in feature space is nearest, of μ = Σ
// βᵢφ(xᵢ) and ‖μ‖² for each class: ⟨φ(x), μ⟩ - ½‖μ‖², for two classes that of the second less that
// of the first.
func nearest[T any](k kernel.Kernel[T], x data.Points[T], beta [][]float64, norm []float64) (*rkhs.Func[T], []int) {
	bias := make([]float64, len(norm))
	for o := range bias {
		bias[o] = -norm[o] / 2
	}
	if len(beta) == 2 {
		for i, v := range beta[0] {
			beta[1][i] -= v
		}
		beta, bias = beta[1:], []float64{bias[1] - bias[0]}
	}
	return fitting.Expansion(k, x, beta, bias)
}

// squaredNorm is ‖Σ wᵢφ(xᵢ)‖² = wᵀKw, without K being stored.
func (c Centroid[T, L]) squaredNorm(ctx context.Context, x data.Points[T], w []float64) (float64, error) {
	kw := mat.NewDense(len(w), 1, nil)
	g := gram.FromTiles(kernel.Prepare(ctx, c.Kernel, x, x), gram.Options{Layout: gram.Lazy, Threads: c.Threads})
	g.MulTo(kw, mat.NewDense(len(w), 1, w), false)
	sum := 0.0
	for i, v := range w {
		sum += v * kw.At(i, 0)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return 0, fmt.Errorf("a class has the mean norm² %g; scale the points or the kernel", sum)
	}
	return sum, ctx.Err()
}
