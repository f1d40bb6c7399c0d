//go:build (!amd64 && !wasm) || noasm

package simd

func exp64(dst, src []float64) { expRef(dst, src) }

func scaleExp64(dst, src []float64, a float64) { scaleExpRef(dst, src, a) }

func scaleExp32(dst, src []float32, a float32) { scaleExpRef(dst, src, a) }

func affine64(dst, src []float64, a, b float64) { affineRef(dst, src, a, b) }

func affine32(dst, src []float32, a, b float32) { affineRef(dst, src, a, b) }
