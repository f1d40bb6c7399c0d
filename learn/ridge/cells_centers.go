package ridge

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/learn"
)

// fewCenters is the number of centres of a learner that was told none: the error that they add is as small as the one of
// the sample for about √n of them (Rudi, Camoriano and Rosasco 2015).
func fewCenters(n int, told float64) int {
	if told >= 1 {
		return min(n, int(told))
	}
	return min(n, max(50, int(2*math.Sqrt(float64(n)))))
}

// centerLearner is the entry of ridge regression on few centres in the table of learners.
func centerLearner[T any]() learn.Learner[T] {
	return learn.Learner[T]{
		Name: "nystrom", Summary: "ridge regression on few centres, for many rows: time grows as their number",
		Values: true, Classes: true,
		Params: func(data.Task) []learn.Param {
			return []learn.Param{lambdaParam, {Name: "centres", Domain: learn.NonNegative, Summary: "points that the function is made of; 0: 2√n, at least 50"}}
		},
		Fit:    fitCenterSettings[T],
		Cells:  judgeCenterCells[T],
		Shares: learn.Always[T],
		Bytes:  func(_ data.Task, n int) int64 { return 4 * centerBytes(fewCenters(n, 0), 1) },
	}
}

func fitCenterSettings[T any](ctx context.Context, s learn.Settings[T], p learn.Problem[T]) (learn.Model[T], error) {
	return fitRidge(ctx, Regression[T]{Kernel: s.Kernel, Lambda: s.Params["lambda"], Intercept: !s.NoIntercept, Weights: p.Weights,
		Centers: fewCenters(p.Len(), s.Params["centres"]), Resources: s.Resources}, p)
}

// judgeCenterCells judges all λ on all folds from sums over rows: those of a fold's own rows are taken off those of all, and
// what is left is a system of as many equations as there are centres.
func judgeCenterCells[T any](ctx context.Context, c *learn.Cells[T]) error {
	byCount := map[int][]int{}
	for i, p := range c.Params {
		m := fewCenters(c.Problem.Len(), p["centres"])
		byCount[m] = append(byCount[m], i)
	}
	for _, i := range c.Order("centres") {
		m := fewCenters(c.Problem.Len(), c.Params[i]["centres"])
		if cells := byCount[m]; cells != nil {
			delete(byCount, m)
			if err := judgeCenters(ctx, c, m, cells); err != nil {
				return fmt.Errorf("nystrom: %w", err)
			}
		}
	}
	return nil
}

func judgeCenters[T any](ctx context.Context, c *learn.Cells[T], count int, cells []int) error {
	p, y := c.Problem, targetsOf(c.Problem)
	if need := 2 * centerBytes(count, y.Cols); need > c.Bytes {
		return &learn.OverBudget{Learner: "ridge on centres", Points: p.Len(), Needs: need, Budget: c.Bytes, Instead: "give it more memory or take fewer centres"}
	}
	b, err := newCenterBasis(ctx, c.Kernel, p.Points, count, !c.NoIntercept, c.Threads, 0)
	if err != nil {
		return err
	}
	var root []float64
	if p.Weights != nil {
		root = make([]float64, p.Len())
		for i, w := range p.Weights {
			root[i] = math.Sqrt(w)
			for j := range y.Row(i) {
				y.Row(i)[j] *= root[i]
			}
		}
	}
	all, err := b.sums(ctx, p.Points, par.Indices(0, p.Len()), root, y)
	if err != nil {
		return err
	}
	for f, fold := range c.Folds {
		alive := slices.DeleteFunc(slices.Clone(cells), func(i int) bool { return !c.Alive(i, f) })
		if len(alive) == 0 {
			continue
		}
		var sums linalg.Matrix[float64]
		if len(fold.Train)+len(fold.Test) == p.Len() {
			if sums, err = b.sums(ctx, p.Points, fold.Test, root, y); err != nil {
				return err
			}
			for i, v := range all.Data {
				sums.Data[i] = v - sums.Data[i]
			}
		} else if sums, err = b.sums(ctx, p.Points, fold.Train, root, y); err != nil { // a fold that leaves rows out
			return err
		}
		if err := judgeCenterFold(ctx, c, b, sums, f, alive); err != nil {
			return err
		}
	}
	return nil
}

// judgeCenterFold judges cells on a fold, given the sums over the rows that it is fitted on.
func judgeCenterFold[T any](ctx context.Context, c *learn.Cells[T], b *centerBasis[T], sums linalg.Matrix[float64], f int, cells []int) error {
	m := b.phi.Dim()
	outputs, test := sums.Rows-m-1, c.Folds[f].Test
	v, bias := linalg.New[float64](m, outputs*len(cells)), make([]float64, outputs*len(cells))
	for a, i := range cells {
		s, err := b.solve(ctx, sums, c.Params[i]["lambda"])
		if err != nil {
			return err
		}
		v.Slice(0, m, a*outputs, (a+1)*outputs).CopyFrom(s.v)
		copy(bias[a*outputs:], s.bias)
	}
	values := linalg.New[float64](len(test), v.Cols)
	for lo := 0; lo < len(test); lo += centerBlock {
		hi := min(lo+centerBlock, len(test))
		phi, err := b.phi.Features(ctx, data.Gather(c.Problem.Points, test[lo:hi]))
		if err != nil {
			return err
		}
		linalg.Gemm(b.threads, linalg.NoTrans, linalg.NoTrans, 1, linalg.Of(phi), v, 0, values.Slice(lo, hi, 0, v.Cols))
	}
	for a, i := range cells {
		if err := ctx.Err(); err != nil {
			return err
		}
		own := linalg.New[float64](len(test), outputs)
		for r := range test {
			for o, x := range values.Row(r)[a*outputs : (a+1)*outputs] {
				own.Set(r, o, x+bias[a*outputs+o])
			}
		}
		c.Judge(i, f, decide(own, test, c.Problem.ClassCount()))
	}
	return ctx.Err()
}
