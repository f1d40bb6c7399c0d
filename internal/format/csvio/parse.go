package csvio

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/celltext"
	"github.com/mercer-ml/mercer/internal/format/decimal"
	"github.com/mercer-ml/mercer/internal/mend"
)

// chunk is a parsed block.
type chunk struct {
	set     *data.Dataset
	bytes   int     // of text
	odd     bool    // a value in a column of numbers is not one that is written plainly
	recoded int     // fields that were not UTF-8
	faults  []fault // one of each sort per column at most: the first value that is not a number
	err     error
}

// fault is a value in a column of numbers that is not one.
type fault struct {
	column       int
	sort         faultSort
	line, offset int
	value        string
	count        int
}

type faultSort uint8

const (
	isWord    faultSort = iota // no number in any way of writing
	isStrange                  // a number in another way of writing than the column's
	isLossy                    // a whole number whose digits the column does not keep: it may be a name
	faultSorts
)

// tooMany is the number of distinct values of a block after which a string
// column is kept as text, if they are also more than half of its rows.
const tooMany = 256

// parse turns a block into columns.
func (r *Reader) parse(blk block) chunk {
	s, delim := blk.text, r.dialect.delimiter
	line := blk.line
	five := decimal.Table()
	cols := r.builders(blk.lines)
	for pos := 0; pos < len(s); {
		if pos = skipBlank(s, pos, delim); s[pos] == '\n' {
			pos++
			line++
			continue
		}
		if s[pos] == '#' && r.isComment(s, pos) {
			pos += bytes.IndexByte(s[pos:], '\n') + 1
			line++
			continue
		}
		record := cursor{start: pos, line: line}
		j := 0
		for ; ; j++ {
			if j < len(cols) && cols[j].kind == rawNumber {
				x, n := five.Scan(s[pos:], cols[j].point)
				if c := s[pos+n]; n > 0 && x-x == 0 {
					if c == '\r' && s[pos+n+1] == '\n' {
						n++
						c = '\n'
					}
					if c == delim || c == '\n' {
						if len(r.naNumbers) > 0 && slices.Contains(r.naNumbers, x) {
							x = math.NaN()
							if cols[j].gap == nil {
								cols[j].gap = &data.Gap{Line: record.line, Value: string(bytes.TrimSpace(s[pos : pos+n]))}
							}
						}
						b := &cols[j]
						b.numbers = append(b.numbers, x)
						// A zero and another digit, in one comparison: whether a number begins with
						// a zero is as good as random.
						if uint32(s[pos]^'0')<<8|uint32(s[pos+1]-'0') < 10 || math.Abs(x) >= 1<<53 {
							b.seeDigits(len(b.numbers)-1, x, bytes.TrimRight(s[pos:pos+n], "\r"), j, pos, &record)
						}
						pos += n
						goto end
					}
				}
			}
			{
				text, next, err := r.field(s, pos, &record)
				if err != nil {
					return chunk{err: err}
				}
				if j < len(cols) {
					err = r.add(&cols[j], j, text, pos, &record)
				} else if len(text) > 0 || s[next] != '\n' || j > len(cols) {
					err = r.ragged(s, &record)
				}
				if err != nil {
					return chunk{err: err}
				}
				pos = next
			}
		end:
			if delim == ' ' {
				for s[pos] == ' ' || s[pos] == '\t' || s[pos] == '\r' {
					pos++
				}
				if s[pos] == '\n' {
					pos++
					break
				}
				continue
			}
			pos++
			if s[pos-1] == '\n' {
				break
			}
		}
		if j+1 < len(cols) {
			return chunk{err: r.ragged(s, &record)}
		}
		line = record.line + record.breaks + 1
	}
	return r.built(cols, len(s))
}

