package data

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// monthly is a series of months from January 2001, written on one day, or on the last of the month.
func monthly(n, day int) *Dataset {
	var at []time.Time
	var v []float64
	for i := range n {
		month, d := time.Month(1+i), day
		if day == 0 {
			month++
		}
		at = append(at, time.Date(2001, month, d, 0, 0, 0, 0, time.UTC))
		v = append(v, float64(100+i))
	}
	return &Dataset{Name: "sales", Columns: []Column{TimeColumn("date", at), NumberColumn("sold", v)}}
}

// Months are steps although they are of unequal length, and so are the last days of months; the
// next are the dates that a calendar has.
func TestLagsOfMonths(t *testing.T) {
	for day, want := range map[int]string{1: "2003-01-01", 15: "2003-01-15", 0: "2003-01-31"} {
		l, filled, err := FindLags(monthly(24, day), "date", "sold", 3)
		if err != nil {
			t.Fatal(err)
		}
		if l.Unit != "month" || l.Step != 1 || filled != 0 || len(l.Values) != 24 || l.Values[23] != 123 {
			t.Fatalf("%+v", l)
		}
		next := l.Next(2)
		if got := next.Columns[0].String(0); got != want {
			t.Errorf("day %d: the next is %s, want %s", day, got, want)
		}
		if day == 0 && next.Columns[0].String(1) != "2003-02-28" {
			t.Errorf("then %s", next.Columns[0].String(1))
		}
	}
}

// A month that has no 30th ends before it, in the series as in what is forecast; the time of day
// goes on as well.
func TestLagsOfTheThirtieth(t *testing.T) {
	for clock, want := range map[time.Duration][2]string{0: {"2002-02-28", "2002-03-30"},
		12 * time.Hour: {"2002-02-28T12:00:00Z", "2002-03-30T12:00:00Z"}} {
		for _, from := range []time.Month{time.January, time.March} {
			d := &Dataset{Name: "sales"}
			var at []time.Time
			var v []float64
			for month := from; month <= 13; month++ { // to January
				day := time.Date(2001, month, 30, 0, 0, 0, 0, time.UTC)
				if month == time.February {
					day = day.AddDate(0, 0, -day.Day())
				}
				at, v = append(at, day.Add(clock)), append(v, float64(month))
			}
			d.Columns = []Column{TimeColumn("date", at), NumberColumn("sold", v)}
			l, _, err := FindLags(d, "date", "sold", 2)
			if err != nil || l.Unit != "month" {
				t.Fatalf("%+v, %v", l, err)
			}
			next := l.Next(2).Columns[0]
			if a, b := next.String(0), next.String(1); a != want[0] || b != want[1] {
				t.Errorf("from %v: the next are %s and %s, want %v", from, a, b, want)
			}
			if _, err := l.derive(l.Next(2), Notation{}, 0); err != nil {
				t.Errorf("the next are refused: %v", err)
			}
		}
	}
}

