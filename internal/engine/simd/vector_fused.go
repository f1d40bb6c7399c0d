//go:build !wasm || noasm

package simd

import "math"

func fma64(a, b, c float64) float64 { return math.FMA(a, b, c) }
