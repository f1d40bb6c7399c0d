// Package fault keeps what an error says apart from the name of the package that says it. A Go
// program reads "project: no components"; a program that speaks to a person asks for Plain.
package fault

import "fmt"

// Error is an error of a package.
type Error struct {
	Package string
	Err     error // what is said
}

// Error is what is said after the package's name.
func (e *Error) Error() string { return e.Package + ": " + e.Err.Error() }

// Unwrap is what is said, and what that wraps.
func (e *Error) Unwrap() error { return e.Err }

// Column is a fault of one column of a matrix, which is known here by its number and to a person by
// a name.
type Column struct {
	Index int
	Said  string // of the column
}

// Error is what is said of the column, by its number.
func (e *Column) Error() string { return fmt.Sprintf("column %d %s", e.Index, e.Said) }

// Point is a fault of a point that a fitted thing was asked about: it lies where the kernel is not
// defined, say. A service tells it from a fault of its own.
type Point struct {
	Err error // what is said, with the row
}

// Error is what is said.
func (e *Point) Error() string { return e.Err.Error() }

// Unwrap is what is said, and what that wraps.
func (e *Point) Unwrap() error { return e.Err }

// Errorf is fmt.Errorf for a package.
func Errorf(pkg, format string, args ...any) error {
	return &Error{pkg, fmt.Errorf(format, args...)}
}

// In is err as a package passes it on, with nothing to add.
func In(pkg string, err error) error { return &Error{pkg, err} }

// Name puts a name before what a function returns in err, if it returns an error:
//
//	defer fault.Name("ridge", &err)
func Name(name string, err *error) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", name, *err)
	}
}

// Plain is err without the names of packages in front. Names further in, after words of
// somebody's, stay, and a Point stays one.
func Plain(err error) error {
	for {
		switch e := err.(type) {
		case *Error:
			err = e.Err
		case *Point:
			return &Point{Plain(e.Err)}
		default:
			return err
		}
	}
}
