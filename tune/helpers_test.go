package tune

import (
	"github.com/mercer-ml/mercer/internal/linalg"
	"github.com/mercer-ml/mercer/internal/par"
	"github.com/mercer-ml/mercer/solve"
)

func sharedSolver(k linalg.Matrix[float32], tol float64) *solve.SharedSMO {
	return &solve.SharedSMO{K: k, Tol: tol}
}

func threadsOf(n int) par.Threads { return par.Threads(n) }

func (t *svmTask) objective() float64 { return solve.BoxObjective(t.qp, t.beta, t.f) }
