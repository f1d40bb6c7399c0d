package density

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/internal/engine/kmeans"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// startSweeps is enough for EM to begin with: it goes on by itself.
const startSweeps = 20

// kMeansStart assigns each row to one of k clusters, with columns measured in
// units of their spread.
func kMeansStart(
	ctx context.Context, threads int, x linalg.Matrix[float64], ridge []float64, k int, rng *rand.Rand,
) (kmeans.Result, error) {
	z := x.Clone()
	for i := range z.Rows {
		row := z.Row(i)
		for j := range row {
			row[j] /= math.Sqrt(ridge[j])
		}
	}
	return kmeans.Run(ctx, z, k, rng, kmeans.Options{Sweeps: startSweeps, Threads: threads})
}
