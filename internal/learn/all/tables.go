package all

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/mercer-ml/mercer/internal/learn/refusal"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/features"
	"github.com/mercer-ml/mercer/learn/fisher"
	"github.com/mercer-ml/mercer/learn/forest"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/learn/neighbours"
	"github.com/mercer-ml/mercer/learn/nystrom"
	"github.com/mercer-ml/mercer/learn/online"
	"github.com/mercer-ml/mercer/learn/rbf"
	"github.com/mercer-ml/mercer/learn/representer"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/sparse"
	"github.com/mercer-ml/mercer/learn/svm"
)

var table = sync.OnceValue(func() []learn.Learner {
	return refuse(slices.Concat(svm.Learners(), ridge.Learners(), nystrom.Learners(), features.Learners(),
		gp.Learners(), logistic.Learners(), sparse.Learners(),
		rbf.Learners(), online.Learners(), neighbours.Learners(), forest.Learners(), fisher.Learners(),
		representer.Learners()))
})

// refuse has the learners that do not heed the noise of each row, a further target or the kernel of
// the outputs say so: nothing is fitted as if it were not there.
func refuse(list []learn.Learner) []learn.Learner {
	var can, join []string
	for _, l := range list {
		if l.RowNoise {
			can = append(can, l.Name)
		}
		if l.Joint {
			join = append(join, l.Name)
		}
	}
	for i, l := range list {
		list[i].Fit = func(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
			if p.Noise != nil && !l.RowNoise {
				return nil, &refusal.NoiseError{Learner: l.Name, Can: can}
			}
			if len(p.More) > 0 && !l.Several {
				return nil, fmt.Errorf("%s learns one target, and there are %d; fit a model for each", l.Name, p.Targets())
			}
			if p.Outputs != nil && !l.Joint {
				return nil, &refusal.OutputsError{Learner: l.Name, Can: join}
			}
			return l.Fit(ctx, s, p)
		}
	}
	return list
}

// Learners lists the learners, in the order in which help shows them. They take points of any type,
// erased (data.Erase, kernel.Erase): each family is compiled once, where its code is.
func Learners() []learn.Learner { return slices.Clone(table()) }
