package data

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// Next is the times of the n steps after the last, as a table to forecast.
func (l *Lags) Next(n int) *Dataset { return l.times(len(l.Values), len(l.Values)+n) }

// times is a table of the times of steps.
func (l *Lags) times(from, to int) *Dataset {
	if l.Kind == Numeric {
		v := make([]float64, 0, to-from)
		for p := from; p < to; p++ {
			at := l.Start + l.Step*float64(p)
			// Times such as 1959.08333333334 add up to digits that nobody wrote.
			if short, err := strconv.ParseFloat(strconv.FormatFloat(at, 'g', 9, 64), 64); err == nil &&
				math.Abs(short-at) < 1e-3*l.Step {
				at = short
			}
			v = append(v, at)
		}
		return &Dataset{Name: "forecast", Columns: []Column{NumberColumn(l.Order, v)}}
	}
	var v []time.Time
	for p := from; p < to; p++ {
		u := l.Start + l.Step*float64(p)
		if l.Unit == "month" {
			v = append(v, l.day(int(u)))
			continue
		}
		v = append(v, time.UnixMicro(int64(u)).UTC())
	}
	c := TimeColumn(l.Order, v)
	if l.Layout != "" {
		c.Notation = &Notation{Kind: Time, Layout: l.Layout}
	}
	return &Dataset{Name: "forecast", Columns: []Column{c}}
}

// day is the date of a month, counted from the year 0: a month that has no 30th ends before it.
func (l *Lags) day(month int) time.Time {
	last := time.Date(month/12, time.Month(month%12+2), 0, 0, 0, 0, int(l.Clock)*1000, time.UTC)
	if l.Day == 0 || l.Day > last.Day() {
		return last
	}
	return last.AddDate(0, 0, l.Day-last.Day())
}

// First is the first step that has all lags.
func (l *Lags) First() int {
	first := 0
	if n := len(l.Steps); n > 0 {
		first = l.Steps[n-1]
	}
	for _, c := range l.Beside {
		if n := len(c.Steps); n > 0 {
			first = max(first, c.Steps[n-1])
		}
	}
	return first
}

// Features is the table that a model of the series is fitted to: the steps that have all lags, with
// their values as the target.
func (l *Lags) Features() *Dataset {
	first := l.First()
	var places []int
	for p := first; p < len(l.Values); p++ {
		places = append(places, p)
	}
	d := l.features(places)
	d.Target = l.Target
	d.Columns = append(d.Columns, NumberColumn(l.Target, slices.Clone(l.Values[min(first, len(l.Values)):])))
	return d
}

// features are those of steps, all of which have their lags. What is known ahead is NaN where it is
// not in the model.
func (l *Lags) features(places []int) *Dataset {
	column := func(name string, value func(p int) float64) Column {
		v := make([]float64, len(places))
		for i, p := range places {
			v[i] = value(p)
		}
		return NumberColumn(name, v)
	}
	d := &Dataset{Name: l.Target, Columns: []Column{column(stepColumn, func(p int) float64 { return float64(p) })}}
	for _, lag := range l.Steps {
		d.Columns = append(d.Columns, column(lagName(l.Target, lag), func(p int) float64 {
			if l.Log {
				return math.Log(l.Values[p-lag])
			}
			return l.Values[p-lag]
		}))
	}
	for _, c := range l.Beside {
		if c.Ahead() {
			d.Columns = append(d.Columns, column(c.Name, func(p int) float64 {
				if p < len(c.Values) {
					return c.Values[p]
				}
				return math.NaN()
			}))
		}
		for _, lag := range c.Steps {
			d.Columns = append(d.Columns, column(lagName(c.Name, lag), func(p int) float64 { return c.Values[p-lag] }))
		}
	}
	return d
}

