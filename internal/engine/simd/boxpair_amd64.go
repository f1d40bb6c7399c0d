//go:build !noasm

package simd

import "math"

func stepTwoWhole(step float64, x, y []float32, up, down []float64) int {
	n := 0
	switch Current() {
	case AVX512:
		if n = len(up) &^ 7; n > 0 {
			stepTwo64AVX512(n, step, &x[0], &y[0], &up[0], &down[0])
		}
	case AVX2:
		if n = len(up) &^ 3; n > 0 {
			stepTwo64AVX2(n, step, &x[0], &y[0], &up[0], &down[0])
		}
	}
	return n
}

func largestWhole(x []float64) (best float64, n int) {
	var lanes [8]float64
	best = math.Inf(-1)
	width := 0
	switch Current() {
	case AVX512:
		if n = len(x) &^ 15; n > 0 {
			width = 8
			largest64AVX512(n, &x[0], &lanes[0])
		}
	case AVX2:
		if n = len(x) &^ 7; n > 0 {
			width = 4
			largest64AVX2(n, &x[0], &lanes[0])
		}
	}
	for _, v := range lanes[:width] {
		best = max(best, v)
	}
	return best, n
}

// places are the lanes of a vector.
var places = [8]float64{0, 1, 2, 3, 4, 5, 6, 7}

func partnerWhole(z, c, tiny float64, down, diag []float64, k []float32) (at int, num, den, low float64, n int) {
	at, den, low = -1, 1, math.Inf(1)
	var given [19]float64
	var out [56]float64
	width := 0
	switch Current() {
	case AVX512:
		n, width = len(down)&^15, 8
	case AVX2:
		n, width = len(down)&^7, 4
	}
	if n == 0 {
		return
	}
	given[0], given[1], given[2] = z, c, tiny
	for i := range width {
		given[3+i] = float64(2 * width)
	}
	copy(given[3+width:], places[:width])
	if width == 8 {
		partner64AVX512(n, &given[0], &down[0], &diag[0], &k[0], &out[0])
	} else {
		partner64AVX2(n, &given[0], &down[0], &diag[0], &k[0], &out[0])
	}
	for l := range 2 * width {
		p, q := out[l], out[2*width+l]
		if p == 0 {
			continue
		}
		// The second vector of a step stands a vector further on.
		i := int(out[4*width+l]) + l/width*width
		if a, b := p*den, num*q; a > b || a == b && i < at {
			at, num, den = i, p, q
		}
	}
	for _, v := range out[6*width : 7*width] {
		low = min(low, v)
	}
	return at, num, den, low, n
}
