package data

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// FormatNumber writes x with the fewest digits that read back as x.
func FormatNumber(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// As returns the column converted to kind: text is parsed, numbers are
// formatted. A value that does not convert is an error that names its row
// (counted from 1). Markers of missing values, as in IsNA, stay missing.
func (c *Column) As(kind Kind) (Column, error) {
	if c.Kind == kind {
		return *c, nil
	}
	n := c.Len()
	out := Column{Name: c.Name, Kind: kind, Gap: c.Gap}
	switch kind {
	case Text, Tree, Set, Ranking, Graph:
		out.Strings = make([]string, n)
		for i := range n {
			if s := c.String(i); kind == Text || !IsNA(s) {
				out.Strings[i] = s
			}
		}
	case Categorical:
		names := make([]string, n)
		for i := range n {
			if s := c.String(i); !IsNA(s) {
				names[i] = s
			}
		}
		out = LevelColumn(c.Name, names)
		out.Gap = c.Gap
	case Numeric:
		out.Numbers = make([]float64, n)
		for i := range n {
			s := strings.TrimSpace(c.String(i))
			if IsNA(s) {
				out.Numbers[i] = math.NaN()
				continue
			}
			x, err := strconv.ParseFloat(s, 64)
			if err != nil || math.IsInf(x, 0) {
				return out, c.notKind(i, s, "a number")
			}
			out.Numbers[i] = x
		}
	case Time:
		layout, ok := c.timeLayout()
		if !ok {
			return out, c.notTime()
		}
		if out, ok = c.parseTimes(layout); !ok {
			return out, c.notTime()
		}
	default:
		out.Sequences = make([][]float64, n)
		for i := range n {
			s := c.String(i)
			if IsNA(s) {
				continue
			}
			q, channels, ok := parseSequence(s)
			if !ok {
				return out, c.notKind(i, s, "a list of numbers")
			}
			if out.Channels > 0 && channels != out.Channels && len(q) > 0 {
				return out, c.notKind(i, s, fmt.Sprintf("a list of steps of %d numbers, as in the rows before,", out.Channels))
			}
			if len(q) > 0 {
				out.Channels = channels
			}
			out.Sequences[i] = q
		}
	}
	return out, nil
}

// parseTimes reads every value in one layout; ok is false where one is not.
func (c *Column) parseTimes(layout string) (out Column, ok bool) {
	out = Column{Name: c.Name, Kind: Time, Gap: c.Gap, Layout: layout, Micros: make([]int64, c.Len())}
	for i := range out.Micros {
		s := strings.TrimSpace(c.String(i))
		if IsNA(s) {
			out.Micros[i] = NoTime
			continue
		}
		t, err := time.Parse(layout, s)
		if err != nil {
			return out, false
		}
		out.Micros[i] = t.UnixMicro()
	}
	return out, true
}

// notKind is the fault of value i, which is s where something else is needed.
func (c *Column) notKind(i int, s, needed string) error {
	return &Error{Row: i + 1, Column: c.Name, Value: s, Kind: ErrValue, Reason: fmt.Sprintf("column %q is %q, where %s is needed", c.Name, clip(s), needed)}
}

func (c *Column) notTime() error {
	for i := range c.Len() {
		s := strings.TrimSpace(c.String(i))
		if IsNA(s) {
			continue
		}
		if !anyLayout(s) {
			return c.notKind(i, s, "a date such as 2006-01-02 or 2006-01-02T15:04:05Z")
		}
	}
	return &Error{Column: c.Name, Kind: ErrValue, Reason: fmt.Sprintf("column %q mixes date formats", c.Name), Advice: "write all as 2006-01-02 or 2006-01-02T15:04:05Z"}
}

var naMarkers = map[string]bool{"": true, "NA": true, "N/A": true, "n/a": true, "na": true, "NaN": true, "nan": true, "NAN": true,
	"-nan": true, "-NaN": true, "null": true, "NULL": true, "Null": true, "None": true, "#N/A": true, "<NA>": true, "<null>": true, "?": true}

// IsNA says whether s is one of the usual markers of a missing value: empty,
// NA, N/A, n/a, NaN, null, NULL, None, #N/A, <NA>, ?.
func IsNA(s string) bool { return len(s) <= 6 && naMarkers[s] }

// timeLayouts are tried in order; a column must be of one layout throughout.
// Day-first with slashes comes after month-first: a column with a day over 12
// settles which it is.
var timeLayouts = []string{
	"2006-01-02", time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02T15:04",
	"2006-01-02 15:04:05-07:00", "2006-01-02 15:04:05 MST", "2006/01/02", "2006/01/02 15:04:05", "02.01.2006", "02.01.2006 15:04:05",
	"1/2/2006", "2/1/2006", "1/2/2006 15:04", "1/2/2006 15:04:05", "2/1/2006 15:04", "2/1/2006 15:04:05", "2-Jan-2006", "2 Jan 2006", "Jan 2, 2006", "15:04:05", "2006-01",
}

func anyLayout(s string) bool {
	for _, l := range timeLayouts {
		if _, err := time.Parse(l, s); err == nil {
			return true
		}
	}
	return false
}

// timeLayout finds the one layout that every present value has.
func (c *Column) timeLayout() (string, bool) {
	candidates := timeLayouts
	seen := false
	for i := range c.Len() {
		s := strings.TrimSpace(c.String(i))
		if IsNA(s) {
			continue
		}
		if len(s) < 5 || len(s) > 40 {
			return "", false
		}
		seen = true
		var left []string
		for _, l := range candidates {
			if _, err := time.Parse(l, s); err == nil {
				left = append(left, l)
			}
		}
		if len(left) == 0 {
			return "", false
		}
		candidates = left
	}
	if !seen {
		return timeLayouts[0], c.Len() > 0
	}
	return candidates[0], true
}

func formatTime(micros int64) string {
	t := time.UnixMicro(micros).UTC()
	if h, m, s := t.Clock(); h == 0 && m == 0 && s == 0 && t.Nanosecond() == 0 {
		return t.Format("2006-01-02")
	}
	return t.Format(time.RFC3339Nano)
}

// levelOrder compares levels as numbers where all are numbers, else as text.
func levelOrder(levels []string) func(a, b int) int {
	numbers := make([]float64, len(levels))
	for i, l := range levels {
		x, err := strconv.ParseFloat(l, 64)
		if err != nil || math.IsNaN(x) {
			return func(a, b int) int { return strings.Compare(levels[a], levels[b]) }
		}
		numbers[i] = x
	}
	return func(a, b int) int {
		return cmp.Or(cmp.Compare(numbers[a], numbers[b]), strings.Compare(levels[a], levels[b]))
	}
}
