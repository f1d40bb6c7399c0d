package data

import (
	"bytes"
	"encoding/gob"
	"fmt"
)

// The forms of a fit between processes: all that it has seen, without the rows.
type (
	fitForm struct {
		Options EncoderOptions
		Rows    int
		Begun   bool
		Name    string
		Roles   [3]string // target, weights, groups
		Order   string
		Joins   []Join
		Columns []studyForm
		Target  []studyForm // none, or one and those of the further targets
		More    []string
		Read    map[string]Notation
	}
	studyForm struct {
		Code                    ColumnCode
		Options                 EncoderOptions
		Rows, Missing           int
		Spread                  [4]float64 // n, unit, mean, sums
		Low, High               float64
		First, Last             int64
		Levels                  []string
		Counts                  []float64
		Months, Weekdays, Hours spreadForm
		Turns                   [6]float64
	}
	spreadForm struct {
		Seen, Varies bool
		First        int
	}
)

// MarshalBinary writes what was seen, for another process to Merge.
func (f *EncoderFit) MarshalBinary() ([]byte, error) {
	form := fitForm{Options: f.options, Rows: f.rows, Begun: f.first != nil, Read: f.read}
	if f.first != nil {
		form.Name, form.Roles, form.Order, form.More, form.Joins = f.first.Name, [3]string{f.first.Target, f.first.Weights, f.first.Groups}, f.first.Order, f.first.More, f.first.Joins
	}
	for _, s := range f.columns {
		form.Columns = append(form.Columns, s.form())
	}
	if f.target != nil {
		form.Target = []studyForm{f.target.form()}
	}
	for _, s := range f.more {
		form.Target = append(form.Target, s.form())
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(form)
	return b.Bytes(), err
}

// UnmarshalBinary reads what MarshalBinary wrote.
func (f *EncoderFit) UnmarshalBinary(b []byte) error {
	var form fitForm
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&form); err != nil {
		return &Error{Kind: ErrDamaged, Reason: "what was seen of rows cannot be read", Err: err}
	}
	out := EncoderFit{options: form.Options, rows: form.Rows, read: form.Read}
	if form.Begun {
		out.first = &Dataset{Name: form.Name, Target: form.Roles[0], More: form.More, Weights: form.Roles[1], Groups: form.Roles[2], Order: form.Order, Joins: form.Joins}
	}
	for _, s := range form.Columns {
		out.columns = append(out.columns, s.study())
	}
	if len(form.Target) > 0 {
		out.target = form.Target[0].study()
		for _, s := range form.Target[1:] {
			out.more = append(out.more, s.study())
		}
	}
	if len(form.More) != max(len(form.Target), 1)-1 {
		return &Error{Kind: ErrDamaged, Reason: fmt.Sprintf("what was seen of %d targets, and of %d", len(form.More)+1, len(form.Target))}
	}
	*f = out
	return nil
}

func (s *study) form() studyForm {
	m := s.spread
	return studyForm{Code: s.code, Options: s.options, Rows: s.rows, Missing: s.missing, Spread: [4]float64{m.n, m.unit, m.mean, m.sums}, Low: s.low, High: s.high, First: s.first, Last: s.last,
		Levels: s.levels, Counts: s.counts, Months: s.months.form(), Weekdays: s.weekdays.form(), Hours: s.hours.form(), Turns: s.turns}
}

func (t studyForm) study() *study {
	s := newStudy(&Column{}, t.Options)
	s.code, s.rows, s.missing = t.Code, t.Rows, t.Missing
	s.spread = moments{t.Spread[0], t.Spread[1], t.Spread[2], t.Spread[3]}
	s.low, s.high, s.first, s.last = t.Low, t.High, t.First, t.Last
	s.levels, s.counts = t.Levels, t.Counts
	if len(s.counts) < len(s.levels) { // of a damaged file
		s.counts = append(s.counts, make([]float64, len(s.levels)-len(s.counts))...)
	}
	for i, l := range s.levels {
		s.place[l] = i
	}
	s.months, s.weekdays, s.hours, s.turns = t.Months.spread(), t.Weekdays.spread(), t.Hours.spread(), t.Turns
	return s
}

func (s spread) form() spreadForm { return spreadForm{s.seen, s.varies, s.first} }

func (f spreadForm) spread() spread { return spread{f.Seen, f.Varies, f.First} }
