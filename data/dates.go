package data

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/internal/celltext"
	"github.com/mercer-ml/mercer/internal/mend"
)

// timeLayouts are tried in order; a column must be of one layout throughout.
// Where a date fits with the day first and with the month first, a day over 12
// somewhere in the column settles which it is; where none does, the month comes
// first, and the notation says that this was not settled.
var timeLayouts = append([]string{
	"2006-01-02", time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02T15:04",
	"2006-01-02 15:04:05-07:00", "2006-01-02 15:04:05 MST", "2006/01/02", "2006/01/02 15:04:05", "2006/01/02 15:04",
	"2.1.2006", "2.1.2006 15:04", "2.1.2006 15:04:05", "2-Jan-2006", "2 Jan 2006", "Jan 2, 2006", "15:04:05", "2006-01",
}, numberedDates()...)

// numberedDates are those of numbers whose order the text does not say, in pairs.
func numberedDates() []string {
	var out []string
	for _, mark := range []string{"/", "-"} {
		for _, clock := range []string{"", " 15:04", " 15:04:05", " 3:04 PM", " 3:04:05 PM"} {
			out = append(out, "1"+mark+"2"+mark+"2006"+clock, "2"+mark+"1"+mark+"2006"+clock)
		}
	}
	return out
}

// shortDates are those with years of two digits, which fit every order, so that they are read where
// a person has said it. 69 to 99 are of the last century, 00 to 68 of this one (as POSIX has it,
// and package time).
var shortDates = func() (out []string) {
	for _, mark := range []string{"/", "-", "."} {
		for _, clock := range []string{"", " 15:04", " 15:04:05", " 3:04 PM", " 3:04:05 PM"} {
			out = append(out, "1"+mark+"2"+mark+"06"+clock, "2"+mark+"1"+mark+"06"+clock, "06"+mark+"1"+mark+"2"+clock)
		}
	}
	return out
}()

// looksLikeShortDates says that all values are dates of one layout with years of two digits.
func (c *Column) looksLikeShortDates() bool {
	left := shortDates
	for s := range c.texts() {
		if celltext.IsNA(s) {
			continue
		}
		if len(s) < 6 || len(s) > 20 {
			return false
		}
		if left = slices.DeleteFunc(slices.Clone(left), func(l string) bool {
			_, err := time.Parse(l, s)
			return err != nil
		}); len(left) == 0 {
			return false
		}
	}
	return len(left) < len(shortDates)
}

// dateOrder is "mdy" or "dmy" for layouts that begin with numbers of month and day, "ymd" for those
// that begin with the year.
func dateOrder(layout string) string {
	switch {
	case strings.HasPrefix(layout, "2006"), strings.HasPrefix(layout, "06"):
		return "ymd"
	case strings.HasPrefix(layout, "1/") || strings.HasPrefix(layout, "1-") || strings.HasPrefix(layout, "1."):
		return "mdy"
	case strings.HasPrefix(layout, "2/") || strings.HasPrefix(layout, "2-1") || strings.HasPrefix(layout, "2.") ||
		strings.HasPrefix(layout, "02."):
		return "dmy"
	}
	return ""
}

// otherWay is the layout with day and month the other way round, or empty where that would be no
// layout.
func otherWay(layout string) string {
	for _, mark := range []string{"/", "-"} {
		if rest, ok := strings.CutPrefix(layout, "1"+mark+"2"+mark); ok {
			return "2" + mark + "1" + mark + rest
		}
		if rest, ok := strings.CutPrefix(layout, "2"+mark+"1"+mark); ok {
			return "1" + mark + "2" + mark + rest
		}
	}
	return ""
}

// pattern writes a layout as people do: dd/mm/yyyy.
func pattern(layout string) string {
	if layout == time.RFC3339Nano {
		return "yyyy-mm-ddThh:mm:ssZ"
	}
	return strings.NewReplacer("2006", "yyyy", "15:04:05", "hh:mm:ss", "15:04", "hh:mm", "3:04:05 PM", "h:mm:ss AM/PM",
		"3:04 PM", "h:mm AM/PM", "-07:00", "+hh:mm", "MST", "zone",
		"Jan", "month", "06", "yy", "01", "mm", "02", "dd", "1", "mm", "2", "dd").Replace(layout)
}

