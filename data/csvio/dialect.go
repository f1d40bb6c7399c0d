package csvio

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
)

// dialect is how one file is written.
type dialect struct {
	delimiter byte
	decimal   byte
	mark      byte // the decimal mark of numbers in quotes, where another was found
	trailing  bool // every record ends with a delimiter
	names     []string
	kinds     []rawKind
	points    []byte // the decimal mark of each column of numbers
	comments  bool   // lines that begin with # and are no records are passed over
	recoded   int    // names that were not UTF-8
	skip      int    // bytes before the first record of data
	skipLines int
}

type rawKind uint8

const (
	rawNumber rawKind = iota
	rawString
)

// sampleRecords is how many records the dialect is judged by; numbers against
// strings is judged by sampleRows.
const (
	sampleRecords = 200
	sampleRows    = 2000
)

// sniff finds the dialect from the start of a file. whole says that text is
// all there is.
func sniff(text []byte, whole bool, file string, o Options) (dialect, error) {
	d := dialect{delimiter: o.Delimiter, decimal: o.Decimal}
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		d.skip = 3
	}
	body := text[d.skip:]
	if bytes.HasPrefix(body, []byte("\xff\xfe")) || bytes.HasPrefix(body, []byte("\xfe\xff")) {
		return d, &data.Error{File: file, Line: 1, Kind: data.ErrFormat, Reason: "this is UTF-16 text", Advice: "save it as UTF-8"}
	}
	if i := bytes.IndexByte(body, 0); i >= 0 {
		return d, &data.Error{File: file, Line: 1 + bytes.Count(body[:i], newline), Reason: "a zero byte: this is not text", Kind: data.ErrFormat, Remedy: data.RemedyFormat}
	}
	if !bytes.Contains(body, newline) && bytes.IndexByte(body, '\r') >= 0 {
		return d, &data.Error{File: file, Line: 1, Kind: data.ErrFormat, Reason: "lines end with a carriage return alone", Advice: "save it with line feeds (Unix) or CR LF (Windows)"}
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return d, &data.Error{File: file, Kind: data.ErrNoRows, Reason: "the file is empty", Advice: "give a file with a header and rows, or a built-in set such as iris"}
	}
	lead := d.cutSeparator(body)
	body = body[lead:]
	titles := d.cutComments(&body, whole)
	d.skipLines = bytes.Count(text[d.skip:len(text)-len(body)], newline)
	d.skip = len(text) - len(body)
	full := body
	if d.comments {
		body = withoutComments(body)
	}
	start := string(body) // of which the fields of records are parts
	if d.delimiter == 0 {
		d.delimiter = guessDelimiter(start, whole)
	}
	records, lines, after := sample(start, d.delimiter, whole, sampleRows)
	if len(records) == 0 {
		return d, &data.Error{File: file, Line: 1, Kind: data.ErrSyntax, Reason: "no complete record in the first block: a quote is not closed, or a line is longer than a block", Advice: "check the first lines of the file"}
	}
	if d.decimal == 0 {
		d.mark = guessDecimal(records, d.delimiter, o)
		if d.decimal = d.mark; d.mark == d.delimiter {
			d.decimal = '.' // where fields are not quoted
		}
	}
	if d.decimal == d.delimiter {
		return d, &data.Error{File: file, Reason: fmt.Sprintf("%q cannot be both delimiter and decimal mark", d.delimiter), Advice: "set one of them"}
	}
	header := o.Header == HeaderYes || o.Header == HeaderAuto && d.looksLikeHeader(records)
	first := records[0]
	switch title := d.commentHeader(titles, records); {
	case title != nil && o.Header == HeaderAuto && d.numbersBelow(records[:1]):
		first, header = title, true
	case header:
		d.skip += after[0]
		d.skipLines += lines[0]
		records = records[1:]
	}
	if d.delimiter != ' ' && len(first) > 1 && strings.TrimSpace(first[len(first)-1]) == "" {
		d.trailing = true
		for _, r := range records {
			d.trailing = d.trailing && len(r) == len(first) && strings.TrimSpace(r[len(r)-1]) == ""
		}
	}
	if len(records) > 0 && header && !d.trailing {
		// Rows may end with a delimiter where the header does not.
		d.trailing = true
		for _, r := range records {
			d.trailing = d.trailing && len(r) == len(first)+1 && strings.TrimSpace(r[len(r)-1]) == ""
		}
		if d.trailing {
			first = append(slices.Clone(first), "")
		}
	}
	if d.trailing {
		first = first[:len(first)-1]
	}
	d.names = make([]string, len(first))
	for i, f := range first {
		d.names[i] = "x" + strconv.Itoa(i+1)
		if f = strings.TrimSpace(f); header && f != "" {
			name, changed, ok := o.decode([]byte(f))
			if !ok {
				return d, notUTF8(file, max(d.skipLines, 1), f)
			}
			if d.names[i] = string(name); changed {
				d.recoded++
			}
		}
	}
	seen := map[string]int{}
	for i, n := range d.names {
		if j, ok := seen[n]; ok {
			return d, &data.Error{File: file, Line: 1, Column: n, Kind: data.ErrSyntax, Reason: fmt.Sprintf("columns %d and %d are both named %q", j+1, i+1, n), Advice: "rename one of them"}
		}
		seen[n] = i
	}
	if line := openQuote(full); len(records) == 0 && whole && line > 0 {
		return d, &data.Error{File: file, Line: line, Kind: data.ErrSyntax, Reason: "a quote that is never closed", Advice: `close it, or double a quote that is part of the text ("")`}
	}
	if len(records) == 0 && whole {
		return d, &data.Error{File: file, Line: 1, Reason: fmt.Sprintf("only a header (%s) and no rows", strings.Join(d.names, ", ")), Kind: data.ErrNoRows, Remedy: data.RemedyRows}
	}
	d.guessKinds(records, o)
	return d, nil
}

