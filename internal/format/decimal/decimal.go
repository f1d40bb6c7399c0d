// Package decimal reads numbers that files store in powers of ten: as text, or as a whole number
// and its scale.
package decimal

import (
	"math"
	"math/big"
	"strconv"
)

// Float64 is the float64 nearest to unscaled·10^-scale. Where both fit into 53 bits one division
// rounds once; a number rounded before it is divided would be rounded twice, and one unit in the
// last place off.
func Float64(unscaled int64, scale int) float64 {
	if magnitude := max(unscaled, -unscaled); magnitude >= 0 && magnitude <= 1<<53 && scale >= 0 && scale <= 22 {
		return float64(unscaled) / math.Pow10(scale)
	}
	return parse(strconv.FormatInt(unscaled, 10), scale)
}

// FromBig is Float64 for numbers of any size.
func FromBig(unscaled *big.Int, scale int) float64 {
	if unscaled.IsInt64() {
		return Float64(unscaled.Int64(), scale)
	}
	return parse(unscaled.String(), scale)
}

func parse(digits string, scale int) float64 {
	x, _ := strconv.ParseFloat(digits+"e"+strconv.Itoa(-scale), 64) // out of range is an infinity, which readers refuse
	return x
}
