package data

import (
	"fmt"
	"slices"
)

// Refit is an encoder of the same features, in the same places, that has learnt scales, fill
// values, rarity of words, levels and words from d alone: what an encoder fitted to d knows, on
// points that a kernel made for e takes. A fold of a cross-validation is judged without a look at
// its own rows by an encoder refitted to the others.
func (e *Encoder) Refit(d *Dataset) (*Encoder, error) {
	o := e.Options
	o.Unseen = unseenZero
	own, err := FitEncoder(d, o)
	if err != nil {
		return nil, err
	}
	if len(own.Columns) != len(e.Columns) || own.SparseDim != e.SparseDim {
		return nil, fmt.Errorf("refit: %d columns, the encoder has %d", len(own.Columns), len(e.Columns))
	}
	out := *e
	out.Options, out.SparseScale, out.Columns = o, own.SparseScale, slices.Clone(e.Columns)
	for i := range out.Columns {
		if err := out.Columns[i].refit(&own.Columns[i]); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// unheard is the name of a level that the rows of a refitted encoder do not have; no cell of a file
// holds it.
const unheard = "\x00"

// refit takes over what another code of the same column has learnt.
func (code *ColumnCode) refit(own *ColumnCode) error {
	switch {
	case own.Name != code.Name || own.Kind != code.Kind:
		return fmt.Errorf("refit: column %q, the encoder has %q", own.Name, code.Name)
	case code.Kind.named():
		place := levelPlaces(own.Levels, code.Levels)
		fill := make([]float64, code.Width)
		code.Levels = slices.Clone(code.Levels)
		for j, at := range place {
			switch {
			case at < 0:
				code.Levels[j] = unheard
			case !code.Coded:
				fill[j] = own.Fill[at]
			}
		}
		if !code.Coded {
			code.Fill = fill
		}
	case code.Kind == Text && code.Words != nil:
		place := levelPlaces(own.Words, code.Words)
		code.Rarity = make([]float64, len(code.Words))
		for j, at := range place {
			if at >= 0 {
				code.Rarity[j] = own.Rarity[at]
			}
		}
	case own.Width == code.Width:
		code.Scale, code.Fill, code.Range = own.Scale, own.Fill, own.Range
	}
	return nil
}
