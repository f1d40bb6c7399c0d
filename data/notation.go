package data

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/celltext"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// Notation is how the text of a column is read, as far as it is known: what a
// reader found out about the column of one file, or was told. A fitted encoder
// keeps it, so that the next file is read as the first one was, whatever its own
// rows would suggest.
type Notation struct {
	Kind    Kind   `json:"kind"`
	Decimal string `json:"decimal,omitempty"` // of numbers, "." or ","; empty: found from the values
	Group   string `json:"group,omitempty"`   // of numbers: what stands between thousands
	Unit    string `json:"unit,omitempty"`    // of numbers: "%", "$" and the like beside them
	Width   int    `json:"width,omitempty"`   // of whole numbers: digits that zeros fill them up to
	Layout  string `json:"layout,omitempty"`  // of times, as in package time
	Order   string `json:"order,omitempty"`   // of times: "dmy", "mdy" or "ymd", where that was told
	// Zone says of times whether they are instants (Zoned) or what a clock shows somewhere (Local);
	// empty: the layout says it, or nobody does.
	Zone string `json:"zone,omitempty"`
	// Missing are words for a missing value beside the usual ones of IsNA. Literal
	// says that the usual ones are values: the format has a null of its own.
	Missing []string `json:"missing,omitempty"`
	Literal bool     `json:"literal,omitempty"`
	// Ambiguous says that the values fit another reading as well, and the usual
	// one was taken.
	Ambiguous bool `json:"ambiguous,omitempty"`
	// Settled says that nothing is left to be found from the values: the notation is that of a
	// column that was read before.
	Settled bool `json:"-"`
}

// isNA says whether a text means a missing value. A nil notation is that of a text file.
func (n *Notation) isNA(s string) bool {
	if n == nil {
		return celltext.IsNA(s)
	}
	return s == "" || !n.Literal && celltext.IsNA(s) || len(n.Missing) > 0 && slices.Contains(n.Missing, s)
}

// styles are the ways of writing that can be told, by kind and name.
var styles = []struct {
	name  string
	kind  Kind
	apply func(n *Notation)
}{
	{"point", Numeric, func(n *Notation) { n.Decimal = "." }},
	{"comma", Numeric, func(n *Notation) { n.Decimal = "," }},
	{"dmy", Time, func(n *Notation) { n.Order = "dmy" }},
	{"mdy", Time, func(n *Notation) { n.Order = "mdy" }},
	{"ymd", Time, func(n *Notation) { n.Order = "ymd" }},
}

// ParseNotation reads a kind, and after a colon how it is written: numeric:comma
// and numeric:point name the decimal mark, date:dmy, date:mdy and date:ymd the
// order of day, month and year ("date" is the kind time).
func ParseNotation(text string) (Notation, error) {
	name, style, styled := strings.Cut(text, ":")
	if name == "date" {
		name = Time.String()
	}
	kind, err := ParseKind(name)
	n := Notation{Kind: kind}
	if err != nil || !styled {
		return n, err
	}
	var known []string
	for _, s := range styles {
		if s.kind != kind {
			continue
		}
		if s.name == style {
			s.apply(&n)
			return n, nil
		}
		known = append(known, s.name)
	}
	if known == nil {
		return n, fmt.Errorf("%q: columns of kind %s have no ways of writing to choose from", text, kind)
	}
	return n, fmt.Errorf("%q: unknown way of writing %q%s; give %s", text, style, phrase.DidYouMean(style, known),
		strings.Join(known, ", "))
}

// Describe says what is particular about the notation, in a few words; nothing where it is the
// plainest of its kind.
func (n *Notation) Describe() string {
	if n == nil {
		return ""
	}
	var words []string
	switch {
	case n.Kind == Numeric:
		if n.Decimal == "," {
			words = append(words, "decimal comma")
		}
		if n.Group != "" {
			words = append(words, fmt.Sprintf("%q between thousands", n.Group))
		}
		if n.Unit != "" {
			words = append(words, "in "+n.Unit)
		}
		if n.Width > 0 {
			words = append(words, fmt.Sprintf("filled with zeros to %d digits", n.Width))
		}
	case n.Kind == Time && n.Layout != "":
		words = append(words, "written "+pattern(n.Layout))
	}
	if n.Ambiguous {
		words = append(words, n.otherReading())
	}
	if len(n.Missing) > 0 {
		words = append(words, "missing: "+listNames(n.Missing))
	}
	return strings.Join(words, ", ")
}

// DescribeReading says how a column was read, in a few words: what its notation has, and that names
// which look like whole numbers were not taken for numbers.
func (c *Column) DescribeReading() string {
	words := c.Notation.Describe()
	if !c.Kind.named() && c.Kind != Text || c.Notation == nil {
		return words
	}
	e, ok := c.numberEvidence(&Notation{Missing: c.Notation.Missing, Literal: c.Notation.Literal})
	if ok && e.codes(true) {
		if words != "" {
			words += ", "
		}
		words += "digits kept as they are"
	}
	return words
}

// otherReading says which reading the values would fit as well.
func (n *Notation) otherReading() string {
	if n.Kind == Time {
		return "though day and month may be the other way round"
	}
	if n.Decimal == "," {
		return "though the comma may stand between thousands"
	}
	return fmt.Sprintf("though %q may be the decimal mark", n.Group)
}

// Inference is what a reader is told of columns before it looks at them.
type Inference struct {
	// Told is what is known about columns, by name: what a person said, or how an
	// encoder read the same column before. Names that are not there are passed over.
	Told map[string]Notation
	// Missing are words for missing values beside the usual ones; Literal says that the format has
	// a null of its own, and that the usual words are values.
	Missing []string
	Literal bool
	// Ignore are columns at whose values nobody will look: a reader may leave them empty, and
	// nothing in them is a fault.
	Ignore []string
	// Decimal is the decimal mark that other columns of the file have, where they settle it: it
	// decides for those that could be read either way.
	Decimal string
}

// Kinds tells of columns what kind they are and no more.
func Kinds(kinds map[string]Kind) map[string]Notation {
	told := make(map[string]Notation, len(kinds))
	for name, k := range kinds {
		told[name] = Notation{Kind: k}
	}
	return told
}

// NumberText writes a number that a format holds as such in a column that has texts beside it, so
// that it is read back as itself: with the decimal mark that is told, and never with three digits
// after the point, which might be thousands.
func (in *Inference) NumberText(column string, x float64) string {
	s := phrase.Number(x)
	_, decimals, _ := strings.Cut(s, ".")
	if len(decimals) == 3 {
		s += "0"
	}
	if in.Told[column].Decimal == "," {
		s = strings.Replace(s, ".", ",", 1)
	}
	return s
}

// base is the notation of a column that nothing is known about.
func (in *Inference) base() Notation { return Notation{Missing: in.Missing, Literal: in.Literal} }

// of is what is told of a column.
func (in *Inference) of(name string) (Notation, bool) {
	n, ok := in.Told[name]
	if !ok {
		return in.base(), false
	}
	n.Literal = n.Literal || in.Literal && !n.Settled
	for _, word := range in.Missing {
		if !slices.Contains(n.Missing, word) {
			n.Missing = append(slices.Clip(n.Missing), word)
		}
	}
	return n, true
}
