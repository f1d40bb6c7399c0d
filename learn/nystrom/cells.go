package nystrom

import (
	"context"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// judgeCells judges all λ on all folds from sums over rows: those of a fold's own rows are taken
// off those of all, and what is left is a system of as many equations as there are centres,
// decomposed once for every λ.
func judgeCells(ctx context.Context, c *learn.Cells) error {
	count := func(i int) int { return Options{Centers: int(c.Params[i]["centres"])}.count(c.Problem.Len()) }
	byCount := map[int][]int{}
	for i := range c.Params {
		byCount[count(i)] = append(byCount[count(i)], i)
	}
	for _, i := range c.Order("centres") {
		if cells := byCount[count(i)]; cells != nil {
			delete(byCount, count(i))
			if err := judgeCount(ctx, c, count(i), cells); err != nil {
				return fmt.Errorf("nystrom: %w", err)
			}
		}
	}
	return nil
}

// judgeCount judges cells of one number of centres.
func judgeCount(ctx context.Context, c *learn.Cells, count int, cells []int) error {
	p, err := cellProblem(ctx, c, count)
	if err != nil {
		return err
	}
	all, err := p.sums(ctx, p.rows)
	if err != nil {
		return err
	}
	for f, fold := range c.Folds {
		alive := slices.DeleteFunc(slices.Clone(cells), func(i int) bool { return !c.Alive(i, f) })
		if len(alive) == 0 {
			continue
		}
		taken := fold.Train // a fold that leaves rows out
		whole := len(fold.Train)+len(fold.Test) == c.Problem.Len()
		if whole {
			taken = fold.Test
		}
		sums, err := p.sums(ctx, rowsOf(c.Problem, taken))
		if err != nil {
			return err
		}
		if whole {
			for i, v := range all.Data {
				sums.Data[i] = v - sums.Data[i]
			}
		}
		if err := judgeFold(ctx, c, p, p.normalOf(sums), f, alive); err != nil {
			return err
		}
	}
	return nil
}

func cellProblem(ctx context.Context, c *learn.Cells, count int) (*problem, error) {
	outputs, t := 1, targets(nil)
	if k := c.Problem.ClassCount(); k > 0 {
		t = signs(k)
		outputs = t.outputs()
	}
	if need := 2 * bytesFor(count, outputs); need > c.Bytes {
		return nil, &learn.OverBudget{Learner: "nystrom", Points: c.Problem.Len(), Needs: need, Budget: c.Bytes,
			Instead: "give it more memory or take fewer centres"}
	}
	o := Options{Centers: count, Resources: learn.Resources{Threads: c.Threads, Bytes: c.Bytes, TrustKernel: true}}
	return newProblem(ctx, o, c.Kernel, rowsOf(c.Problem, nil), t, outputs, !c.NoIntercept, nil, 0)
}

// rowsOf is some rows of a problem as a source; nil means all.
func rowsOf(p learn.Problem[any], rows []int) data.Source[any] {
	if rows != nil {
		p = p.Gather(rows)
	}
	return data.NewInMemory(p.Points, p.Y, 1, p.FitWeights())
}

// judgeFold judges cells on a fold, given the equations of the rows that it is fitted on.
func judgeFold(ctx context.Context, c *learn.Cells, p *problem, n *normal, f int, cells []int) error {
	if err := n.decompose(ctx); err != nil {
		return err
	}
	m, outputs, test := p.basis.dim(), p.outputs, c.Folds[f].Test
	v, bias := linalg.New[float64](m, outputs*len(cells)), make([]float64, outputs*len(cells))
	for a, i := range cells {
		s := n.at(c.Params[i]["lambda"])
		v.Slice(0, m, a*outputs, (a+1)*outputs).CopyFrom(s.v)
		copy(bias[a*outputs:], s.bias)
	}
	pair, err := gram.NewPair(c.Kernel, rowsOf(c.Problem, test), p.basis.centers, gram.PairOptions{Threads: p.Threads})
	if err != nil {
		return err
	}
	values := linalg.New[float64](len(test), v.Cols)
	if err := pair.MulTo(ctx, nil, linalg.Dense(p.basis.coefficients(v)), func(b data.Block[any], kv, _ *mat.Dense) {
		for i := range b.Len() {
			to := values.Row(b.First + i)
			for j, x := range kv.RawRowView(i) {
				to[j] = x + bias[j]
			}
		}
	}); err != nil {
		return err
	}
	for a, i := range cells {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.Judge(i, f, fitting.Decide(values.Slice(0, len(test), a*outputs, (a+1)*outputs), test, c.Problem.ClassCount()))
	}
	return ctx.Err()
}
