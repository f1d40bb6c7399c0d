package model

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

// Yardstick is what the scores of a model are told by.
type Yardstick struct {
	Positive string         // the class that measures of one class are of; empty: the rarer of two among the rows judged
	Groups   string         // the column whose groups are queries of ranking measures; empty: none
	Baseline learn.Baseline // of the rows that the model was fitted on; zero: not known
}

// yardstickText is a Yardstick as the file has it.
type yardstickText struct {
	Positive  string   `json:"positive,omitempty"`
	Groups    string   `json:"groups,omitempty"`
	Shares    []number `json:"shares,omitempty"`
	Mean      number   `json:"mean,omitzero"`
	Deviation number   `json:"deviation,omitzero"`
}

func (y Yardstick) text() *yardstickText {
	out := yardstickText{Positive: y.Positive, Groups: y.Groups, Mean: number(y.Baseline.Mean),
		Deviation: number(y.Baseline.Deviation)}
	for _, s := range y.Baseline.Shares {
		out.Shares = append(out.Shares, number(s))
	}
	return &out
}

// of reads it back; what a file says of classes it does not have is refused.
func (t yardstickText) of(classes []string) (y Yardstick, err error) {
	y = Yardstick{Positive: t.Positive, Groups: t.Groups, Baseline: learn.Baseline{Mean: float64(t.Mean),
		Deviation: float64(t.Deviation)}}
	for _, s := range t.Shares {
		y.Baseline.Shares = append(y.Baseline.Shares, float64(s))
	}
	known := t.Positive == ""
	for _, c := range classes {
		known = known || c == t.Positive
	}
	if n := len(t.Shares); !known || n > 0 && n != len(classes) {
		return y, fmt.Errorf("a baseline of %d classes with %q the positive one in a model of %d", n, clip(t.Positive),
			len(classes))
	}
	return y, nil
}

// Judged is the model's predictions for the rows of d beside their known answers, the column
// d.Target, in the form that metrics judge (tune.Judge): the numbers that the final test of the
// search found for the same rows. Rows without an answer, and those that the model's policy for
// missing values drops, are left out: Rows of the result says which are there. Weights and groups
// are those of d. A model of several targets is judged by each (Of). The baseline is the model's
// or, where that is not known, that of the rows themselves.
func (m *Model) Judged(ctx context.Context, d *data.Dataset) (learn.Predictions, learn.Baseline, error) {
	fail := func(err error) (learn.Predictions, learn.Baseline, error) {
		return learn.Predictions{}, learn.Baseline{}, err
	}
	if err := m.single(); err != nil {
		return fail(err)
	}
	target, err := d.Column(d.Target)
	if err != nil {
		return fail(err)
	}
	var answered []int
	for i := range d.Len() {
		if !target.IsMissing(i) {
			answered = append(answered, i)
		}
	}
	if len(answered) == 0 {
		return fail(data.PlaceError(d.Name, 0, &data.Error{Column: d.Target, Kind: data.ErrNoRows,
			Reason: fmt.Sprintf("no row has an answer in column %q to judge by", d.Target)}))
	}
	if len(answered) < d.Len() {
		d = d.Gather(answered)
	}
	x, wide, err := m.encode(d, 0)
	if err != nil {
		return fail(data.PlaceRow(answered, err))
	}
	known, err := m.known(d, x.Kept)
	if err != nil {
		return fail(data.PlaceRow(answered, err))
	}
	asked := known
	if a := m.info.TargetScale; a != nil {
		asked.Y = make([]float64, len(known.Y))
		for i, y := range known.Y {
			asked.Y[i] = a.Apply(y)
		}
	}
	if t := m.info.TargetMap; t != nil {
		asked.Y = t.ApplyAll(asked.Y)
	}
	p, err := m.body.judge(ctx, x, asked, wide)
	if err != nil {
		return fail(err)
	}
	if t := m.info.TargetMap; t != nil {
		p = MapBack(p, t, known.Y)
	}
	if a := m.info.TargetScale; a != nil {
		for i, v := range p.Value {
			p.Value[i] = a.Invert(v)
		}
		for i := range p.LogDensity { // of y, not of (y - center)·factor
			p.LogDensity[i] += math.Log(math.Abs(a.Factor))
		}
	}
	if t := m.info.Threshold; t != nil {
		p.Class = t.Decide(p.Prob, m.info.Classes)
	}
	p.Rows, p.Truth = data.Take(answered, x.Kept), known.Y
	if b := m.info.Yardstick.Baseline; b.Shares != nil || b.Deviation != 0 {
		return p, b, nil
	}
	return p, learn.BaselineOf(known), nil
}

// known is what a data set knows of rows, without the points.
func (m *Model) known(d *data.Dataset, rows []int) (k learn.Problem[int], err error) {
	k = learn.Problem[int]{Task: data.Multiclass, Classes: m.info.Classes, Positive: m.info.Yardstick.Positive}
	switch len(m.info.Classes) {
	case 0:
		k.Task = data.Regression
	case 2: // also an estimate of one class, which tells two sides apart
		k.Task = data.Binary
	}
	if k.Y, err = (&data.TargetCode{Name: d.Target, Task: k.Task, Classes: k.Classes}).Answers(d, rows); err != nil {
		return k, err
	}
	if k.Weights, err = d.RowWeights(rows); err != nil {
		return k, err
	}
	k.Groups, err = d.RowGroups(rows)
	return k, err
}

func (b *fitted) judge(
	ctx context.Context, x *data.Encoded, k learn.Problem[int], wide bool,
) (learn.Predictions, error) {
	b, points, err := b.on(x, wide)
	if err != nil {
		return learn.Predictions{}, err
	}
	p := learn.Problem[any]{Points: points, Task: k.Task, Y: k.Y, Classes: k.Classes, Positive: k.Positive,
		Weights: k.Weights, Groups: k.Groups, Noise: x.Noise}
	return learn.PredictKnown[any](ctx, b.p, len(k.Classes), p)
}
