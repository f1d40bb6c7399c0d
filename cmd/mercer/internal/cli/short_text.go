package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/internal/lazy"
)

// longNumbers are numbers of more digits than a page has use for; the model file has them all.
var longNumbers = lazy.Regexp(`[0-9]+\.[0-9]{5,}(e[-+]?[0-9]+)?`)

// shortNumbers is a text with four digits of each such number, and the ends of long lists.
func shortNumbers(s string) string {
	return shortLists(longNumbers().ReplaceAllStringFunc(s, func(n string) string {
		v, err := strconv.ParseFloat(n, 64)
		if err != nil {
			return n
		}
		return strconv.FormatFloat(v, 'g', 4, 64)
	}))
}

// lists are those of numbers, of a length-scale for each column say.
var lists = lazy.Regexp(`\[[^\[\]]*\]`)

// wholeList is the most numbers of a list that is shown whole: inspect and --json have them all.
const wholeList = 12

// shortLists is a text with the first three numbers of each longer list, and the last.
func shortLists(s string) string {
	return lists().ReplaceAllStringFunc(s, func(list string) string {
		of := strings.Split(strings.Trim(list, "[]"), ", ")
		if len(of) <= wholeList {
			return list
		}
		return fmt.Sprintf("[%s, …, %s: %d numbers]", strings.Join(of[:3], ", "), of[len(of)-1], len(of))
	})
}
