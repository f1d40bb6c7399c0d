package tune

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// A fault in the rows held out names the row as the data set counts it.
func TestFaultOfRowsHeldOutNamesTheRow(t *testing.T) {
	test := []int{4, 9, 17}
	err := heldOut(&data.Error{File: "a.csv", Row: 2, Reason: "odd", Kind: data.ErrUnseen}, test)
	var wrong *data.Error
	if !errors.As(err, &wrong) || wrong.Row != 10 || !errors.Is(err, data.ErrUnseen) ||
		err.Error() != "tune: a.csv: row 10: odd; the row is held out for the test" {
		t.Errorf("%v", err)
	}
	if err := heldOut(fs.ErrClosed, test); !errors.Is(err, fs.ErrClosed) ||
		err.Error() != "tune: the rows held out: file already closed" {
		t.Errorf("%v", err)
	}
	if err := heldOut(&data.Error{Row: 4, Reason: "odd"}, test); err.Error() != "tune: the rows held out: row 4: odd" {
		t.Errorf("a row that is not there: %v", err)
	}
}
