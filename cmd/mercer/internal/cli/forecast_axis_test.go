package cli

import (
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// The axis of a forecast names times: years where several begin, else months, days, or whatever the
// column has.
func TestTimeTicks(t *testing.T) {
	month := func(start float64, layout string) *data.Lags {
		return &data.Lags{Order: "month", Kind: data.Time, Unit: "month", Start: start, Step: 1, Day: 1, Layout: layout}
	}
	const hour = 3.6e9
	for name, c := range map[string]struct {
		l           *data.Lags
		first, last int
		at          []float64
		names       []string
	}{
		"years": {month(2010*12, ""), 12, 60, []float64{24, 36, 48, 60}, []string{"2012", "2013", "2014", "2015"}},
		"another way": {month(2010*12, "02.01.2006"), 12, 60, []float64{24, 36, 48, 60},
			[]string{"2012", "2013", "2014", "2015"}},
		"many years": {month(1960*12, ""), 0, 480, []float64{120, 240, 360, 480}, []string{"1970", "1980", "1990", "2000"}},
		"months": {month(2010*12, ""), 0, 14, []float64{3, 6, 9, 12},
			[]string{"2010-04", "2010-07", "2010-10", "2011-01"}},
		"within a day": {&data.Lags{Order: "t", Kind: data.Time, Unit: "microsecond", Start: 0, Step: hour}, 0, 11,
			[]float64{2, 4, 6, 8, 10}, []string{"02:00", "04:00", "06:00", "08:00", "10:00"}},
		"days": {&data.Lags{Order: "t", Kind: data.Time, Unit: "microsecond", Start: 0, Step: 24 * hour}, 0, 6,
			[]float64{2, 4, 6}, []string{"1970-01-03", "1970-01-05", "1970-01-07"}},
		"two steps": {month(2010*12, "2006-01-02"), 1, 2, []float64{1, 2}, []string{"2010-02-01", "2010-03-01"}},
	} {
		at, names := timeTicks(timesAlong(c.l, c.first, c.last), c.first)
		if !slices.Equal(at, c.at) || !slices.Equal(names, c.names) {
			t.Errorf("%s: %v %q, want %v %q", name, at, names, c.at, c.names)
		}
	}
	years := timesAlong(&data.Lags{Order: "year", Kind: data.Numeric, Unit: "number", Start: 1900, Step: 1}, 5, 7)
	if !slices.Equal(years.Numbers, []float64{1905, 1906, 1907}) {
		t.Errorf("%v", years.Numbers)
	}
}
