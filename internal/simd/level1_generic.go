//go:build !amd64 || noasm

package simd

// Dot64 is Σ x[i]·y[i]. The slices must be of the same length.
func Dot64(x, y []float64) float64 { sameLength(len(x), len(y)); return dotRef(x, y) }

// Dot32 is Σ x[i]·y[i]. The slices must be of the same length.
func Dot32(x, y []float32) float32 { sameLength(len(x), len(y)); return dotRef(x, y) }
