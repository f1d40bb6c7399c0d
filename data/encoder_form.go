package data

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// The forms of a fit between processes: all that it has seen, without the rows. They are written as
// JSON, which model files are written in anyway (encoding/gob would be a second of every first
// build), with what JSON cannot hold in another form: numbers that are infinite, and texts that may
// be no UTF-8.
type (
	fitForm struct {
		Options EncoderOptions
		Rows    int
		Begun   bool
		Name    string
		Roles   [3]string // target, weights, groups
		Order   string
		Noise   string `json:",omitempty"`
		Joins   []Join
		Columns []studyForm
		Target  []studyForm // none, or one and those of the further targets
		More    []string
		Read    map[string]Notation
		Settled []string // of Read, which keeps this to itself
	}
	studyForm struct {
		Code                    ColumnCode
		Options                 EncoderOptions
		Rows, Missing           int
		Spread                  []exact // n, unit, mean, sums
		Low, High               exact
		First, Last             int64
		Levels                  [][]byte
		Counts                  []exact
		Months, Weekdays, Hours spreadForm
		Turns                   []exact
	}
	spreadForm struct {
		Seen, Varies bool
		First        int
	}
)

// exact is a number to its last bit, infinite or not.
type exact float64

// MarshalText writes it in hexadecimal form.
func (x exact) MarshalText() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(x), 'x', -1, 64), nil
}

// UnmarshalText reads what MarshalText wrote.
func (x *exact) UnmarshalText(text []byte) error {
	v, err := strconv.ParseFloat(string(text), 64)
	*x = exact(v)
	return err
}

func exactly(v []float64) []exact {
	out := make([]exact, len(v))
	for i, x := range v {
		out[i] = exact(x)
	}
	return out
}

// fill puts numbers into a place for as many.
func fill(to []float64, from []exact) {
	for i := range min(len(to), len(from)) {
		to[i] = float64(from[i])
	}
}

// MarshalBinary writes what was seen, for another process to Merge.
func (f *EncoderFit) MarshalBinary() ([]byte, error) {
	form := fitForm{Options: f.options, Rows: f.rows, Begun: f.first != nil, Read: f.read}
	if f.first != nil {
		form.Name, form.Roles, form.Order, form.Noise, form.More, form.Joins = f.first.Name,
			[3]string{f.first.Target, f.first.Weights, f.first.Groups}, f.first.Order, f.first.Noise, f.first.More, f.first.Joins
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
	for name, n := range f.read {
		if n.Settled {
			form.Settled = append(form.Settled, name)
		}
	}
	slices.Sort(form.Settled)
	return json.Marshal(form)
}

// UnmarshalBinary reads what MarshalBinary wrote.
func (f *EncoderFit) UnmarshalBinary(b []byte) error {
	var form fitForm
	if err := json.Unmarshal(b, &form); err != nil {
		return &Error{Kind: ErrDamaged, Reason: "what was seen of rows cannot be read", Err: err}
	}
	for _, name := range form.Settled {
		if n, ok := form.Read[name]; ok {
			n.Settled = true
			form.Read[name] = n
		}
	}
	out := EncoderFit{options: form.Options, rows: form.Rows, read: form.Read}
	if form.Begun {
		out.first = &Dataset{Name: form.Name, Target: form.Roles[0], More: form.More, Weights: form.Roles[1],
			Noise: form.Noise, Groups: form.Roles[2], Order: form.Order, Joins: form.Joins}
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
		return &Error{Kind: ErrDamaged, Reason: fmt.Sprintf("what was seen of %d targets, and of %d", len(form.More)+1,
			len(form.Target))}
	}
	*f = out
	return nil
}

func (s *study) form() studyForm {
	m := s.spread
	out := studyForm{Code: s.code, Options: s.options, Rows: s.rows, Missing: s.missing,
		Spread: exactly([]float64{m.n, m.unit, m.mean, m.sums}), Low: exact(s.low), High: exact(s.high), First: s.first,
		Last:   s.last,
		Counts: exactly(s.counts), Months: s.months.form(), Weekdays: s.weekdays.form(), Hours: s.hours.form(),
		Turns: exactly(s.turns[:])}
	for _, l := range s.levels {
		out.Levels = append(out.Levels, []byte(l))
	}
	return out
}

func (t studyForm) study() *study {
	s := newStudy(&Column{}, t.Options)
	s.code, s.rows, s.missing = t.Code, t.Rows, t.Missing
	var m [4]float64
	fill(m[:], t.Spread)
	s.spread = moments{m[0], m[1], m[2], m[3]}
	s.low, s.high, s.first, s.last = float64(t.Low), float64(t.High), t.First, t.Last
	for _, l := range t.Levels {
		s.levels = append(s.levels, string(l))
	}
	s.counts = make([]float64, len(s.levels)) // of a damaged file there are other counts
	fill(s.counts, t.Counts)
	fill(s.turns[:], t.Turns)
	for i, l := range s.levels {
		s.place[l] = i
	}
	s.months, s.weekdays, s.hours = t.Months.spread(), t.Weekdays.spread(), t.Hours.spread()
	return s
}

func (s spread) form() spreadForm { return spreadForm{s.seen, s.varies, s.first} }

func (f spreadForm) spread() spread { return spread{f.Seen, f.Varies, f.First} }
