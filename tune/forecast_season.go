package tune

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
)

// season settles how many steps a season has: what is told, what the calendar has for such steps,
// or where the series is most like itself; and whether the series knows of it.
func (r *ForecastResult) season(l *data.Lags, told int) {
	n := len(l.Values)
	switch {
	case told < 0:
		r.Why = "no season, as told"
		return
	case told > 1:
		r.Season, r.Why = told, fmt.Sprintf("a season of %d steps, as told", told)
		return
	}
	const alike = 0.3
	changes := detrended(l.Values)
	likeness := func(lag int) float64 {
		if lag < 2 || 2*lag >= n {
			return math.NaN()
		}
		v := autocorrelation(changes, lag)
		if v < autocorrelation(changes, max(lag/2, 1))+0.1 {
			return 0 // what moves slowly is like itself at every short lag; half a season before it is not
		}
		return v
	}
	if usual, what := calendarSeason(l); usual > 0 {
		if v := likeness(usual); v > alike {
			r.Season, r.Why = usual, fmt.Sprintf("a season of %d steps, %s: autocorrelation %.2f", usual, what, v)
			return
		}
	}
	best, at := alike, 0
	// Ups and downs of which there were few are no season: one that the calendar does not have
	// has to have come five times.
	for lag := 2; 5*lag < n && lag <= 400; lag++ {
		// The first peak that stands out: its multiples are as alike.
		if v := likeness(lag); v > best+0.05 && v > likeness(lag-1) && !(likeness(lag+1) > v) {
			best, at = v, lag
		}
	}
	if at > 0 {
		r.Season, r.Why = at,
			fmt.Sprintf("a season of %d steps, after which the series is most like itself: autocorrelation %.2f", at, best)
		return
	}
	r.Why = "no season: the series is not like itself some steps before"
}

// calendarSeason is a year of months or quarters, a week of days, a day of hours, a year of weeks.
func calendarSeason(l *data.Lags) (steps int, what string) {
	const day = 24 * 3600 * 1e6
	near := func(v float64) bool { return math.Abs(l.Step-v) < 0.01*v }
	switch {
	case l.Unit == "month" && 12/l.Step >= 2 && 12/l.Step == math.Trunc(12/l.Step):
		return int(12 / l.Step), "a year"
	case l.Unit == "number" && near(1.0/12):
		return 12, "a year of months"
	case l.Unit == "number" && near(0.25):
		return 4, "a year of quarters"
	case l.Unit != "microsecond":
		return 0, ""
	case near(day):
		return 7, "a week"
	case near(7 * day):
		return 52, "a year of weeks"
	case near(day / 24):
		return 24, "a day"
	}
	return 0, ""
}

// detrended is a series less its moving mean over a third of its length, which has no season.
func detrended(y []float64) []float64 {
	n := len(y)
	half := max(n/6, 2)
	sums := make([]float64, n+1)
	for i, v := range y {
		sums[i+1] = sums[i] + v
	}
	out := make([]float64, n)
	for i, v := range y {
		// The window is as long on both sides, or a trend would be left at the ends.
		w := min(half, i, n-1-i)
		out[i] = v - (sums[i+w+1]-sums[i-w])/float64(2*w+1)
	}
	return out
}

// autocorrelation is that of a series at a lag.
func autocorrelation(y []float64, lag int) float64 {
	mean, v, c := 0.0, 0.0, 0.0
	for _, x := range y {
		mean += x / float64(len(y))
	}
	for i, x := range y {
		v += (x - mean) * (x - mean)
		if i >= lag {
			c += (x - mean) * (y[i-lag] - mean)
		}
	}
	if v == 0 {
		return 0
	}
	return c / v * float64(len(y)) / float64(len(y)-lag)
}
