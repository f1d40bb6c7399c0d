package data

import (
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// EncoderFit fits an encoder to rows that come in chunks, in one pass and in memory that does not
// grow with them: the encoder is that of FitEncoder on all rows together, to the bit. Columns must
// be numbers, categories or instants; what a column is has to be the same in all chunks.
type EncoderFit struct {
	options EncoderOptions
	rows    int
	first   *Dataset // names and roles
	columns []*study
	target  *study
	more    []*study // of the further targets
	read    map[string]Notation
}

// mostLevelBytes is how much the names of categories may take: more of them are text, or numbers
// that name rows.
const mostLevelBytes = 16 << 20

// NewEncoderFit begins with no rows. The task has to be told, since the rows to come may look
// different from the first.
func NewEncoderFit(o EncoderOptions) (*EncoderFit, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if o.Scaling == robust {
		return nil, &Error{Kind: ErrTooLarge, Remedy: mend.Scaling,
			Reason: "quartiles need all numbers of a column in memory at once"}
	}
	return &EncoderFit{options: o}, nil
}

// Rows is how many were added.
func (f *EncoderFit) Rows() int { return f.rows }

// Add takes in the next rows. The error names the row, counted from the first of all.
func (f *EncoderFit) Add(d *Dataset) error {
	if err := d.Check(); err != nil {
		return err
	}
	features := d.Features()
	if f.first == nil {
		if err := f.begin(d, features); err != nil {
			return err
		}
	}
	if len(features) != len(f.columns) {
		return d.fault(Error{Row: f.rows + 1, Kind: ErrNoColumn,
			Reason: fmt.Sprintf("%d columns, the rows before have %d", len(features), len(f.columns))})
	}
	var target *Column
	if f.target != nil {
		var err error
		if target, err = d.Column(d.Target); err != nil {
			return err
		}
	}
	more := d.moreColumns()
	if len(more) != len(f.more) {
		return d.fault(Error{Row: f.rows + 1, Kind: ErrTarget, Remedy: mend.Target,
			Reason: fmt.Sprintf("%d further targets, the rows before have %d", len(more), len(f.more))})
	}
	if f.options.Missing == missingRefuse {
		if err := f.refuseMissing(d, features, append(more[:len(more):len(more)], target)); err != nil {
			return err
		}
	}
	for i, c := range features {
		if c.Name != f.columns[i].code.Name {
			return d.fault(Error{Row: f.rows + 1, Column: c.Name, Kind: ErrNoColumn,
				Reason: fmt.Sprintf("column %q where the rows before have %q", c.Name, f.columns[i].code.Name)})
		}
		if err := d.checkRange(c, f.rows); err != nil {
			return err
		}
		if err := f.columns[i].add(c); err != nil {
			return PlaceError(d.label(), 0, err)
		}
	}
	if target != nil {
		if err := f.addTarget(d, f.target, target); err != nil {
			return err
		}
	}
	for i, c := range more {
		if err := f.addTarget(d, f.more[i], c); err != nil {
			return err
		}
	}
	f.rows += d.Len()
	return f.checkLevels(d)
}

func (f *EncoderFit) begin(d *Dataset, features []*Column) error {
	if d.Sparse != nil {
		return d.fault(Error{Kind: ErrTooLarge, Reason: "sparse rows are read whole",
			Advice: "give more memory, or save them as a table of numbers"})
	}
	f.read = d.notations()
	f.first = &Dataset{Name: d.Name, Target: d.Target, More: d.More, Weights: d.Weights, Noise: d.Noise, Groups: d.Groups,
		Order: d.Order, Joins: d.Joins}
	for _, c := range features {
		if !studied(c.Kind) {
			return d.fault(Error{Column: c.Name, Kind: ErrTooLarge,
				Reason: fmt.Sprintf("column %q is %s, which is read whole", c.Name, c.Kind),
				Advice: "give more memory, leave the column out, or tell its kind: numbers, categories and instants are read a " +
					"part at a time"})
		}
		f.columns = append(f.columns, newStudy(c, f.options))
	}
	if len(f.columns) == 0 {
		return d.fault(Error{Reason: "no columns to learn from besides target, weights, noise and groups", Kind: ErrNoColumn})
	}
	if d.Target == "" {
		return nil
	}
	c, err := d.Column(d.Target)
	if err != nil {
		return err
	}
	switch task := f.options.Task; {
	case task == Unsupervised:
		return fmt.Errorf("tell the task: what some of the rows look like need not be what all do")
	case task == Regression && c.Kind != Numeric:
		return PlaceError(d.label(), 0, noTarget(c, "target %q is %s, and regression needs numbers", c.Name, c.Kind))
	case task == Regression:
		f.target = newStudy(c, EncoderOptions{Scaling: noScaling})
	default:
		f.target = newStudy(&Column{Name: c.Name, Kind: Categorical}, EncoderOptions{Categories: categoryCode})
	}
	if err := d.checkMoreRoles(&TargetCode{Name: c.Name, Task: f.options.Task}); err != nil {
		return err
	}
	for _, c := range d.moreColumns() {
		f.more = append(f.more, newStudy(c, EncoderOptions{Scaling: noScaling}))
	}
	return nil
}

func (f *EncoderFit) addTarget(d *Dataset, to *study, c *Column) error {
	check := d.checkTargetRange
	if f.options.Task.Classification() {
		check = d.checkRange
	}
	if err := check(c, f.rows); err != nil {
		return err
	}
	if f.options.Task.Classification() && c.Kind != Categorical {
		classes, err := c.As(Categorical)
		if err != nil {
			return err
		}
		if c.Kind == Boolean {
			classes.Levels = to.spelt(classes.Levels)
		}
		c = &classes
	}
	if err := to.add(c); err != nil {
		return PlaceError(d.label(), 0, err)
	}
	return nil
}

// refuseMissing names the first row of a chunk that lacks a value.
func (f *EncoderFit) refuseMissing(d *Dataset, features, targets []*Column) error {
	row, first := d.Len(), (*Column)(nil)
	for _, c := range slices.Concat(features, targets) {
		if c == nil {
			continue
		}
		for i := 0; i < row; i++ {
			if c.IsMissing(i) {
				row, first = i, c
			}
		}
	}
	if first == nil {
		return nil
	}
	e := Error{Row: f.rows + row + 1, Column: first.Name, Kind: ErrMissing, Remedy: mend.Missing,
		Reason:  fmt.Sprintf("column %q has no value", first.Name),
		Missing: []MissingCount{{first.Name, first.Missing(), first.Kind == Numeric, first.Gap}}}
	if first.Gap != nil {
		e.Line, e.Value = first.Gap.Line, first.Gap.Value
	}
	return d.fault(e)
}

func (f *EncoderFit) checkLevels(d *Dataset) error {
	for _, s := range append(f.columns[:len(f.columns):len(f.columns)], f.target) {
		if s == nil {
			continue
		}
		bytes := 0
		for _, l := range s.levels {
			bytes += len(l) + 64
		}
		if bytes > mostLevelBytes {
			return d.fault(Error{Column: s.code.Name, Kind: ErrTooLarge, Bytes: int64(bytes),
				Reason: fmt.Sprintf("column %q has %s categories in the first %s rows", s.code.Name,
					phrase.Thousands(len(s.levels)),
					phrase.Thousands(f.rows)),
				Advice: "leave it out, or tell that it is numbers"})
		}
	}
	return nil
}

// Encoder is that of all rows that were added.
func (f *EncoderFit) Encoder() (*Encoder, error) {
	if f.first == nil || f.rows == 0 {
		return nil, &Error{Reason: "no rows to fit an encoder to", Kind: ErrNoRows}
	}
	e := &Encoder{Options: f.options, Weights: f.first.Weights, Noise: f.first.Noise, Joins: f.first.Joins,
		Notations: f.read, More: f.first.More}
	for _, s := range f.columns {
		code, err := s.finish()
		if err != nil {
			return nil, err
		}
		e.append(code)
	}
	if f.target != nil {
		e.Target = &TargetCode{Name: f.target.code.Name, Task: f.options.Task, Why: "the task is given"}
		if f.options.Task.Classification() {
			code, err := f.target.finish()
			if err != nil {
				return nil, err
			}
			e.Target.Classes = code.Levels
		}
	}
	return e, nil
}
