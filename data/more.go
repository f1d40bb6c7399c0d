package data

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/mend"
)

// SetTargets chooses the columns to predict: one, or several of numbers, which one model learns
// with one kernel.
func (d *Dataset) SetTargets(names ...string) error {
	if len(names) == 0 {
		return d.fault(Error{Kind: ErrTarget, Remedy: mend.Target, Reason: "no column is named to be predicted"})
	}
	out := *d
	out.More = nil
	if err := out.SetTarget(names[0]); err != nil {
		return err
	}
	if len(names) > 1 {
		out.More = names[1:]
		if err := out.checkMore(&TargetCode{Name: names[0], Task: Regression}); err != nil {
			return err
		}
	}
	d.Target, d.More = out.Target, out.More
	return nil
}

// checkMore refuses further targets that are not there, are named twice or have another part to
// play, or are no numbers, and any target without values.
func (d *Dataset) checkMore(first *TargetCode) error {
	if err := d.checkMoreRoles(first); err != nil || len(d.More) == 0 {
		return err
	}
	for _, name := range append([]string{first.Name}, d.More...) {
		c, err := d.Column(name)
		if err != nil {
			return err
		}
		if err := d.checkTargetRange(c, 0); err != nil {
			return err
		}
		if c.Missing() == c.Len() {
			return PlaceError(d.label(), 0, noTarget(c, "target %q has no values", name))
		}
	}
	return nil
}

// checkMoreRoles is as much of it as some of the rows can say.
func (d *Dataset) checkMoreRoles(first *TargetCode) error {
	if len(d.More) == 0 {
		return nil
	}
	if first == nil || first.Task != Regression {
		return d.fault(Error{Column: d.Target, Kind: ErrTarget, Remedy: mend.Target,
			Reason: "several targets are predicted together where all of them are numbers"})
	}
	taken := map[string]string{d.Weights: "the weights", d.Noise: "the noise", d.Groups: "the groups",
		d.Order: "the order"}
	for _, name := range append([]string{first.Name}, d.More...) {
		c, err := d.Column(name)
		if err != nil {
			return err
		}
		if role, ok := taken[name]; ok {
			return d.fault(Error{Column: name, Kind: ErrTarget, Remedy: mend.Target,
				Reason: fmt.Sprintf("column %q is named as a target and is %s, too", name, role)})
		}
		taken[name] = "another target"
		if c.Kind != Numeric {
			return PlaceError(d.label(), 0,
				noTarget(c, "target %q is %s, and several targets are predicted together where all of them are numbers", name,
					c.Kind))
		}
	}
	return nil
}

// Targets lists the columns to predict.
func (d *Dataset) Targets() []string {
	if d.Target == "" {
		return nil
	}
	return append([]string{d.Target}, d.More...)
}

// moreColumns is the further targets, as far as they are there.
func (d *Dataset) moreColumns() (out []*Column) {
	for _, name := range d.More {
		if c, err := d.Column(name); err == nil {
			out = append(out, c)
		}
	}
	return out
}

// Targets lists the columns that are predicted.
func (e *Encoder) Targets() []string {
	if e.Target == nil {
		return nil
	}
	return append([]string{e.Target.Name}, e.More...)
}

// ForTarget is the encoder of the same features with one of its targets alone.
func (e *Encoder) ForTarget(t int) *Encoder {
	out := *e
	out.More = nil
	if t > 0 {
		target := *e.Target
		target.Name = e.More[t-1]
		out.Target = &target
	}
	return &out
}

// moreColumns finds the further targets in a data set.
func (e *Encoder) moreColumns(d *Dataset) (out []*Column, err error) {
	for _, name := range e.More {
		c, err := d.Column(name)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// encodeMore gives the answers of the further targets.
func (e *Encoder) encodeMore(d *Dataset, columns []*Column, kept []int, before int) (out [][]float64, err error) {
	for i, c := range columns {
		name := e.More[i]
		y, err := (&TargetCode{Name: name, Task: Regression}).encode(d, c, e.Readings()[name], kept, before)
		if err != nil {
			return nil, err
		}
		out = append(out, y)
	}
	return out, nil
}
