package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/data"
)

// writeBroken writes a text after a beginning, in lines of at most so many columns: it breaks
// between words, and goes on further in.
func writeBroken(w io.Writer, begin, text string, indent, columns int) error {
	var b strings.Builder
	line := begin
	width := utf8.RuneCountInString
	empty := begin == ""
	for _, word := range strings.Fields(text) {
		if !empty && width(line)+1+width(word) > columns && strings.TrimSpace(line) != "" {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line, empty = strings.Repeat(" ", max(indent-1, 0)), false
		}
		if empty {
			line, empty = word, false
			continue
		}
		line += " " + word
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// fewWhole is the most different whole numbers of a target of which it is said what else they may
// be.
const fewWhole = 30

// otherTask says what a target of few whole numbers may be beside what it is taken for, and which
// flag says so; empty where the target is no such thing.
func otherTask(target *data.Column, task data.Task) string {
	if target.Kind != data.Numeric {
		return ""
	}
	seen := map[float64]bool{}
	for i, x := range target.Numbers {
		if target.IsMissing(i) {
			continue
		}
		if seen[x] = true; x != float64(int64(x)) || len(seen) > fewWhole {
			return ""
		}
	}
	grades := ""
	if len(seen) > 2 {
		grades = "; as grades in their order: --task ordinal"
	}
	switch task {
	case data.Binary, data.Multiclass:
		return fmt.Sprintf("the %d numbers of %q are taken for classes; as a quantity: --task regress%s",
			len(seen), target.Name, grades)
	case data.Regression:
		return fmt.Sprintf("the %d whole numbers of %q are taken for a quantity; as classes: --task classify%s",
			len(seen), target.Name, grades)
	}
	return ""
}
