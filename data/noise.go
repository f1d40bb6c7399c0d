package data

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/phrase"
)

// RowNoise is the known noise variance of the targets of rows, nil without a column of it.
func (d *Dataset) RowNoise(rows []int) ([]float64, error) {
	if d.Noise == "" {
		return nil, nil
	}
	return noiseOf(d, d.Noise, rows, 0)
}

// noiseOf is that of the rows kept. A fit needs the column; where it is not among new rows, nothing
// is known of their noise.
func (e *Encoder) noiseOf(d *Dataset, kept []int, labelled bool, before int) ([]float64, error) {
	if e.Noise == "" {
		return nil, nil
	}
	if _, err := d.Column(e.Noise); err != nil {
		if labelled {
			return nil, err
		}
		return nil, nil
	}
	return noiseOf(d, e.Noise, kept, before)
}

func noiseOf(d *Dataset, name string, kept []int, before int) ([]float64, error) {
	c, err := d.Column(name)
	if err != nil {
		return nil, err
	}
	v, err := c.As(Numeric)
	if err != nil {
		return nil, PlaceError(d.label(), before, ExplainError(" for the noise", err))
	}
	out := Take(v.Numbers, kept)
	for i, x := range out {
		if !(x >= 0) || math.IsInf(x, 0) {
			return nil, d.fault(Error{Row: before + kept[i] + 1, Column: name, Value: phrase.Number(x), Kind: ErrValue,
				Reason: fmt.Sprintf("noise %q is %v; a variance is finite and not negative", name, x),
				Advice: "give the variance of the row's target, or leave the row out"})
		}
	}
	return out, nil
}
