package csvio

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/header"
	"github.com/mercer-ml/mercer/internal/format/room"
	"github.com/mercer-ml/mercer/internal/mend"
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
	above     int    // lines above the table that are left out, and the first of them
	title     string
	names2    []string // names made of two lines; nil: they are of one
	renamed   string   // what became of names that come twice
	skip      int      // bytes before the first record of data
	skipLines int
}

// rowNames is what the first column is called where the header has no name for it, as in files that
// R's write.table writes; R calls it so itself.
const rowNames = "row.names"

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
	if err := checkText(body, file); err != nil {
		return d, err
	}
	lead := d.cutSeparator(body)
	body = body[lead:]
	titles := d.cutComments(&body, whole, o.Header)
	if o.Header == HeaderAuto && !d.comments {
		d.cutTitle(&body, whole)
	}
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
		return d, &data.Error{File: file, Line: 1, Kind: data.ErrSyntax,
			Reason: "no complete record in the first block: a quote is not closed, or a line is longer than a block",
			Advice: "check the first lines of the file"}
	}
	if err := room.New(file, o.Bytes).Fits(int64(len(records[0])), room.Column); err != nil {
		return d, err
	}
	if d.decimal == 0 {
		d.mark = guessDecimal(records, d.delimiter, o)
		if d.decimal = d.mark; d.mark == d.delimiter {
			d.decimal = '.' // where fields are not quoted
		}
	}
	if d.decimal == d.delimiter {
		return d, &data.Error{File: file, Reason: fmt.Sprintf("%q cannot be both delimiter and decimal mark", d.delimiter),
			Advice: "set one of them"}
	}
	named := o.Header == HeaderYes || o.Header == HeaderTwo || o.Header == HeaderAuto && d.looksLikeHeader(records)
	first := records[0]
	if named && namesRows(records) {
		first = append([]string{rowNames}, first...)
	}
	switch title := d.commentHeader(titles, records); {
	case title != nil && o.Header == HeaderAuto && d.numbersBelow(records[:1]):
		first, named = title, true
	case named && (o.Header == HeaderTwo && len(records) > 1 || o.Header == HeaderAuto && d.secondNames(records, o)):
		if len(first) == len(records[0]) {
			first = header.Join(records[0], records[1])
		}
		d.names2 = first
		d.skip += after[1]
		d.skipLines += lines[1]
		records = records[2:]
	case named:
		d.skip += after[0]
		d.skipLines += lines[0]
		records = records[1:]
	}
	if err := d.nameColumns(d.cutTrailing(first, records, named), named, file, o); err != nil {
		return d, err
	}
	if line := openQuote(full); len(records) == 0 && whole && line > 0 {
		return d, &data.Error{File: file, Line: line, Kind: data.ErrSyntax, Reason: "a quote that is never closed",
			Advice: `close it, or double a quote that is part of the text ("")`}
	}
	if len(records) == 0 && whole {
		return d, &data.Error{File: file, Line: 1, Reason: fmt.Sprintf("only a header (%s) and no rows",
			strings.Join(d.names, ", ")), Kind: data.ErrNoRows, Remedy: mend.Rows}
	}
	d.guessKinds(records, o)
	return d, nil
}

// checkText refuses what is no text with lines.
func checkText(body []byte, file string) error {
	if bytes.HasPrefix(body, []byte("\xff\xfe")) || bytes.HasPrefix(body, []byte("\xfe\xff")) {
		return &data.Error{File: file, Line: 1, Kind: data.ErrFormat, Reason: "this is UTF-16 text",
			Advice: "save it as UTF-8"}
	}
	if i := bytes.IndexByte(body, 0); i >= 0 {
		return &data.Error{File: file, Line: 1 + bytes.Count(body[:i], newline), Reason: "a zero byte: this is not text",
			Kind: data.ErrFormat, Remedy: mend.Format}
	}
	if !bytes.Contains(body, newline) && bytes.IndexByte(body, '\r') >= 0 {
		return &data.Error{File: file, Line: 1, Kind: data.ErrFormat, Reason: "lines end with a carriage return alone",
			Advice: "save it with line feeds (Unix) or CR LF (Windows)"}
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return &data.Error{File: file, Kind: data.ErrNoRows, Reason: "the file is empty",
			Advice: "give a file with a header and rows, or a built-in set such as iris"}
	}
	return nil
}

// cutTrailing finds out whether every record ends with a delimiter, the first among them or the
// rows below it alone, and returns the first without the empty field behind it.
func (d *dialect) cutTrailing(first []string, records [][]string, named bool) []string {
	all := func(fields int) bool {
		return !slices.ContainsFunc(records, func(r []string) bool {
			return len(r) != fields ||
				strings.TrimSpace(r[len(r)-1]) != ""
		})
	}
	if d.delimiter != ' ' && len(first) > 1 && strings.TrimSpace(first[len(first)-1]) == "" {
		if d.trailing = all(len(first)); d.trailing {
			return first[:len(first)-1]
		}
	}
	d.trailing = len(records) > 0 && named && all(len(first)+1)
	return first
}

// nameColumns names them by the fields of a header, those without a name by their place.
func (d *dialect) nameColumns(first []string, named bool, file string, o Options) error {
	d.names = make([]string, len(first))
	for i, f := range first {
		d.names[i] = "x" + strconv.Itoa(i+1)
		if f = strings.TrimSpace(f); named && f != "" {
			name, changed, ok := o.decode([]byte(f))
			if !ok {
				return notUTF8(file, max(d.skipLines, 1), f)
			}
			if d.names[i] = string(name); changed {
				d.recoded++
			}
		}
	}
	d.names, d.renamed = header.Unique(d.names)
	return nil
}

// notUTF8 is the fault of text in another encoding than was said.
func notUTF8(file string, line int, value string) error {
	return &data.Error{File: file, Line: line, Value: value, Kind: data.ErrFormat, Remedy: mend.Encoding,
		Reason: fmt.Sprintf("%q is not UTF-8", value)}
}
