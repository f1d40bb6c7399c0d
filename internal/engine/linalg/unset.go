package linalg

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"unsafe"
)

// Unset is an r×c matrix whose entries are whatever the memory held: for who sets every one of
// them. New clears its memory in the calling goroutine, and where that memory was used before the
// clearing is all there is: half a gigabyte takes as long as sixteen threads take to fill it with
// kernel values.
func Unset[F Float](r, c int) Matrix[F] {
	m := Matrix[F]{Rows: r, Cols: c, Data: unset[F](r * c), Stride: max(c, 1)}
	adviseHuge(m.Data)
	return m
}

// leastUnset is from how many bytes on memory is worth the detour.
const leastUnset = 64 << 10

func unset[F Float](n int) []F {
	var zero F
	size := int(unsafe.Sizeof(zero))
	if n*size < leastUnset {
		return make([]F, n)
	}
	out := unsafe.Slice((*F)(uncleared(n*size)), n)
	if tested {
		for i := range out {
			out[i] = F(math.NaN())
		}
	}
	return out
}

// uncleared is memory that was not cleared: the buffer that a strings.Builder grows, the one way of
// the standard library to it. The builder is gone afterwards, and its text was never read, so that
// nobody sees it change.
//
//go:noinline
func uncleared(bytes int) unsafe.Pointer {
	var b strings.Builder
	b.Grow(bytes)
	b.WriteByte(0)
	return unsafe.Pointer(unsafe.StringData(b.String()))
}

// tested says that this is a test program. Unset memory is NaN there: who reads an entry that was
// not set fails, and does not compute with what stood there by chance.
var tested = strings.HasSuffix(strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"), ".test")
