package data

import (
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/celltext"
	"github.com/mercer-ml/mercer/internal/mend"
)

// truthNames are false and true as an encoder calls them, whatever a file writes.
var truthNames = []string{"false", "true"}

// guessedTruths is how many of the pairs a column of strings may be taken for.
const guessedTruths = 3

const needTruth = "a truth value is needed (true or false, yes or no, 1 or 0)"

// isBoolean says whether values are truth values of one way of writing: both of them, or one that
// can be nothing else.
func isBoolean(values []string, n *Notation) bool {
	var seen [2]bool
	of := -1
	for _, s := range values {
		if n.isNA(s) {
			continue
		}
		pair, value, ok := celltext.TruthOf(s)
		if !ok || pair >= guessedTruths || of >= 0 && pair != of {
			return false
		}
		of = pair
		if value {
			seen[1] = true
		} else {
			seen[0] = true
		}
	}
	return of == 0 || seen[0] && seen[1]
}

// BooleanColumn makes a column of truth values; missing, where it is not nil, says which there are
// none of.
func BooleanColumn(name string, values []bool, missing func(i int) bool) Column {
	c := Column{Name: name, Kind: Boolean, Codes: make([]int32, len(values)), Levels: slices.Clone(truthNames)}
	for i, v := range values {
		switch {
		case missing != nil && missing(i):
			c.Codes[i] = -1
		case v:
			c.Codes[i] = 1
		}
	}
	return c
}

// readBooleans reads a column as truth values: words of every pair in any capitals, and the numbers
// 0 and 1. A value that is neither true nor false is a fault, but where a model reads a later file
// it is a category that was not seen, of which the policy decides.
func (c *Column) readBooleans(n Notation) (Column, error) {
	n.Kind = Boolean
	out := Column{Name: c.Name, Kind: Boolean, Gap: c.Gap, Notation: &n, Codes: make([]int32, c.Len()),
		Levels: []string{"", ""}}
	code := map[string]int32{}
	for i := range out.Codes {
		s := c.String(i)
		if n.isNA(s) {
			out.Codes[i] = -1
			continue
		}
		k, known := code[s]
		if !known {
			k = int32(len(out.Levels))
			switch _, value, ok := celltext.TruthOf(s); {
			case ok && value:
				k = 1
			case ok:
				k = 0
			case !n.Settled:
				return out, c.notKind(i, s, needTruth, mend.None)
			default:
				out.Levels = append(out.Levels, s)
			}
			if code[s] = k; out.Levels[k] == "" {
				out.Levels[k] = strings.TrimSpace(s)
			}
		}
		out.Codes[i] = k
	}
	out.spellTruths()
	return out, nil
}

// spellTruths gives the value that no row has the word that goes with the other.
func (c *Column) spellTruths() {
	for k := range 2 {
		if c.Levels[k] != "" {
			continue
		}
		c.Levels[k] = truthNames[k]
		if pair, _, ok := celltext.TruthOf(c.Levels[1-k]); ok {
			other := c.Levels[1-k]
			c.Levels[k] = celltext.Truths[pair][k]
			switch {
			case other == strings.ToUpper(other):
				c.Levels[k] = strings.ToUpper(celltext.Truths[pair][k])
			case other[:1] == strings.ToUpper(other[:1]):
				c.Levels[k] = strings.ToUpper(celltext.Truths[pair][k][:1]) + celltext.Truths[pair][k][1:]
			}
		}
	}
}

// truthNumbers is a column of truth values as the numbers 0 and 1; false where some value is none.
func (c *Column) truthNumbers(n *Notation) (Column, bool) {
	if !c.Kind.named() && c.Kind != Text {
		return Column{}, false
	}
	out := Column{Name: c.Name, Kind: Numeric, Gap: c.Gap, Notation: n}
	words := false
	for i := range c.Len() {
		s := c.String(i)
		if n.isNA(s) {
			out.Numbers = append(out.Numbers, math.NaN())
			continue
		}
		pair, value, ok := celltext.TruthOf(s)
		if !ok {
			return Column{}, false
		}
		words = words || pair < len(celltext.Truths)-1
		x := 0.0
		if value {
			x = 1
		}
		out.Numbers = append(out.Numbers, x)
	}
	return out, words
}

// joinTruth puts the truth values of several parts together: the first way of writing holds for
// all.
func (c *Column) joinTruth(parts []*Column, rows int) {
	c.Codes = make([]int32, 0, rows)
	c.Levels = slices.Clone(parts[0].Levels[:2])
	for _, p := range parts {
		place := make([]int32, len(p.Levels))
		for k, l := range p.Levels {
			place[k] = int32(k)
			if k < 2 {
				continue
			}
			at := slices.Index(c.Levels[2:], l)
			if at < 0 {
				at = len(c.Levels) - 2
				c.Levels = append(c.Levels, l)
			}
			place[k] = int32(at + 2)
		}
		for _, k := range p.Codes {
			if k >= 0 {
				k = place[k]
			}
			c.Codes = append(c.Codes, k)
		}
	}
}

// places maps the levels of a column to those of the encoder; -1 where they are not there. Truth
// values go by what they mean.
func (code *ColumnCode) places(c *Column) []int {
	if code.at != nil {
		return placesAt(code.at, c.Levels)
	}
	if code.Kind != Boolean {
		return meantPlaces(code.Levels, c.Levels)
	}
	place := make([]int, len(c.Levels))
	for k := range place {
		place[k] = -1
		if k < 2 {
			place[k] = slices.Index(code.Levels, truthNames[k])
		}
	}
	return place
}

// meantPlaces is levelPlaces where names that are not there are found by what they mean, if the
// known ones are false and true: TRUE is the category True, and so is the truth value of a format
// that has such.
func meantPlaces(known, levels []string) []int {
	place := levelPlaces(known, levels)
	if len(known) > 2 || !slices.Contains(place, -1) {
		return place
	}
	at := [2]int{-1, -1}
	for i, l := range known {
		_, value, ok := celltext.TruthOf(l)
		k := 0
		if value {
			k = 1
		}
		if !ok || at[k] >= 0 {
			return place
		}
		at[k] = i
	}
	for i, l := range levels {
		if _, value, ok := celltext.TruthOf(l); ok && place[i] < 0 {
			if place[i] = at[0]; value {
				place[i] = at[1]
			}
		}
	}
	return place
}

// spelt is truth values as the rows before have written them.
func (s *study) spelt(levels []string) []string {
	out := slices.Clone(levels)
	for i, at := range meantPlaces(s.levels, levels) {
		if at >= 0 {
			out[i] = s.levels[at]
		}
	}
	return out
}
