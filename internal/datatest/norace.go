//go:build !race

package datatest

// Race says that the race detector is on: pools then drop what they are given at random, and tests
// that count allocations prove nothing.
const Race = false
