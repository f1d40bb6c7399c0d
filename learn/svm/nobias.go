package svm

import (
	"context"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
)

// fitWithoutBias solves, for each pair or class,
//
//	minimise over f   ½‖f‖² + Σ Cᵢ max(0, 1 - yᵢf(xᵢ)),
//
// by its dual min ½βᵀKβ - yᵀβ, 0 ≤ yᵢβᵢ ≤ Cᵢ, which without a bias has bounds alone: one coordinate
// at a time can move.
func (c classification) fitWithoutBias(
	ctx context.Context, x data.Points[any], labels learn.Labels[int], weights []float64, o Options, begin time.Time,
) (*rkhs.Func[any], *classMachines, error) {
	g, err := gram.New(ctx, c.kernel, x, gram.Options{Bytes: o.Bytes, Threads: o.Threads, ByColumn: true})
	if err != nil {
		return nil, nil, err
	}
	n := x.Len()
	diag, column := make([]float64, n), make([]float64, n)
	g.Diag(diag)
	tasks := labels.Tasks(c.rule)
	machines := make([]*machine, len(tasks))
	for i, t := range tasks {
		p, err := c.problem(t.Targets(), data.Take(weights, t.Index))
		if err != nil {
			return nil, nil, err
		}
		r, err := solve.BoxDescent(ctx, p.qp, data.Take(diag, t.Index), func(dst []float64, j int) {
			g.Column(column, t.Index[j])
			for a, q := range t.Index {
				dst[a] = column[q]
			}
		}, solve.SMOOptions{Tol: o.Tol, MaxIterations: o.MaxIterations, Trace: o.Trace})
		if err != nil {
			return nil, nil, err
		}
		m := &machine{beta: r.Beta, coef: append([]float64(nil), r.Beta...), violation: r.Violation, objective: r.Objective,
			steps: r.Iterations, rows: r.RowsComputed,
			bytes: min(8*int64(n)*int64(n), o.Bytes), converged: r.Converged, gap: math.NaN()}
		// The primal at f less the dual, relative to the primal.
		primal := p.loss(r.F, 0)
		for a, b := range r.Beta {
			primal += b * r.F[a] / 2
		}
		m.gap = (primal + r.Objective) / max(primal, 1e-300)
		machines[i] = m
	}
	f, m := collect(c.kernel, x, par.Indices(0, n), tasks, machines)
	m.rule = c.rule
	m.report = svmReport("C-SVC without bias", machines, doubts(ctx, c.kernel, x, o), begin)
	m.report.Certified = "largest projected gradient"
	return f, m, nil
}
