package csvio

import (
	"bytes"
	"slices"
	"strings"
)

// cutSeparator reads the line sep=; that spreadsheets put first, and is its length.
func (d *dialect) cutSeparator(text []byte) int {
	line, _, ended := bytes.Cut(text, newline)
	said := strings.TrimRight(string(line), "\r")
	if !ended || len(said) != 5 || !strings.EqualFold(said[:4], "sep=") || !strings.Contains(",;|\t ", said[4:]) {
		return 0
	}
	if d.delimiter == 0 {
		d.delimiter = said[4]
	}
	return len(line) + 1
}

// cutTitle takes the lines off the start of a text that stand above a table, as in a sheet with a
// title: only their first field has something in it, or they have another number of fields than the
// table (a title that contains the delimiter), and below them are names of columns, and numbers.
func (d *dialect) cutTitle(text *[]byte, whole bool) {
	const most = 20 // lines
	delimiters := []byte{'\t', ';', '|', ','}
	if d.delimiter != 0 {
		delimiters = []byte{d.delimiter}
	}
	start := string((*text)[:min(len(*text), sniffBytes)])
	split := func(c byte) (records [][]string, after []int) {
		records, _, after = sample(start, c, whole && len(start) == len(*text), sampleRecords)
		return records, after
	}
	for _, c := range delimiters { // with which the first line is one of the table?
		if records, _ := split(c); len(records) > 0 && filled(records[0]) > 1 && even(records) {
			return
		}
	}
	for _, c := range delimiters {
		records, after := split(c)
		for names := 1; names < min(len(records), most+1); names++ {
			if !d.titled(records, names) {
				continue
			}
			above := (*text)[:after[names-1]]
			d.above, d.title = bytes.Count(above, newline),
				strings.TrimSpace(strings.TrimRight(strings.Join(records[0], string(c)), string(c)))
			*text = (*text)[len(above):]
			return
		}
	}
}

// titled says that a record is the names of the table below it, and those above it are titles.
func (d *dialect) titled(records [][]string, at int) bool {
	names, below := records[at], records[at+1:]
	distinct := map[string]bool{}
	for _, f := range names {
		distinct[f] = true
	}
	// A name may come twice, as with a second line for units; rows of a table repeat more than that.
	if filled(names) < 2 || 2*len(distinct) <= len(names) || d.numbersIn(names) || !even(records[at:]) ||
		!slices.ContainsFunc(below, d.numbersIn) {
		return false
	}
	for _, r := range records[:at] {
		// A line of a name less is how R heads its tables, unless it has a number.
		if filled(r[1:]) > 0 && (len(r) == len(names) || len(r) == len(names)-1 && !d.numbersIn(r) || !d.numbersOnly(below)) {
			return false
		}
	}
	return true
}

// numbersOnly says that some column has numbers and nothing else.
func (d *dialect) numbersOnly(records [][]string) bool {
	for j := range records[0] {
		if !slices.ContainsFunc(records, func(r []string) bool { return j < len(r) && !d.numbersIn(r[j:j+1]) }) {
			return true
		}
	}
	return false
}

// even says that nine of ten records have as many fields as the first.
func even(records [][]string) bool {
	same := 0
	for _, r := range records {
		if len(r) == len(records[0]) {
			same++
		}
	}
	return 10*same >= 9*len(records)
}

// filled counts the fields that have something in them.
func filled(fields []string) (n int) {
	for _, f := range fields {
		if strings.TrimSpace(f) != "" {
			n++
		}
	}
	return n
}

// cutComments takes the lines off the start of a text that begin with # and have not as many fields
// as the records below; the last of them may be the header all the same, and comes back. Such lines
// are then passed over throughout the file.
func (d *dialect) cutComments(text *[]byte, whole bool, header Header) (last string) {
	rest, lines := *text, [][]byte{}
	for len(rest) > 0 && rest[0] == '#' {
		line, after, ended := bytes.Cut(rest, newline)
		if !ended {
			return "" // nothing but such lines: they are what there is
		}
		lines, rest = append(lines, bytes.TrimRight(line, "\r")), after
	}
	if len(lines) == 0 || len(bytes.TrimSpace(rest)) == 0 {
		return ""
	}
	delimiter := d.delimiter
	if delimiter == 0 {
		delimiter = guessDelimiter(string(withoutComments(rest)), whole)
	}
	records, _, _ := sample(string(rest), delimiter, whole, 1)
	if len(records) == 0 {
		return ""
	}
	for i, line := range lines {
		fields, _, ok := splitRecord(string(line), delimiter, true)
		// As many fields as a record has, numbers among them or no header to be had, and no blank
		// after the sign: it is a record.
		if width := len(records[0]); ok && !spaced(line) && width > 1 && len(fields) == width &&
			(header == HeaderNo || d.numbersIn(fields)) {
			lines = lines[:i]
			break
		}
	}
	if len(lines) == 0 {
		return ""
	}
	for range lines {
		_, *text, _ = bytes.Cut(*text, newline)
	}
	d.comments = true
	return strings.TrimSpace(strings.TrimLeft(string(lines[len(lines)-1]), "# "))
}

// spaced says that a line begins as comments do that people write: # and a blank.
func spaced(line []byte) bool {
	return len(line) < 2 || line[1] == ' ' || line[1] == '\t' || line[1] == '#' || line[1] == '\n'
}

func (d *dialect) numbersIn(fields []string) bool {
	for _, f := range fields {
		if f = strings.TrimSpace(f); isNumber(f, '.') || isNumber(f, ',') {
			return true
		}
	}
	return false
}

// commentHeader is the last comment line as names of columns, where it has as many fields as the
// records.
func (d *dialect) commentHeader(line string, records [][]string) []string {
	if line == "" || len(records) == 0 {
		return nil
	}
	fields, _, ok := splitRecord(line, d.delimiter, true)
	if width := len(records[0]); !ok || width < 2 || len(fields) != width {
		return nil
	}
	if strings.TrimSpace(fields[0]) == "" { // the sign is the name: a column that numbers the rows
		fields[0] = "#"
	}
	return fields
}

// withoutComments is the text without lines that begin with #.
func withoutComments(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		n := bytes.IndexByte(text, '\n') + 1
		if n == 0 {
			n = len(text)
		}
		if text[0] != '#' {
			out = append(out, text[:n]...)
		}
		text = text[n:]
	}
	return out
}

// isComment says that the line at pos is one: it begins with # and has not as many fields as a
// record.
func (r *Reader) isComment(s []byte, pos int) bool {
	if !r.dialect.comments || s[pos] != '#' {
		return false
	}
	if spaced(s[pos:]) {
		return true
	}
	end := pos + bytes.IndexByte(s[pos:], '\n')
	fields := fieldsOf(s[pos:end], r.dialect.delimiter)
	return len(r.dialect.names) == 1 || fields != len(r.dialect.names)
}
