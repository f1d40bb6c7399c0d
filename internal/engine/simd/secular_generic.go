//go:build !amd64 || noasm

package simd

func poleSumsLevel(_, _ []float64, _, _ float64) (value, slope float64, done int) { return 0, 0, 0 }

func ratiosLevel(_ float64, _, _, _ []float64) (done int) { return 0 }
