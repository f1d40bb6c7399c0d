// Package header makes names of columns of what stands above them: two lines of names become one,
// and names that come twice are told apart.
package header

import (
	"fmt"
	"strconv"
	"strings"
)

// Join makes one name of two that stand one above the other, "Q1" and "low" of "Q1 low". A name
// that spans several columns stands in the first of them, as spreadsheets save it, and is that of
// the empty ones to its right.
func Join(upper, lower []string) []string {
	out := make([]string, max(len(upper), len(lower)))
	over := ""
	for j := range out {
		var below string
		if j < len(upper) && strings.TrimSpace(upper[j]) != "" {
			over = strings.TrimSpace(upper[j])
		}
		if j < len(lower) {
			below = strings.TrimSpace(lower[j])
		}
		if out[j] = strings.TrimSpace(over + " " + below); below == "" &&
			(j >= len(upper) || strings.TrimSpace(upper[j]) == "") {
			out[j] = "" // nothing stands above this column
		}
	}
	return out
}

// Unique gives names that come again a number: "a", "a.2". It says which were changed; empty: none.
func Unique(names []string) (out []string, said string) {
	taken := map[string]bool{}
	for _, n := range names {
		taken[n] = true
	}
	out = append([]string{}, names...)
	seen := map[string]bool{}
	var changed []string
	for j, n := range names {
		if !seen[n] {
			seen[n] = true
			continue
		}
		for k := 2; ; k++ {
			if next := n + "." + strconv.Itoa(k); !taken[next] {
				out[j], taken[next] = next, true
				break
			}
		}
		if changed = append(changed, fmt.Sprintf("column %d, a further %q, is called %q", j+1, n, out[j])); len(changed) > 3 {
			changed = append(changed[:3], "and so on")
		}
	}
	return out, strings.Join(changed, "; ")
}
