package tune

import (
	"context"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/solve"
)

func sharedSolver(k linalg.Matrix[float32], tol float64) *solve.SharedSMO {
	return &solve.SharedSMO{K: k, Tol: tol}
}

func threadsOf(n int) int { return int(n) }

func (t *svmTask) objective() float64 { return solve.BoxObjective(t.qp, t.beta, t.f) }

// next goes on to the next price and solves there.
func (p *pathSVM) next(c, epsilon float64, master *pathSVM) error {
	p.price(c, epsilon)
	return p.solve(context.Background(), c, master)
}
