package data

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// looksLike says whether a text is so clearly an object of the kind that nobody has to say it: a
// tree in brackets, a graph as JSON with its edges, a distribution as JSON with its mean, a set as
// a JSON list of strings or in braces, a fuzzy one in braces with numbers behind its items, an
// order with > between items.
func looksLike(kind Kind, s string) bool {
	switch kind {
	case Tree:
		return strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") && bracketed(s)
	case Graph:
		return strings.HasPrefix(s, "{") && strings.HasSuffix(s, "}") && strings.Contains(s, `"edges"`) &&
			json.Valid([]byte(s))
	case Distribution:
		return strings.HasPrefix(s, "{") && strings.HasSuffix(s, "}") && strings.Contains(s, `"mean"`) &&
			json.Valid([]byte(s))
	case Set:
		if strings.HasPrefix(s, "[") {
			var items []string
			return json.Unmarshal([]byte(s), &items) == nil
		}
		return strings.HasPrefix(s, "{") && strings.HasSuffix(s, "}") && !strings.Contains(s, ":")
	case Fuzzy:
		return strings.HasPrefix(s, "{") && strings.HasSuffix(s, "}") && strings.Contains(s, ":") && degrees(s)
	case Ranking:
		return strings.Contains(s, ">") && !strings.ContainsAny(s, "<()") && len(s) < 1000
	}
	return false
}

// degrees says whether every item of a set in braces has a number, whatever number.
func degrees(s string) bool {
	if _, ok := jsonMemberships(s); ok {
		return true
	}
	for _, part := range strings.Split(s[1:len(s)-1], ",") {
		_, degree, _ := strings.Cut(part, ":")
		if _, err := strconv.ParseFloat(strings.TrimSpace(degree), 64); err != nil {
			return false
		}
	}
	return true
}

// bracketed says whether brackets are opened and closed in turn, all of them within the first.
func bracketed(s string) bool {
	depth, labelled := 0, false
	for i, c := range s {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
			if depth < 0 || depth == 0 && i != len(s)-1 {
				return false
			}
		case ' ', '\t':
		default:
			labelled = true
		}
	}
	return depth == 0 && labelled
}

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

// rankedItems lists the items of all orders, as numbers where all are.
func rankedItems(orders []string) []string {
	seen := map[string]bool{}
	var items []string
	for _, s := range orders {
		for _, tied := range RankingOrder(s) {
			for _, item := range tied {
				if item != Rest && !seen[item] {
					seen[item] = true
					items = append(items, item)
				}
			}
		}
	}
	c := Column{Levels: items}
	c.sortLevels()
	return c.Levels
}
