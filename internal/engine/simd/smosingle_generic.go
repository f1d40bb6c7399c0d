//go:build !amd64 || noasm

package simd

func stepMasked(float32, []float32, []float32, []float32, []uint32, *float32) bool { return false }
func firstEqual([]float32, []uint32, float32) (int, bool)                          { return 0, false }
func partnerMasked([]float32, []uint32, []float32, []float32, float32, float32, float32) (int, float32, bool) {
	return 0, 0, false
}
func gatherRowWhole([]float32, []float32, []int32) int { return 0 }
func flushTinyWhole([]float32) int                     { return 0 }
