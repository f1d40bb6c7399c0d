package csvio

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/celltext"
	"github.com/mercer-ml/mercer/internal/format/absent"
	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// strays are the values of a column of strings that are no numbers, where nine of ten are.
type strays struct {
	column  string
	words   []string // each once, in the order of their rows
	row     int      // of the first, from 0
	numbers int
}

// mostStrays is how many different words may stand among numbers.
const mostStrays = 20

// straysIn looks for them in a column that was not taken for numbers.
func straysIn(c *data.Column, in data.Inference) (s strays, ok bool) {
	if c.Kind != data.Text && c.Kind != data.Categorical {
		return s, false
	}
	s = strays{column: c.Name, row: -1}
	values := make([]string, c.Len())
	words, most := 0, c.Len()/10
	for i := range values {
		if c.IsMissing(i) {
			continue
		}
		v := strings.TrimSpace(c.String(i))
		switch {
		case v == "" || celltext.IsNA(v) || slices.Contains(in.Missing, v):
			continue
		case data.NumberIn(v):
			s.numbers++
			values[i] = v
			continue
		}
		if words++; words > most || len(s.words) > mostStrays {
			return s, false
		}
		if s.row < 0 {
			s.row = i
		}
		if !slices.Contains(s.words, v) {
			s.words = append(s.words, v)
		}
	}
	if words == 0 || s.numbers < 9*words {
		return s, false
	}
	numbers := data.TextColumn(c.Name, values)
	_, ok = numbers.SettleNumbers(data.Notation{Kind: data.Text}, in.Decimal)
	return s, ok
}

// settleStrays reads columns as the numbers that they are but for a few words: the usual ones for a
// value that is missing are taken for that, all together and said once; where there are others it
// is an error that names all of them. known has the places of words that the parser found.
func (r *Reader) settleStrays(set *data.Dataset, in data.Inference, known map[string]error) error {
	var usual, others []strays
	for i := range set.Columns {
		c := &set.Columns[i]
		if _, told := in.Told[c.Name]; told {
			continue
		}
		s, ok := straysIn(c, in)
		switch {
		case !ok && known[c.Name] != nil && (c.Kind == data.Text || c.Kind == data.Categorical):
			return known[c.Name]
		case !ok:
		case slices.ContainsFunc(s.words, func(w string) bool { return !absent.Word(w) }):
			others = append(others, s)
		default:
			usual = append(usual, s)
		}
	}
	if len(others) > 0 {
		return r.strayError(others, known)
	}
	if len(usual) == 0 {
		return nil
	}
	part := data.Dataset{Name: set.Name}
	told := maps.Clone(in.Told)
	if told == nil {
		told = map[string]data.Notation{}
	}
	var words, columns []string
	for _, s := range usual {
		told[s.column] = data.Notation{Kind: data.Numeric, Missing: slices.Concat(in.Missing, s.words)}
		c, err := set.Column(s.column)
		if err != nil {
			return err
		}
		part.Columns, columns = append(part.Columns, *c), append(columns, s.column)
		for _, w := range s.words {
			if !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	in.Told = told
	if err := data.InferKinds(&part, in); err != nil {
		return err
	}
	for i := range part.Columns {
		for j := range set.Columns {
			if set.Columns[j].Name == part.Columns[i].Name {
				set.Columns[j] = part.Columns[i]
			}
		}
	}
	set.Notes = append(set.Notes, absent.Note(words, columns))
	return nil
}

// strayError names every word, and the column of each.
func (r *Reader) strayError(all []strays, known map[string]error) error {
	first := all[0]
	out := data.Error{File: r.name, Row: first.row + 1, Column: first.column, Kind: data.ErrValue, Remedy: mend.Kind,
		Reason: fmt.Sprintf("column %q is %q where %s other rows are numbers", first.column, clip(first.words[0]),
			phrase.Thousands(first.numbers))}
	var placed *data.Error
	if errors.As(known[first.column], &placed) {
		out = *placed
	}
	var words, more []string
	for _, s := range all {
		for k, w := range s.words {
			if !slices.Contains(words, w) {
				words = append(words, w)
			}
			if s.column != first.column || k > 0 {
				more = append(more, fmt.Sprintf("%q in column %q", clip(w), s.column))
			}
		}
	}
	if len(more) > 0 {
		out.Reason += ", and so is " + absent.Some(more)
	}
	out.Value = strings.Join(words, ",")
	out.Column = cmp.Or(out.Column, first.column)
	return &out
}