// builders are the columns of a block of so many lines, empty, in the memory of an earlier chunk
// where there is one.
func (r *Reader) builders(lines int) []builder {
	d := &r.dialect
	cols := make([]builder, len(d.names))
	room := r.room()
	for j := range cols {
		cols[j].kind, cols[j].point = d.kinds[j], d.points[j]
		if d.kinds[j] == rawNumber {
			if j < len(room) && cap(room[j]) >= lines {
				cols[j].numbers = room[j][:0]
			} else {
				cols[j].numbers = make([]float64, 0, lines+lines/16)
			}
		} else {
			cols[j].code = map[string]int32{}
		}
	}
	return cols
}

// built is the chunk of columns that are full, with what was odd about them.
func (r *Reader) built(cols []builder, size int) chunk {
	out := chunk{bytes: size, set: &data.Dataset{Name: r.name, Columns: make([]data.Column, len(cols))}}
	for j := range cols {
		out.set.Columns[j] = cols[j].column(r.dialect.names[j])
		if cols[j].kind == rawNumber {
			out.set.Columns[j].Notation = r.notations[j]
		}
		out.odd = out.odd || cols[j].odd
		cols[j].checkTruth()
		for _, f := range cols[j].faults {
			if f != nil {
				out.odd = true
				out.faults = append(out.faults, *f)
			}
		}
		out.recoded += cols[j].recoded
	}
	return out
}

// cursor is the record being parsed: where it starts, and the line ends seen
// within its quotes.
type cursor struct {
	start, line, breaks int
}

// skipBlank moves over blanks to the end of a line that holds nothing else;
// with blanks for delimiter it moves to the first field.
func skipBlank(s []byte, pos int, delim byte) int {
	if s[pos] > ' ' {
		return pos
	}
	i := pos
	for s[i] == ' ' || s[i] == '\r' || s[i] == '\t' && delim != '\t' {
		i++
	}
	if s[i] == '\n' || delim == ' ' {
		return i
	}
	return pos
}

// field finds the text of the field at pos and the place of the delimiter or
// line end after it.
func (r *Reader) field(s []byte, pos int, rec *cursor) (text []byte, next int, err error) {
	delim := r.dialect.delimiter
	if s[pos] != '"' {
		i := pos
		for s[i] != delim && s[i] != '\n' && !(delim == ' ' && s[i] == '\t') {
			i++
		}
		return bytes.TrimSpace(s[pos:i]), i, nil
	}
	i, from := pos+1, pos+1
	var joined []byte
	for {
		n := bytes.IndexByte(s[i:], '"')
		if n < 0 {
			return nil, 0, r.at(s, pos, rec, "a quote that is never closed",
				`close it, or double a quote that is part of the text ("")`)
		}
		i += n + 1
		if s[i] != '"' {
			break
		}
		joined = append(joined, s[from:i]...)
		i++
		from = i
	}
	text = s[from : i-1]
	if joined != nil {
		text = append(joined, text...)
	}
	for s[i] == ' ' && delim != ' ' || s[i] == '\r' {
		i++
	}
	if s[i] != delim && s[i] != '\n' && !(delim == ' ' && s[i] == '\t') {
		return nil, 0, r.at(s, i, rec, fmt.Sprintf("%q after a closing quote", s[i]),
			`double a quote that is part of the text ("")`)
	}
	rec.breaks += bytes.Count(s[pos:i], newline)
	return text, i, nil
}

