package tune

import (
	"math"
	"slices"

	"github.com/mercer-ml/mercer/learn"
)

// AveragePrecision is the area under precision against recall of one class, Predictions.Positive,
// as a threshold goes down the rows: Σ (Rₙ − Rₙ₋₁)·Pₙ over the different scores, without
// interpolation, as scikit-learn has it. Rows are ordered by Predictions.Ranking. An order at
// random has the share of the class. Not defined where no class is named, or no row is of it.
func AveragePrecision() Metric {
	return Metric{Name: "average-precision", Maximize: true, Ranks: true, Score: func(p learn.Predictions) float64 {
		if p.Positive < 0 || p.Positive >= p.Classes {
			return math.NaN()
		}
		return averagePrecision(p, p.Positive)
	}}
}

func averagePrecision(p learn.Predictions, class int) float64 {
	rank := p.Ranking(class)
	if rank == nil || slices.ContainsFunc(rank, math.IsNaN) {
		return math.NaN()
	}
	all := 0.0
	for i, y := range p.Truth {
		all += weightOf(p, i) * indicator(int(y) == class)
	}
	if all == 0 {
		return math.NaN()
	}
	order := descending(rank)
	area, named, right, before := 0.0, 0.0, 0.0, 0.0
	for k, i := range order {
		named += weightOf(p, i)
		right += weightOf(p, i) * indicator(int(p.Truth[i]) == class)
		if k+1 < len(order) && rank[order[k+1]] == rank[i] || named == 0 {
			continue
		}
		area += (right - before) / all * right / named
		before = right
	}
	return area
}

// Recall is the share of the rows of one class, Predictions.Positive, that are named so. Not
// defined where no class is named, or no row is of it.
func Recall() Metric {
	return shareOf("recall", func(p learn.Predictions, i int) (counts, hit bool) {
		return int(p.Truth[i]) == p.Positive, p.Class[i] == p.Positive
	})
}

// Precision is the share of the rows named one class, Predictions.Positive, that are of it. Not
// defined where no class is named, or no row is named so.
func Precision() Metric {
	return shareOf("precision", func(p learn.Predictions, i int) (counts, hit bool) {
		return p.Class[i] == p.Positive, int(p.Truth[i]) == p.Positive
	})
}

// shareOf is a metric that is the share of hits among rows that count.
func shareOf(name string, row func(p learn.Predictions, i int) (counts, hit bool)) Metric {
	each := func(p learn.Predictions, add func(i int, hit bool)) {
		if p.Class == nil || p.Positive < 0 || p.Positive >= p.Classes {
			return
		}
		for i := range p.Truth {
			if counts, hit := row(p, i); counts {
				add(i, hit)
			}
		}
	}
	return Metric{Name: name, Maximize: true,
		Score: func(p learn.Predictions) float64 {
			part, all := 0.0, 0.0
			each(p, func(i int, hit bool) {
				all += weightOf(p, i)
				part += weightOf(p, i) * indicator(hit)
			})
			return part / all
		},
		share: func(p learn.Predictions) (part, all int) {
			each(p, func(_ int, hit bool) {
				all++
				part += int(indicator(hit))
			})
			return part, all
		}}
}
