package csvio

import "github.com/mercer-ml/mercer/internal/format/decimal"

// scanNumber reads a number at the start of s; see decimal.Scan.
func scanNumber(s []byte, point byte) (x float64, n int) { return decimal.Scan(s, point) }
