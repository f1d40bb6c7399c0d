package csvio

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/celltext"
	"github.com/mercer-ml/mercer/internal/format/header"
)

// guessKinds takes a column for numbers where at least nine in ten of the values present are: the
// rest are then reported as faults, with their place. What is written with more than a decimal mark
// is kept as text, until all of the column is there to decide by.
func (d *dialect) guessKinds(records [][]string, o Options) {
	d.kinds, d.points = make([]rawKind, len(d.names)), bytes.Repeat([]byte{d.decimal}, len(d.names))
	mark := ""
	if d.mark == ',' || o.Decimal != 0 {
		mark = string(cmp.Or(o.Decimal, d.mark))
	}
	for j, name := range d.names {
		n, told := o.told(name)
		switch {
		case told && n.Kind != data.Numeric || slices.Contains(o.strings, name):
			d.kinds[j] = rawString
			continue
		case told && n.Settled && n.Decimal != "":
			if d.points[j] = n.Decimal[0]; d.points[j] == d.delimiter {
				d.kinds[j] = rawString
			}
			continue
		}
		if o.Decimal != 0 && n.Decimal == "" {
			n.Decimal = string(o.Decimal)
		}
		c := column(records, j, o)
		if !told {
			n.Kind = data.Text
		}
		if (d.mark == 0 || d.mark == d.decimal) && (n.Decimal == "" || n.Decimal[0] == d.decimal) && d.allPlain(c.Strings) {
			continue // as most are, and soon seen
		}
		if form, ok := c.SettleNumbers(n, mark); ok {
			d.points[j] = form.Decimal[0]
			if form.Group != "" || form.Unit != "" || form.Width > 0 && !told || d.points[j] == d.delimiter {
				d.kinds[j] = rawString
			}
			continue
		}
		numbers, others := 0, 0
		for _, f := range c.Strings {
			switch {
			case f == "":
			case isNumber(f, d.decimal) && !isName(f):
				numbers++
			default:
				others++
			}
		}
		if !told && (numbers < 9*others || numbers == 0) {
			d.kinds[j] = rawString
		}
	}
}

// allPlain says that values are numbers with the decimal mark of the file and nothing else, and
// that there are some.
func (d *dialect) allPlain(values []string) bool {
	some := false
	for _, f := range values {
		if f != "" && (!isNumber(f, d.decimal) || isName(f)) {
			return false
		}
		some = some || f != ""
	}
	return some
}

// isName says that a whole number begins with a zero that would be lost.
func isName(f string) bool {
	return len(f) > 1 && f[0] == '0' && f[1]-'0' < 10 && strings.Trim(f, "0123456789") == ""
}

// column is field j of the records; those that mean a missing value are empty.
func column(records [][]string, j int, o Options) data.Column {
	values := make([]string, 0, len(records))
	for _, r := range records {
		if j < len(r) {
			f := strings.TrimSpace(r[j])
			if o.isNA(f) {
				f = ""
			}
			values = append(values, f)
		}
	}
	return data.TextColumn("", values)
}

func isNumber(f string, decimal byte) bool {
	if f == "" {
		return false
	}
	_, n := scanNumber(append([]byte(f), '\n'), decimal)
	return n == len(f) || isInfinity(f)
}

func isInfinity(f string) bool {
	switch strings.ToLower(strings.TrimLeft(f, "+-")) {
	case "inf", "infinity":
		return true
	}
	return false
}

// guessDelimiter takes the first of tab, semicolon, bar and comma that splits
// every record of the sample into the same number of fields, two or more, or
// the first into one fewer, as R does; a run of blanks where that makes a table
// with numbers in it; and where none is perfect the one most records agree on.
func guessDelimiter(text string, whole bool) byte {
	best, bestShare := byte(','), 0.5
	for _, c := range []byte{'\t', ';', '|', ','} {
		if records, _, _ := sample(text, c, whole, 1); len(records) == 0 || len(records[0]) < 2 {
			continue // soon seen
		}
		records, _, _ := sample(text, c, whole, sampleRecords)
		if len(records) == 0 || len(records[0]) < 2 {
			continue
		}
		same := 0
		for _, r := range records {
			if n := len(r); n == len(records[0]) || n == len(records[0])+1 && r[n-1] == "" {
				same++
			}
		}
		share := float64(same) / float64(len(records))
		if share == 1 || namesRows(records) {
			return c
		}
		if share > bestShare {
			best, bestShare = c, share
		}
	}
	if bestShare > 0.5 {
		return best
	}
	if records, _, _ := sample(text, ' ', whole, sampleRecords); isBlankTable(records) {
		return ' '
	}
	return ','
}

