package bracket

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseSexp reads one symbolic expression as Lisp writes it: (f x "two words" (g y)). The first
// atom of a list is the label of a node and the rest are its children; a list that begins with a
// list has the label "", an atom alone is a leaf. Atoms in double quotes hold anything, with the
// escapes of Go; a semicolon begins a comment up to the end of the line. Other brackets than round
// ones, [ ] { }, have no meaning that all dialects share and are refused.
func ParseSexp(s string) (*Tree, error) {
	var stack []*Tree
	var bare []bool // no label yet, for each open list
	var root *Tree
	place := func(t *Tree) {
		if n := len(stack); n > 0 {
			stack[n-1].Children = append(stack[n-1].Children, t)
		} else {
			root = t
		}
	}
	for i := sexpSkip(s, 0); i < len(s); i = sexpSkip(s, i) {
		if root != nil && len(stack) == 0 {
			return nil, &syntaxError{i, "a second expression after the first is closed"}
		}
		switch c := s[i]; {
		case c == '(':
			if len(stack) >= maxDepth {
				return nil, &syntaxError{i, fmt.Sprintf("nested deeper than %d", maxDepth)}
			}
			if n := len(bare); n > 0 {
				bare[n-1] = false
			}
			t := &Tree{}
			place(t)
			stack, bare = append(stack, t), append(bare, true)
			i++
		case c == ')':
			if len(stack) == 0 {
				return nil, &syntaxError{i, "a closing bracket without an opening one"}
			}
			stack, bare = stack[:len(stack)-1], bare[:len(bare)-1]
			i++
		case strings.IndexByte("[]{}", c) >= 0:
			return nil, &syntaxError{i, fmt.Sprintf("an unknown bracket %q; use ( ), or quote it", c)}
		default:
			atom, end, err := sexpAtom(s, i)
			if err != nil {
				return nil, err
			}
			if n := len(bare); n > 0 && bare[n-1] {
				stack[n-1].Label, bare[n-1] = atom, false
			} else {
				place(&Tree{Label: atom})
			}
			i = end
		}
	}
	if len(stack) > 0 {
		return nil, &syntaxError{len(s), fmt.Sprintf("%d brackets are not closed", len(stack))}
	}
	if root == nil {
		return nil, &syntaxError{0, "no expression"}
	}
	return root, nil
}

// sexpSkip passes over blanks and comments.
func sexpSkip(s string, i int) int {
	for i = skip(s, i); i < len(s) && s[i] == ';'; i = skip(s, i) {
		for i < len(s) && s[i] != '\n' {
			i++
		}
	}
	return i
}

// sexpAtom reads a word or a quoted text at i, and says where it ends.
func sexpAtom(s string, i int) (atom string, end int, err error) {
	if s[i] != '"' {
		end = i
		for end < len(s) && !strings.ContainsRune(" \t\n\r()[]{};\"", rune(s[end])) {
			end++
		}
		return s[i:end], end, nil
	}
	for end = i + 1; end < len(s) && s[end] != '"'; end++ {
		if s[end] == '\\' {
			end++
		}
	}
	if end >= len(s) {
		return "", 0, &syntaxError{i, "a quotation mark is not closed"}
	}
	// A line break is as good as its escape: Go's reader of quoted text wants the latter.
	text := strings.ReplaceAll(s[i:end+1], "\n", `\n`)
	if atom, err = strconv.Unquote(text); err != nil {
		return "", 0, &syntaxError{i, fmt.Sprintf("the quoted text %.40s has an unknown escape", text)}
	}
	return atom, end + 1, nil
}
