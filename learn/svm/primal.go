package svm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
)

// PrimalClassification is the support vector classifier solved in its primal form,
//
//	minimise over f in the RKHS, b   ½‖f‖² + C Σ wᵢ ℓ(yᵢ (f(xᵢ) + b)),
//
// by Newton's method on the expansion f = Σ βᵢ k(xᵢ, ·) (Chapelle, Neural Computation 19, 2007).
// The loss is the squared hinge ℓ(m) = max(0, 1-m)²; with Huber = h > 0 it is the hinge, rounded
// off quadratically for margins in [1-h, 1+h],
//
//	ℓ(m) = 0 (m > 1+h),  (1+h-m)²/(4h) (|1-m| ≤ h),  1-m (m < 1-h).
//
// Each step is one Cholesky factorisation among the points in the curved part of the loss, so the
// work does not grow with C: the choice for small λ = 1/(2C), where SMO needs many steps. It holds
// the kernel matrix in float64.
type PrimalClassification[T any, L cmp.Ordered] struct {
	Kernel       kernel.Kernel[T]
	C            float64 // price of a margin error; 0 means 1
	Huber        float64 // half width h of the rounded corner; 0 means the squared hinge
	MultiClass   learn.MultiClass
	Balance      learn.Balance
	ClassWeights map[L]float64
	Weights      []float64

	MaxSteps int // Newton steps for each machine; 0 means 200
	// Tol bounds the largest difference between a coefficient and what the loss asks for, relative
	// to C (0 means 1e-6); Threads, Bytes and Trace as for Classification; the rest is not used.
	Options
}

// Fit learns from points and their labels. The model is like that of Classification; its
// objectives are the primal ones.
func (c PrimalClassification[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (*Classifier[T, L], error) {
	k, points := kernel.Erase(c.Kernel), data.Erase(x)
	m, err := c.fit(ctx, k, points, y)
	if err != nil {
		return nil, fmt.Errorf("primal svc: %w", fitting.Explain(ctx, err, k, points, c.Resources))
	}
	return m, nil
}

func (c PrimalClassification[T, L]) fit(
	ctx context.Context, k kernel.Kernel[any], x data.Points[any], y []L,
) (*Classifier[T, L], error) {
	begin := time.Now()
	if err := (classification{kernel: k, c: c.C}).check(); err != nil {
		return nil, err
	}
	labels, weights, err := fitting.CheckClassification(k, x, y, c.Balance, c.ClassWeights, c.Weights)
	if err != nil {
		return nil, err
	}
	machine := primal{kernel: k, c: c.C, huber: c.Huber, rule: c.MultiClass, maxSteps: c.MaxSteps, Options: c.Options}
	f, machines, err := machine.fit(ctx, x, fitting.Codes(labels), weights, begin)
	if err != nil {
		return nil, err
	}
	return newClassifier(c.Kernel, f, labels.Classes, machines), ctx.Err()
}

// primal is a PrimalClassification of points and labels that have lost their types.
type primal struct {
	kernel   kernel.Kernel[any]
	c, huber float64
	rule     learn.MultiClass
	maxSteps int
	Options
}

func (c primal) fit(
	ctx context.Context, x data.Points[any], labels learn.Labels[int], weights []float64, begin time.Time,
) (*rkhs.Func[any], *classMachines, error) {
	if c.c == 0 {
		c.c = 1
	}
	if c.Tol == 0 {
		c.Tol = 1e-6
	}
	if c.maxSteps == 0 {
		c.maxSteps = 200
	}
	if math.IsInf(c.c, 1) || !(c.huber >= 0 && c.huber <= 1) {
		return nil, nil, fmt.Errorf("C = %g, Huber = %g; give a finite C and a Huber between 0 and 1", c.c, c.huber)
	}
	o, err := c.Options.withDefaults()
	if err != nil {
		return nil, nil, err
	}
	moved := fitting.MoveToMean(c.kernel, x)
	x = moved.Points
	n := int64(x.Len())
	if need := 16 * n * n; need > o.Bytes {
		return nil, nil, &learn.OverBudget{
			Learner: "primal svc", Points: x.Len(), Needs: need, Budget: o.Bytes, Instead: "give it more memory or use SVC",
		}
	}
	k := linalg.New[float64](x.Len(), x.Len())
	if err := fillTiles(ctx, o.Threads, k, kernel.Prepare(ctx, c.kernel, x, x)); err != nil {
		return nil, nil, err
	}
	if err := fitting.CheckFeatures(ctx, k); err != nil {
		return nil, nil, err
	}
	tasks := labels.Tasks(c.rule)
	machines := make([]*machine, len(tasks))
	for i, t := range tasks {
		p := newtonPrimal{k: k, index: t.Index, y: t.Targets(), huber: c.huber, o: o, limit: c.maxSteps}
		for _, q := range t.Index {
			p.c = append(p.c, c.c*weights[q])
		}
		if machines[i], err = p.solve(ctx); err != nil {
			return nil, nil, err
		}
		machines[i].bytes = 16 * n * n
	}
	f, m := collect(c.kernel, x, par.Indices(0, x.Len()), tasks, machines)
	m.rule = c.rule
	m.report = svmReport("primal SVC", machines, fitting.Doubts(ctx, c.kernel, x, o.Resources), begin)
	m.report.Certified = "largest coefficient residual"
	return moved.Back(f), m, nil
}