// notUTF8 is the fault of text in another encoding than was said.
func notUTF8(file string, line int, value string) error {
	return &data.Error{File: file, Line: line, Value: value, Kind: data.ErrFormat, Remedy: data.RemedyEncoding, Reason: fmt.Sprintf("%q is not UTF-8", value)}
}

// guessKinds takes a column for numbers where at least nine in ten of the
// values present are: the rest are then reported as faults, with their place.
// What is written with more than a decimal mark is kept as text, until all of the column is there to decide by.
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

// allPlain says that values are numbers with the decimal mark of the file and nothing else, and that there are some.
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

// sample splits up to most records; lines and after are the line ends and bytes
// through the end of each. An incomplete last record is left out.
func sample(text string, delimiter byte, whole bool, most int) (records [][]string, lines, after []int) {
	pos, line := 0, 0
	for pos < len(text) && len(records) < most {
		fields, end, ok := splitRecord(text[pos:], delimiter, whole)
		if !ok {
			break
		}
		line += strings.Count(text[pos:pos+end], "\n")
		pos += end
		if len(fields) == 1 && strings.TrimSpace(fields[0]) == "" {
			continue // a blank line
		}
		records, lines, after = append(records, fields), append(lines, line), append(after, pos)
	}
	return records, lines, after
}

// splitRecord splits the first record of text, plainly; the parser of blocks
// is the fast way. Fields without quotes are parts of text.
func splitRecord(text string, delimiter byte, whole bool) (fields []string, end int, ok bool) {
	line := text
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		line = text[:end]
	}
	fields = make([]string, 0, strings.Count(line, string(rune(delimiter)))+1) // a million, in some files
	i := 0
	skipBlanks := func() {
		for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
			i++
		}
	}
	if delimiter == ' ' {
		skipBlanks()
	}
	for {
		if i < len(text) && text[i] == '"' {
			var b []byte
			i++
			for {
				j := strings.IndexByte(text[i:], '"')
				if j < 0 {
					return nil, 0, false
				}
				b = append(b, text[i:i+j]...)
				i += j + 1
				if i < len(text) && text[i] == '"' {
					b = append(b, '"')
					i++
					continue
				}
				break
			}
			for i < len(text) && text[i] != delimiter && text[i] != '\n' {
				if text[i] != '\r' && text[i] != ' ' {
					b = append(b, text[i])
				}
				i++
			}
			fields = append(fields, string(b))
		} else {
			from := i
			for i < len(text) && text[i] != delimiter && text[i] != '\n' && !(delimiter == ' ' && text[i] == '\t') {
				i++
			}
			fields = append(fields, strings.TrimSuffix(text[from:i], "\r"))
		}
		if i >= len(text) {
			return fields, i, whole
		}
		if text[i] == '\n' {
			if n := len(fields); delimiter == ' ' && n > 1 && fields[n-1] == "" {
				fields = fields[:n-1]
			}
			return fields, i + 1, true
		}
		i++
		if delimiter == ' ' {
			skipBlanks()
		}
	}
}

// guessDelimiter takes the first of tab, semicolon, bar and comma that splits
// every record of the sample into the same number of fields, two or more; a
// run of blanks where that splits all but the first record into numbers; and
// where none is perfect the one most records agree on.
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
		if share == 1 {
			return c
		}
		if share > bestShare {
			best, bestShare = c, share
		}
	}
	if bestShare > 0.5 {
		return best
	}
	records, _, _ := sample(text, ' ', whole, sampleRecords)
	if len(records) < 2 || len(records[1]) < 2 {
		return ','
	}
	for _, r := range records[1:] {
		if len(r) != len(records[1]) {
			return ','
		}
		for _, f := range r {
			if !isNumber(f, '.') && !data.IsNA(f) {
				return ','
			}
		}
	}
	return ' '
}

// guessDecimal takes the mark that whole columns of the sample settle; where none does, or they differ, the comma where fields are digits, a
// comma and digits, none has a point instead, and the commas do not all stand
// before three digits as they do between thousands.
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

// commaMayBeMark says whether a field of the record can be a number with a decimal comma and none with a decimal point: one with a
// comma in it (in quotes, between commas), or with two points, which are then between thousands.
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

// openQuote is the line of the last quote where quotes do not come in pairs,
// else 0.
func openQuote(text []byte) int {
	quote := []byte{'"'}
	if bytes.Count(text, quote)%2 == 0 {
		return 0
	}
	open, at := false, 0
	for i, line := range bytes.Split(text, newline) {
		if bytes.Count(line, quote)%2 == 1 {
			if open = !open; open {
				at = i + 1
			}
		}
	}
	return at
}
