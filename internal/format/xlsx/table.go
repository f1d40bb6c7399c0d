package xlsx

import (
	"encoding/xml"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unsafe"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/celltext"
	"github.com/mercer-ml/mercer/internal/format/absent"
	"github.com/mercer-ml/mercer/internal/format/header"
	"github.com/mercer-ml/mercer/internal/format/refuse"
	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// cell is a value in its place.
type cell struct {
	row  int // of those that are not empty, from 0
	kind cellKind
	x    float64
	s    string
}

type cellKind uint8

const (
	isText cellKind = iota
	isNumber
	isDate
	isTruth
)

const (
	cellBytes  = int64(unsafe.Sizeof(cell{}))
	maxColumns = 1 << 14 // as many as Excel has
)

// table collects the cells of a sheet by column.
type table struct {
	*book
	infer   *data.Inference
	columns [][]cell
	lines   []int // number in the sheet of each row
	line    int   // of the current row
	next    int   // column of the next cell that does not say where it is
}

// element takes in rows and cells.
func (t *table) element(d *xml.Decoder, e xml.StartElement) error {
	switch e.Name.Local {
	case "row":
		t.line++
		if n, err := strconv.Atoi(attribute(e, "r")); err == nil && n > 0 {
			t.line = n
		}
		t.next = 0
	case "c":
		return t.cell(d, e)
	}
	return nil
}

// cell reads one cell.
func (t *table) cell(d *xml.Decoder, e xml.StartElement) error {
	column := t.next
	if at := attribute(e, "r"); at != "" {
		column = columnNumber(at)
	}
	if column < 0 || column >= maxColumns {
		return fmt.Errorf("a cell %q", attribute(e, "r"))
	}
	t.next = column + 1
	kind := attribute(e, "t")
	value, err := t.value(d, kind)
	if err != nil || value == "" {
		return err
	}
	c := cell{kind: isText, s: value}
	switch kind {
	case "s":
		i, err := strconv.Atoi(value)
		if err != nil || i < 0 || i >= len(t.strings) {
			return fmt.Errorf("shared text %q of %d", value, len(t.strings))
		}
		if c.s = t.strings[i]; c.s == "" {
			return nil
		}
	case "str", "inlineStr":
	case "d":
		c.kind = isText // an ISO date, which InferKinds reads
	case "e":
		return nil // an error: there is no value
	case "b":
		truth, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("a cell %q is %q, which is no truth value", attribute(e, "r"), value)
		}
		if c.kind, c.s = isTruth, ""; truth {
			c.x = 1
		}
	default: // n or nothing
		x, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
			return fmt.Errorf("a cell %q is %q, which is no number", attribute(e, "r"), value)
		}
		c.kind, c.x, c.s = isNumber, x, celltext.WholeDigits(value)
		if style, err := strconv.Atoi(attribute(e, "s")); err == nil && style >= 0 && style < len(t.dates) && t.dates[style] {
			c.kind = isDate
		}
	}
	if len(t.lines) == 0 || t.lines[len(t.lines)-1] != t.line {
		if n := len(t.lines); n > 0 && t.lines[n-1] > t.line {
			return fmt.Errorf("row %d after row %d", t.line, t.lines[n-1])
		}
		t.lines = append(t.lines, t.line)
	}
	for len(t.columns) <= column {
		t.columns = append(t.columns, nil)
	}
	c.row = len(t.lines) - 1
	if own := t.columns[column]; len(own) > 0 && own[len(own)-1].row == c.row {
		return fmt.Errorf("cell %q is there twice", attribute(e, "r"))
	}
	t.columns[column] = append(t.columns[column], c)
	return t.room.Take(2*cellBytes + int64(len(c.s)))
}

