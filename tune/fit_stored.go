package tune

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
)

// fitAll fits a cell on all rows of the search. Where their pairs were compared before, and the
// comparison takes longer than the fit (trees, series, strings), the values are taken from there,
// and the model is written with the kernel itself in the end; but where features of the points are
// there at once, the learner may go by these, and keep their weights in place of points.
func (e *engine) fitAll(ctx context.Context, c Cell) (*Fitted, error) {
	s := e.spaces[c.Candidate]
	k, err := s.kernelAt(c.theta)
	if err != nil {
		return nil, err
	}
	_, byFeatures := rowLearners[s.Learner]
	byFeatures = byFeatures && e.p.Len() >= fitting.SparseFrom && fitting.HasSparseFeatures(k, e.p.Points)
	if !s.entry.ByFunc || s.Custom != nil || e.metrics == nil || !e.metrics.hasParts(k) || byFeatures {
		return e.fitRows(ctx, c, e.p)
	}
	from, p := e.shared(s, k, e.threads)
	if _, ok := from.(*stored); !ok {
		return e.fitRows(ctx, c, e.p)
	}
	return e.fitWith(ctx, s, c, from, p, e.proba(), func(m *Fitted) error { return m.restate(s, from.(*stored)) })
}

// restate writes a model of a stored Gram matrix with the kernel that the matrix is of.
func (f *Fitted) restate(s *space, k *stored) error {
	saver, ok := f.Model.(learn.Saver[any])
	if !ok {
		return fault.Errorf("tune", "a model of %s cannot be written down", s.Learner)
	}
	saved := saver.Saved()
	back := s.entry.Saved[saved.Learner]
	if back == nil {
		return fault.Errorf("tune", "nobody restores a %q", saved.Learner)
	}
	index, ok := k.places(saved.Func.Centers)
	if !ok {
		return fault.Errorf("tune", "the centres of a model of %s are no rows", s.Learner)
	}
	whole := data.Points[any](k.rows)
	centers := make(data.Slice[any], len(index))
	for i, row := range index {
		centers[i] = whole.At(row)
	}
	saved.Func = (&rkhs.Func[any]{Kernel: k.Kernel, Centers: centers, Coef: saved.Func.Coef,
		Bias: saved.Func.Bias}).Prepare()
	model, err := back(saved)
	if err != nil {
		return err
	}
	f.Model, f.Kernel = model, k.Kernel
	return nil
}
