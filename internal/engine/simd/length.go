package simd

import "fmt"

func sameLength(x, y int) {
	if x != y {
		panic(fmt.Sprintf("simd: slices of lengths %d and %d", x, y))
	}
}

// fourRows checks that a slice holds four rows of n elements, ld apart.
func fourRows(length, ld, n int) {
	if n > 0 && (ld < 0 || length < 3*ld+n) {
		panic(fmt.Sprintf("simd: four rows of %d with stride %d in a slice of %d", n, ld, length))
	}
}