// value is the text of a cell's value, up to the end of the cell.
func (t *table) value(d *xml.Decoder, kind string) (string, error) {
	var value strings.Builder
	inside := false
	for {
		token, err := t.token(d)
		if err != nil {
			return "", err
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "is" && kind == "inlineStr" {
				text, err := t.text(d)
				if err != nil {
					return "", err
				}
				value.Reset()
				value.WriteString(text)
			}
			inside = token.Name.Local == "v"
		case xml.CharData:
			if inside {
				if err := t.room.Fits(int64(value.Len()+len(token)), 2); err != nil {
					return "", err
				}
				value.Write(token)
			}
		case xml.EndElement:
			if inside = false; token.Name.Local == "c" {
				return value.String(), nil
			}
		}
	}
}

// columnNumber reads the letters of a place such as AB12: A is 0, AA is 26. It is -1 where there
// are none.
func columnNumber(at string) int {
	n := 0
	for i := range len(at) {
		c := at[i] &^ 0x20
		if c < 'A' || c > 'Z' || n > maxColumns {
			break
		}
		n = 26*n + int(c-'A') + 1
	}
	return n - 1
}

// dataset makes columns of the cells. Columns that are empty throughout are none.
func (t *table) dataset(o Options) (*data.Dataset, error) {
	note := ""
	if !o.NoHeader && !o.YesHeader && !o.TwoHeader {
		note = t.cutTitle()
	}
	columns, places := [][]cell{}, []int{}
	for j, cells := range t.columns {
		if len(cells) > 0 {
			columns, places = append(columns, cells), append(places, j)
		}
	}
	named := o.YesHeader || o.TwoHeader || !o.NoHeader && t.looksLikeHeader(columns)
	two := named && len(t.lines) > 2 && (o.TwoHeader || !o.YesHeader && t.secondNames(columns))
	rows := len(t.lines)
	switch {
	case two:
		rows -= 2
	case named:
		rows--
	}
	if rows < 1 {
		return nil, &data.Error{File: t.name, Kind: data.ErrNoRows, Reason: t.withoutRows(named),
			Advice: "add rows, or name another sheet"}
	}
	if err := t.room.Fits(int64(rows), 16*int64(len(columns))); err != nil {
		return nil, err
	}
	d := &data.Dataset{Name: t.name}
	skip := len(t.lines) - rows
	lines := make([][]string, skip) // of names
	for k := range lines {
		lines[k] = make([]string, len(columns))
	}
	for j, cells := range columns {
		for len(cells) > 0 && cells[0].row < skip {
			lines[cells[0].row][j], cells = strings.TrimSpace(t.cellText("", &cells[0])), cells[1:]
		}
		columns[j] = cells
	}
	names := make([]string, len(columns))
	switch {
	case two:
		names = header.Join(lines[0], lines[1])
		d.Notes = append(d.Notes, data.Note{Text: fmt.Sprintf("the first two rows are taken for names: %q",
			names[:min(len(names), 8)]), Remedy: mend.Names})
	case named:
		names = lines[0]
	}
	for j := range names {
		if names[j] == "" {
			names[j] = "x" + strconv.Itoa(places[j]+1)
		}
	}
	names, renamed := header.Unique(names)
	if renamed != "" {
		d.Notes = append(d.Notes, data.Note{Text: renamed})
	}
	for j, cells := range columns {
		name := names[j]
		c, err := t.column(name, cells, skip, rows)
		if err != nil {
			return nil, err
		}
		d.Columns = append(d.Columns, c)
	}
	if note != "" {
		d.Notes = append([]data.Note{{Text: note}}, d.Notes...)
	}
	return d, t.wordsAmongNumbers(d, columns, skip)
}

