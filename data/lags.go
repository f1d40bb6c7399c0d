package data

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/internal/mend"
)

// Lags is how a row of a series in time becomes features: the number of its step, and the values of
// the series so many steps before. No lag is shorter than the horizon, so that all of them are
// known of every row up to the horizon after the last that was seen: its history travels with the
// model, and a row to forecast is nothing but its time.
type Lags struct {
	Order  string `json:"order"`  // column of times
	Target string `json:"target"` // column of the series
	Kind   Kind   `json:"kind"`   // of Order
	// Unit is what times are counted in: "month" for dates that lie whole months apart,
	// "microsecond" for others, "number" for a column of numbers.
	Unit    string    `json:"unit"`
	Start   float64   `json:"start"`           // time of step 0, in units
	Step    float64   `json:"step"`            // from one step to the next, in units
	Day     int       `json:"day,omitempty"`   // of months: the day that dates are written with, 0 the last
	Clock   int64     `json:"clock,omitempty"` // of months: microseconds after midnight
	Layout  string    `json:"layout,omitempty"`
	Horizon int       `json:"horizon"`       // steps after the last value that are forecast
	Steps   []int     `json:"lags"`          // how many steps before, increasing, none below Horizon
	Log     bool      `json:"log,omitempty"` // lags are logarithms of the values
	Values  []float64 `json:"values"`        // of the series, from step 0 on
	// Beside are other columns of the table that are looked at.
	Beside []LagColumn `json:"beside,omitempty"`
}

// LagColumn is a column beside a series: known ahead, or looked at so many steps before.
type LagColumn struct {
	Name string `json:"name"`
	// Steps is how many steps before it is looked at, none below the horizon. Without any it is
	// known ahead: a row to forecast brings its value, or Values have it.
	Steps  []int     `json:"lags,omitempty"`
	Values []float64 `json:"values"` // from step 0 on
}

// Ahead says whether the column is known ahead.
func (c *LagColumn) Ahead() bool { return len(c.Steps) == 0 }

// aboutAStep is how far a time may lie from its step: times written with few digits drift.
const aboutAStep = 0.2

// stepColumn is the feature that counts the steps.
const stepColumn = "step"

// lagName is the feature of a lag.
func lagName(column string, steps int) string { return fmt.Sprintf("%s %d before", column, steps) }

