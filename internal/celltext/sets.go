package celltext

import (
	"encoding/json"
	"slices"
	"strings"
)

// SetItems reads a set: a JSON list of strings, or items with ; | , or blanks between them, in
// braces or not. Items are sorted, and one that comes again is kept once.
func SetItems(s string) []string {
	s = strings.TrimSpace(s)
	var items []string
	if !strings.HasPrefix(s, "[") || json.Unmarshal([]byte(s), &items) != nil {
		for _, edges := range []string{"{}", "[]", "()"} {
			if len(s) > 1 && s[0] == edges[0] && s[len(s)-1] == edges[1] {
				s = s[1 : len(s)-1]
				break
			}
		}
		separators := " \t"
		for _, sign := range []string{";", "|", ","} {
			if strings.Contains(s, sign) {
				separators = sign
				break
			}
		}
		items = strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(separators, r) })
		for i := range items {
			items[i] = strings.Trim(strings.TrimSpace(items[i]), `"'`)
		}
	}
	slices.Sort(items)
	items = slices.Compact(items)
	if len(items) > 0 && items[0] == "" {
		items = items[1:]
	}
	return items
}

// Rest stands in an order for all items that are not named, tied.
const Rest = "*"

// RankingOrder reads an order: items with > between them from the best to the last, = between those
// that tie, * for all that are not named; or a list of items, the best first, with commas or blanks
// between them.
func RankingOrder(s string) [][]string {
	s = strings.Trim(strings.TrimSpace(s), "[]")
	between := func(r rune) bool { return r == ',' || r == ';' || r == ' ' || r == '\t' }
	if strings.Contains(s, ">") {
		between = func(r rune) bool { return r == '>' }
	}
	var order [][]string
	for _, group := range strings.FieldsFunc(s, between) {
		var tied []string
		for _, item := range strings.Split(group, "=") {
			if item = strings.TrimSpace(item); item != "" {
				tied = append(tied, item)
			}
		}
		if tied != nil {
			order = append(order, tied)
		}
	}
	return order
}
