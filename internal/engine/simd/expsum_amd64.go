//go:build !noasm

package simd

import "unsafe"

func expSumWidth(l Level) int {
	if l == AVX512 {
		return 16
	}
	return 8
}

func expSumFast() bool { return Current() >= AVX2 }

// at64 and at32 are the addresses of slices whose type is known by then.
func at64[F Float](x []F) *float64 { return (*float64)(unsafe.Pointer(unsafe.SliceData(x))) }
func at32[F Float](x []F) *float32 { return (*float32)(unsafe.Pointer(unsafe.SliceData(x))) }

func expSumProducts[F Float](d int, x, c []F, ldc int, w, out []F) {
	single, n := isSingle[F](), len(w)
	switch l := Current(); {
	case l == AVX512 && single:
		expSumProducts32AVX512(d, n, at32(x), at32(c), ldc, at32(w), at32(out))
	case l == AVX512:
		expSumProducts64AVX512(d, n, at64(x), at64(c), ldc, at64(w), at64(out))
	case l == AVX2 && single:
		expSumProducts32AVX2(d, n, at32(x), at32(c), ldc, at32(w), at32(out))
	case l == AVX2:
		expSumProducts64AVX2(d, n, at64(x), at64(c), ldc, at64(w), at64(out))
	default:
		expSumRef(d, x, c, ldc, 0, 0, w, nil, out, nil)
	}
}

func expSumDistances[F Float](d int, x, c []F, ldc int, scale, most F, w, out []F) {
	single, n := isSingle[F](), len(w)
	switch l := Current(); {
	case l == AVX512 && single:
		expSumDistances32AVX512(d, n, at32(x), at32(c), ldc, float32(scale), float32(most), at32(w), at32(out))
	case l == AVX512:
		expSumDistances64AVX512(d, n, at64(x), at64(c), ldc, float64(scale), float64(most), at64(w), at64(out))
	case l == AVX2 && single:
		expSumDistances32AVX2(d, n, at32(x), at32(c), ldc, float32(scale), float32(most), at32(w), at32(out))
	case l == AVX2:
		expSumDistances64AVX2(d, n, at64(x), at64(c), ldc, float64(scale), float64(most), at64(w), at64(out))
	default:
		expSumRef(d, x, c, ldc, scale, most, w, nil, out, nil)
	}
}

func expSumBoth[F Float](d int, x, c []F, ldc int, w, v, out, sums []F) {
	single, n := isSingle[F](), len(w)
	switch l := Current(); {
	case l == AVX512 && single:
		expSumBoth32AVX512(d, n, at32(x), at32(c), ldc, at32(w), at32(v), at32(out), at32(sums))
	case l == AVX512:
		expSumBoth64AVX512(d, n, at64(x), at64(c), ldc, at64(w), at64(v), at64(out), at64(sums))
	case l == AVX2 && single:
		expSumBoth32AVX2(d, n, at32(x), at32(c), ldc, at32(w), at32(v), at32(out), at32(sums))
	case l == AVX2:
		expSumBoth64AVX2(d, n, at64(x), at64(c), ldc, at64(w), at64(v), at64(out), at64(sums))
	default:
		expSumRef(d, x, c, ldc, 0, 0, w, v, out, sums)
	}
}
