// Package spec reads and writes kernels in the language of the command line, of model files, of the
// server and of the web page:
//
//	0.5*gaussian(lengthscale=[1, 2, 0.3]) + linear()^2
//	gaussian() on price,age + 0.5*ssk(k=4, decay=0.5) on "short title"
//
// Names are letters, digits, "_" and "-", texts are in double quotes, and a number standing as a
// term is the constant kernel. What is written here is read here, and numbers keep every bit.
// `mercer kernels` lists what there is.
package spec

import (
	"errors"

	language "github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
)

// Error is what is wrong with a text, and where.
type Error struct {
	Source  string
	Column  int // counted from 1, in characters
	Message string
	Hint    string // what to do instead; may be empty
}

func (e *Error) Error() string { return (*language.Error)(e).Error() }

// ParseKernel reads a kernel on vectors. The error is an *Error.
func ParseKernel(text string) (kernel.Kernel[kernel.Vec], error) {
	k, err := language.ParseKernel(text)
	return k, own(err)
}

// FormatKernel writes a kernel on vectors so that ParseKernel gives it back. A kernel that holds a
// Go function has no text.
func FormatKernel(k kernel.Kernel[kernel.Vec]) (string, error) { return language.FormatKernel(k) }

// ParseRows reads a kernel on the rows of a table, whose columns are named with "on". A kernel on
// vectors without "on" sees all features; one on objects sees the only column of its kind. The
// error is an *Error.
func ParseRows(s mixed.Schema, text string) (kernel.Kernel[mixed.Row], error) {
	k, err := language.ParseRows(s, text)
	return k, own(err)
}

// FormatRows writes a kernel on the rows of a table so that ParseRows gives it back.
func FormatRows(s mixed.Schema, k kernel.Kernel[mixed.Row]) (string, error) {
	return language.FormatRows(s, k)
}

// own is err with the type that this package promises.
func own(err error) error {
	if e := (*language.Error)(nil); errors.As(err, &e) {
		return (*Error)(e)
	}
	return err
}
