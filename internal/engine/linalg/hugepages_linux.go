package linalg

import (
	"syscall"
	"unsafe"
)

// adviseHuge asks the kernel to back large, fresh storage with huge pages, as
// numpy does: a product walks down columns of tiles, a new page every row, and with
// small pages it would wait for the page tables. The request may be ignored.
func adviseHuge[F Float](s []F) {
	if len(s) > 0 {
		adviseHugeBytes(unsafe.Pointer(&s[0]), len(s)*int(unsafe.Sizeof(s[0])))
	}
}

//go:noinline
func adviseHugeBytes(start unsafe.Pointer, size int) {
	const hugePage, least = 2 << 20, 4 << 20
	if size < least {
		return
	}
	bytes := unsafe.Slice((*byte)(start), size)
	bytes = bytes[-uintptr(start)%hugePage:]
	_ = syscall.Madvise(bytes[:len(bytes)/hugePage*hugePage], syscall.MADV_HUGEPAGE)
}
