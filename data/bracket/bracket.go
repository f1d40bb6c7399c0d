// Package bracket reads trees written with brackets, as treebanks have them:
//
//	(S (NP (DT the)(NN cat))(VP (VBZ sleeps)))
//
// A bracket opens a node; its label follows; a word inside is a leaf.
package bracket

import (
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/data"
)

// Tree is an ordered tree with labelled nodes; a leaf has no children.
type Tree struct {
	Label    string
	Children []*Tree
}

// maxDepth bounds nesting, so that no input exhausts the stack of those who
// walk the tree.
const maxDepth = 10000

// syntaxError is a fault in a tree's text.
type syntaxError struct {
	Offset int // byte, from 0
	Reason string
}

// Error says what is wrong and where.
func (e *syntaxError) Error() string { return fmt.Sprintf("byte %d: %s", e.Offset+1, e.Reason) }

// Parse reads one tree. Outer brackets without a label, as the Penn Treebank
// has them, are taken away where they hold one tree; an empty bracket, left where
// an element was removed, is passed over. Labels may hold any character but
// blanks and brackets.
func Parse(s string) (*Tree, error) {
	var stack []*Tree
	var root *Tree
	fail := func(at int, reason string) (*Tree, error) { return nil, &syntaxError{at, reason} }
	for i := 0; i < len(s); {
		switch c := s[i]; c {
		case ' ', '\t', '\n', '\r':
			i++
		case '(':
			if root != nil && len(stack) == 0 {
				return fail(i, "a second tree after the first is closed")
			}
			if len(stack) >= maxDepth {
				return fail(i, fmt.Sprintf("nested deeper than %d", maxDepth))
			}
			i = skip(s, i+1)
			from := i
			i = wordEnd(s, i)
			t := &Tree{Label: s[from:i]}
			if len(stack) > 0 {
				up := stack[len(stack)-1]
				up.Children = append(up.Children, t)
			} else {
				root = t
			}
			stack = append(stack, t)
		case ')':
			if len(stack) == 0 {
				return fail(i, "a closing bracket without an opening one")
			}
			t := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if t.Label == "" && len(t.Children) == 0 {
				if len(stack) == 0 {
					return fail(i, "an empty bracket")
				}
				up := stack[len(stack)-1]
				up.Children = up.Children[:len(up.Children)-1]
			}
			i++
		default:
			from := i
			i = wordEnd(s, i)
			if len(stack) == 0 {
				return fail(from, fmt.Sprintf("%q outside the brackets", s[from:i]))
			}
			up := stack[len(stack)-1]
			up.Children = append(up.Children, &Tree{Label: s[from:i]})
		}
	}
	if len(stack) > 0 {
		return fail(len(s), fmt.Sprintf("%d brackets are not closed", len(stack)))
	}
	if root == nil {
		return fail(0, "no tree")
	}
	for root.Label == "" && len(root.Children) == 1 { // ((S …)), and (((S …))) too
		root = root.Children[0]
	}
	return root, nil
}

func skip(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r') {
		i++
	}
	return i
}

func wordEnd(s string, i int) int {
	for i < len(s) && !strings.ContainsRune(" \t\n\r()", rune(s[i])) {
		i++
	}
	return i
}

// String writes the tree as Parse reads it.
func (t *Tree) String() string {
	var b strings.Builder
	t.write(&b, true)
	return b.String()
}

// write puts a leaf without brackets, unless it could be taken for a label.
func (t *Tree) write(b *strings.Builder, bracketed bool) {
	if len(t.Children) == 0 && !bracketed {
		b.WriteString(t.Label)
		return
	}
	b.WriteByte('(')
	b.WriteString(t.Label)
	for i, c := range t.Children {
		b.WriteByte(' ')
		c.write(b, t.Label == "" && i == 0)
	}
	b.WriteByte(')')
}

// Size counts the nodes.
func (t *Tree) Size() int {
	n := 1
	for _, c := range t.Children {
		n += c.Size()
	}
	return n
}

// Column parses a text column of a data set into trees; a fault names the row.
func Column(d *data.Dataset, name string) (data.Slice[*Tree], error) {
	c, err := d.Column(name)
	if err != nil {
		return nil, err
	}
	out := make(data.Slice[*Tree], c.Len())
	for i := range out {
		if out[i], err = Parse(c.String(i)); err != nil {
			return nil, &data.Error{File: d.Name, Row: i + 1, Column: name, Value: c.String(i), Kind: data.ErrSyntax,
				Reason: fmt.Sprintf("column %q", name), Err: err}
		}
	}
	return out, nil
}
