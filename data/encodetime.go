package data

import (
	"math"
	"time"
)

type spread struct {
	seen, varies bool
	first        int
}

func (s *spread) see(x int) {
	if !s.seen {
		s.seen, s.first = true, x
	}
	s.varies = s.varies || x != s.first
}

const microsPerDay = 24 * 3600 * 1e6

func daysOf(micros int64) float64 { return float64(micros) / microsPerDay }

// putTime encodes an instant.
func (code *ColumnCode) putTime(row []float64, micros int64) {
	t := time.UnixMicro(micros).UTC()
	for j, part := range code.Parts {
		// Turns of the circle: year by day of year, week, day.
		var turn float64
		switch part[:3] {
		case "yea":
			start := time.Date(t.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
			next := time.Date(t.Year()+1, 1, 1, 0, 0, 0, 0, time.UTC)
			turn = float64(t.Sub(start)) / float64(next.Sub(start))
		case "wee":
			// 1970-01-01 was a Thursday; any fixed day will do as the start.
			turn = daysOf(micros) / 7
			turn -= math.Floor(turn)
		case "day":
			if part == "days" {
				row[j] = code.Scale[0].Apply(daysOf(micros))
				continue
			}
			turn = daysOf(micros)
			turn -= math.Floor(turn)
		}
		sin, cos := math.Sincos(2 * math.Pi * turn)
		row[j] = cos
		if part[len(part)-3:] == "sin" {
			row[j] = sin
		}
	}
}
