package mixed

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/bracket"
	"github.com/mercer-ml/mercer/data/graphs"
	"github.com/mercer-ml/mercer/internal/celltext"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/discrete"
	"github.com/mercer-ml/mercer/kernel/prob"
	"github.com/mercer-ml/mercer/kernel/seq"
)

// read is value i of the column as an object of its kind. A missing value is the empty object.
func (c Column) read(from *data.Column, i int) (any, error) {
	switch c.Kind {
	case data.Text:
		if s := from.Strings[i]; utf8.ValidString(s) {
			return s, nil
		}
		return nil, fmt.Errorf("it is not UTF-8")
	case data.Sequence:
		return seq.NewSeries(from.Sequences[i], max(from.Channels, 1))
	case data.Bag:
		return vectors(from.Sequences[i], max(from.Channels, 1)), nil
	case data.Tree:
		if strings.TrimSpace(from.Strings[i]) == "" {
			return &bracket.Tree{}, nil
		}
		return bracket.Parse(from.Strings[i])
	case data.Set:
		return celltext.SetItems(from.Strings[i]), nil
	case data.Fuzzy:
		return members(from.Strings[i])
	case data.Ranking:
		return rankingOf(celltext.RankingOrder(from.Strings[i]), c.Items)
	case data.Graph:
		return graphs.Parse(from.Strings[i])
	case data.Histogram:
		return c.histogram(from.Strings[i])
	case data.Distribution:
		return c.distribution(from.Strings[i])
	}
	return nil, fmt.Errorf("a column of kind %s has no objects", c.Kind)
}

// Text writes an object of the column so that a reader of the column gives it back.
func (c Column) Text(object any) string {
	switch v := object.(type) {
	case string:
		return v
	case seq.Series:
		var q []float64
		for t := range v.Len() {
			q = append(q, v.At(t)...)
		}
		column := data.Column{Kind: data.Sequence, Sequences: [][]float64{q}, Channels: v.Channels()}
		return column.String(0)
	case []kernel.Vec:
		var q []float64
		channels := 1
		for _, x := range v {
			q, channels = append(q, x...), len(x)
		}
		column := data.Column{Kind: data.Bag, Sequences: [][]float64{q}, Channels: channels}
		return column.String(0)
	case *bracket.Tree:
		if v.Label == "" && v.Children == nil {
			return ""
		}
		return v.String()
	case []string:
		text, _ := json.Marshal(v)
		return string(text)
	case []discrete.Member[string]:
		degrees := make(map[string]float64, len(v))
		for _, m := range v {
			degrees[m.Element] = m.Degree
		}
		text, _ := json.Marshal(degrees)
		return string(text)
	case discrete.Ranking:
		return c.order(v)
	case graphs.Graph:
		return v.Text()
	case kernel.Vec:
		column := data.Column{Kind: data.Sequence, Sequences: [][]float64{v}}
		return column.String(0)
	case prob.Mixture:
		return mixtureText(v)
	}
	return fmt.Sprint(object)
}

// Take makes the objects of texts written by Text.
func (c Column) Take(texts []string) ([]any, error) {
	column := data.Column{Name: c.Name, Kind: data.Text, Strings: texts}
	if c.Kind != data.Text {
		var err error
		if column, err = column.As(c.Kind); err != nil {
			return nil, err
		}
	}
	out := make([]any, len(texts))
	for i := range out {
		v, err := c.read(&column, i)
		if err != nil {
			return nil, fmt.Errorf("object %d of column %q: %w", i, c.Name, err)
		}
		out[i] = v
	}
	return out, nil
}

// vectors cuts a list of numbers into vectors.
func vectors(q []float64, size int) []kernel.Vec {
	out := make([]kernel.Vec, 0, len(q)/size)
	for ; len(q) >= size; q = q[size:] {
		out = append(out, q[:size:size])
	}
	return out
}

// members is a fuzzy set from its text.
func members(s string) ([]discrete.Member[string], error) {
	items, err := celltext.FuzzyItems(s)
	if err != nil {
		return nil, err
	}
	out := make([]discrete.Member[string], len(items))
	for i, m := range items {
		out[i] = discrete.Member[string]{Element: m.Item, Degree: m.Degree}
	}
	return out, nil
}

// rankingOf is an order of named items as places of all items.
func rankingOf(order [][]string, items []string) (discrete.Ranking, error) {
	number := make(map[string]int, len(items))
	for i, name := range items {
		number[name] = i
	}
	r := make(discrete.Ranking, len(items))
	for i := range r {
		r[i] = discrete.Unranked
	}
	place, rest := 0, -1
	for _, tied := range order {
		named := false
		for _, name := range tied {
			if name == celltext.Rest {
				if rest >= 0 {
					return nil, fmt.Errorf("%q comes twice", celltext.Rest)
				}
				rest, named = place, true
				continue
			}
			i, known := number[name]
			if !known {
				continue // an item never seen when the model was fitted says nothing about those that were
			}
			if r[i] != discrete.Unranked {
				return nil, fmt.Errorf("item %q comes twice", name)
			}
			r[i], named = place, true
		}
		if named {
			place++
		}
	}
	if rest < 0 {
		return r, nil
	}
	used := map[int]bool{}
	for i, p := range r {
		if p == discrete.Unranked {
			r[i] = rest
		}
		used[r[i]] = true
	}
	if !used[rest] { // nobody is left for the place that was kept
		for i, p := range r {
			if p > rest {
				r[i]--
			}
		}
	}
	return r, nil
}

// order writes a ranking as a>b=c>d.
func (c Column) order(r discrete.Ranking) string {
	last := -1
	for _, p := range r {
		last = max(last, p)
	}
	var groups []string
	for place := range last + 1 {
		var tied []string
		for i, p := range r {
			if p == place && i < len(c.Items) {
				tied = append(tied, c.Items[i])
			}
		}
		groups = append(groups, strings.Join(tied, "="))
	}
	if len(groups) == 1 {
		return ">" + groups[0]
	}
	return strings.Join(groups, ">")
}
