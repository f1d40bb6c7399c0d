package data

import (
	"fmt"
	"math"
	"strconv"
)

// NotFiniteError is the fault of a number of a column that is an infinity or not a number, in a
// row counted from 1; it stands in a list, or alone. The reader of a format adds the file and what
// to do.
func NotFiniteError(column string, row int, x float64, list bool) *Error {
	is := "is"
	if list {
		is = "has"
	}
	return &Error{Row: row, Column: column, Value: FormatNumber(x), Kind: ErrNotFinite,
		Reason: fmt.Sprintf("column %q %s %v, which is not a finite number", column, is, x)}
}

// TimeRangeError is the fault of a time that lies outside the years that a column of times can
// hold.
func TimeRangeError(column string, row int) *Error {
	return &Error{Row: row, Column: column, Kind: ErrValue, Reason: fmt.Sprintf("column %q is a time out of range",
		column)}
}

// NotUTF8Error is the fault of a text in a format whose texts are UTF-8: what is not could only be
// shown with letters lost, and two texts would become one.
func NotUTF8Error(column string, row int, value string) *Error {
	return &Error{Row: row, Column: column, Value: value, Kind: ErrFormat, Remedy: RemedyIgnore,
		Reason: fmt.Sprintf("column %q is %q, which is not UTF-8 as texts of this format are", column, clip(value))}
}

// PlaceError gives an error that a column or a row made its place: the data set's name, and the
// number of rows before the first that the error counts. What already has a place keeps it.
func PlaceError(name string, before int, err error) error {
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

// PlaceRow counts the row of an error in the whole of which rows are a part: row i of the part,
// from 0, is row rows[i] of the whole.
func PlaceRow(rows []int, err error) error {
	e, ok := err.(*Error)
	if !ok || e.Row < 1 || e.Row > len(rows) {
		return err
	}
	placed := *e
	placed.Row = rows[e.Row-1] + 1
	return &placed
}

// ExplainError puts words after the reason of an error of this package; others stay as they are.
func ExplainError(words string, err error) error {
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

// TooLargeError is the fault of data that would take more memory than they may; about says how well
// that is known ("at least").
func TooLargeError(file string, need float64, have int64, about string) *Error {
	if about != "" {
		about += " "
	}
	bytes := int64(math.Min(need, math.MaxInt64/2))
	return &Error{File: file, Kind: ErrTooLarge, Bytes: bytes, Remedy: RemedyMemory,
		Reason: fmt.Sprintf("the data would take %s%s of memory, where %s is allowed", about, FormatBytes(bytes),
			FormatBytes(have))}
}
