package data

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
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

// NotFinite is the fault of a number of a column that is an infinity or not a number, in a row
// counted from 1; it stands in a list, or alone. The reader of a format adds the file and what to do.
func NotFinite(column string, row int, x float64, list bool) *Error {
	is := "is"
	if list {
		is = "has"
	}
	return &Error{Row: row, Column: column, Value: FormatNumber(x), Kind: ErrNotFinite,
		Reason: fmt.Sprintf("column %q %s %v, which is not a finite number", column, is, x)}
}

// NoInstant is the fault of a time that lies outside the years that a column of times can hold.
func NoInstant(column string, row int) *Error {
	return &Error{Row: row, Column: column, Kind: ErrValue, Reason: fmt.Sprintf("column %q is a time out of range", column)}
}

// Error is Problem, and what to do in the words of this module.
func (e *Error) Error() string { return e.With(e.Remedy.words(e)) }

// With is the text of the error with other words for its remedy; Advice stands where they are empty.
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
		b.WriteString("row " + Thousands(e.Row) + ": ")
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

// In gives an error that a column or a row made its place: the data set's name, and the number of
// rows before the first that the error counts. What already has a place keeps it.
func In(name string, before int, err error) error {
	e, ok := err.(*Error)
	switch {
	case !ok:
		return &Error{File: name, Err: err}
	case e.File != "":
		return err
	}
	placed := *e
	placed.File = name
	if placed.Row > 0 {
		placed.Row += before
	}
	return &placed
}

// Among counts the row of an error in the whole of which rows are a part: row i of the part, from 0,
// is row rows[i] of the whole.
func Among(rows []int, err error) error {
	e, ok := err.(*Error)
	if !ok || e.Row < 1 || e.Row > len(rows) {
		return err
	}
	placed := *e
	placed.Row = rows[e.Row-1] + 1
	return &placed
}

// Adding puts words after the reason of an error of this package; others stay as they are.
func Adding(words string, err error) error {
	e, ok := err.(*Error)
	if !ok {
		return err
	}
	told := *e
	told.Reason += words
	return &told
}

// inColumn names the column of a fault that scaling found among its numbers.
func inColumn(name string, err error) error {
	e, ok := err.(*Error)
	if !ok {
		return err
	}
	placed := *e
	placed.Column, placed.Reason = name, "column "+strconv.Quote(name)+": "+e.Reason
	return &placed
}

// fault is an error of the data set.
func (d *Dataset) fault(e Error) error {
	e.File = d.label()
	return &e
}
