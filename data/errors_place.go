package data

import (
	"fmt"
	"math"
	"strconv"

	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/mercer-ml/mercer/internal/phrase"
)

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
	return &Error{File: file, Kind: ErrTooLarge, Bytes: bytes, Remedy: mend.Memory,
		Reason: fmt.Sprintf("the data would take %s%s of memory, where %s is allowed", about, phrase.Bytes(bytes),
			phrase.Bytes(have))}
}
