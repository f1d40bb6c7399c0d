package svm

import (
	"context"
	"fmt"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// deviceCells is the cells of one kernel on a device: a system of all points for each fold, whose
// machines leave the rows of the fold out and find their predictions in Kβ. No Gram matrix is made.
type deviceCells struct {
	*learn.Cells
	systems []*gram.BoxSystem
	diag    []float64
	mu      sync.Mutex
	judged  map[[2]int]bool // cell, fold
}

// newDeviceCells is nil where the device has nothing to do with these cells.
func newDeviceCells(ctx context.Context, c *learn.Cells) *deviceCells {
	if c.Device == nil {
		return nil
	}
	k, vectors := kernel.Concrete(c.Kernel).(kernel.Kernel[kernel.Vec])
	x, also := data.VectorsOf(c.Problem.Points)
	if !vectors || !also {
		return nil
	}
	d := &deviceCells{Cells: c, diag: make([]float64, x.Len()), judged: map[[2]int]bool{}}
	for range c.Folds {
		s, err := gram.NewBoxSystem(c.Device, k, x, c.Threads)
		if err != nil {
			d.close()
			return nil
		}
		d.systems = append(d.systems, s)
	}
	kernel.Diag(ctx, k, d.diag, x)
	return d
}

func (d *deviceCells) close() {
	for _, s := range d.systems {
		s.Close()
	}
}

// judge walks the paths of all folds. Where the device gives up, what is not judged is left: rest
// is the cells for the processors, nil where there is nothing left.
func (d *deviceCells) judge(ctx context.Context) (rest *learn.Cells, err error) {
	if err := solve.CheckDiagonal(d.diag); err != nil {
		for i := range d.Params {
			d.Refuse(i, fmt.Errorf("svm: %w", err))
		}
		return nil, nil
	}
	folds := make([]int, len(d.Folds))
	for f := range folds {
		folds[f] = f
	}
	if d.InOrder {
		for f := range d.Folds {
			if err = d.walk(ctx, folds[f:f+1]); err != nil {
				break
			}
		}
	} else {
		err = d.walk(ctx, folds)
	}
	if err == nil || ctx.Err() != nil {
		return nil, ctx.Err()
	}
	left := *d.Cells
	left.Alive = func(cell, fold int) bool { return !d.judged[[2]int{cell, fold}] && d.Alive(cell, fold) }
	return &left, nil
}

// walk goes along the path of some folds, side by side.
func (d *deviceCells) walk(ctx context.Context, folds []int) error {
	paths := make([]*pathSVM, len(folds))
	for a, f := range folds {
		paths[a] = foldSVM(d.Problem, d.Folds[f], &solve.SharedSMO{Tol: d.Tol})
		paths[a].diag = d.diag
	}
	tube := 0.0
	for step, i := range d.Order("epsilon", "C") {
		price, epsilon := d.Params[i]["C"], d.Params[i]["epsilon"]
		for _, p := range paths {
			if step > 0 && epsilon != tube {
				p.reset()
			}
		}
		tube = epsilon
		err := d.OverFolds(len(folds), func(a int) error {
			f := folds[a]
			if !d.Alive(i, f) {
				return nil
			}
			paths[a].price(price, epsilon)
			if err := paths[a].solveOn(ctx, d.systems[f], price); err != nil {
				return err
			}
			d.Doubt(i, paths[a].stopped())
			d.Judge(i, f, paths[a].predict(d.Folds[f].Test))
			d.mu.Lock()
			d.judged[[2]int{i, f}] = true
			d.mu.Unlock()
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// solveOn is solve on a device.
func (p *pathSVM) solveOn(ctx context.Context, s *gram.BoxSystem, c float64) error {
	for _, t := range p.tasks {
		r, err := s.Solve(ctx, gram.BoxProgram(t.qp), t.beta, gram.BoxOptions{Tol: p.solver.Tolerance()})
		if err != nil {
			return err
		}
		t.beta, t.f = r.Beta, r.F
		t.bias = solve.Multipliers(t.qp, t.beta, t.f)[0]
		t.last = solve.SharedResult{Violation: r.Violation, Multiplier: t.bias, Iterations: r.Iterations,
			WorkingSets: r.WorkingSets, Converged: r.Converged}
	}
	p.at = c
	return nil
}