// A time between two steps is of neither: 15 January is not January of a series of firsts.
func TestLagsBetweenSteps(t *testing.T) {
	firsts, _, err := FindLags(monthly(24, 1), "date", "sold", 3)
	if err != nil {
		t.Fatal(err)
	}
	years := &Dataset{Columns: []Column{NumberColumn("year", []float64{1, 2, 3, 4, 5, 6, 7, 8}),
		NumberColumn("y", make([]float64, 8))}}
	yearly, _, err := FindLags(years, "year", "y", 3)
	if err != nil {
		t.Fatal(err)
	}
	at := func(day int) *Dataset {
		return &Dataset{Columns: []Column{TimeColumn("date", []time.Time{time.Date(2003, 1, day, 0, 0, 0, 0, time.UTC)})}}
	}
	number := func(v float64) *Dataset { return &Dataset{Columns: []Column{NumberColumn("year", []float64{v})}} }
	for _, c := range []struct {
		l    *Lags
		d    *Dataset
		want string
	}{
		{firsts, at(1), ""}, {firsts, at(15),
			"2003-01-15 is no step of the series, which has 2003-01-01 and then 2003-02-01"},
		{yearly, number(9), ""}, {yearly, number(9.01), ""},
		{yearly, number(9.5), "9.5 is no step of the series, which has 9 and then 10"},
	} {
		_, err := c.l.derive(c.d, Notation{}, 0)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// Features of a row are its step and the values so many steps before it; rows may stand in any
// order, and what is missing lies on a line.
func TestLagsFeatures(t *testing.T) {
	d := monthly(24, 1)
	d.Columns[1].Numbers[5] = math.NaN()
	rows := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 12, 11, 10, 9} // without 13
	d = d.Gather(rows)
	l, filled, err := FindLags(d, "date", "sold", 3)
	if err != nil || filled != 2 || len(l.Values) != 24 || l.Values[5] != 105 || l.Values[13] != 113 {
		t.Fatalf("%+v, %d filled, %v", l, filled, err)
	}
	l.Steps = []int{3, 12}
	f := l.Features()
	if f.Len() != 12 || f.Columns[0].Numbers[0] != 12 || f.Columns[1].Numbers[0] != 109 ||
		f.Columns[2].Numbers[11] != 111 || f.Columns[3].Numbers[11] != 123 {
		t.Errorf("%+v", f.Columns)
	}
	if f.Columns[2].Name != "sold 12 before" {
		t.Errorf("a lag is called %q", f.Columns[2].Name)
	}
	got, err := l.derive(l.Next(3), Notation{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	lag, _ := got.Column("sold 3 before")
	if step, _ := got.Column(stepColumn); step.Numbers[2] != 26 || lag.Numbers[0] != 121 || lag.Numbers[2] != 123 {
		t.Errorf("%v and %v of the next rows", step.Numbers, lag.Numbers)
	}
}

// What is beyond the horizon or before the lags is refused, with what to do.
func TestLagsRefuse(t *testing.T) {
	l, _, err := FindLags(monthly(24, 1), "date", "sold", 3)
	if err != nil {
		t.Fatal(err)
	}
	l.Steps = []int{3, 12}
	for want, d := range map[string]*Dataset{
		"lies 4 steps after the last value that the model knows, and it forecasts 3": l.Next(4),
		"lies before the first time": monthly(2, 1),
		"date":                       {Columns: []Column{NumberColumn("day", []float64{1})}},
		"is missing":                 {Columns: []Column{TimeColumn("date", []time.Time{{}})}},
	} {
		if _, err := l.derive(d, Notation{}, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	odd := &Dataset{Columns: []Column{NumberColumn("t", []float64{0, 1, 2, 3, 4.5, 6, 7, 8, 9}),
		NumberColumn("y", make([]float64, 9))}}
	twice := &Dataset{Columns: []Column{NumberColumn("t", []float64{0, 1, 2, 3, 3, 6, 7, 8, 9}),
		NumberColumn("y", make([]float64, 9))}}
	few := &Dataset{Columns: []Column{NumberColumn("t", []float64{0, 1}), NumberColumn("y", make([]float64, 2))}}
	for want, d := range map[string]*Dataset{"make the times equally far apart": odd, "a file holds one series": twice,
		"too few": few} {
		_, _, err := FindLags(d, "t", "y", 2)
		var fault *Error
		if !errors.As(err, &fault) || !strings.Contains(fault.Error()+fault.Advice, want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	bad := *l
	bad.Steps = []int{2}
	if bad.check() == nil {
		t.Error("a lag below the horizon is taken")
	}
	bad = *l
	bad.Values = []float64{math.NaN()}
	if bad.check() == nil {
		t.Error("a value that is none is taken")
	}
	if err := l.check(); err != nil {
		t.Error(err)
	}
}

// Columns beside the series: one known ahead has its value at the step, of the row or of the table
// that it was found in; another so many steps before. What a damaged file may say is refused.
func TestLagsBeside(t *testing.T) {
	d := monthly(26, 1)
	d.Columns[1].Numbers[24], d.Columns[1].Numbers[25] = math.NaN(), math.NaN()
	price := make([]float64, 26)
	for i := range price {
		price[i] = float64(i * i)
	}
	price[7] = math.NaN()
	d.Columns = append(d.Columns, NumberColumn("price", price),
		NumberColumn("none", slices.Repeat([]float64{math.NaN()}, 26)), LevelColumn("word", slices.Repeat([]string{"a"}, 26)))
	l, filled, err := FindLags(d, "date", "sold", 3)
	if err != nil || filled != 0 || len(l.Values) != 24 {
		t.Fatalf("%+v, %d filled, %v", l, filled, err)
	}
	ahead, err := l.Column(d, "price", nil)
	if err != nil || !ahead.Ahead() || len(ahead.Values) != 26 || ahead.Values[25] != 625 || ahead.Values[7] != 50 {
		t.Fatalf("%+v, %v", ahead, err)
	}
	before, err := l.Column(d, "price", []int{3, 12})
	if err != nil || before.Ahead() || len(before.Values) != 24 {
		t.Fatalf("%+v, %v", before, err)
	}
	for name, want := range map[string]string{"none": "has no value", "word": "are of numbers", "cost": "cost"} {
		if _, err := l.Column(d, name, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("column %s: %v, want %q", name, err, want)
		}
	}
	before.Name = "cost"
	l.Beside = []LagColumn{ahead, before}
	if err := l.check(); err != nil || l.First() != 12 {
		t.Fatalf("from %d, %v", l.First(), err)
	}
	f := l.Features()
	if cost, err := f.Column("cost 12 before"); err != nil || f.Len() != 12 || cost.Numbers[0] != 0 ||
		cost.Numbers[11] != 121 {
		t.Errorf("%+v, %v", cost, err)
	}
	rows := l.Next(3)
	if _, err := l.derive(rows, Notation{}, 0); err == nil ||
		!strings.Contains(err.Error(), `row 3: column "price" is known ahead`) {
		t.Errorf("the third is not known: %v", err)
	}
	rows.Columns = append(rows.Columns, TextColumn("price", []string{"", "1", "7"}))
	got, err := l.derive(rows, Notation{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := got.Column("price"); err != nil || !slices.Equal(c.Numbers, []float64{576, 1, 7}) {
		t.Errorf("%+v, %v", c, err)
	}
	for what, damage := range map[string]func(c []LagColumn){
		"twice":      func(c []LagColumn) { c[1].Name = "price" },
		"the target": func(c []LagColumn) { c[1].Name = "sold" },
		"short":      func(c []LagColumn) { c[0].Values = c[0].Values[:20] },
		"no number":  func(c []LagColumn) { c[0].Values = slices.Repeat([]float64{math.NaN()}, 26) },
		"too late":   func(c []LagColumn) { c[1].Steps = []int{2} },
		"too early":  func(c []LagColumn) { c[1].Steps = []int{24} },
		"unordered":  func(c []LagColumn) { c[1].Steps = []int{5, 4} },
	} {
		bad := *l
		bad.Beside = slices.Clone(l.Beside)
		if damage(bad.Beside); bad.check() == nil {
			t.Errorf("%s: taken", what)
		}
	}
}
