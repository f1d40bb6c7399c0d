package data

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/internal/celltext"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// zoneOf is what times of a layout are; empty where the layout is not known.
func zoneOf(layout string) string {
	switch {
	case layout == "":
		return ""
	case strings.Contains(layout, "07:00") || strings.Contains(layout, "MST"):
		return celltext.Zoned
	}
	return celltext.Local
}

// zone is what the times of a notation are; empty: nobody knows.
func (n *Notation) zone() string {
	if n == nil {
		return ""
	}
	return cmp.Or(n.Zone, zoneOf(n.Layout))
}

// otherZone is the fault of a value that has a zone where the column has none, or none where it
// has; nil where it is something else.
func (c *Column) otherZone(i int, s string, n *Notation) error {
	other := Notation{Zone: celltext.Local}
	if n.zone() == celltext.Local {
		other.Zone = celltext.Zoned
	}
	for _, l := range timeLayouts {
		if zoneOf(l) != other.Zone || n.zone() == "" {
			continue
		}
		if _, err := time.Parse(l, s); err == nil {
			return c.zoneFault(i, s, n.zone())
		}
	}
	return nil
}

// zoneFault is that of value i, in a column that is zoned or local.
func (c *Column) zoneFault(i int, s, zone string) error {
	e := &Error{Row: i + 1, Column: c.Name, Value: s, Kind: ErrValue,
		Reason: fmt.Sprintf("column %q is %q, which has a time zone, where the times that the model was fitted on have none",
			c.Name, phrase.Clip(s)),
		Advice: "write the local time without its zone, as it was when the model was fitted"}
	if zone == celltext.Zoned {
		e.Reason = fmt.Sprintf("column %q is %q, which has no time zone, where the times that the model was fitted "+
			"on have one", c.Name, phrase.Clip(s))
		e.Advice = "write the zone behind the time, as 2006-01-02T15:04:05+02:00 or 2006-01-02T15:04:05Z"
	}
	return e
}

// checkZone refuses times of the other kind than those that the encoder was fitted on.
func (c *Column) checkZone(read Notation) error {
	own, want := c.Notation.zone(), read.zone()
	if own == "" || want == "" || own == want {
		return nil
	}
	for i := range c.Len() {
		if !c.IsMissing(i) {
			return c.zoneFault(i, c.String(i), want)
		}
	}
	return nil
}

// formatTime writes a time so that it is read back as it is: with a zone unless it is known to have
// none.
func formatTime(micros int64, zone string) string {
	t := time.UnixMicro(micros).UTC()
	if micros >= celltext.ClockBase && micros < celltext.ClockBase+microsPerDay {
		return t.Format("15:04:05.999999")
	}
	if h, m, s := t.Clock(); h == 0 && m == 0 && s == 0 && t.Nanosecond() == 0 && zone != celltext.Zoned {
		return t.Format("2006-01-02")
	}
	if zone == celltext.Local {
		return t.Format("2006-01-02T15:04:05.999999999")
	}
	return t.Format(time.RFC3339Nano)
}
