package data

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/mend"
)

// fitChannels learns the scale of each channel of a series, or coordinate of the vectors of bags,
// over all steps of all rows.
func (code *ColumnCode) fitChannels(c *Column, scaling Scaling) error {
	code.Channels = max(c.Channels, 1)
	for channel := range code.Channels {
		var values []float64
		for _, q := range c.Sequences {
			for at := channel; at < len(q); at += code.Channels {
				values = append(values, q[at])
			}
		}
		a, err := FitScaling(scaling, values)
		if err != nil {
			return err
		}
		code.Scale = append(code.Scale, a)
	}
	return nil
}

// scaleChannels scales the series or bags of a column, which it copies. It refuses steps of another
// number of channels than those fitted on.
func (code *ColumnCode) scaleChannels(c *Column) error {
	if c.Kind != Sequence && c.Kind != Bag {
		return nil
	}
	if have := max(c.Channels, 1); code.Channels > 0 && have != code.Channels {
		return &Error{Column: c.Name, Kind: ErrValue,
			Reason: fmt.Sprintf("column %q has %d numbers a step, the model was fitted on %d", c.Name, have, code.Channels)}
	}
	for i, q := range c.Sequences {
		if q == nil || code.Scale == nil {
			continue
		}
		scaled := make([]float64, len(q))
		for at, x := range q {
			scaled[at] = code.Scale[at%code.Channels].Apply(x)
			if scaled[at]-scaled[at] != 0 {
				return &Error{Row: i + 1, Column: c.Name, Kind: ErrNotFinite, Remedy: mend.Scaling,
					Reason: fmt.Sprintf("column %q becomes %v when scaled", c.Name, scaled[at])}
			}
		}
		c.Sequences[i] = scaled
	}
	return nil
}
