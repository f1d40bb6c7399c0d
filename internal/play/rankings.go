package play

import (
	"context"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/celltext"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel/discrete"
	"github.com/mercer-ml/mercer/kernel/mixed"
)

type rankingsAsked struct {
	Kernel KernelText `json:"kernel"`
	X      string     `json:"x"` // a > b > c
	Y      string     `json:"y"`
}

// mostRanked bounds the items: pairs of them are listed.
const mostRanked = 40

// ordered is a ranking to be drawn.
type ordered struct {
	Items []string `json:"items"`
	Place []int    `json:"place"` // of each item, 0 the best; −1: nothing is known of it
}

// compareRankings says which pairs of items two rankings order alike, and which not.
func compareRankings(_ context.Context, _ *Player, q rankingsAsked, send sender) error {
	items, err := itemsOf(q)
	if err != nil {
		return err
	}
	column := mixed.Column{Name: "ranking", Kind: data.Ranking, Items: items}
	var both []any
	for _, side := range []struct{ field, text string }{{"x", q.X}, {"y", q.Y}} {
		r, err := column.Take([]string{side.text})
		if err != nil {
			return at(side.field, err)
		}
		both = append(both, r[0])
	}
	x, y := both[0].(discrete.Ranking), both[1].(discrete.Ranking)
	whole := !slices.Contains(x, discrete.Unranked) && !slices.Contains(y, discrete.Unranked)
	out, err := compare(spec.Rankings(), q.Kernel, x, y,
		func(k any) (mapping, bool) { return rankingFeatures(k, items, whole) })
	if err != nil {
		return err
	}
	if whole {
		apart := 0
		for i := range items {
			for j := range i {
				if sign(x, i, j)*sign(y, i, j) < 0 {
					apart++
				}
			}
		}
		out.Readings = append(out.Readings, reading("apart", "pairs apart", float64(apart)))
	}
	out.Parsed = []any{ordered{items, x}, ordered{items, y}}
	return send("compared", out)
}

// itemsOf are the items of both rankings, in the order of the first.
func itemsOf(q rankingsAsked) ([]string, error) {
	var items []string
	for _, side := range []struct{ field, text string }{{"x", q.X}, {"y", q.Y}} {
		order := celltext.RankingOrder(side.text)
		if len(order) == 0 {
			return nil, &Fault{Field: side.field,
				Message: "no ranking; write items with > between them, the best first, as a > b > c"}
		}
		for _, item := range slices.Concat(order...) {
			if item != celltext.Rest && !slices.Contains(items, item) {
				items = append(items, item)
			}
		}
	}
	if len(items) > mostRanked {
		return nil, &Fault{Field: "objects", Message: fmt.Sprintf("%d items; the playground takes up to %d", len(items),
			mostRanked)}
	}
	return items, nil
}

// sign is 1 where the first item is before the second, −1 where it is behind, 0 where they tie.
func sign(r discrete.Ranking, i, j int) float64 {
	switch {
	case r[i] < r[j]:
		return 1
	case r[i] > r[j]:
		return -1
	}
	return 0
}

// rankingFeatures takes the kernels apart that count something: Kendall's the signs of pairs, where
// the rankings are of all items, and Spearman's the places, from the middle.
func rankingFeatures(k any, items []string, whole bool) (mapping, bool) {
	n := float64(len(items))
	switch k.(type) {
	case discrete.Kendall:
		signs := func(r discrete.Ranking) (counts, error) {
			out := counts{}
			for j := range items {
				for i := range j {
					out[items[i]+" before "+items[j]] = sign(r, i, j)
				}
			}
			return out, nil
		}
		return mappingOf(signs, func(string) float64 { return 2 / (n * (n - 1)) }, nil), whole && n > 1
	case discrete.Spearman:
		places := func(r discrete.Ranking) (counts, error) {
			out := counts{}
			for i, v := range discrete.Places(r) {
				out["place of "+items[i]] = v
			}
			return out, nil
		}
		return mappingOf(places, func(string) float64 { return 12 / (n * (n*n - 1)) }, nil), n > 1
	}
	return mapping{}, false
}
