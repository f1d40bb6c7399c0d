package solve

import (
	"fmt"
	"math"
)

// CheckDiagonal refuses a diagonal that no kernel matrix has. Every way to the solution of a programme asks it, so that none
// scores what another would refuse.
func CheckDiagonal[F float32 | float64](diag []F) error {
	for i, d := range diag {
		if !(d >= 0) || math.IsInf(float64(d), 0) {
			return fmt.Errorf("solve: diagonal entry %d of the kernel matrix is %g; a kernel matrix has finite entries, 0 or more, there", i, d)
		}
	}
	return nil
}
