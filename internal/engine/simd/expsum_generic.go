//go:build !amd64 || noasm

package simd

func expSumWidth(Level) int { return 8 }

func expSumFast() bool { return false }

func expSumProducts[F Float](d int, x, c []F, ldc int, w, out []F) {
	expSumRef(d, x, c, ldc, 0, 0, w, nil, out, nil)
}

func expSumDistances[F Float](d int, x, c []F, ldc int, scale, most F, w, out []F) {
	expSumRef(d, x, c, ldc, scale, most, w, nil, out, nil)
}

func expSumBoth[F Float](d int, x, c []F, ldc int, w, v, out, sums []F) {
	expSumRef(d, x, c, ldc, 0, 0, w, v, out, sums)
}
