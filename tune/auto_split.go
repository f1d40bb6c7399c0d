package tune

import (
	"maps"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
)

// split holds rows out, stratified by class, whole groups where there are groups.
func (r *AutoResult) split(d *data.Dataset, task data.Task, o AutoOptions) error {
	all, codes, rare, err := r.usable(d, task)
	if err != nil {
		return err
	}
	if c, err := d.Column(d.Groups); err == nil && d.Groups != "" {
		if gaps := c.Missing(); gaps > 0 {
			r.doubt("%d rows have no %q, and are taken for one group", gaps, d.Groups)
		}
	}
	if o.Split != nil {
		return r.splitAsTold(all, d.Len(), *o.Split)
	}
	share := o.Holdout
	if share == 0 {
		share = 0.2
	}
	if share < 0 || len(all) < 10 {
		r.Split = data.Fold{Train: all}
		r.because("no rows held out")
		return nil
	}
	switch {
	case o.Time != "":
		var times []float64
		if times, err = timesOf(d, o.Time, all); err != nil {
			return err
		}
		r.because("the latest rows by %q are held out", o.Time)
		r.Split, err = data.TimeHoldout(times, share)
	case d.Groups != "":
		var groups []int
		if groups, err = d.RowGroups(all); err != nil {
			return err
		}
		var folds []data.Fold
		if folds, err = data.Grouped(groups, max(2, int(math.Round(1/share))), o.Seed); err == nil {
			r.Split = folds[0]
		}
	case task.Classification():
		r.Split, err = spared(codes, rare, share, o.Seed)
	default:
		r.Split, err = data.Holdout(len(all), share, o.Seed)
	}
	if err != nil {
		return fault.In("tune", err)
	}
	// From places among the usable rows to rows of the file, in their order.
	r.Split = data.Fold{Train: data.Take(all, r.Split.Train), Test: data.Take(all, r.Split.Test)}
	if o.Time == "" {
		slices.Sort(r.Split.Train)
	}
	r.because("%d rows held out for the final test", len(r.Split.Test))
	if o.Time != "" {
		return r.doubtCut(d, o.Time)
	}
	return nil
}

// doubtCut says that a cut in time goes through groups: the model is tested on some that it was
// fitted on.
func (r *AutoResult) doubtCut(d *data.Dataset, by string) error {
	before, err := d.RowGroups(r.Split.Train)
	if err != nil {
		return err
	}
	after, err := d.RowGroups(r.Split.Test)
	if err != nil {
		return err
	}
	known := map[int]bool{}
	for _, g := range before {
		known[g] = true
	}
	cut, all := map[int]bool{}, maps.Clone(known)
	for _, g := range after {
		if all[g] = true; known[g] {
			cut[g] = true
		}
	}
	if len(cut) > 0 {
		r.doubt("%d of %d groups of %q have rows on both sides of the cut by %q: the test is not of new ones", len(cut),
			len(all), d.Groups, by)
	}
	return nil
}

// timesOf is the time of rows, nil where no column is named.
func timesOf(d *data.Dataset, column string, rows []int) ([]float64, error) {
	if column == "" {
		return nil, nil
	}
	c, err := d.Column(column)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(rows))
	for i, row := range rows {
		switch {
		case c.IsMissing(row):
			return nil, fault.Errorf("tune", "row %d of %q has no time; fill it in or drop the row", row+1, column)
		case c.Kind == data.Numeric:
			out[i] = c.Numbers[row]
		case c.Kind == data.Time:
			out[i] = float64(c.Micros[row])
		default:
			return nil, fault.Errorf("tune", "%q is %s; the column of times has numbers or dates", column, c.Kind)
		}
	}
	return out, nil
}
