//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package files

import (
	"errors"
	"os"
)

// Lock has no lock to take here.
func Lock(*os.File) error { return errors.ErrUnsupported }

// running cannot be known here; what may still run is left alone.
func running(int) bool { return true }

// openRename: an open file may not get another name.
const openRename = false