// FindLags finds the steps of a series: times that are equally far apart, but for steps that are
// missing, whose values are filled in on a line between their neighbours (how many: filled).
func FindLags(d *Dataset, order, target string, horizon int) (l *Lags, filled int, err error) {
	at, err := d.Column(order)
	if err != nil {
		return nil, 0, err
	}
	of, err := d.Column(target)
	if err != nil {
		return nil, 0, err
	}
	fail := func(row int, c *Column, reason, advice string) (*Lags, int, error) {
		e := Error{Column: c.Name, Kind: ErrValue, Reason: reason, Advice: advice}
		if row >= 0 {
			e.Row, e.Value = row+1, c.String(row)
		}
		return nil, 0, d.fault(e)
	}
	switch {
	case at.Kind != Numeric && at.Kind != Time:
		return fail(-1, at, fmt.Sprintf("column %q is %s, and a series is ordered by numbers or dates", order, at.Kind),
			"name another column")
	case of.Kind != Numeric:
		return fail(-1, of, fmt.Sprintf("column %q is %s, and a series is of numbers", target, of.Kind),
			"name another target")
	case d.Len() < 8:
		return fail(-1, of, fmt.Sprintf("%d rows are too few to forecast from; 8 is the least", d.Len()),
			"give more of the series")
	}
	for i := range d.Len() {
		switch {
		case at.IsMissing(i):
			return fail(i, at, fmt.Sprintf("row %d has no time", i+1), "leave it out")
		case of.IsMissing(i):
			continue
		case math.IsInf(of.Numbers[i], 0):
			return fail(i, of, "a value of the series is infinite", "leave it out")
		}
	}
	l = &Lags{Order: order, Target: target, Kind: at.Kind, Horizon: horizon}
	if at.Kind == Time && at.Notation != nil {
		l.Layout = at.Notation.Layout
	}
	l.findUnit(at)
	times := make([]float64, d.Len())
	rows := make([]int, d.Len())
	for i := range times {
		times[i], rows[i] = l.time(at, i), i
	}
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(times[a], times[b]) })
	l.Start = times[rows[0]]
	var gaps []float64
	for k := 1; k < len(rows); k++ {
		gap := times[rows[k]] - times[rows[k-1]]
		if gap == 0 {
			twice := fmt.Sprintf("rows %d and %d have the same time", rows[k-1]+1, rows[k]+1)
			if c := tellsApart(d, at, order, target); c != nil {
				return nil, 0, d.fault(Error{Row: rows[k] + 1, Column: c.Name, Kind: ErrValue, Remedy: mend.Groups,
					Reason: fmt.Sprintf("%s; column %q tells the series apart", twice, c.Name)})
			}
			return fail(rows[k], at, twice,
				"a file holds one series, or a column that names the series of each row; keep the rows of one, or their sum "+
					"at each time")
		}
		gaps = append(gaps, gap)
	}
	slices.Sort(gaps)
	l.Step = gaps[len(gaps)/2]
	place := make([]int, d.Len()) // the step of each row
	for i, t := range times {
		p := (t - l.Start) / l.Step
		place[i] = int(math.Round(p))
		if off := math.Abs(p - math.Round(p)); off > aboutAStep && !(l.Kind == Numeric && off < 1e-3*p) {
			return fail(i, at,
				fmt.Sprintf("the time of row %d is %.2f steps after the first, where a step is the usual distance of two rows", i+1,
					p), "make the times equally far apart (one row a day, a month …)")
		}
		if place[i] > 16*d.Len() {
			return fail(i, at, fmt.Sprintf("row %d lies %d steps after the first, of which %d have a row", i+1, place[i],
				d.Len()), "fill in what is missing, or count in longer steps")
		}
	}
	for k := 1; k < len(rows); k++ {
		if place[rows[k]] == place[rows[k-1]] {
			return fail(rows[k], at, fmt.Sprintf("rows %d and %d are of one step", rows[k-1]+1, rows[k]+1),
				"make the times equally far apart")
		}
	}
	known := make([]bool, place[rows[len(rows)-1]]+1)
	l.Values = make([]float64, len(known))
	for i, p := range place {
		if !of.IsMissing(i) {
			l.Values[p], known[p] = of.Numbers[i], true
		}
	}
	end := len(known)
	for end > 0 && !known[end-1] { // steps that are to come
		end--
	}
	if end < 8 {
		return fail(-1, of, fmt.Sprintf("%d values are too few to forecast from; 8 is the least", end),
			"give more of the series")
	}
	l.Values = l.Values[:end:end]
	return l, fillBetween(l.Values, known[:end]), nil
}

// tellsApart is the first column of categories or text within whose values no time comes twice, nil
// where there is none.
func tellsApart(d *Dataset, at *Column, order, target string) *Column {
	for j := range d.Columns {
		c := &d.Columns[j]
		if c.Name == order || c.Name == target || c.Kind != Categorical && c.Kind != Text && c.Kind != Boolean {
			continue
		}
		seen, names := map[[2]string]bool{}, map[string]bool{}
		for i := range d.Len() {
			seen[[2]string{at.String(i), c.String(i)}] = true
			names[c.String(i)] = true
		}
		if len(seen) == d.Len() && 2*len(names) <= d.Len() {
			return c
		}
	}
	return nil
}

// Column is a column of numbers beside the series, looked at so many steps before, or known ahead
// where none are given. Steps without a value lie on a line between their neighbours.
func (l *Lags) Column(d *Dataset, name string, steps []int) (LagColumn, error) {
	at, err := d.Column(l.Order)
	if err != nil {
		return LagColumn{}, err
	}
	c, err := d.Column(name)
	if err != nil {
		return LagColumn{}, err
	}
	if c.Kind != Numeric {
		return LagColumn{}, d.fault(Error{Column: name, Kind: ErrValue,
			Reason: fmt.Sprintf("column %q is %s, and beside a series columns are of numbers", name, c.Kind),
			Advice: "write it in numbers, as 0 and 1"})
	}
	out := LagColumn{Name: name, Steps: steps, Values: make([]float64, len(l.Values))}
	known := make([]bool, len(l.Values))
	for i := range d.Len() {
		p := int(math.Round((l.time(at, i) - l.Start) / l.Step))
		if p < 0 || c.IsMissing(i) || math.IsInf(c.Numbers[i], 0) || p >= len(known) && !out.Ahead() {
			continue
		}
		for p >= len(known) {
			known, out.Values = append(known, false), append(out.Values, 0)
		}
		known[p], out.Values[p] = true, c.Numbers[i]
	}
	if !slices.Contains(known, true) {
		return LagColumn{}, d.fault(Error{Column: name, Kind: ErrValue, Reason: fmt.Sprintf("column %q has no value", name),
			Advice: "leave it out"})
	}
	fillBetween(out.Values, known)
	return out, nil
}

