// Package phrase writes numbers and names as messages have them.
package phrase

import (
	"fmt"
	"strconv"
	"strings"
)

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

// Bytes writes a number of bytes for a person: 512 bytes, 71 kB, 1.5 GB.
func Bytes(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1e6:
		return fmt.Sprintf("%.3g kB", float64(n)/1e3)
	case n < 1e9:
		return fmt.Sprintf("%.3g MB", float64(n)/1e6)
	case n < 1e12:
		return fmt.Sprintf("%.3g GB", float64(n)/1e9)
	}
	return fmt.Sprintf("%.3g TB", float64(n)/1e12)
}

// Clip shortens a value for a message.
func Clip(s string) string {
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

func DidYouMean(name string, candidates []string) string {
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
