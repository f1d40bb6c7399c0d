package model

import "fmt"

// UnfitError says why a model does not fit a format that it was to be exported
// to.
type UnfitError struct {
	Format string
	Why    string
}

func (e *UnfitError) Error() string {
	return fmt.Sprintf("the model does not fit %s: %s", e.Format, e.Why)
}

func unfit(format, why string, args ...any) error {
	return &UnfitError{format, fmt.Sprintf(why, args...)}
}
