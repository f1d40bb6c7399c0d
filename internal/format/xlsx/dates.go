package xlsx

import (
	"encoding/xml"
	"math"
	"strconv"
	"strings"
)

// Days are counted so that day 1 is the first of 1900, or day 0 the first of 1904. Day 60 is the
// 29th of February 1900, which never was: from there on the count is that from the 30th of
// December 1899. In microseconds since 1970:
const (
	dayMicros = 24 * 3600 * 1e6
	epoch1900 = -25569 * dayMicros
	epoch1904 = -24107 * dayMicros
)

// micros is the instant of a day with its fraction, to the millisecond that spreadsheets keep.
func (b *book) micros(days float64) (int64, bool) {
	if !(math.Abs(days) < 3e6) {
		return 0, false
	}
	if b.base == epoch1900 && days >= 1 && days < 60 {
		days++
	}
	return b.base + int64(math.Round(days*dayMicros/1000))*1000, true
}

// builtinDate says whether a number format that every workbook has is one of dates or times
// (ECMA-376 part 1, 18.8.30).
func builtinDate(id int) bool {
	return id >= 14 && id <= 22 || id >= 27 && id <= 36 || id >= 45 && id <= 47 || id >= 50 && id <= 58
}

// readStyles finds which styles of cells have the format of a date.
func (b *book) readStyles() error {
	if b.parts["xl/styles.xml"] == nil {
		return nil
	}
	own := map[int]bool{}
	cells := false
	return b.each("xl/styles.xml", func(_ *xml.Decoder, e xml.StartElement) error {
		switch e.Name.Local {
		case "numFmt":
			if id, err := strconv.Atoi(attribute(e, "numFmtId")); err == nil {
				own[id] = dateFormat(attribute(e, "formatCode"))
				return b.room.Take(64)
			}
		case "cellXfs":
			cells = true
		case "cellStyles", "cellStyleXfs", "dxfs":
			cells = false
		case "xf":
			if !cells {
				return nil
			}
			id, _ := strconv.Atoi(attribute(e, "numFmtId"))
			date, set := own[id]
			if !set {
				date = builtinDate(id)
			}
			b.dates = append(b.dates, date)
			return b.room.Take(4) // the list grows, and is there twice meanwhile
		}
		return nil
	})
}

// dateFormat says whether a format has a year, month, day, hour or second outside of quotes,
// brackets and escapes.
func dateFormat(code string) bool {
	code, _, _ = strings.Cut(code, ";") // the format of positive numbers
	quoted, bracket := false, false
	for i := 0; i < len(code); i++ {
		switch c := code[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\\' || c == '_' || c == '*':
			i++
		case c == '[':
			// [h] and [mm] are durations; [Red] and [$-409] are none of ours.
			inner, _, _ := strings.Cut(code[i+1:], "]")
			if strings.Trim(strings.ToLower(inner), "hms") == "" && inner != "" {
				return true
			}
			bracket = true
		case c == ']':
			bracket = false
		case bracket:
		case strings.IndexByte("yYmMdDhHsS", c) >= 0:
			return true
		case strings.HasPrefix(code[i:], "General"):
			i += len("General") - 1
		}
	}
	return false
}
