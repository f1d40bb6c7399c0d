package data

import (
	"fmt"
	"slices"
)

// Merge takes in rows that another fit of the same options has seen, as if they came after those
// seen here: rows that lie in many places are looked through where they are. The encoder is that of
// one pass over all of them up to rounding; in the same order of merging it has the same bits. next
// is not to be used afterwards.
func (f *EncoderFit) Merge(next *EncoderFit) error {
	switch {
	case next.first == nil:
		return nil
	case f.first == nil:
		*f = *next
		return nil
	case len(next.columns) != len(f.columns):
		return next.first.fault(Error{Kind: ErrNoColumn, Reason: fmt.Sprintf("%d columns, the rows before have %d",
			len(next.columns), len(f.columns))})
	case !slices.Equal(next.first.Targets(), f.first.Targets()) || next.first.Weights != f.first.Weights:
		return next.first.fault(Error{Kind: ErrTarget,
			Reason: fmt.Sprintf("targets %q and weights %q, the rows before have %q and %q", next.first.Targets(),
				next.first.Weights, f.first.Targets(), f.first.Weights)})
	}
	for i, s := range f.columns {
		from := next.columns[i]
		switch {
		case from.code.Name != s.code.Name:
			return next.first.fault(Error{Column: from.code.Name, Kind: ErrNoColumn,
				Reason: fmt.Sprintf("column %q where the rows before have %q", from.code.Name, s.code.Name)})
		case from.code.Kind != s.code.Kind:
			return next.first.fault(Error{Column: from.code.Name, Kind: ErrValue,
				Reason: fmt.Sprintf("column %q is %s, in the rows before %s", from.code.Name, from.code.Kind, s.code.Kind)})
		}
		s.merge(from)
	}
	if f.target != nil {
		f.target.merge(next.target)
	}
	for i, s := range f.more {
		s.merge(next.more[i])
	}
	f.rows += next.rows
	return f.checkLevels(next.first)
}

// merge takes in what another study has seen of the same column.
func (s *study) merge(o *study) {
	before, more := s.spread.n, o.spread.n
	s.rows += o.rows
	s.missing += o.missing
	s.spread.merge(o.spread)
	s.low, s.high = min(s.low, o.low), max(s.high, o.high)
	s.first, s.last = min(s.first, o.first), max(s.last, o.last)
	if o.code.Layout != "" {
		s.code.Layout = o.code.Layout
	}
	for i, level := range o.levels {
		at, ok := s.place[level]
		if !ok {
			at = len(s.levels)
			s.place[level] = at
			s.levels, s.counts = append(s.levels, level), append(s.counts, 0)
		}
		s.counts[at] += o.counts[i]
	}
	s.months.merge(o.months)
	s.weekdays.merge(o.weekdays)
	s.hours.merge(o.hours)
	for j := range s.turns {
		if more > 0 {
			s.turns[j] += (o.turns[j] - s.turns[j]) * (more / (before + more))
		}
	}
}

func (s *spread) merge(o spread) {
	switch {
	case !o.seen:
	case !s.seen:
		*s = o
	default:
		s.varies = s.varies || o.varies || o.first != s.first
	}
}

// merge is the moments of both (Chan, Golub and LeVeque 1979), in the larger unit.
func (m *moments) merge(o moments) {
	if o.n == 0 {
		return
	}
	if m.n == 0 {
		*m = o
		return
	}
	unit := max(m.unit, o.unit)
	m.in(unit)
	o.in(unit)
	d, n := o.mean-m.mean, m.n+o.n
	m.mean += d * (o.n / n)
	m.sums += o.sums + d*d*(m.n*o.n/n)
	m.n = n
}

// in changes to a unit that is no smaller.
func (m *moments) in(unit float64) {
	if m.unit > 0 && m.unit < unit {
		ratio := m.unit / unit
		m.mean *= ratio
		m.sums *= ratio * ratio
	}
	m.unit = unit
}

// TargetMoments is the mean and the standard deviation of each target of numbers; of none where
// there is none.
func (f *EncoderFit) TargetMoments() (means, deviations []float64) {
	if f.target == nil || f.options.Task != Regression {
		return nil, nil
	}
	for _, s := range append([]*study{f.target}, f.more...) {
		mean, deviation := s.spread.meanStd()
		means, deviations = append(means, mean), append(deviations, deviation)
	}
	return means, deviations
}

// ClassCounts is how many rows each class has, in the order of the encoder's; nil where the target
// is no class.
func (f *EncoderFit) ClassCounts() []float64 {
	if f.target == nil || !f.options.Task.Classification() {
		return nil
	}
	var code ColumnCode
	f.target.finishLevels(&code)
	counts := make([]float64, len(code.Levels))
	for i, level := range code.Levels {
		counts[i] = f.target.counts[f.target.place[level]]
	}
	return counts
}

// ColumnSeen is what was seen of a column.
type ColumnSeen struct {
	Name            string
	Kind            Kind
	Rows, Missing   int
	Low, High       float64 // of numbers; of instants in Unix microseconds
	Mean, Deviation float64 // of numbers
	Levels          []string
	Counts          []float64 // of each level
}

// Seen is what was seen of each column but for the target, in their order.
func (f *EncoderFit) Seen() []ColumnSeen {
	var out []ColumnSeen
	for _, s := range f.columns {
		c := ColumnSeen{Name: s.code.Name, Kind: s.code.Kind, Rows: s.rows, Missing: s.missing}
		switch s.code.Kind {
		case Numeric:
			c.Low, c.High = s.low, s.high
			c.Mean, c.Deviation = s.spread.meanStd()
		case Time:
			c.Low, c.High = float64(s.first), float64(s.last)
		case Categorical, Boolean:
			var code ColumnCode
			s.finishLevels(&code)
			c.Levels = code.Levels
			for _, l := range code.Levels {
				c.Counts = append(c.Counts, s.counts[s.place[l]])
			}
		}
		out = append(out, c)
	}
	return out
}
