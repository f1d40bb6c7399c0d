package arrow

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/celltext"
	"github.com/mercer-ml/mercer/internal/format/arrowfile"
	"github.com/mercer-ml/mercer/internal/format/refuse"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// column turns a column of a batch into one of a data set. before is the number
// of rows in earlier batches, for messages.
func column(name string, a *arrowfile.Array, before int) (data.Column, error) {
	switch {
	// labels may differ in what float64 would lose; what the column is, is decided at the end
	// (data.InferKinds)
	case a.Beyond():
		c := data.TextColumn(name, make([]string, a.Len))
		for i := range c.Strings {
			if !a.IsNull(i) {
				c.Strings[i] = a.WholeText(i)
			}
		}
		return c, nil
	case a.Kind == arrowfile.Bool:
		values := make([]bool, a.Len)
		for i, x := range a.Numbers() {
			values[i] = x == 1
		}
		return data.BooleanColumn(name, values, a.IsNull), nil
	case a.IsNumber():
		c := data.NumberColumn(name, a.Numbers())
		for i, x := range c.Numbers {
			if math.IsInf(x, 0) {
				return c, refuse.NotFinite(name, before+i+1, x, false)
			}
		}
		return c, nil
	case a.Kind == arrowfile.Instant:
		c := data.Column{Name: name, Kind: data.Time, Micros: make([]int64, a.Len),
			Notation: &data.Notation{Kind: data.Time, Zone: celltext.Local}}
		if a.Zoned {
			c.Notation.Zone = celltext.Zoned
		}
		for i := range c.Micros {
			c.Micros[i] = data.NoTime
			if a.IsNull(i) {
				continue
			}
			t, ok := a.Micros(i)
			if !ok {
				return c, refuse.TimeRange(name, before+i+1)
			}
			if c.Micros[i] = t; a.Clock {
				c.Micros[i] = celltext.TimeOfDay(t)
			}
		}
		return c, nil
	case a.Kind == arrowfile.Dictionary:
		return categories(name, a)
	case a.IsText():
		c := data.TextColumn(name, make([]string, a.Len))
		for i := range c.Strings {
			if a.IsNull(i) {
				continue
			}
			if c.Strings[i] = a.String(i); !utf8.ValidString(c.Strings[i]) {
				return c, refuse.NotUTF8(name, before+i+1, c.Strings[i])
			}
		}
		return c, nil
	}
	return sequences(name, a, before)
}

// columnBytes is what column will take.
func columnBytes(a *arrowfile.Array) int64 {
	rows := int64(a.Len)
	switch {
	case a.Kind == arrowfile.Dictionary:
		total := 4 * rows
		for _, entries := range a.Entries() {
			total += 32 * int64(entries.Len)
			if entries.IsText() {
				total += entries.TextBytes()
			}
		}
		return total
	case a.IsText():
		return 16*rows + a.TextBytes()
	case a.IsNumber() || a.Kind == arrowfile.Instant:
		return 8 * rows
	}
	return 24*rows + 8*int64(a.Values().Len)
}

// categories decodes a dictionary. Entries that are null or come twice, which
// the format allows, are told from levels.
func categories(name string, a *arrowfile.Array) (data.Column, error) {
	c := data.Column{Name: name, Kind: data.Categorical}
	var place []int32
	known := map[string]int32{}
	for _, entries := range a.Entries() {
		var numbers []float64
		if entries.IsNumber() {
			numbers = entries.Numbers()
		}
		for i := range entries.Len {
			if entries.IsNull(i) {
				place = append(place, -1)
				continue
			}
			level := ""
			switch {
			case entries.Kind == arrowfile.Int:
				level = entries.WholeText(i)
			case entries.Kind == arrowfile.Bool:
				level = strconv.FormatBool(numbers[i] == 1)
			case numbers != nil:
				level = phrase.Number(numbers[i])
			default:
				if level = entries.String(i); !utf8.ValidString(level) {
					return c, refuse.NotUTF8(name, 0, level)
				}
			}
			k, ok := known[level]
			if !ok {
				k = int32(len(c.Levels))
				known[level] = k
				c.Levels = append(c.Levels, level)
			}
			place = append(place, k)
		}
	}
	codes, err := a.Codes()
	if err != nil {
		return c, err
	}
	for i, k := range codes {
		if k >= 0 {
			codes[i] = place[k]
		}
	}
	c.Codes = codes
	return c, nil
}

func sequences(name string, a *arrowfile.Array, before int) (data.Column, error) {
	c := data.Column{Name: name, Kind: data.Sequence, Sequences: make([][]float64, a.Len)}
	values := a.Values().Numbers()
	for i := range c.Sequences {
		if a.IsNull(i) {
			continue
		}
		from, to := a.Bounds(i)
		q := values[from:to:to]
		for _, x := range q {
			if x-x != 0 {
				return c, refuse.NotFinite(name, before+i+1, x, true)
			}
		}
		c.Sequences[i] = q
	}
	return c, nil
}
