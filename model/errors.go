package model

import (
	"errors"
	"fmt"
)

// What a model has not got, for errors.Is.
var (
	ErrNoProbabilities = errors.New("the model has no class probabilities")
	ErrNoDeviations    = errors.New("the model has no standard deviations")
)

// DimensionError says that points are not of the model's number of features; of a model of a
// precomputed kernel, that rows do not have a kernel value with each training object.
type DimensionError struct {
	Have, Want int
	Objects    bool
}

func (e *DimensionError) Error() string {
	if e.Objects {
		return fmt.Sprintf("rows of %d kernel values for a model of %d training objects", e.Have, e.Want)
	}
	return fmt.Sprintf("points of %d features for a model of %d", e.Have, e.Want)
}

// libsvmError is a fault in a model that svm-train is said to have written.
type libsvmError struct {
	Line int // from 1; 0 where it is of the whole file
	Err  error
}

func (e *libsvmError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("LIBSVM model: %v", e.Err)
	}
	return fmt.Sprintf("LIBSVM model, line %d: %v", e.Line, e.Err)
}

// Unwrap returns what is wrong.
func (e *libsvmError) Unwrap() error { return e.Err }
