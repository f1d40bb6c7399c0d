//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package files

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Lock takes the lock of an open file, without waiting, until the file is closed or the process
// ends, however it ends. The error is ErrLocked where somebody else has it, and another where the
// file system knows no locks.
func Lock(f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var locking error
	err = raw.Control(func(fd uintptr) {
		for {
			if locking = unix.Flock(int(fd), unix.LOCK_EX|unix.LOCK_NB); !errors.Is(locking, unix.EINTR) {
				return
			}
		}
	})
	switch {
	case err != nil:
		return err
	case errors.Is(locking, unix.EWOULDBLOCK):
		return ErrLocked
	}
	return locking
}

// running says whether there is a process of a number, whoever's it is.
func running(pid int) bool {
	err := unix.Kill(pid, 0)
	return err == nil || errors.Is(err, unix.EPERM)
}

// openRename: a file keeps its lock while it gets another name.
const openRename = true
