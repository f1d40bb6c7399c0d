//go:build (!amd64 && !arm64) || noasm

package simd

func tile64() *Tile[float64] { return tile64Ref }
func tile32() *Tile[float32] { return tile32Ref }
