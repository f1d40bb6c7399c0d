package linalg

import (
	"syscall"
	"unsafe"
)

// adviseHuge asks the kernel to back large, fresh storage with huge pages, as
// numpy does: a product walks down columns of tiles, a new page every row, and with
// small pages it would wait for the page tables. The request may be ignored.
func adviseHuge[F Float](s []F) {
	const hugePage, least = 2 << 20, 4 << 20
	if len(s) == 0 || len(s)*int(unsafe.Sizeof(s[0])) < least {
		return
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
	bytes = bytes[-uintptr(unsafe.Pointer(&s[0]))%hugePage:]
	_ = syscall.Madvise(bytes[:len(bytes)/hugePage*hugePage], syscall.MADV_HUGEPAGE)
}
