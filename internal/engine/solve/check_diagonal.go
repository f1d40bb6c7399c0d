package solve

import (
	"fmt"
	"math"
)

// CheckDiagonal refuses a diagonal that is not finite; entries below 0 make a programme that is not
// convex, which is solved to a stationary point. Every way to the solution of a programme asks it,
// so that none scores what another would refuse.
func CheckDiagonal[F float32 | float64](diag []F) error {
	for i, d := range diag {
		if math.IsNaN(float64(d)) || math.IsInf(float64(d), 0) {
			return fmt.Errorf("solve: diagonal entry %d of the kernel matrix is %g; a kernel matrix has finite entries", i, d)
		}
	}
	return nil
}