// cutTitle takes the rows off the start of a sheet that stand above its table, and says so: they
// have one cell, and below them are names of columns, and numbers.
func (t *table) cutTitle() (note string) {
	const most = 20
	filled, words, names := make([]int, most+1), make([]int, most+1), make([]map[string]bool, most+1)
	numbers, title := make([]bool, len(t.lines)), ""
	for _, cells := range t.columns {
		for i := range cells {
			c := &cells[i]
			numbers[c.row] = numbers[c.row] || c.kind != isText
			if c.row > most {
				continue
			}
			if filled[c.row]++; c.kind == isText && !data.NumberIn(c.s) {
				words[c.row]++
			}
			if names[c.row] == nil {
				names[c.row] = map[string]bool{}
			}
			if names[c.row][t.cellText("", c)] = true; c.row == 0 {
				title = t.cellText("", c)
			}
		}
	}
	at := slices.IndexFunc(filled[:min(len(filled), len(t.lines))], func(n int) bool { return n > 1 })
	if at <= 0 || words[at] < filled[at] || len(names[at]) < filled[at] || !slices.Contains(numbers[at+1:], true) {
		return ""
	}
	for j, cells := range t.columns {
		first := sort.Search(len(cells), func(i int) bool { return cells[i].row >= at })
		t.columns[j] = cells[first:]
		for i := range t.columns[j] {
			t.columns[j][i].row -= at
		}
	}
	first, last := t.lines[0], t.lines[at-1]
	t.lines = t.lines[at:]
	if first == last {
		return fmt.Sprintf("row %d (%q) stands above the table and is left out", first, title)
	}
	return fmt.Sprintf("rows %d to %d (%q, …) stand above the table and are left out", first, last, title)
}

// wordsAmongNumbers is the fault of a word where nine times as many cells of its column are
// numbers, as in a file of text: it is a slip, a line of units or a footnote, for which the column
// must not become a list of words. Words that people write where there is no number are missing
// values, which is said once.
func (t *table) wordsAmongNumbers(d *data.Dataset, columns [][]cell, skip int) error {
	var fault *data.Error
	var found, among []string
	units, told := 0, maps.Clone(t.infer.Told)
	if told == nil {
		told = map[string]data.Notation{}
	}
	for j, cells := range columns {
		name := d.Columns[j].Name
		if _, known := t.infer.Told[name]; known {
			continue
		}
		numbers, others := 0, 0
		var word *cell
		var usual []string
		for i := range cells {
			c := &cells[i]
			text := strings.TrimSpace(c.s)
			switch {
			case c.row < skip:
			case c.kind == isNumber:
				numbers++
			case c.kind == isText && (celltext.IsNA(text) || slices.Contains(t.infer.Missing, text) || data.NumberIn(c.s)):
			default:
				if others++; c.kind == isText && absent.Word(text) {
					usual = append(usual, text)
				} else if word == nil || c.row < word.row {
					word = c
				}
			}
		}
		if others == 0 || numbers < 9*others {
			continue
		}
		if word == nil {
			slices.Sort(usual)
			usual = slices.Compact(usual)
			told[name] = data.Notation{Kind: data.Numeric, Missing: slices.Concat(t.infer.Missing, usual)}
			found, among = append(found, usual...), append(among, name)
			continue
		}
		if others == 1 && word.row == skip {
			units++
		}
		if fault == nil {
			text := t.cellText(name, word)
			fault = &data.Error{File: t.name, Line: t.lines[word.row], Column: name, Value: text, Kind: data.ErrValue,
				Remedy: mend.Kind,
				Reason: fmt.Sprintf("column %q is %q where %s other rows are numbers", name, text, phrase.Thousands(numbers))}
		}
	}
	switch {
	case fault != nil && units > 1:
		return &data.Error{File: t.name, Line: t.lines[skip], Kind: data.ErrValue,
			Reason: fmt.Sprintf("%d columns of numbers have words in the first row: it may be a second line of names, or units",
				units), Remedy: mend.Names}
	case fault != nil:
		return fault
	case len(found) > 0:
		slices.Sort(found)
		t.infer.Told = told
		d.Notes = append(d.Notes, absent.Note(slices.Compact(found), among))
	}
	return nil
}

