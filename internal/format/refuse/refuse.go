// Package refuse has the faults of cells that readers of several formats find.
package refuse

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// NotFinite is the fault of a number of a column that is an infinity or not a number, in a
// row counted from 1; it stands in a list, or alone. The reader of a format adds the file and what
// to do.
func NotFinite(column string, row int, x float64, list bool) *data.Error {
	is := "is"
	if list {
		is = "has"
	}
	return &data.Error{Row: row, Column: column, Value: phrase.Number(x), Kind: data.ErrNotFinite,
		Reason: fmt.Sprintf("column %q %s %v, which is not a finite number", column, is, x)}
}

// TimeRange is the fault of a time that lies outside the years that a column of times can
// hold.
func TimeRange(column string, row int) *data.Error {
	return &data.Error{Row: row, Column: column, Kind: data.ErrValue,
		Reason: fmt.Sprintf("column %q is a time out of range",
			column)}
}

// NotUTF8 is the fault of a text in a format whose texts are UTF-8: what is not could only be
// shown with letters lost, and two texts would become one.
func NotUTF8(column string, row int, value string) *data.Error {
	return &data.Error{Row: row, Column: column, Value: value, Kind: data.ErrFormat, Remedy: mend.Ignore,
		Reason: fmt.Sprintf("column %q is %q, which is not UTF-8 as texts of this format are", column, phrase.Clip(value))}
}
