package spec

import (
	"fmt"
	"strings"
)

// Error is what is wrong with a text, and where.
type Error struct {
	Source  string
	Column  int // counted from 1, in characters
	Message string
	Hint    string // what to do instead; may be empty
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s at column %d", e.Message, e.Column)
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// Point draws the text with a mark under the place, for a terminal.
func (e *Error) Point() string {
	return e.Source + "\n" + strings.Repeat(" ", max(e.Column-1, 0)) + "^"
}

// didYouMean suggests the nearest of the known names, or lists them when none
// is near.
func didYouMean(name string, known []string) string {
	best, distance := "", len(name)/2+1
	for _, k := range known {
		if d := editDistance(strings.ToLower(name), k); d < distance {
			best, distance = k, d
		}
	}
	if best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	if len(known) == 0 {
		return ""
	}
	return "known: " + strings.Join(known, ", ")
}

// editDistance is Levenshtein's, with a swap of neighbours counted once.
func editDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, last[j]+cost)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}
