package data

import (
	"errors"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/internal/phrase"
)

// What is wrong with data, for errors.Is. A file that is not there is fs.ErrNotExist.
var (
	ErrNoRows    = errors.New("no rows")
	ErrSyntax    = errors.New("the text breaks the rules of its format")
	ErrFormat    = errors.New("not a file of this format")
	ErrDamaged   = errors.New("the file is damaged or cut short")
	ErrValue     = errors.New("not a value of the column's kind")
	ErrNotFinite = errors.New("not a finite number")
	ErrMissing   = errors.New("missing values without a policy")
	ErrNoColumn  = errors.New("no such column")
	ErrTarget    = errors.New("not a target to learn from")
	ErrUnseen    = errors.New("not seen when the encoder was fitted")
	ErrTooLarge  = errors.New("larger than the memory allowed")
	ErrChanged   = errors.New("written while it was read")
	ErrDisk      = errors.New("the disk is full, or cannot be written to")
)

// Error is a fault of data: where it is, what stands there, what is wrong and what to do. Its text
// reads file:line:byte: reason, then the advice on a line of its own. The place and the value are
// fields too, for a program that has words of its own; errors.Is tells what is wrong.
type Error struct {
	File   string // the file, or the name of the data set
	Line   int    // from 1; 0 where there are no lines
	Byte   int    // of the line, from 1; 0 where it does not apply
	Row    int    // from 1; 0 where the fault is not of a row
	Column string // the column's name, where the fault is of one
	Value  string // what stands there
	Reason string // what is wrong, with column and value where they help

	// Remedy is the option that mends the fault. A program says it with the names that its
	// users know; Error says it with those of this module's API. Advice is what to do where no
	// option helps.
	Remedy Remedy
	Advice string

	Missing []MissingCount // of ErrMissing: the columns with missing values
	Bytes   int64          // of ErrTooLarge: the memory that would do, as far as it is known
	Kind    error          // one of the errors above, fs.ErrNotExist, or nil
	Err     error          // the cause, if there is one
}

// MissingCount is a column's number of missing values.
type MissingCount struct {
	Column  string
	Count   int
	Numeric bool
	Gap     *Gap // the first of them, where known
}

// Error is Problem, and what to do in the words of this module.
func (e *Error) Error() string { return e.With(e.Remedy.words(e)) }

// With is the text of the error with other words for its remedy; Advice stands where they are
// empty.
func (e *Error) With(remedy string) string {
	if remedy == "" {
		remedy = e.Advice
	}
	if remedy == "" {
		return e.Problem()
	}
	return e.Problem() + "\n  " + remedy
}

// Problem is where and what, without the remedy.
func (e *Error) Problem() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		b.WriteString(":" + strconv.Itoa(e.Line))
		if e.Byte > 0 {
			b.WriteString(":" + strconv.Itoa(e.Byte))
		}
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	if e.Row > 0 {
		b.WriteString("row " + phrase.Thousands(e.Row) + ": ")
	}
	b.WriteString(e.Reason)
	if e.Err != nil {
		if e.Reason != "" {
			b.WriteString(": ")
		}
		b.WriteString(e.Err.Error())
	}
	return b.String()
}

// Is says whether target is what is wrong.
func (e *Error) Is(target error) bool { return e.Kind != nil && target == e.Kind }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
