package data

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// Kind says what the values of a column are.
type Kind uint8

// The kinds of column.
const (
	// Numeric is a column of float64; NaN stands for a missing value.
	Numeric Kind = iota
	// Categorical is a column of codes into a list of level names; -1 stands
	// for a missing value.
	Categorical
	// Text is a column of strings; the empty string stands for a missing value.
	Text
	// Boolean is a column of codes, 0 for false and 1 for true, and -1 for a missing value; the
	// first two Levels are how false and true are written. Codes above 1 are of values that are
	// neither.
	Boolean
	// Time is a column of instants (or dates) in Unix microseconds; NoTime
	// stands for a missing value.
	Time
	// Sequence is a column of lists of numbers of any length, or of steps of
	// several numbers each (Channels): time series; nil stands for a missing value.
	Sequence
	// Bag is a column of collections of vectors, of Channels numbers each, whose
	// order means nothing; nil stands for a missing value.
	Bag
	// Tree, Set, Ranking, Graph, Fuzzy (sets), Histogram and Distribution (a normal one, or a
	// mixture) are columns of objects in the form of text; the empty string stands for a missing
	// value.
	Tree
	Set
	Ranking
	Graph
	Fuzzy
	Histogram
	Distribution
)

// Object says that values of the kind are no numbers: what compares them is a
// kernel of their own, not features.
func (k Kind) Object() bool { return k == Text || k >= Sequence }

// named says that a column keeps its values as codes into a list of names.
func (k Kind) named() bool { return k == Categorical || k == Boolean }

// written says that a column keeps its values as text.
func (k Kind) written() bool { return k == Text || k >= Tree }

// NoTime is the missing value of a Time column.
const NoTime = math.MinInt64

var kindNames = [...]string{"numeric", "categorical", "text", "boolean", "time", "sequence", "bag", "tree", "set",
	"ranking", "graph", "fuzzy", "histogram", "distribution"}

// String returns the kind's name: numeric, categorical, text, boolean, time, sequence, bag, tree,
// set, ranking, graph, fuzzy, histogram, distribution.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// ParseKind is the inverse of Kind.String.
func ParseKind(name string) (Kind, error) {
	if i := slices.Index(kindNames[:], name); i >= 0 {
		return Kind(i), nil
	}
	return 0, fmt.Errorf("unknown column kind %q%s; kinds are %s", name, phrase.DidYouMean(name, kindNames[:]),
		strings.Join(kindNames[:], ", "))
}

// MarshalText writes the kind's name.
func (k Kind) MarshalText() ([]byte, error) {
	if int(k) >= len(kindNames) {
		return nil, fmt.Errorf("unknown column kind %d", uint8(k))
	}
	return []byte(kindNames[k]), nil
}

// UnmarshalText reads the kind's name.
func (k *Kind) UnmarshalText(text []byte) error {
	v, err := ParseKind(string(text))
	if err != nil {
		return err
	}
	*k = v
	return nil
}

// Column is a named list of values of one kind. Only the fields of its kind
// are set.
type Column struct {
	Name string
	Kind Kind

	Numbers   []float64   // Numeric
	Codes     []int32     // Categorical, Boolean: index into Levels, -1 missing
	Levels    []string    // Categorical: distinct level names; Boolean: false and true as they are written
	Strings   []string    // Text, Tree, Set, Ranking, Graph, Fuzzy, Histogram, Distribution
	Micros    []int64     // Time: microseconds since 1970-01-01 UTC
	Sequences [][]float64 // Sequence, Bag: the numbers of all steps or vectors, one after the other
	Channels  int         // Sequence, Bag: numbers of a step or vector; 0 means 1

	// Digits are those of whole numbers that float64 does not keep, by row, in a column of numbers:
	// a key or an id is not rounded when it is compared or written, only when it is computed with.
	Digits map[int]string

	// Notation, where the column was read from text, is how.
	Notation *Notation

	// Gap, where a reader knows it, is the place of the first missing value.
	Gap *Gap
}

// Gap is the place in a file of a missing value and what stands there.
type Gap struct {
	File  string // where it is another than the data set's
	Line  int
	Value string
}

// NumberColumn makes a numeric column.
func NumberColumn(name string, values []float64) Column {
	return Column{Name: name, Kind: Numeric, Numbers: values}
}

// TextColumn makes a text column.
func TextColumn(name string, values []string) Column {
	return Column{Name: name, Kind: Text, Strings: values}
}

