//go:build !amd64 || noasm

package simd

func expSumWidth(Level) int { return 8 }

func expSumFast() bool { return false }

func expSumProducts[F Float](d int, x, c []F, ldc int, w, out []F) {
	expSumRef(d, x, c, ldc, w, nil, out, nil, false)
}

func expSumDistances[F Float](d int, x, c []F, ldc int, w, out []F) {
	expSumRef(d, x, c, ldc, w, nil, out, nil, true)
}

func expSumBoth[F Float](d int, x, c []F, ldc int, w, v, out, sums []F) {
	expSumRef(d, x, c, ldc, w, v, out, sums, false)
}