// secondNames says whether the second row is names, or units, too: it has no number, and stands
// above two columns or more of nothing but numbers.
func (t *table) secondNames(columns [][]cell) bool {
	over := 0
	for _, cells := range columns {
		var second *cell
		numbers, others := 0, 0
		for i := range cells {
			switch c := &cells[i]; {
			case c.row == 1:
				second = c
			case c.row > 1 && c.kind == isNumber:
				numbers++
			case c.row > 1 && !(c.kind == isText && celltext.IsNA(strings.TrimSpace(c.s))):
				others++
			}
		}
		switch {
		case second == nil:
		case second.kind != isText || data.NumberIn(second.s):
			return false
		case numbers > 0 && others == 0:
			over++
		}
	}
	return over > 1
}

func (t *table) withoutRows(header bool) string {
	if header {
		return "only a header and no rows"
	}
	return "the sheet has no rows"
}

// looksLikeHeader says whether the cells of the first row are texts and no numbers, as names are,
// and differ, or stand above numbers.
func (t *table) looksLikeHeader(columns [][]cell) bool {
	names, again, numbers := map[string]bool{}, false, false
	for _, cells := range columns {
		if first := &cells[0]; first.row == 0 {
			if first.kind != isText || data.NumberIn(first.s) {
				return false
			}
			again = again || names[first.s]
			names[first.s] = true
		}
		numbers = numbers || slices.ContainsFunc(cells, func(c cell) bool { return c.kind == isNumber })
	}
	return len(names) > 0 && (!again || numbers)
}

// column is numbers, times or texts: what all of its cells are.
func (t *table) column(name string, cells []cell, skip, rows int) (data.Column, error) {
	var count [4]int
	for i := range cells {
		if count[cells[i].kind]++; cells[i].kind == isNumber && cells[i].s != "" {
			count[isText]++ // its digits are kept, as those of a text are
			count[isNumber]--
		}
	}
	c := data.Column{Name: name}
	if gap := firstGap(cells, skip, rows); gap < rows {
		c.Gap = &data.Gap{Line: t.lines[skip+gap]}
	}
	switch len(cells) {
	case count[isNumber]:
		c.Kind, c.Numbers = data.Numeric, make([]float64, rows)
		for i := range c.Numbers {
			c.Numbers[i] = math.NaN()
		}
		for i := range cells {
			c.Numbers[cells[i].row-skip] = cells[i].x
		}
	case count[isTruth]:
		c.Kind, c.Levels, c.Codes = data.Boolean, []string{"false", "true"}, make([]int32, rows)
		for i := range c.Codes {
			c.Codes[i] = -1
		}
		for i := range cells {
			c.Codes[cells[i].row-skip] = int32(cells[i].x)
		}
	case count[isDate]:
		c.Kind, c.Micros, c.Notation = data.Time, make([]int64, rows), &data.Notation{Kind: data.Time, Zone: celltext.Local}
		for i := range c.Micros {
			c.Micros[i] = data.NoTime
		}
		for i := range cells {
			at, ok := t.micros(cells[i].x)
			if !ok {
				e := refuse.TimeRange(name, cells[i].row-skip+1)
				e.File = t.name
				return c, e
			}
			c.Micros[cells[i].row-skip] = at
		}
	default:
		c.Kind, c.Strings = data.Text, make([]string, rows)
		for i := range cells {
			c.Strings[cells[i].row-skip] = t.cellText(name, &cells[i])
		}
	}
	return c, nil
}

// cellText is a cell among others of another kind, as a text.
func (t *table) cellText(column string, c *cell) string {
	switch c.kind {
	case isNumber:
		if c.s != "" {
			return c.s
		}
		return t.infer.NumberText(column, c.x)
	case isTruth:
		return strconv.FormatBool(c.x == 1)
	case isDate:
		if at, ok := t.micros(c.x); ok {
			one := data.Column{Kind: data.Time, Micros: []int64{at}, Notation: &data.Notation{Kind: data.Time,
				Zone: celltext.Local}}
			return one.String(0)
		}
		return phrase.Number(c.x)
	}
	return c.s
}

// firstGap is the first row without a value, or the number of rows.
func firstGap(cells []cell, skip, rows int) int {
	for i := range cells {
		if cells[i].row-skip > i {
			return i
		}
	}
	return min(len(cells), rows)
}
