package svm

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
)

// onDevice solves a machine on a device, where there is one for it: vectors and a kernel with a
// formula, and more work than the processors are as soon done with. It is nil where there is none,
// where memory is short or the device was lost, which the device notes. A solution that did not
// reach the tolerance is for the processors to go on from.
func (r *machineRows) onDevice(ctx context.Context, p svmProblem, o Options) (*gram.BoxSolution, error) {
	if o.Device == nil || o.Columns == Float64Columns || r.left || p.qp.Groups > 2 {
		return nil, nil
	}
	if r.system == nil {
		k, vectors := kernel.Concrete(r.m.k).(kernel.Kernel[kernel.Vec])
		x, also := data.VectorsOf(r.m.x)
		if r.left = !vectors || !also; r.left {
			return nil, nil
		}
		if r.index != nil {
			x = data.Gather(x, r.index)
		}
		var err error
		if r.system, err = gram.NewBoxSystem(o.Device, k, x, r.threads); err != nil {
			r.left = true
			return nil, nil
		}
	}
	out, err := r.system.Solve(ctx, gram.BoxProgram(p.qp), p.start,
		gram.BoxOptions{Tol: o.Tol, WorkingSet: o.WorkingSet, MaxIterations: o.MaxIterations, Trace: o.Trace})
	if err != nil {
		r.leave()
		r.left = true
		return nil, ctx.Err()
	}
	return out, nil
}

// leave gives the memory of rows and of a device back.
func (r *machineRows) leave() {
	if r.free != nil {
		r.free()
		r.lazy, r.free = nil, nil
	}
	if r.system != nil {
		r.system.Close()
		r.system = nil
	}
}