// layouts lists the layouts that a value may have under a notation: where the order of day and
// month was settled or told, none of the other order is among them, and the known layout comes
// first.
func (n *Notation) layouts() []string {
	order := n.Order
	if n.Layout != "" {
		order = dateOrder(n.Layout)
	}
	if order == "" && n.Layout == "" {
		return timeLayouts
	}
	var out []string
	if n.Layout != "" {
		out = append(out, n.Layout)
	}
	for _, l := range timeLayouts {
		o := dateOrder(l)
		against := otherWay(l) != "" && o != order
		if n.Layout == "" { // a person said the order of what is there
			against = o != "" && o != order
		}
		if l != n.Layout && !against {
			out = append(out, l)
		}
	}
	for _, l := range shortDates {
		if n.Layout == "" && dateOrder(l) == order {
			out = append(out, l)
		}
	}
	return out
}

// instant reads one value in a layout that is known, or in another that cannot be mistaken for it.
func (n *Notation) instant(s string) (int64, bool) {
	if t, err := time.Parse(n.Layout, s); err == nil {
		return t.UnixMicro(), true
	}
	for _, l := range n.layouts() {
		if zoneOf(l) != n.zone() {
			continue
		}
		if t, err := time.Parse(l, s); err == nil {
			return t.UnixMicro(), true
		}
	}
	return 0, false
}

// settleLayout finds the one layout that every present value has, and whether
// day and month could be the other way round.
func (c *Column) settleLayout(n *Notation) bool {
	candidates := n.layouts()
	if n.Zone != "" {
		candidates = slices.DeleteFunc(slices.Clone(candidates), func(l string) bool { return zoneOf(l) != n.Zone })
	}
	seen := false
	for s := range c.texts() {
		if n.isNA(s) {
			continue
		}
		if len(s) < 5 || len(s) > 40 {
			return false
		}
		seen = true
		left := candidates[:0:0]
		for _, l := range candidates {
			if _, err := time.Parse(l, s); err == nil {
				left = append(left, l)
			}
		}
		if len(left) == 0 {
			return false
		}
		candidates = left
	}
	if !seen && c.Len() == 0 {
		return false
	}
	n.Layout = candidates[0]
	if other := otherWay(n.Layout); seen && other != "" && n.Order == "" {
		for _, l := range candidates {
			n.Ambiguous = n.Ambiguous || l == other
		}
	}
	return true
}

// readTimes reads the column in the layout that is known, or else the one that it has throughout.
func (c *Column) readTimes(n Notation) (Column, error) {
	if n.Layout == "" && !c.settleLayout(&n) {
		return Column{}, c.notTime(&n)
	}
	n.Zone = zoneOf(n.Layout)
	out := Column{Name: c.Name, Kind: Time, Gap: c.Gap, Notation: &n, Micros: make([]int64, c.Len())}
	for i := range out.Micros {
		s := strings.TrimSpace(c.String(i))
		if n.isNA(s) {
			out.Micros[i] = NoTime
			continue
		}
		t, ok := n.instant(s)
		if !ok {
			if err := c.otherZone(i, s, &n); err != nil {
				return out, err
			}
			return out, c.notKind(i, s, fmt.Sprintf("a date written %s is needed, as the column was read before",
				pattern(n.Layout)), mend.Dates)
		}
		out.Micros[i] = t
	}
	return out, nil
}

// notTime is the fault of a column that is declared to be times and has no layout.
func (c *Column) notTime(n *Notation) error {
	for i := range c.Len() {
		s := strings.TrimSpace(c.String(i))
		if n.isNA(s) {
			continue
		}
		if err := c.otherZone(i, s, n); err != nil {
			return err
		}
		readable := false
		for _, l := range n.layouts() {
			_, err := time.Parse(l, s)
			readable = readable || err == nil
		}
		if !readable {
			needed := "a date such as 2006-01-02 or 2006-01-02T15:04:05Z is needed"
			if n.Order != "" {
				needed = fmt.Sprintf("a date in the order %s is needed", n.Order)
			}
			return c.notKind(i, s, needed, mend.None)
		}
	}
	return &Error{Column: c.Name, Kind: ErrValue, Reason: fmt.Sprintf("column %q mixes date formats", c.Name),
		Advice: "write all as 2006-01-02 or 2006-01-02T15:04:05Z"}
}
