//go:build !noasm

package simd

// Advanced SIMD with double precision is part of every arm64 CPU.
func detect() []Level { return []Level{Generic, NEON} }
