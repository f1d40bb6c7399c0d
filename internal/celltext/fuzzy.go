package celltext

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Membership is an item of a fuzzy set and the degree, from 0 to 1, to which it belongs there.
type Membership struct {
	Item   string
	Degree float64
}

// FuzzyItems reads a fuzzy set: item:degree with ; | , or blanks between them, in braces or not, or
// a JSON object of numbers. Items are sorted. The error says which item is wrong, and at which
// letter of the text it stands.
func FuzzyItems(s string) ([]Membership, error) {
	text := strings.TrimSpace(s)
	if items, ok := JsonMemberships(text); ok {
		return checkMemberships(s, items)
	}
	if len(text) > 1 && text[0] == '{' && text[len(text)-1] == '}' {
		text = text[1 : len(text)-1]
	}
	separators := " \t"
	for _, sign := range []string{";", "|", ","} {
		if strings.Contains(text, sign) {
			separators = sign
			break
		}
	}
	var out []Membership
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		cut := strings.LastIndexByte(part, ':')
		if cut <= 0 {
			return nil, fmt.Errorf("%q at letter %d has no degree of membership; write item:degree", part, letterOf(s, part))
		}
		item := strings.Trim(strings.TrimSpace(part[:cut]), `"'`)
		degree, err := strconv.ParseFloat(strings.TrimSpace(part[cut+1:]), 64)
		if err != nil {
			return nil, fmt.Errorf("the membership of %q at letter %d is %q, and no number", item, letterOf(s, part),
				strings.TrimSpace(part[cut+1:]))
		}
		out = append(out, Membership{item, degree})
	}
	return checkMemberships(s, out)
}

// JsonMemberships reads {"a": 0.5, "b": 1}.
func JsonMemberships(s string) ([]Membership, bool) {
	var items map[string]float64
	if !strings.HasPrefix(s, "{") || json.Unmarshal([]byte(s), &items) != nil {
		return nil, false
	}
	var out []Membership
	for item, degree := range items {
		out = append(out, Membership{item, degree})
	}
	return out, true
}

// checkMemberships sorts the items, and refuses degrees that are none and an item that comes twice.
func checkMemberships(s string, items []Membership) ([]Membership, error) {
	slices.SortFunc(items, func(a, b Membership) int { return strings.Compare(a.Item, b.Item) })
	for i, m := range items {
		if !(m.Degree >= 0 && m.Degree <= 1) {
			return nil, fmt.Errorf("the membership of %q at letter %d is %v, where a number from 0 to 1 is needed", m.Item,
				letterOf(s, m.Item), m.Degree)
		}
		if i > 0 && items[i-1].Item == m.Item {
			return nil, fmt.Errorf("item %q at letter %d comes twice", m.Item, letterOf(s, m.Item))
		}
	}
	return items, nil
}

// letterOf is where a part of a text stands, counted in letters from 1.
func letterOf(s, part string) int {
	return utf8.RuneCountInString(s[:max(strings.Index(s, part), 0)]) + 1
}
