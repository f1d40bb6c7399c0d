package tune

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

// How long the search for forms and parts is: work that a thousand rows' climb takes several times.
const (
	formsRows    = 500 // rows that it is done on
	formsSteps   = 8   // of each climb
	formsColumns = 4   // the columns that matter most, of those whose values lie on a lattice
	partsColumns = 12  // likewise, that get a part of their own
	pairsColumns = 3   // likewise, whose pairs do
	formsCost    = 5   // in units of log evidence: most columns are what they look like
)

// A lattice has few values, and most of its places are taken; names are fewer still.
const (
	latticeLeast = 4
	latticeMost  = 400
	latticeTaken = 0.8
	namesMost    = 40
)

// Where the climb of a new form or part begins.
const (
	namesShare = 0.5 // of what rows have in common whose names differ
	partLength = 0.5 // the length-scale of a column in a part, as a share of its deviation
)

// partShares is the variance of parts together as a share of the product's: little besides it, or
// nearly all of what there is. The evidence has tops of both kinds.
var partShares = []float64{0.3, 30}

// formed looks for a better kernel than the product over columns on a line: columns that go round,
// columns whose numbers are names, parts on single columns and on pairs of them. Each is tried from
// where the best so far ended and stays if it lifts the evidence by more than its parameters cost
// by Schwarz's criterion (Duvenaud et al. 2013 search the same way). It is nil if none stays.
func (a *autoRun) formed(ctx context.Context, from relevance, p learn.Problem[any], rows int) *relevance {
	x, _ := data.VectorsOf(a.part.Points)
	points := x.(data.DenseRows)
	best, lead := a.climbFrom(ctx, from, formsSteps, p, rows)
	if best == nil {
		return nil
	}
	plain, stays := *best, 0
	try := func(r relevance, parameters int) {
		found, value := a.climbFrom(ctx, r, formsSteps, p, rows)
		cost := formsCost + 0.5*float64(parameters)*math.Log(float64(rows*p.Targets()))
		if found != nil && value > lead+cost {
			best, lead = found, value
			stays++
		}
	}
	spread := deviations(points)
	columns := mattering(from, spread)
	single := columns[:min(len(columns), partsColumns)]
	for _, share := range partShares {
		r := from
		for _, c := range single {
			r = r.and(share/float64(len(single)), spread, c)
		}
		try(r, 2*len(single))
	}
	for _, f := range latticesOf(points, columns) {
		round, names := f, f
		length := min(best.Lengths[f.Column], spread[f.Column])
		round.Value = 2 * math.Pi * length / f.Period // compares neighbours as that on the line does
		try(best.with(round), 0)
		if names.Period = 0; f.Period/f.Step <= namesMost {
			names.Value = namesShare
			try(best.with(names), 0)
		}
	}
	for i, c := range columns[:min(len(columns), pairsColumns)] {
		for _, other := range columns[:i] {
			try(best.and(partShares[0], spread, min(c, other), max(c, other)), 3)
		}
	}
	if stays == 0 {
		return nil
	}
	best.Plain = &plain
	return best
}

// with is the relevance with a column in another form, in all parts that it has a say in.
func (r relevance) with(f form) relevance {
	r.Forms = slices.DeleteFunc(slices.Clone(r.Forms), func(g form) bool { return g.Column == f.Column })
	r.Forms, r.Parts = append(r.Forms, f), slices.Clone(r.Parts)
	for i, p := range r.Parts {
		if at := slices.Index(p.Columns, f.Column); at >= 0 {
			r.Parts[i].Values = slices.Clone(p.Values)
			r.Parts[i].Values[at] = f.Value
		}
	}
	return r
}

// and is the relevance with one part more, on columns in ascending order.
func (r relevance) and(share float64, spread []float64, columns ...int) relevance {
	p := part{Columns: columns, Share: share}
	for _, c := range columns {
		if at := r.formOf(c); at >= 0 {
			p.Values = append(p.Values, r.Forms[at].Value)
		} else {
			p.Values = append(p.Values, partLength*spread[c])
		}
	}
	r.Parts = append(slices.Clone(r.Parts), p)
	return r
}

// mattering is the columns that are not constant, those that matter most first: whose deviation is
// large beside their length-scale.
func mattering(r relevance, spread []float64) []int {
	var out []int
	for c := range spread {
		if spread[c] > 0 {
			out = append(out, c)
		}
	}
	weight := func(c int) float64 { return spread[c] / r.Lengths[c] }
	sort.SliceStable(out, func(i, j int) bool { return weight(out[i]) > weight(out[j]) })
	return out
}

// deviations is that of each column.
func deviations(x data.DenseRows) []float64 {
	out, column := make([]float64, x.Dim()), make([]float64, x.Len())
	for c := range out {
		for i := range column {
			column[i] = x.At(i)[c]
		}
		mean := learn.Mean(column, nil)
		for i := range column {
			column[i] -= mean
		}
		out[c] = learn.RootMeanSquare(column, nil)
	}
	return out
}

// latticesOf is the columns whose values lie on a lattice, as forms that go round once over all of
// them.
func latticesOf(x data.DenseRows, columns []int) []form {
	var out []form
	for _, c := range columns {
		if f, ok := latticeOf(x, c); ok && len(out) < formsColumns {
			out = append(out, f)
		}
	}
	return out
}

func latticeOf(x data.DenseRows, column int) (form, bool) {
	seen := map[float64]bool{}
	for i := range x.Len() {
		if seen[x.At(i)[column]] = true; len(seen) > latticeMost {
			return form{}, false
		}
	}
	if len(seen) < latticeLeast {
		return form{}, false
	}
	var values []float64
	for v := range seen {
		values = append(values, v)
	}
	sort.Float64s(values)
	first, last := values[0], values[len(values)-1]
	step := math.Inf(1)
	for i, v := range values[1:] {
		step = min(step, v-values[i])
	}
	places := math.Round((last-first)/step) + 1
	if float64(len(values)) < latticeTaken*places {
		return form{}, false
	}
	for _, v := range values {
		if place := (v - first) / step; math.Abs(place-math.Round(place)) > 1e-6*places {
			return form{}, false
		}
	}
	step = (last - first) / (places - 1)
	return form{Column: column, Period: places * step, Step: step}, true
}

// told is the forms and parts in words; empty if there are none.
func (r relevance) told(names []string) string {
	var round, coded, alone []string
	for _, f := range r.Forms {
		if f.Period > 0 {
			round = append(round, fmt.Sprintf("%s (every %.4g)", names[f.Column], f.Period/f.Step))
		} else {
			coded = append(coded, names[f.Column])
		}
	}
	for _, p := range r.Parts {
		var of []string
		for _, c := range p.Columns {
			of = append(of, names[c])
		}
		alone = append(alone, strings.Join(of, " × "))
	}
	var out []string
	for _, t := range []struct {
		what string
		of   []string
	}{
		{"begin again after so many values: ", round},
		{"are taken as names: ", coded},
		{"have a part of their own: ", alone},
	} {
		if len(t.of) > 0 {
			out = append(out, t.what+strings.Join(t.of, ", "))
		}
	}
	return strings.Join(out, "; ")
}