// derive puts the features of rows of times in the place of what the table has under their names.
func (l *Lags) derive(d *Dataset, read Notation, before int) (*Dataset, error) {
	at, err := d.Column(l.Order)
	if err != nil {
		return nil, absentColumns(d, []string{l.Order}, d.Names())
	}
	if at.Kind != l.Kind {
		read.Kind = l.Kind
		c, err := at.ReadAs(read)
		if err != nil {
			return nil, PlaceError(d.label(), before, err)
		}
		at = &c
	}
	first, last := l.First(), len(l.Values)-1+l.Horizon
	places := make([]int, d.Len())
	for i := range places {
		fault := Error{Row: before + i + 1, Column: l.Order, Value: at.String(i), Kind: ErrValue}
		if at.IsMissing(i) {
			fault.Reason, fault.Advice, fault.Kind = fmt.Sprintf("column %q is missing, and a forecast is of a time", l.Order),
				"give the time", ErrMissing
			return nil, d.fault(fault)
		}
		exact := (l.time(at, i) - l.Start) / l.Step
		p := math.Round(exact)
		switch {
		case p > float64(last):
			fault.Reason = fmt.Sprintf("%s lies %.0f steps after the last value that the model knows, and it forecasts %d",
				at.String(i), p-float64(len(l.Values)-1), l.Horizon)
			fault.Advice = "fit it again, with later rows or a longer horizon"
			return nil, d.fault(fault)
		case p < float64(first):
			fault.Reason = fmt.Sprintf("%s lies before the first time that the model has what it takes for (%s)", at.String(i),
				l.text(first))
			fault.Advice = "leave the row out"
			return nil, d.fault(fault)
		case !l.onStep(at, i, exact):
			near := int(math.Floor(exact))
			if l.Unit == "month" && at.Micros[i] < l.day(int(l.Start+l.Step*float64(near))).UnixMicro() {
				near--
			}
			fault.Reason = fmt.Sprintf("%s is no step of the series, which has %s and then %s", at.String(i), l.text(near),
				l.text(near+1))
			fault.Advice = "give the time of a step"
			return nil, d.fault(fault)
		}
		places[i] = int(p)
	}
	made := l.features(places)
	if err := l.ahead(d, made, before); err != nil {
		return nil, err
	}
	out := *d
	out.Columns = slices.DeleteFunc(slices.Clone(d.Columns), func(c Column) bool {
		return slices.ContainsFunc(made.Columns, func(m Column) bool { return m.Name == c.Name })
	})
	out.Columns = append(out.Columns, made.Columns...)
	return &out, nil
}

// ahead takes what is known ahead from rows that have it; a row that lacks what the model does not
// know is a fault.
func (l *Lags) ahead(d, made *Dataset, before int) error {
	for _, c := range l.Beside {
		if !c.Ahead() {
			continue
		}
		into, err := made.Column(c.Name)
		if err != nil {
			return err
		}
		from, err := d.Column(c.Name)
		switch {
		case err != nil:
			from = nil // perhaps the model has it
		case from.Kind != Numeric:
			read, err := from.ReadAs(Notation{Kind: Numeric})
			if err != nil {
				return PlaceError(d.label(), before, err)
			}
			from = &read
		}
		for i := range into.Numbers {
			switch {
			case from != nil && !from.IsMissing(i):
				into.Numbers[i] = from.Numbers[i]
			case math.IsNaN(into.Numbers[i]):
				return d.fault(Error{Row: before + i + 1, Column: c.Name, Kind: ErrMissing,
					Reason: fmt.Sprintf("column %q is known ahead, and not given for this row", c.Name),
					Advice: "give rows of times with this column"})
			}
		}
	}
	return nil
}

// onStep says whether the time of a row, so many steps after the first, is that of a step: of
// months the day that they are written with, of other times within the rounding that they have.
func (l *Lags) onStep(at *Column, i int, steps float64) bool {
	p := math.Round(steps)
	if l.Unit != "month" {
		return math.Abs(steps-p) <= aboutAStep || l.Kind == Numeric && math.Abs(steps-p) < 1e-3*p
	}
	return steps == p && at.Micros[i] == l.day(int(l.Start+l.Step*p)).UnixMicro()
}

// text is the time of a step as a file has it.
func (l *Lags) text(p int) string { return l.times(p, p+1).Columns[0].String(0) }

// Range is the first and the last time that the model takes, as a file has them.
func (l *Lags) Range() (first, last string) {
	return l.text(l.First()), l.text(len(l.Values) - 1 + l.Horizon)
}
