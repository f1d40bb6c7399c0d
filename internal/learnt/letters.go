package learnt

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel/seq"
)

// coding is the letters of strings as numbers. Of a closed alphabet others are refused; otherwise
// all letters that no row had share the last number, so that a model has a place for what it has
// not seen.
type coding struct {
	letters []rune
	number  map[rune]int
	closed  bool
}

func newCoding(alphabet seq.Alphabet, letters string) coding {
	c := coding{letters: []rune(letters), closed: alphabet != ""}
	if c.closed {
		c.letters = []rune(string(alphabet))
	}
	c.number = make(map[rune]int, len(c.letters))
	for i, r := range c.letters {
		c.number[r] = i
	}
	return c
}

// lettersOf are the letters of all strings, sorted.
func lettersOf(x data.Points[string]) string {
	seen := map[rune]bool{}
	for i := range x.Len() {
		for _, r := range x.At(i) {
			seen[r] = true
		}
	}
	out := make([]rune, 0, len(seen))
	for r := range seen {
		out = append(out, r)
	}
	slices.Sort(out)
	return string(out)
}

// symbols is how many numbers there are.
func (c coding) symbols() int {
	if c.closed {
		return len(c.letters)
	}
	return len(c.letters) + 1
}

// code writes a string as numbers.
func (c coding) code(s string) []int {
	out := make([]int, 0, len(s))
	for _, r := range s {
		n, ok := c.number[r]
		if !ok {
			n = len(c.letters)
		}
		out = append(out, n)
	}
	return out
}

// all is the codes of all strings.
func (c coding) all(x data.Points[string]) data.Slice[[]int] {
	out := make(data.Slice[[]int], x.Len())
	for i := range out {
		out[i] = c.code(x.At(i))
	}
	return out
}

// check refuses strings that are no UTF-8, and letters that are not of a closed alphabet.
func (c coding) check(name string, x data.Points[string]) error {
	for i := range x.Len() {
		s := x.At(i)
		if !utf8.ValidString(s) {
			return fmt.Errorf("kernel: %s: row %d is not UTF-8", name, i)
		}
		if !c.closed {
			continue
		}
		place := 0
		for _, r := range s {
			place++
			if _, ok := c.number[r]; !ok {
				return fmt.Errorf("kernel: %s: row %d: letter %d is %q, which is not of the alphabet %q; leave the alphabet out "+
					"for a model that has a place for other letters", name, i, place, r, string(c.letters))
			}
		}
	}
	return nil
}

// checkLetters refuses an alphabet or letters that come twice.
func checkLetters(name string, alphabet seq.Alphabet, letters string) error {
	if alphabet != "" {
		if letters != "" {
			return fmt.Errorf("kernel: %s: an alphabet and letters that were seen; give one of them", name)
		}
		letters = string(alphabet)
	}
	if !utf8.ValidString(letters) {
		return fmt.Errorf("kernel: %s: letters are not UTF-8", name)
	}
	sorted := []rune(letters)
	slices.Sort(sorted)
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return fmt.Errorf("kernel: %s: letter %q comes twice", name, sorted[i])
		}
	}
	return nil
}
