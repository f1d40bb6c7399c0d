//go:build !noasm

package simd

var (
	tile64AVX2 = &Tile[float64]{MR: 4, NR: 12, Lanes: 4, trsm: trsmTile64AVX2, panels: packPanels64AVX2,
		transpose: transposeFour64AVX2,
		gemm: [3]func(int, float64, *float64, *float64, float64, *float64, int, *float64){gemmOne64AVX2, gemmTwo64AVX2,
			gemmThree64AVX2}}
	tile64AVX512 = &Tile[float64]{MR: 8, NR: 24, Lanes: 8, trsm: trsmTile64AVX512, panels: packPanels64AVX512,
		transpose: transposeFour64AVX2,
		gemm: [3]func(int, float64, *float64, *float64, float64, *float64, int, *float64){gemmOne64AVX512,
			gemmTwo64AVX512, gemmThree64AVX512}}
	tile32AVX2 = &Tile[float32]{MR: 4, NR: 24, Lanes: 8, trsm: trsmTile32AVX2, panels: packPanels32AVX2,
		transpose: transposeFour32AVX2,
		gemm: [3]func(int, float32, *float32, *float32, float32, *float32, int, *float32){gemmOne32AVX2, gemmTwo32AVX2,
			gemmThree32AVX2}}
	tile32AVX512 = &Tile[float32]{MR: 8, NR: 48, Lanes: 16, trsm: trsmTile32AVX512, panels: packPanels32AVX512,
		transpose: transposeFour32AVX2,
		gemm: [3]func(int, float32, *float32, *float32, float32, *float32, int, *float32){gemmOne32AVX512,
			gemmTwo32AVX512, gemmThree32AVX512}}
)

func tile64() *Tile[float64] {
	switch Current() {
	case AVX512:
		return tile64AVX512
	case AVX2:
		return tile64AVX2
	}
	return tile64Ref
}

func tile32() *Tile[float32] {
	switch Current() {
	case AVX512:
		return tile32AVX512
	case AVX2:
		return tile32AVX2
	}
	return tile32Ref
}
