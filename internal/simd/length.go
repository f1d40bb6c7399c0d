package simd

import "fmt"

func sameLength(x, y int) {
	if x != y {
		panic(fmt.Sprintf("simd: slices of lengths %d and %d", x, y))
	}
}
