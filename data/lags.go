package data

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
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
	Start   float64   `json:"start"`         // time of step 0, in units
	Step    float64   `json:"step"`          // from one step to the next, in units
	Day     int       `json:"day,omitempty"` // of months: the day that dates are written with, 0 the last
	Layout  string    `json:"layout,omitempty"`
	Horizon int       `json:"horizon"`       // steps after the last value that are forecast
	Steps   []int     `json:"lags"`          // how many steps before, increasing, none below Horizon
	Log     bool      `json:"log,omitempty"` // lags are logarithms of the values
	Values  []float64 `json:"values"`        // of the series, from step 0 on
}

// StepColumn is the feature that counts the steps.
const StepColumn = "step"

// LagName is the feature of a lag.
func (l *Lags) LagName(steps int) string { return fmt.Sprintf("%s %d before", l.Target, steps) }

// FindLags finds the steps of a series: times that are equally far apart, but for steps that are
// missing, whose values are filled in on a line between their neighbours (how many: filled). place
// is the step of each row of d.
func FindLags(d *Dataset, order, target string, horizon int) (l *Lags, place []int, filled int, err error) {
	at, err := d.Column(order)
	if err != nil {
		return nil, nil, 0, err
	}
	of, err := d.Column(target)
	if err != nil {
		return nil, nil, 0, err
	}
	fail := func(row int, c *Column, reason, advice string) (*Lags, []int, int, error) {
		e := Error{Column: c.Name, Kind: ErrValue, Reason: reason, Advice: advice}
		if row >= 0 {
			e.Row, e.Value = row+1, c.String(row)
		}
		return nil, nil, 0, d.fault(e)
	}
	switch {
	case at.Kind != Numeric && at.Kind != Time:
		return fail(-1, at, fmt.Sprintf("column %q is %s, and a series is ordered by numbers or dates", order, at.Kind), "name another column")
	case of.Kind != Numeric:
		return fail(-1, of, fmt.Sprintf("column %q is %s, and a series is of numbers", target, of.Kind), "name another target")
	case d.Len() < 8:
		return fail(-1, of, fmt.Sprintf("%d rows are too few to forecast from; 8 is the least", d.Len()), "give more of the series")
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
	slices.SortStableFunc(rows, func(a, b int) int { return cmpFloat(times[a], times[b]) })
	l.Start = times[rows[0]]
	var gaps []float64
	for k := 1; k < len(rows); k++ {
		gap := times[rows[k]] - times[rows[k-1]]
		if gap == 0 {
			return fail(rows[k], at, fmt.Sprintf("rows %d and %d have the same time", rows[k-1]+1, rows[k]+1), "a file holds one series; keep the rows of one, or their sum at each time")
		}
		gaps = append(gaps, gap)
	}
	slices.Sort(gaps)
	l.Step = gaps[len(gaps)/2]
	place = make([]int, d.Len())
	for i, t := range times {
		p := (t - l.Start) / l.Step
		place[i] = int(math.Round(p))
		// Times written with few digits drift; a fifth of a step is no step.
		if off := math.Abs(p - math.Round(p)); off > 0.2 && !(l.Kind == Numeric && off < 1e-3*p) {
			return fail(i, at, fmt.Sprintf("the time of row %d is %.2f steps after the first, where a step is the usual distance of two rows", i+1, p), "make the times equally far apart (one row a day, a month …)")
		}
		if place[i] > 16*d.Len() {
			return fail(i, at, fmt.Sprintf("row %d lies %d steps after the first, of which %d have a row", i+1, place[i], d.Len()), "fill in what is missing, or count in longer steps")
		}
	}
	for k := 1; k < len(rows); k++ {
		if place[rows[k]] == place[rows[k-1]] {
			return fail(rows[k], at, fmt.Sprintf("rows %d and %d are of one step", rows[k-1]+1, rows[k]+1), "make the times equally far apart")
		}
	}
	known := make([]bool, place[rows[len(rows)-1]]+1)
	l.Values = make([]float64, len(known))
	for i, p := range place {
		if !of.IsMissing(i) {
			l.Values[p], known[p] = of.Numbers[i], true
		}
	}
	filled = fillBetween(l.Values, known)
	return l, place, filled, nil
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
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

// findUnit sees whether dates lie whole months apart: all on one day of the month, or all on the
// last.
func (l *Lags) findUnit(at *Column) {
	if l.Unit = "number"; at.Kind == Numeric {
		return
	}
	l.Unit = "microsecond"
	same, last := true, true
	first := time.UnixMicro(at.Micros[0]).UTC()
	seen := map[float64]bool{}
	for _, m := range at.Micros {
		t := time.UnixMicro(m).UTC()
		same = same && t.Day() == first.Day() && t.Sub(t.Truncate(24*time.Hour)) == first.Sub(first.Truncate(24*time.Hour))
		last = last && t.AddDate(0, 0, 1).Day() == 1
		seen[monthOf(t)] = true
	}
	if (same || last) && len(seen) == len(at.Micros) {
		l.Unit, l.Day = "month", first.Day()
		if !same {
			l.Day = 0
		}
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

// Next is the times of the n steps after the last, as a table to forecast.
func (l *Lags) Next(n int) *Dataset { return l.times(len(l.Values), len(l.Values)+n) }

// times is a table of the times of steps.
func (l *Lags) times(from, to int) *Dataset {
	if l.Kind == Numeric {
		v := make([]float64, 0, to-from)
		for p := from; p < to; p++ {
			at := l.Start + l.Step*float64(p)
			// Times such as 1959.08333333334 add up to digits that nobody wrote.
			if short, err := strconv.ParseFloat(strconv.FormatFloat(at, 'g', 9, 64), 64); err == nil && math.Abs(short-at) < 1e-3*l.Step {
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
			day, month := l.Day, int(u)
			if day == 0 {
				month++ // the day before the first of the next
			}
			v = append(v, time.Date(month/12, time.Month(month%12+1), day, 0, 0, 0, 0, time.UTC))
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

// Features is the table that a model of the series is fitted to: the steps that have all lags, with
// their values as the target.
func (l *Lags) Features() *Dataset {
	first := 0
	if n := len(l.Steps); n > 0 {
		first = l.Steps[n-1]
	}
	var places []int
	for p := first; p < len(l.Values); p++ {
		places = append(places, p)
	}
	d := l.features(places)
	d.Target = l.Target
	d.Columns = append(d.Columns, NumberColumn(l.Target, slices.Clone(l.Values[min(first, len(l.Values)):])))
	return d
}

func (l *Lags) features(places []int) *Dataset {
	step := make([]float64, len(places))
	for i, p := range places {
		step[i] = float64(p)
	}
	d := &Dataset{Name: l.Target, Columns: []Column{NumberColumn(StepColumn, step)}}
	for _, lag := range l.Steps {
		v := make([]float64, len(places))
		for i, p := range places {
			if v[i] = l.Values[p-lag]; l.Log {
				v[i] = math.Log(v[i])
			}
		}
		d.Columns = append(d.Columns, NumberColumn(l.LagName(lag), v))
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
	first := 0
	if n := len(l.Steps); n > 0 {
		first = l.Steps[n-1]
	}
	last := len(l.Values) - 1 + l.Horizon
	places := make([]int, d.Len())
	for i := range places {
		fault := Error{Row: before + i + 1, Column: l.Order, Value: at.String(i), Kind: ErrValue}
		if at.IsMissing(i) {
			fault.Reason, fault.Advice, fault.Kind = fmt.Sprintf("column %q is missing, and a forecast is of a time", l.Order), "give the time", ErrMissing
			return nil, d.fault(fault)
		}
		p := math.Round((l.time(at, i) - l.Start) / l.Step)
		switch {
		case p > float64(last):
			fault.Reason = fmt.Sprintf("%s lies %.0f steps after the last value that the model knows, and it forecasts %d", at.String(i), p-float64(len(l.Values)-1), l.Horizon)
			fault.Advice = "fit it again, with later rows or a longer horizon"
			return nil, d.fault(fault)
		case p < float64(first):
			fault.Reason = fmt.Sprintf("%s lies before the first time that the model has what it takes for (%s)", at.String(i), l.text(first))
			fault.Advice = "leave the row out"
			return nil, d.fault(fault)
		}
		places[i] = int(p)
	}
	made := l.features(places)
	out := *d
	out.Columns = slices.DeleteFunc(slices.Clone(d.Columns), func(c Column) bool {
		return slices.ContainsFunc(made.Columns, func(m Column) bool { return m.Name == c.Name })
	})
	out.Columns = append(out.Columns, made.Columns...)
	return &out, nil
}

// text is the time of a step as a file has it.
func (l *Lags) text(p int) string { return l.times(p, p+1).Columns[0].String(0) }

// Range is the first and the last time that the model takes, as a file has them.
func (l *Lags) Range() (first, last string) {
	from := 0
	if n := len(l.Steps); n > 0 {
		from = l.Steps[n-1]
	}
	return l.text(from), l.text(len(l.Values) - 1 + l.Horizon)
}

// check refuses what a damaged file may say.
func (l *Lags) check() error {
	known := l.Unit == "number" && l.Kind == Numeric || (l.Unit == "month" || l.Unit == "microsecond") && l.Kind == Time
	if !known || l.Horizon < 1 || l.Horizon > maxDim || len(l.Values) == 0 || !(l.Step > 0) || l.Day < 0 || l.Day > 31 || math.Abs(l.Start) > 1e18 || l.Step > 1e18 {
		return fmt.Errorf("a series of %d values in steps of %g %s, forecast %d steps ahead", len(l.Values), l.Step, l.Unit, l.Horizon)
	}
	for i, s := range l.Steps {
		if s < l.Horizon || i > 0 && s <= l.Steps[i-1] || s >= len(l.Values) {
			return fmt.Errorf("lag %d of a horizon of %d and %d values", s, l.Horizon, len(l.Values))
		}
	}
	if l.Log && slices.Min(l.Values) <= 0 {
		return fmt.Errorf("logarithms of a series that has %g", slices.Min(l.Values))
	}
	return allFinite(append(slices.Clone(l.Values), l.Start, l.Step))
}
