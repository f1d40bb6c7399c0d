package tune

import (
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/nystrom"
)

// Equations on few centres are added up, those on many iterated on with a preconditioner of all
// rows as long as that costs no more than some passes over them.
func TestSolverOfCentres(t *testing.T) {
	w := &wholeFit{p: learn.Problem[any]{Points: data.Erase(data.RowsOf(linalg.New[float64](20000, 8)))}}
	v := &wide{w: w}
	for centers, want := range map[int]int{100: 20000, 500: 20000, 1500: 12000, 2000: 16000, 5000: 20000} {
		if got := v.sketch(centers); got != want {
			t.Errorf("%d centres: a preconditioner of %d rows, want %d", centers, got, want)
		}
	}
	for _, c := range []struct {
		asked            nystrom.Solver
		centers, lambdas int
		want             nystrom.Solver
	}{
		{nystrom.Auto, 100, 1, nystrom.Direct}, {nystrom.Auto, 512, 1, nystrom.Direct},
		{nystrom.Auto, 2000, 1, nystrom.Falkon}, {nystrom.Auto, 2000, 4, nystrom.Direct},
		{nystrom.Falkon, 100, 1, nystrom.Falkon}, {nystrom.Direct, 2000, 1, nystrom.Direct},
	} {
		w.solver = c.asked
		if got := v.solverOf(c.centers, c.lambdas); got != c.want {
			t.Errorf("%v asked, %d centres and %d λ: %v, want %v", c.asked, c.centers, c.lambdas, got, c.want)
		}
	}
}
