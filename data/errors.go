package data

import (
	"fmt"
	"strconv"
	"strings"
)

// FileError is a fault in a file: where it is, what stands there, and what to
// do about it. Its text reads file:line:column: problem, then the remedy on a
// line of its own.
type FileError struct {
	File   string
	Line   int // from 1; 0 where the file has no lines
	Column int // byte of the line, from 1; 0 where it does not apply
	Reason string
	Remedy string
	Err    error // the underlying error, if there is one
}

// Error formats the fault.
func (e *FileError) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		b.WriteByte(':')
		b.WriteString(strconv.Itoa(e.Line))
		if e.Column > 0 {
			b.WriteByte(':')
			b.WriteString(strconv.Itoa(e.Column))
		}
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	b.WriteString(e.Reason)
	if e.Err != nil {
		if e.Reason != "" {
			b.WriteString(": ")
		}
		b.WriteString(e.Err.Error())
	}
	if e.Remedy != "" {
		b.WriteString("\n  ")
		b.WriteString(e.Remedy)
	}
	return b.String()
}

// Unwrap returns the underlying error.
func (e *FileError) Unwrap() error { return e.Err }

// MissingError says that values are missing and no policy was chosen for them.
type MissingError struct {
	File    string
	Columns []MissingCount
	Rows    int // rows in all
}

// MissingCount is a column's number of missing values.
type MissingCount struct {
	Column  string
	Count   int
	Numeric bool
	Gap     *Gap // the first of them, where known
}

// Error counts the missing values per column and names the policies.
func (e *MissingError) Error() string {
	var b strings.Builder
	c := e.Columns[0]
	for _, o := range e.Columns[1:] {
		if o.Gap != nil && (c.Gap == nil || o.Gap.Line < c.Gap.Line) {
			c = o
		}
	}
	others := Thousands(e.Rows - c.Count)
	what := "rows have a value"
	if c.Numeric {
		what = "rows are numbers"
	}
	if c.Gap != nil && c.Gap.Value != "" {
		fmt.Fprintf(&b, "%s:%d: column %q is %q where %s other %s\n", e.File, c.Gap.Line, c.Column, c.Gap.Value, others, what)
	} else if c.Gap != nil {
		fmt.Fprintf(&b, "%s:%d: column %q is empty where %s other %s\n", e.File, c.Gap.Line, c.Column, others, what)
	} else if e.File != "" {
		fmt.Fprintf(&b, "%s: ", e.File)
	}
	if b.Len() > 0 && c.Gap != nil {
		b.WriteString("  ")
	}
	if len(e.Columns) == 1 {
		b.WriteString("1 column has missing values: ")
	} else {
		fmt.Fprintf(&b, "%d columns have missing values: ", len(e.Columns))
	}
	const most = 12
	for i, m := range e.Columns {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(e.Columns)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s (%s)", m.Column, Thousands(m.Count))
	}
	b.WriteString("\n  choose: --missing drop | mean | indicator")
	return b.String()
}

// Thousands writes n with a comma between groups of three digits.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// clip shortens a value for a message.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// Nearest returns the candidate closest to name in edit distance, if one is
// close enough to be a likely slip of the pen.
func Nearest(name string, candidates []string) (string, bool) {
	best, at := max(1, len(name)/3)+1, -1
	low := strings.ToLower(name)
	for i, c := range candidates {
		if len(c) > 200 {
			continue
		}
		if d := editDistance(low, strings.ToLower(c)); d < best {
			best, at = d, i
		}
	}
	if at < 0 {
		// A prefix longer than half the name: petal_wid for petal_width.
		for _, c := range candidates {
			if n := len(c); n > 2 && 2*n > len(name) && strings.HasPrefix(low, strings.ToLower(c)) {
				return c, true
			}
		}
		return "", false
	}
	return candidates[at], true
}

func didYouMean(name string, candidates []string) string {
	if n, ok := Nearest(name, candidates); ok {
		return fmt.Sprintf("; did you mean %q?", n)
	}
	return ""
}

// editDistance counts insertions, deletions, substitutions and swaps of
// neighbours (the optimal string alignment distance).
func editDistance(a, b string) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			cost := row[j]
			if a[i] != b[j] {
				cost++
			}
			cost = min(cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				cost = min(cost, before[j-1]+1)
			}
			next[j+1] = cost
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
