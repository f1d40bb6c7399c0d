package celltext

import (
	"time"
)

// What a column of times may be: instants, which have a zone, or what a clock shows, wherever it
// hangs. One cannot stand for the other: the same digits are hours apart.
const (
	Zoned = "zoned"
	Local = "local"
)

// ClockBase is the start of the day that times of day are on, as package time has it where a text
// has no date.
var ClockBase = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

// TimeOfDay is a time of day as a Time column has it: so many microseconds since midnight.
func TimeOfDay(micros int64) int64 { return ClockBase + micros }
