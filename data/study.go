package data

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/internal/mend"
)

// study collects what an encoder has to know of a column of numbers, categories or instants, in one
// pass over chunks of its rows and in memory that does not grow with them (but for the levels of
// categories, and for the numbers themselves where quartiles are asked for).
type study struct {
	code    ColumnCode
	options EncoderOptions
	rows    int
	missing int

	spread          moments // of numbers; of days
	low, high       float64
	first, last     int64     // instants
	numbers         []float64 // for quartiles
	levels          []string  // in the order they came
	counts          []float64
	place           map[string]int
	months          spread
	weekdays, hours spread
	turns           [6]float64 // means of sin and cos: year, week, day
}

// studied says whether a kind of column is encoded by what a study finds.
func studied(k Kind) bool { return k == Numeric || k.named() || k == Time }

func newStudy(c *Column, o EncoderOptions) *study {
	s := &study{code: ColumnCode{Name: c.Name, Kind: c.Kind}, options: o, low: math.Inf(1), high: math.Inf(-1),
		first: math.MaxInt64, last: math.MinInt64, place: map[string]int{}}
	if c.Kind == Boolean { // both, whatever the rows have and however they write it
		s.levels, s.counts = slices.Clone(truthNames), make([]float64, len(truthNames))
		for i, l := range truthNames {
			s.place[l] = i
		}
	}
	return s
}

// add takes in the values of a chunk.
func (s *study) add(c *Column) error {
	if c.Kind != s.code.Kind {
		return &Error{Column: c.Name, Kind: ErrValue, Reason: fmt.Sprintf("column %q is %s in some rows and %s in others",
			c.Name, s.code.Kind, c.Kind)}
	}
	if s.code.Kind == Time && c.Notation != nil {
		s.code.Layout = c.Notation.Layout
	}
	places := s.placesOf(c.Levels)
	for i := range c.Len() {
		s.rows++
		if c.IsMissing(i) {
			s.missing++
			continue
		}
		switch s.code.Kind {
		case Numeric:
			if err := s.addNumber(c.Numbers[i]); err != nil {
				return inColumn(c.Name, err)
			}
		case Categorical:
			s.counts[places(c.Codes[i])]++
		case Boolean:
			if c.Codes[i] > 1 {
				return c.notKind(i, c.Levels[c.Codes[i]], needTruth, mend.None)
			}
			s.counts[c.Codes[i]]++
		case Time:
			s.addTime(c.Micros[i])
		}
	}
	return nil
}

// placesOf finds the place of a level of a chunk, when one of its rows has it.
func (s *study) placesOf(levels []string) func(code int32) int {
	known := make([]int, len(levels))
	for i := range known {
		known[i] = -1
	}
	return func(code int32) int {
		if known[code] >= 0 {
			return known[code]
		}
		at, ok := s.place[levels[code]]
		if !ok {
			at = len(s.levels)
			s.place[levels[code]] = at
			s.levels, s.counts = append(s.levels, levels[code]), append(s.counts, 0)
		}
		known[code] = at
		return at
	}
}

func (s *study) addNumber(x float64) error {
	if math.IsInf(x, 0) {
		return &Error{Row: s.rows, Kind: ErrNotFinite, Reason: fmt.Sprintf("%v is not a finite number", x)}
	}
	s.low, s.high = min(s.low, x), max(s.high, x)
	s.spread.add(x)
	if s.options.Scaling == robust {
		s.numbers = append(s.numbers, x)
	}
	return nil
}

func (s *study) addTime(micros int64) {
	t := time.UnixMicro(micros).UTC()
	days := daysOf(micros)
	s.low, s.high = min(s.low, days), max(s.high, days)
	s.first, s.last = min(s.first, micros), max(s.last, micros)
	s.spread.add(days)
	if s.options.Scaling == robust {
		s.numbers = append(s.numbers, days)
	}
	s.months.see(int(t.Month()))
	s.weekdays.see(int(t.Weekday()))
	s.hours.see(t.Hour()*3600 + t.Minute()*60 + t.Second())
	whole := ColumnCode{Parts: everyTurn}
	var at [6]float64
	whole.putTime(at[:], micros)
	for j, v := range at {
		s.turns[j] += (v - s.turns[j]) / s.spread.n
	}
}

// everyTurn is all parts of an instant that are points on circles.
var everyTurn = []string{"year sin", "year cos", "week sin", "week cos", "day sin", "day cos"}

// scale is the map of the numbers; a constant column is only centred, since it has no size to
// divide by.
func (s *study) scale() (Affine, error) {
	a := Affine{0, 1}
	if s.spread.n == 0 {
		return a, nil
	}
	size := 0.0
	mean, std := s.spread.meanStd()
	switch s.options.Scaling {
	case noScaling, "":
		return a, nil
	case standardize:
		a.Center, size = mean, std
	case minMax:
		a.Center, size = s.low, s.high-s.low
	case robust:
		slices.Sort(s.numbers)
		a.Center, size = quantile(s.numbers, 0.5), quantile(s.numbers, 0.75)-quantile(s.numbers, 0.25)
		if size == 0 { // half the values are equal
			size = std
		}
	case maxAbs:
		size = max(-s.low, s.high)
	default:
		return a, fmt.Errorf("unknown scaling %q; choose none, standardize, minmax, robust or maxabs", s.options.Scaling)
	}
	if f := 1 / size; !math.IsInf(f, 0) && f > 0 {
		a.Factor = f
	}
	return a, nil
}

// finish is how the column is encoded. What stands in place of a missing value is the mean of the
// encoded ones.
func (s *study) finish() (ColumnCode, error) {
	code := s.code
	code.Indicator = s.missing > 0 && s.options.Missing == missingIndicator
	a, err := s.scale()
	if err != nil {
		return code, inColumn(code.Name, err)
	}
	mean, _ := s.spread.meanStd()
	fill := 0.0
	if s.spread.n > 0 {
		fill = a.Apply(mean)
	}
	if s.spread.n > 0 && code.Kind == Numeric {
		code.Range = []float64{s.low, s.high}
	}
	if s.spread.n > 0 && code.Kind == Time {
		code.Range = []float64{float64(s.first), float64(s.last)}
	}
	switch code.Kind {
	case Numeric:
		code.Width, code.Scale, code.Fill = 1, []Affine{a}, []float64{fill}
	case Categorical, Boolean:
		s.finishLevels(&code)
	case Time:
		code.Scale, code.Parts, code.Fill = []Affine{a}, []string{"days"}, []float64{fill}
		for j, of := range []spread{s.months, s.weekdays, s.hours} {
			if of.varies {
				code.Parts = append(code.Parts, everyTurn[2*j:2*j+2]...)
				code.Fill = append(code.Fill, s.turns[2*j:2*j+2]...)
			}
		}
		code.Width = len(code.Parts)
	}
	return code, nil
}

// finishLevels puts levels in order (as numbers where all are numbers), whatever order they came
// in.
func (s *study) finishLevels(code *ColumnCode) {
	order := make([]int, len(s.levels))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, levelOrder(s.levels))
	code.Levels = Take(s.levels, order)
	if s.options.Categories == categoryCode {
		code.Width, code.Coded, code.Fill = 1, true, []float64{-1}
		return
	}
	code.Width = len(code.Levels)
	for _, from := range order {
		code.Fill = append(code.Fill, s.counts[from]/float64(max(s.rows-s.missing, 1)))
	}
}
