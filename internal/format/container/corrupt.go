package container

import (
	"fmt"
)

// DamagedError says what is wrong with a damaged container.
type DamagedError struct {
	What string
	Err  error // the cause, if there is one
}

func (e *DamagedError) Error() string {
	if e.Err != nil {
		return "model file is damaged: " + e.Err.Error()
	}
	return "model file is damaged: " + e.What
}

// Unwrap returns the cause.
func (e *DamagedError) Unwrap() error { return e.Err }

func Damaged(format string, args ...any) error {
	return &DamagedError{What: fmt.Sprintf(format, args...)}
}