// isBlankTable says that records which blanks divide make a table: all numbers below the first, or
// names in the first, a column of numbers below one of them, and as many fields everywhere.
// Sentences are not like that.
func isBlankTable(records [][]string) bool {
	if len(records) < 2 || len(records[1]) < 2 {
		return false
	}
	width := len(records[1])
	column := slices.Repeat([]bool{true}, width) // of numbers
	for _, r := range records[1:] {
		if len(r) != width {
			return false
		}
		for j, f := range r {
			column[j] = column[j] && (isNumber(f, '.') || celltext.IsNA(f))
		}
	}
	if !slices.Contains(column, false) {
		return true
	}
	return len(records) > 2 && slices.Contains(column, true) &&
		(len(records[0]) == width && areNames(records[0]) || namesRows(records))
}

// namesRows says that the first record is a header with a name fewer than the records below have
// fields, and those begin with the names or numbers of their rows: so R writes a data frame
// (write.table).
func namesRows(records [][]string) bool {
	if len(records) < 3 || len(records[0]) < 2 || !areNames(records[0]) {
		return false
	}
	seen := map[string]bool{}
	words, counted := true, true
	for i, r := range records[1:] {
		if len(r) != len(records[0])+1 || r[0] == "" || seen[r[0]] {
			return false
		}
		seen[r[0]] = true
		words, counted = words && !isNumber(r[0], '.'), counted && r[0] == strconv.Itoa(i+1)
	}
	return words || counted
}

// areNames says that fields are no numbers, and all different.
func areNames(fields []string) bool {
	seen := map[string]bool{}
	for _, f := range fields {
		if f == "" || seen[f] || isNumber(f, '.') {
			return false
		}
		seen[f] = true
	}
	return true
}

// guessDecimal takes the mark that whole columns of the sample settle; where none does, or they
// differ, the comma where fields are digits, a comma and digits, none has a point instead, and the
// commas do not all stand before three digits as they do between thousands.
func guessDecimal(records [][]string, delimiter byte, o Options) byte {
	judged := records[min(1, len(records)-1):min(len(records), sampleRecords)]
	if delimiter == ',' && !slices.ContainsFunc(judged, commaMayBeMark) {
		return '.'
	}
	columns := func(yield func(data.Column) bool) {
		for j := range records[len(records)-1] {
			if !yield(column(judged, j, o)) {
				return
			}
		}
	}
	if mark := data.DecimalMark(columns); mark != "" {
		return mark[0]
	}
	if delimiter == ',' {
		return '.'
	}
	commas, thousands := 0, 0
	for _, r := range records {
		for _, f := range r {
			f = strings.TrimSpace(f)
			if strings.IndexByte(f, '.') >= 0 && isNumber(f, '.') {
				return '.'
			}
			if i := strings.IndexByte(f, ','); i > 0 && isNumber(f, ',') {
				commas++
				if len(f)-i == 4 && strings.TrimLeft(f[:i], "+-0") != "" {
					thousands++
				}
			}
		}
	}
	if commas > thousands {
		return ','
	}
	return '.'
}

// commaMayBeMark says whether a field of the record can be a number with a decimal comma and none
// with a decimal point: one with a comma in it (in quotes, between commas), or with two points,
// which are then between thousands.
func commaMayBeMark(record []string) bool {
	return slices.ContainsFunc(record, func(f string) bool {
		return strings.IndexByte(f, ',') >= 0 || strings.Count(f, ".") > 1
	})
}

// looksLikeHeader: no field of the first record is a number, and either a
// column below is numbers or the names all differ.
func (d *dialect) looksLikeHeader(records [][]string) bool {
	distinct := map[string]bool{}
	blank := 0
	for _, f := range records[0] {
		f = strings.TrimSpace(f)
		if isNumber(f, d.decimal) {
			return false
		}
		if f == "" {
			blank++
		}
		distinct[f] = true
	}
	if blank == len(records[0]) {
		return false
	}
	return d.numbersBelow(records[1:]) || len(distinct) == len(records[0])
}

// numbersBelow says whether a field of the records is a number.
func (d *dialect) numbersBelow(records [][]string) bool {
	for _, r := range records {
		for _, f := range r {
			if isNumber(strings.TrimSpace(f), d.decimal) {
				return true
			}
		}
	}
	return false
}

// secondNames says whether the second record is names, or units, too: it has no number, and stands
// above two columns or more that are numbers below it, and are no words. What is known of the
// columns of another file settles it, too.
func (d *dialect) secondNames(records [][]string, o Options) bool {
	if len(records) < 3 || namesRows(records) || d.numbersIn(records[1]) || len(records[1]) != len(records[0]) {
		return false
	}
	for _, name := range header.Join(records[0], records[1]) {
		if _, told := o.told(name); told && !slices.Contains(records[0], name) {
			return true
		}
	}
	columns := 0
	for j, word := range records[1] {
		if word = strings.TrimSpace(word); word == "" || o.isNA(word) {
			continue
		}
		numbers := 0
		for _, r := range records[2:] {
			if j >= len(r) {
				continue
			}
			f := strings.TrimSpace(r[j])
			if isNumber(f, d.decimal) {
				numbers++
			} else if f != "" && !o.isNA(f) {
				numbers = 0
				break
			}
		}
		if numbers > 0 {
			columns++
		}
	}
	return columns > 1
}
