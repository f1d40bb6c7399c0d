package celltext

import (
	"strings"
	"unicode"
)

// Words splits text into words: runs of two or more letters and digits, in
// lower case.
func Words(text string, each func(word string)) {
	from, letters := -1, 0
	flush := func(to int) {
		if from >= 0 && letters > 1 {
			each(strings.ToLower(text[from:to]))
		}
		from, letters = -1, 0
	}
	for i, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' {
			if from < 0 {
				from = i
			}
			letters++
		} else {
			flush(i)
		}
	}
	flush(len(text))
}
