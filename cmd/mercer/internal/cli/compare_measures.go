package cli

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/stat"
)

// comparisons is every measure that both models have.
func (o *compareOptions) comparisons(ctx context.Context, p [2]learn.Predictions) ([]comparison, error) {
	u := unitsOf(p[0])
	if u.count < 2 {
		return nil, usage("--groups: all rows are of one group, and no two can be compared")
	}
	if p[0].Value == nil {
		return o.classes(ctx, p, u)
	}
	var square, size [2][]float64
	for i := range p {
		for j, y := range p[i].Truth {
			d := p[i].Value[j] - y
			square[i], size[i] = append(square[i], d*d), append(size[i], math.Abs(d))
		}
	}
	squares, err := o.means(ctx, comparison{Measure: "mean squared error", smaller: true}, square, u)
	if err != nil {
		return nil, err
	}
	sizes, err := o.means(ctx, comparison{Measure: "mean absolute error", smaller: true}, size, u)
	if err != nil {
		return nil, err
	}
	out := []comparison{squares, sizes}
	if !u.grouped {
		return out, nil
	}
	if rank := ndcgs(p, u); len(rank[0]) > 1 {
		queries := unitsOf(learn.Predictions{Truth: rank[0]})
		c, err := o.means(ctx, comparison{Measure: "ndcg"}, rank, queries)
		if err != nil {
			return nil, err
		}
		c.Units = len(rank[0])
		out = append(out, c)
	}
	return out, nil
}

// classes compares shares of right rows and, where both have probabilities, their logarithms.
func (o *compareOptions) classes(ctx context.Context, p [2]learn.Predictions, u units) ([]comparison, error) {
	var right [2][]float64
	c := comparison{Measure: "accuracy", counts: true}
	for i := range p {
		for j, y := range p[i].Truth {
			right[i] = append(right[i], truth(p[i].Class[j] == int(y)))
		}
	}
	for j, first := range right[0] {
		switch second := right[1][j]; {
		case first > second:
			c.OnlyFirst++
		case second > first:
			c.Only2nd++
		}
	}
	c, err := o.means(ctx, c, right, u)
	if err != nil {
		return nil, err
	}
	if u.plain() { // exact, with no draws
		c.Test, c.mcnemar = "McNemar, exact", true
		if c.P, err = stat.McNemar(c.OnlyFirst, c.Only2nd); err != nil {
			return nil, err
		}
	}
	if p[0].Prob == nil || p[1].Prob == nil {
		return []comparison{c}, nil
	}
	var loss [2][]float64
	for i := range p {
		for j, y := range p[i].Truth {
			loss[i] = append(loss[i], -math.Log(math.Max(p[i].Prob[j*p[i].Classes+int(y)], 1e-15)))
		}
	}
	l, err := o.means(ctx, comparison{Measure: "log loss", smaller: true}, loss, u)
	return []comparison{c, l}, err
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// means completes a comparison of two means over the same rows.
func (o *compareOptions) means(ctx context.Context, c comparison, v [2][]float64, u units) (comparison, error) {
	c.First, c.Second = u.mean(v[0]), u.mean(v[1])
	d := make([]float64, len(v[0]))
	for j := range d {
		d[j] = v[0][j] - v[1][j]
	}
	c.Low, c.High = u.interval(d)
	c.Test = fmt.Sprintf("%s draws of signs", phrase.Thousands(o.Permutations))
	if u.grouped {
		c.Units = u.count
	}
	var err error
	c.P, err = u.p(ctx, stat.TestSettings{Permutations: o.Permutations, Alpha: o.Alpha, Seed: o.Seed}, d)
	return c, err
}
