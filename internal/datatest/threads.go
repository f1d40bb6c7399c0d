package datatest

import "testing"

// Threads are the numbers of threads at which the same bits are wanted; with -short one and one
// that divides nothing.
func Threads() []int {
	if testing.Short() {
		return []int{1, 7}
	}
	return []int{1, 2, 7, 8}
}
