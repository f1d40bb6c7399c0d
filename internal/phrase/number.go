package phrase

import (
	"math"
	"strconv"
)

// Number writes x with the fewest digits that read back as x. Whole numbers up to 2^53, which
// float64 has all of, are written out.
func Number(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) <= 1<<53 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
