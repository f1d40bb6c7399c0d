package bracket

import (
	"fmt"
	"io"
	"strings"
)

// Read reads a file of trees one after the other, each over as many lines as it likes, as treebanks
// are kept (Marcus, Santorini & Marcinkiewicz, Building a large annotated corpus of English: the
// Penn Treebank, 1993). Each tree is read as by Parse; a fault names the line.
func Read(r io.Reader) ([]*Tree, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	s := string(text)
	var out []*Tree
	for from := skip(s, 0); from < len(s); from = skip(s, from) {
		to := treeEnd(s, from)
		t, err := Parse(s[from:to])
		if fault, ok := err.(*syntaxError); ok {
			at := from + fault.Offset
			line := 1 + strings.Count(s[:at], "\n")
			return nil, fmt.Errorf("line %d, byte %d: tree %d: %s", line, at-strings.LastIndexByte(s[:at], '\n'), len(out)+1,
				fault.Reason)
		}
		out = append(out, t)
		from = to
	}
	return out, nil
}

// treeEnd is where the tree that begins at from is closed, or the text ends, or a fault is certain.
func treeEnd(s string, from int) int {
	depth := 0
	for i := from; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth <= 0 {
				return i + 1
			}
		}
	}
	return len(s)
}
