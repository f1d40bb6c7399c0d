//go:build wasm && !noasm

package simd

func fma64(a, b, c float64) float64 { return fmaPlain(a, b, c) }

func exp64(dst, src []float64) { expPlainTo(dst, src) }

func scaleExp64(dst, src []float64, a float64) { scaleExpPlainTo(dst, src, a) }

func scaleExp32(dst, src []float32, a float32) { scaleExpPlainTo(dst, src, a) }

func affine64(dst, src []float64, a, b float64) { affinePlainTo(dst, src, a, b) }

func affine32(dst, src []float32, a, b float32) { affinePlainTo(dst, src, a, b) }