// add puts a field that is not a plain number into its column.
func (r *Reader) add(b *builder, j int, text []byte, pos int, rec *cursor) error {
	missing := len(text) <= 12 && r.isNA(text)
	if missing && b.gap == nil {
		b.gap = &data.Gap{Line: rec.line, Value: string(text)}
	}
	if b.kind == rawString {
		if missing && !celltext.IsNA(string(text)) {
			text = nil
		}
		text, recoded, ok := r.options.decode(text)
		if !ok {
			return notUTF8(r.name, rec.line, clip(string(text)))
		}
		if recoded {
			b.recoded++
		}
		b.addString(text)
		return nil
	}
	x := math.NaN()
	if !missing {
		b.odd = true
		t := bytes.TrimSpace(text)
		v, n := scanNumber(append(append(make([]byte, 0, 32), t...), '\n'), r.dialect.points[j])
		switch {
		case n == len(t) && n > 0 && !math.IsInf(v, 0):
			x = v
			b.seeDigits(len(b.numbers), x, t, j, pos, rec)
		case n == len(t) && n > 0 || isInfinity(string(t)):
			return &data.Error{File: r.name, Line: rec.line, Byte: pos - rec.start + 1,
				Column: r.dialect.names[j], Value: string(text), Kind: data.ErrNotFinite, Remedy: mend.NA,
				Reason: fmt.Sprintf("column %q is %s, which is not a finite number", r.dialect.names[j], text)}
		default:
			t, _, _ := r.options.decode(t) // a sign of a currency may be among them
			if n, told := r.options.told(r.dialect.names[j]); told && n.Settled && n.Decimal != "" {
				if v, ok := n.Number(string(t)); ok {
					x = v
					break
				}
			}
			if v, ok := r.truth(j, string(t)); ok {
				if x = v; b.truth == nil {
					b.truth = &fault{j, isWord, rec.line, pos - rec.start + 1, clip(string(t)), 1}
				}
				break
			}
			sort := isWord
			if data.NumberIn(string(t)) {
				sort = isStrange
			}
			b.note(sort, j, t, rec.line, pos-rec.start+1)
		}
	}
	b.numbers = append(b.numbers, x)
	return nil
}

// truth is a truth value in a column that a model has as numbers, from a format that wrote 0 and 1.
func (r *Reader) truth(column int, text string) (float64, bool) {
	if n, told := r.options.told(r.dialect.names[column]); !told || n.Kind != data.Numeric {
		return 0, false
	}
	value, ok := celltext.ParseTruth(text)
	if value {
		return 1, ok
	}
	return 0, ok
}

// findNotations sets how each column of numbers is read. Columns that are read alike share what
// says so: there may be a million.
func (r *Reader) findNotations() {
	alike := map[byte]*data.Notation{}
	r.notations = make([]*data.Notation, len(r.dialect.names))
	for j, name := range r.dialect.names {
		if n, told := r.options.told(name); told && n.Settled && n.Decimal != "" {
			own := n
			r.notations[j] = &own
			continue
		}
		point := r.dialect.points[j]
		if alike[point] == nil {
			alike[point] = &data.Notation{Kind: data.Numeric, Decimal: string(point), Missing: r.options.NA}
		}
		r.notations[j] = alike[point]
	}
}

func (r *Reader) isNA(text []byte) bool {
	if len(text) == 0 {
		return true
	}
	if len(r.options.NA) == 0 && len(text) > 6 {
		return false
	}
	return r.options.isNA(string(text))
}

func (r *Reader) at(s []byte, pos int, rec *cursor, reason, advice string) error {
	return &data.Error{File: r.name, Line: rec.line + rec.breaks, Byte: pos - lineStart(s, pos) + 1, Reason: reason,
		Advice: advice, Kind: data.ErrSyntax}
}

func lineStart(s []byte, pos int) int { return bytes.LastIndexByte(s[:pos], '\n') + 1 }

func (r *Reader) ragged(s []byte, rec *cursor) error {
	fields := fieldsOf(s[rec.start:], r.dialect.delimiter)
	names := r.dialect.names
	e := &data.Error{File: r.name, Line: rec.line, Byte: 1, Kind: data.ErrSyntax,
		Reason: fmt.Sprintf("%s where there are %d columns (%s)", plural(fields, "field", "fields"), len(names),
			clip(strings.Join(names, ", ")))}
	if fields < len(names) { // no quotes make more of them
		e.Advice = "complete the row; if it is a note below the table, or none of its rows, take the line out of the file"
		return e
	}
	e.Value, e.Remedy = strconv.QuoteRune(rune(r.dialect.delimiter)), mend.Delimiter
	return e
}

func clip(s string) string {
	if len(s) > 60 {
		return strings.ToValidUTF8(s[:60], "") + "…"
	}
	return s
}
