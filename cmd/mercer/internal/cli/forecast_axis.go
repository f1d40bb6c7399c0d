package cli

import (
	"time"

	"github.com/mercer-ml/mercer/data"
)

// timesAlong are the times of the steps from first to last of a series, as its column has them.
func timesAlong(l *data.Lags, first, last int) *data.Column {
	from := *l
	from.Values, from.Start = nil, l.Start+float64(first)*l.Step
	return &from.Next(last - first + 1).Columns[0]
}

// timeTicks names some of the times of a column: where years begin, or months, days or hours, as
// many as there is room for; else times evenly apart. Places are counted from first.
func timeTicks(times *data.Column, first int) (at []float64, names []string) {
	dates := make([]time.Time, len(times.Micros))
	for i, t := range times.Micros {
		dates[i] = time.UnixMicro(t).UTC()
	}
	for _, unit := range []struct {
		layout string
		number func(time.Time) int // of which multiples of a round one are named
		every  []int
		most   int // that have room beside each other
	}{
		{"2006", time.Time.Year, []int{1, 2, 5, 10, 20, 50, 100, 200, 500}, 7},
		{"2006-01", func(t time.Time) int { return int(t.Month()) - 1 }, []int{1, 3, 6}, 5},
		{"2006-01-02", func(t time.Time) int { return t.YearDay() - 1 }, []int{1, 2, 5, 10, 20}, 4},
		{"15:04", time.Time.Hour, []int{1, 2, 3, 6, 12}, 7},
	} {
		for _, every := range unit.every {
			at, names = nil, nil
			for i := 1; i < len(dates); i++ {
				if name := dates[i].Format(unit.layout); name != dates[i-1].Format(unit.layout) &&
					unit.number(dates[i])%every == 0 {
					at, names = append(at, float64(first+i)), append(names, name)
				}
			}
			if len(at) >= 3 && len(at) <= unit.most {
				return at, names
			}
		}
	}
	at, names = nil, nil
	for i := 0; i < len(dates); i += max(1, (len(dates)+2)/3) {
		at, names = append(at, float64(first+i)), append(names, times.String(i))
	}
	return at, names
}
