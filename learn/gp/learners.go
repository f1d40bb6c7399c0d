package gp

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
)

// Learners are the entries of Gaussian processes in the table of learners.
func Learners() []learn.Learner {
	return []learn.Learner{LearnerFrom(), sparseLearner()}
}

// LearnerFrom is the entry with the starts from which the evidence is climbed; the highest end
// counts. None means the kernel as it is.
func LearnerFrom(starts ...Start) learn.Learner {
	return learn.Learner{
		Name: "gp", Summary: "Gaussian process: kernel parameters and noise by marginal likelihood, with standard deviations",
		Values: true, Classes: true, Several: true, Joint: true, RowNoise: true, Options: fmt.Sprint(starts),
		Params: func(task data.Task) []learn.Param {
			if task != data.Regression {
				return nil
			}
			return []learn.Param{{Name: "noise", Domain: fitting.NonNegative,
				Summary: "variance of the noise where it is known, of several targets as a share of the variance of each; 0: " +
					"found with the kernel's parameters"},
				fitting.Choice("mean", "zero: around 0, not around a level that is found, too", "found", "zero"),
				fitting.Choice("outputs",
					"of several targets: joint is one process k·B of them all, whose correlations B are found or given", "apart",
					"joint"),
				{Name: "rank", Domain: fitting.Count,
					Summary: "of outputs=joint: B is of so many common factors and a variance for each target; 0: any B"},
				fitting.Choice("likelihood",
					"poisson: the target is counts; student: noise with heavy tails, which forgives outliers; both by Laplace's "+
						"approximation", "normal", "poisson", "student"),
				{Name: "df", Domain: fitting.NonNegative, Summary: "degrees of freedom of likelihood=student, more than 2; 0: 4"}}
		},
		Fit: func(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
			if err := checkOutputs(s, p); err != nil {
				return nil, err
			}
			return fitting.Fitted(climb(ctx, s, p, starts))
		},
		Cells:  judgeCells(starts),
		Shares: fitting.Always, Evidence: true,
		LastFit: func(bool) float64 { return 1 }, // it starts from scratch, as only the first fold does
		// Some tens of factorisations for each fold are worth their n³ up to these rows.
		Auto: learn.Auto{Rows: func(task data.Task) int {
			switch task {
			case data.Regression:
				return 1500
			case data.Binary:
				return 500
			}
			return 0
		}},
		Saved: map[string]learn.Restorer[any]{"gp": restoreRegressor, "gp-multi": restoreMulti, "gp-joint": restoreJoint,
			"gp-joint-output": restoreJointOutput,
			"gp-poisson":      restoreLaplace(Poisson), "gp-student": restoreLaplace(Student),
			"gp-classifier": restoreClassifier},
	}
}
