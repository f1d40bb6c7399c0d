package data

import (
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/celltext"
)

// Times with a zone and times without one are two things: an encoder of one refuses the other,
// whatever the format, and what is written is read back as what it was.
func TestZonedAndLocalTimes(t *testing.T) {
	column := func(values ...string) Column {
		c := TextColumn("t", values)
		out, err := c.As(Time)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	stored := func(zone string) Column {
		return Column{Name: "t", Kind: Time, Micros: []int64{1, 2e12}, Notation: &Notation{Kind: Time, Zone: zone}}
	}
	zoned := []Column{column("2021-07-01T10:00:00+02:00", "2021-08-01T10:00:00Z"),
		column("2021-07-01 10:00:00+02:00", "2021-08-01 10:00:00+01:00"), stored(celltext.Zoned)}
	local := []Column{column("2021-07-01T10:00:00", "2021-08-01T10:00:00"), column("2021-07-01 10:00", "2021-08-01 10:00"),
		column("2021-07-01", "2021-08-01"), column("13/7/2021 10:00", "1/8/2021 11:00"), stored(celltext.Local)}
	try := func(fitted, next Column, want bool) {
		e, err := FitEncoder(&Dataset{Columns: []Column{fitted}}, EncoderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		text := next // as a reader gives strings that it was told nothing of
		text.Kind, text.Strings, text.Notation = Text, []string{next.String(0), next.String(1)}, nil
		for _, c := range []Column{next, text} {
			_, err := e.Transform(&Dataset{Name: "next", Columns: []Column{c}})
			if want != (err == nil) {
				t.Errorf("fitted on %s, then %s (%s): %v", fitted.String(0), c.String(0), c.Kind, err)
			}
			if err != nil && !strings.Contains(err.Error(), "time zone") {
				t.Errorf("the refusal does not say why: %v", err)
			}
		}
	}
	for _, a := range zoned {
		for _, b := range zoned {
			try(a, b, true)
		}
		for _, b := range local {
			try(a, b, false)
			try(b, a, false)
		}
	}
	for _, a := range local {
		for _, b := range local {
			try(a, b, true)
		}
	}
	// A model of before this knows the layout alone.
	e, err := FitEncoder(&Dataset{Columns: []Column{zoned[0]}}, EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	e.Notations = nil
	if _, err := e.Transform(&Dataset{Columns: []Column{local[0]}}); err == nil {
		t.Error("an older encoder took local times for zoned ones")
	}
	if c := column("15:04:05", "16:00:00"); c.String(0) != "15:04:05" || c.Micros[1] != celltext.TimeOfDay(16*3600*1e6) {
		t.Errorf("times of day: %s, %d", c.String(0), c.Micros[1])
	}
}
