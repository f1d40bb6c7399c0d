package datatest

import "testing"

// Size is how large a test is: full, or with -short the smallest that asks the same (more rows than
// a tile, an effect that still shows).
func Size(full, short int) int {
	if testing.Short() {
		return short
	}
	return full
}
