// Package celltext reads what the text of a cell of a table says: a truth, a set, an order, a fuzzy set, a
// normal distribution, nothing.
package celltext

var naMarkers = map[string]bool{"": true, "NA": true, "N/A": true, "n/a": true, "na": true, "NaN": true, "nan": true,
	"NAN":  true,
	"-nan": true, "-NaN": true, "null": true, "NULL": true, "Null": true, "None": true, "#N/A": true, "<NA>": true,
	"<null>": true, "?": true}

// IsNA says whether s is one of the usual markers of a missing value: empty,
// NA, N/A, n/a, NaN, null, NULL, None, #N/A, <NA>, ?.
func IsNA(s string) bool { return len(s) <= 6 && naMarkers[s] }
