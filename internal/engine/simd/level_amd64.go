//go:build !noasm

package simd

import "golang.org/x/sys/cpu"

func detect() []Level {
	levels := []Level{Generic}
	x := &cpu.X86
	if !x.HasAVX2 || !x.HasFMA || !x.HasBMI2 {
		return levels
	}
	levels = append(levels, AVX2)
	if x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512VL && x.HasAVX512BW {
		levels = append(levels, AVX512)
	}
	return levels
}
