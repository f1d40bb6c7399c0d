package linalg

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// NewLarge is New for matrices of many megabytes that are filled once: it asks
// the system for large pages, which saves a page fault for every 4 KiB.
func NewLarge[F Float](r, c int) Matrix[F] {
	m := New[F](r, c)
	const huge = 2 << 20
	size := int(unsafe.Sizeof(*new(F))) * len(m.Data)
	if size < 2*huge {
		return m
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&m.Data[0])), size)
	start := int(-uintptr(unsafe.Pointer(&m.Data[0])) & (huge - 1))
	end := start + (size-start)/huge*huge
	if end > start {
		// Advice only: where it is not taken, nothing is lost.
		_ = unix.Madvise(bytes[start:end], unix.MADV_HUGEPAGE)
	}
	return m
}
