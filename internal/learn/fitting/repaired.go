package fitting

import (
	"context"
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
)

// Repaired is a learner whose kernel is repaired on the points of every fit (gram.RepairKernel),
// where it is not positive semi-definite there. Its models are written with the kernel itself: f =
// Σ αᵢk'(xᵢ, ·) with the repaired k' is a function Σ γᵢk(xᵢ, ·) + Σ αᵢk(xᵢ, ·), so that new points
// follow the training points as in Chen et al. (2009), and nothing of the repair has to be kept.
// Learners that use the kernel in other ways (a variance, a distance), or that want the repaired
// matrix to be regular, refuse to Fit.
func Repaired(l learn.Learner, how gram.How) learn.Learner {
	if how == gram.NoRepair {
		return l
	}
	fit, restore := l.Fit, l.Saved
	out := l
	out.Cells, out.Shares = nil, nil
	out.Options = strings.TrimSpace(l.Options + " repair " + how.String())
	out.Fit = func(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
		if !l.ByFunc {
			return nil, fmt.Errorf("%s cannot be fitted with a repaired kernel; take another learner, or a positive "+
				"definite kernel", l.Name)
		}
		k, err := gram.RepairKernel(ctx, s.Kernel, p.Points, how, gram.Options{Threads: s.Threads, Bytes: s.Bytes})
		if err != nil {
			return nil, err
		}
		if k.Before.OK {
			return fit(ctx, s, p)
		}
		s.Kernel = k
		m, err := fit(ctx, s, p)
		if err != nil {
			return nil, err
		}
		return restated(ctx, m, k, restore)
	}
	return out
}

// restated is a model of a repaired kernel, written with the original one.
func restated(
	ctx context.Context, m learn.Model[any], k *gram.RepairedKernel[any], restore map[string]learn.Restorer[any],
) (learn.Model[any], error) {
	saver, ok := m.(learn.Saver[any])
	if !ok {
		return nil, fmt.Errorf("a %T cannot be written down", m)
	}
	saved := saver.Saved()
	back := restore[saved.Learner]
	if back == nil {
		return nil, fmt.Errorf("nobody restores a %q", saved.Learner)
	}
	centers, coef := k.Restate(ctx, saved.Func.Centers, saved.Func.Coef)
	if centers.Len() != saved.Func.Centers.Len() {
		delete(saved.Arrays, "support") // all points are centres now
	}
	// of the repaired kernel: the model does not go on learning
	for _, state := range []string{"votes", "last", "machines", "born"} {
		delete(saved.Arrays, state)
	}
	delete(saved.Numbers, "loss")
	saved.Func = &rkhs.Func[any]{Kernel: k.Original, Centers: data.Own(centers), Coef: coef, Bias: saved.Func.Bias}
	saved.Report.Warnings = append(saved.Report.Warnings,
		fmt.Sprintf("the kernel is not positive definite: its Gram matrix has the smallest eigenvalue %.3g, the largest is "+
			"%.3g; repaired by %s (%d eigenvalues)",
			k.Before.Min, k.Before.Max, k.How, k.Negative))
	return back(saved)
}
