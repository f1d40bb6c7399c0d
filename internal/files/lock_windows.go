package files

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Lock takes the lock of an open file, without waiting, until the file is closed or the process
// ends, however it ends. The error is ErrLocked where somebody else has it, and another where the
// file system knows no locks.
func Lock(f *os.File) error {
	// Locked bytes cannot be read through another handle, so the lock is on one that no file has.
	far := &windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0,
		1, 0, far)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return err
}

// running says whether there is a process of a number, whoever's it is.
func running(pid int) bool {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return !errors.Is(err, windows.ERROR_INVALID_PARAMETER) // that is what "no such process" is called
	}
	defer windows.CloseHandle(h)
	state, err := windows.WaitForSingleObject(h, 0)
	return err != nil || state != windows.WAIT_OBJECT_0
}

// openRename: an open file cannot get another name.
const openRename = false
