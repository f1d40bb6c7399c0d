package linalg

import (
	"math/bits"
	"sync"
	"unsafe"
)

// buffers keeps packed panels between calls. There is a pool for each element
// type and each power of two, so that whoever needs a tile is not given the storage of a
// large product, which would then have to be allocated, and faulted in, again.
var buffers struct{ f64, f32 [65]sync.Pool }

func pool[F Float](n int) *sync.Pool {
	class := bits.Len(uint(n))
	if unsafe.Sizeof(*new(F)) == 8 {
		return &buffers.f64[class]
	}
	return &buffers.f32[class]
}

// borrow returns at least n elements of unspecified content that start on a cache
// line; giveBack returns them to the pool.
func borrow[F Float](n int) *[]F {
	if b, ok := pool[F](n).Get().(*[]F); ok && cap(*b) >= n {
		return b
	}
	const line = 64
	pad := line / int(unsafe.Sizeof(*new(F)))
	s := make([]F, n+pad)
	adviseHuge(s)
	skip := 0
	for uintptr(unsafe.Pointer(&s[skip]))%line != 0 {
		skip++
	}
	s = s[skip : skip+n : skip+n]
	return &s
}

func giveBack[F Float](b *[]F) { pool[F](cap(*b)).Put(b) }
