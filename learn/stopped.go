package learn

import "fmt"

// Stopped is the error of an iterative fit whose context ended: it holds the model of the last
// iteration that was finished, whose report says how far it had come. Unwrap is the context's
// error.
type Stopped[T any] struct {
	Model Model[T]
	Err   error
}

func (e *Stopped[T]) Error() string {
	r := e.Model.Report()
	return fmt.Sprintf("stopped after %d iterations with a %s of %.2g: %v", r.Iterations, r.Certified, r.Certificate,
		e.Err)
}

// Unwrap is the context's error.
func (e *Stopped[T]) Unwrap() error { return e.Err }
