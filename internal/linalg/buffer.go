package linalg

import (
	"sync"
	"unsafe"
)

// buffers keeps packed panels between calls, one pool per element type.
var buffers struct{ f64, f32 sync.Pool }

func pool[F Float]() *sync.Pool {
	if unsafe.Sizeof(*new(F)) == 8 {
		return &buffers.f64
	}
	return &buffers.f32
}

// borrow returns n elements of unspecified content that start on a cache
// line; giveBack returns them to the pool.
func borrow[F Float](n int) *[]F {
	const line = 64
	pad := line / int(unsafe.Sizeof(*new(F)))
	b, ok := pool[F]().Get().(*[]F)
	if !ok || cap(*b) < n+pad {
		s := make([]F, n+pad)
		adviseHuge(s)
		skip := 0
		for uintptr(unsafe.Pointer(&s[skip]))%line != 0 {
			skip++
		}
		s = s[skip:]
		return &s
	}
	*b = (*b)[:cap(*b)]
	return b
}

func giveBack[F Float](b *[]F) { pool[F]().Put(b) }
