// Package files keeps files of different owners apart: locks between processes, names that mean the
// same file, and unfinished files with the process that they are of.
package files

import "errors"

// ErrLocked says that somebody else has a file open and holds its lock.
var ErrLocked = errors.New("another process is using it")