// LevelColumn makes a categorical column from level names; the levels are
// sorted (as numbers where all are numbers), and an empty name is a missing
// value.
func LevelColumn(name string, values []string) Column {
	c := Column{Name: name, Kind: Categorical, Codes: make([]int32, len(values))}
	code := map[string]int32{}
	for i, v := range values {
		if v == "" {
			c.Codes[i] = -1
			continue
		}
		k, ok := code[v]
		if !ok {
			k = int32(len(c.Levels))
			code[v] = k
			c.Levels = append(c.Levels, v)
		}
		c.Codes[i] = k
	}
	c.sortLevels()
	return c
}

// TimeColumn makes a time column; the zero time is a missing value.
func TimeColumn(name string, values []time.Time) Column {
	c := Column{Name: name, Kind: Time, Micros: make([]int64, len(values))}
	for i, v := range values {
		if v.IsZero() {
			c.Micros[i] = NoTime
		} else {
			c.Micros[i] = v.UnixMicro()
		}
	}
	return c
}

// SequenceColumn makes a column of number lists.
func SequenceColumn(name string, values [][]float64) Column {
	return Column{Name: name, Kind: Sequence, Sequences: values}
}

// Len returns the number of values.
func (c *Column) Len() int {
	switch c.Kind {
	case Numeric:
		return len(c.Numbers)
	case Categorical, Boolean:
		return len(c.Codes)
	case Time:
		return len(c.Micros)
	case Sequence, Bag:
		return len(c.Sequences)
	default:
		return len(c.Strings)
	}
}

// IsMissing says whether value i is missing.
func (c *Column) IsMissing(i int) bool {
	switch c.Kind {
	case Numeric:
		return math.IsNaN(c.Numbers[i])
	case Categorical, Boolean:
		return c.Codes[i] < 0
	case Time:
		return c.Micros[i] == NoTime
	case Sequence, Bag:
		return c.Sequences[i] == nil
	default:
		return c.Strings[i] == ""
	}
}

// Missing counts the missing values.
func (c *Column) Missing() int {
	n := 0
	for i := range c.Len() {
		if c.IsMissing(i) {
			n++
		}
	}
	return n
}

// String formats value i as a file would hold it; missing is empty.
func (c *Column) String(i int) string {
	if c.IsMissing(i) {
		return ""
	}
	switch c.Kind {
	case Numeric:
		if digits, ok := c.Digits[i]; ok {
			return digits
		}
		if c.Notation != nil && c.Notation.Width > 0 {
			return padded(c.Numbers[i], c.Notation.Width)
		}
		return phrase.Number(c.Numbers[i])
	case Categorical, Boolean:
		return c.Levels[c.Codes[i]]
	case Time:
		return formatTime(c.Micros[i], c.Notation.zone())
	case Sequence, Bag:
		return formatSequence(c.Sequences[i], c.Channels)
	default:
		return c.Strings[i]
	}
}

// keepDigits remembers a whole number that float64 does not keep.
func (c *Column) keepDigits(i int, digits string) {
	if c.Digits == nil {
		c.Digits = map[int]string{}
	}
	c.Digits[i] = digits
}

// padded writes a number with zeros before it up to so many digits.
func padded(x float64, width int) string {
	s := phrase.Number(x)
	if x < 0 {
		return s
	}
	return strings.Repeat("0", max(0, width-len(s))) + s
}

// Gather returns the column of the rows in index, in that order.
func (c *Column) Gather(index []int) Column {
	out := Column{Name: c.Name, Kind: c.Kind, Levels: c.Levels, Notation: c.Notation, Channels: c.Channels, Gap: c.Gap}
	switch c.Kind {
	case Numeric:
		out.Numbers = Take(c.Numbers, index)
		for to, from := range index {
			if digits, ok := c.Digits[from]; ok {
				out.keepDigits(to, digits)
			}
		}
	case Categorical, Boolean:
		out.Codes = Take(c.Codes, index)
	case Time:
		out.Micros = Take(c.Micros, index)
	case Sequence, Bag:
		out.Sequences = Take(c.Sequences, index)
	default:
		out.Strings = Take(c.Strings, index)
	}
	return out
}

// sortLevels puts the levels in order (as numbers where all are numbers) and
// renumbers the codes, so that the coding does not depend on the order of rows.
func (c *Column) sortLevels() {
	if len(c.Levels) < 2 {
		return
	}
	order := par.Indices(0, len(c.Levels))
	slices.SortStableFunc(order, levelOrder(c.Levels))
	place := make([]int32, len(order))
	sorted := make([]string, len(order))
	for to, from := range order {
		place[from] = int32(to)
		sorted[to] = c.Levels[from]
	}
	c.Levels = sorted
	for i, k := range c.Codes {
		if k >= 0 {
			c.Codes[i] = place[k]
		}
	}
}
