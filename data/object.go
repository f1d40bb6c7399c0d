package data

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/internal/celltext"
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
	if _, ok := celltext.JsonMemberships(s); ok {
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

// rankedItems lists the items of all orders, as numbers where all are.
func rankedItems(orders []string) []string {
	seen := map[string]bool{}
	var items []string
	for _, s := range orders {
		for _, tied := range celltext.RankingOrder(s) {
			for _, item := range tied {
				if item != celltext.Rest && !seen[item] {
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
