package data

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/phrase"
)

// largestNumber is how large a number of a column may be to be learnt from: beyond, differences,
// means and the axes of a picture leave the range of float64.
const largestNumber = 1e300

// largestTarget is how large a number that is to be predicted may be: its square, of which errors
// are made, is in the range of float64.
const largestTarget = 1e150

// CheckRange refuses numbers too large to compute with in any column that a model would be learnt
// from.
func (d *Dataset) CheckRange() error {
	columns := d.Features()
	if target, err := d.Column(d.Target); err == nil {
		if err := d.checkTargetRange(target, 0); err != nil {
			return err
		}
	}
	for _, c := range d.moreColumns() {
		if err := d.checkTargetRange(c, 0); err != nil {
			return err
		}
	}
	for _, c := range columns {
		if err := d.checkRange(c, 0); err != nil {
			return err
		}
	}
	return d.checkSparseRange(0)
}

func (d *Dataset) checkSparseRange(before int) error {
	if d.Sparse == nil {
		return nil
	}
	for i := range d.Sparse.Len() {
		row := d.Sparse.At(i)
		for k, x := range row.Value {
			if math.Abs(x) > largestNumber {
				return d.fault(tooLarge(before+i+1, fmt.Sprintf("feature %d", row.Index[k]+1), x, largestNumber))
			}
		}
	}
	return nil
}

// checkRange refuses numbers too large to compute with, wherever they would be used.
func (d *Dataset) checkRange(c *Column, before int) error {
	return d.checkWithin(c, before, largestNumber)
}

// checkTargetRange is checkRange of numbers that are to be predicted.
func (d *Dataset) checkTargetRange(c *Column, before int) error {
	return d.checkWithin(c, before, largestTarget)
}

func (d *Dataset) checkWithin(c *Column, before int, largest float64) error {
	if c.Kind != Numeric {
		return nil
	}
	for i, x := range c.Numbers {
		if math.Abs(x) > largest {
			e := tooLarge(before+i+1, fmt.Sprintf("column %q", c.Name), x, largest)
			e.Column = c.Name
			return d.fault(e)
		}
	}
	return nil
}

func tooLarge(row int, what string, x, largest float64) Error {
	return Error{Row: row, Value: phrase.Number(x), Kind: ErrNotFinite,
		Reason: fmt.Sprintf("%s is %g, too large to compute with", what, x),
		Advice: fmt.Sprintf("correct it or leave the row out; numbers up to %g are fine", largest)}
}
