//go:build !amd64 || noasm

package simd

func stepPairSingle(float32, []float32, []float32, []float32, []float32) bool { return false }

func argMaxLanes([]float32, *[32]int32, *[32]float32) bool { return false }

func (*partnerLanes) fill(_, _, _ []float32, _, _, _ float32) bool { return false }

func gatherRowWhole(_, _ []float32, _ []int32) int { return 0 }
