package celltext

import (
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/internal/phrase"
)

// WholeDigits are the digits of a text that is a whole number which float64 does not keep; empty
// where it is none.
func WholeDigits(s string) string {
	digits := strings.TrimPrefix(s, "-")
	if len(digits) < 16 || strings.Trim(digits, "0123456789") != "" {
		return ""
	}
	if x, err := strconv.ParseFloat(s, 64); err != nil || phrase.Number(x) == s {
		return ""
	}
	return s
}