// fillBetween puts values on a line between those known, at the ends the nearest.
func fillBetween(v []float64, known []bool) (filled int) {
	last := -1
	for i := range v {
		if !known[i] {
			filled++
			continue
		}
		for k := last + 1; k < i; k++ {
			v[k] = v[i]
			if last >= 0 {
				v[k] = v[last] + (v[i]-v[last])*float64(k-last)/float64(i-last)
			}
		}
		last = i
	}
	for k := last + 1; k < len(v) && last >= 0; k++ {
		v[k] = v[last]
	}
	return filled
}

// findUnit sees whether dates lie whole months apart: all on one day of the month, or on the last
// where a month has no such day.
func (l *Lags) findUnit(at *Column) {
	if l.Unit = "number"; at.Kind == Numeric {
		return
	}
	l.Unit = "microsecond"
	clock := func(t time.Time) int64 { return t.Sub(t.Truncate(24 * time.Hour)).Microseconds() }
	first, day, seen := time.UnixMicro(at.Micros[0]).UTC(), 0, map[float64]bool{}
	for _, m := range at.Micros {
		t := time.UnixMicro(m).UTC()
		day = max(day, t.Day())
		if seen[monthOf(t)] = true; clock(t) != clock(first) {
			return
		}
	}
	last := true
	for _, m := range at.Micros {
		t := time.UnixMicro(m).UTC()
		end := t.AddDate(0, 0, 1).Day() == 1
		if last = last && end; t.Day() < day && !end {
			return
		}
	}
	if len(seen) < len(at.Micros) {
		return
	}
	if l.Unit, l.Day, l.Clock = "month", day, clock(first); last {
		l.Day = 0
	}
}

func monthOf(t time.Time) float64 { return float64(12*t.Year() + int(t.Month()) - 1) }

// time is that of a row, in units.
func (l *Lags) time(at *Column, i int) float64 {
	switch {
	case at.Kind == Numeric:
		return at.Numbers[i]
	case l.Unit == "month":
		return monthOf(time.UnixMicro(at.Micros[i]).UTC())
	}
	return float64(at.Micros[i])
}

// check refuses what a damaged file may say.
func (l *Lags) check() error {
	known := l.Unit == "number" && l.Kind == Numeric || (l.Unit == "month" || l.Unit == "microsecond") && l.Kind == Time
	if !known || l.Horizon < 1 || l.Horizon > maxDim || len(l.Values) == 0 || !(l.Step > 0) || l.Day < 0 || l.Day > 31 ||
		l.Clock < 0 || l.Clock >= 24*3600*1e6 || math.Abs(l.Start) > 1e18 || l.Step > 1e18 {
		return fmt.Errorf("a series of %d values in steps of %g %s, forecast %d steps ahead", len(l.Values), l.Step, l.Unit,
			l.Horizon)
	}
	for i, s := range l.Steps {
		if s < l.Horizon || i > 0 && s <= l.Steps[i-1] || s >= len(l.Values) {
			return fmt.Errorf("lag %d of a horizon of %d and %d values", s, l.Horizon, len(l.Values))
		}
	}
	names := map[string]bool{stepColumn: true, l.Order: true, l.Target: true}
	for _, c := range l.Beside {
		if names[c.Name] || len(c.Values) < len(l.Values) || allFinite(c.Values) != nil {
			return fmt.Errorf("column %q beside a series: a name twice, or %d values for %d steps", c.Name, len(c.Values),
				len(l.Values))
		}
		names[c.Name] = true
		for i, s := range c.Steps {
			if s < l.Horizon || i > 0 && s <= c.Steps[i-1] || s >= len(l.Values) {
				return fmt.Errorf("lag %d of column %q, a horizon of %d and %d values", s, c.Name, l.Horizon, len(l.Values))
			}
		}
	}
	if l.Log && slices.Min(l.Values) <= 0 {
		return fmt.Errorf("logarithms of a series that has %g", slices.Min(l.Values))
	}
	return allFinite(append(slices.Clone(l.Values), l.Start, l.Step))
}
