//go:build !amd64 || noasm

package simd

func tanh64(dst, src []float64) { tanhRef(dst, src) }

func tanh32(dst, src []float32) { tanhRef(dst, src) }

func log1p64(dst, src []float64) { log1pRef(dst, src) }

func log1p32(dst, src []float32) { log1pRef(dst, src) }

func sqrt64(dst, src []float64) { sqrtRef(dst, src) }

func sqrt32(dst, src []float32) { sqrtRef(dst, src) }

func reciprocal64(dst, src []float64) { reciprocalRef(dst, src) }

func powInt64(dst, src []float64, p, top int) { powIntRef(dst, src, p, top) }

func powInt32(dst, src []float32, p, top int) { powIntRef(dst, src, p, top) }

func pow64(dst, src []float64, c *powCase) { powRef(dst, src, c) }
