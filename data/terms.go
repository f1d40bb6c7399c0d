package data

import (
	"strings"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/internal/celltext"
)

// longestRun is how many letters a run has at most.
const longestRun = 5

// terms gives what a text is counted by: its words, and pairs of them, or runs of letters.
func (p TextPolicy) terms(text string, each func(term string)) {
	switch p {
	case textPairs:
		before := ""
		celltext.Words(text, func(w string) {
			each(w)
			if before != "" {
				each(before + " " + w)
			}
			before = w
		})
	case textLetters:
		for _, word := range strings.Fields(strings.ToLower(text)) {
			runs(" "+word+" ", each)
		}
	default:
		celltext.Words(text, each)
	}
}

// runs gives the runs of up to longestRun letters of a word between blanks; a blank alone is none.
func runs(word string, each func(run string)) {
	for from := range word {
		to := from
		for length := 1; length <= longestRun && to < len(word); length++ {
			_, size := utf8.DecodeRuneInString(word[to:])
			to += size
			if run := word[from:to]; run != " " {
				each(run)
			}
		}
	}
}
