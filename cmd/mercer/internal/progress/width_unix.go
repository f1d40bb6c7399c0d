//go:build linux || darwin || freebsd || netbsd

package progress

import (
	"os"
	"syscall"
	"unsafe"
)

// terminalColumns asks the terminal behind a file; 0 where there is none, or it
// does not know.
func terminalColumns(f *os.File) int {
	var size struct{ rows, columns, width, height uint16 }
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size)))
	if errno != 0 {
		return 0
	}
	return int(size.columns)
}
