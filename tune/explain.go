package tune

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/mixing"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/model"
)

// errNoColumns is wrapped by the error of rows that are one sparse vector each: they have no
// columns to look at one by one.
var errNoColumns = errors.New("the rows have no columns but sparse features")

// ExplainOptions says how much work goes into an explanation.
type ExplainOptions struct {
	Metric  Metric // that importance is counted in; the zero value means the first of the model's task
	Repeats int    // shuffles of each column; 0 means 10
	Rows    int    // at most so many rows, drawn by Seed out of those with an answer; 0 means 500
	Points  int    // values of a numeric column that dependence is drawn at; 0 means 20
	Seed    uint64
}

func (o ExplainOptions) withDefaults(m *model.Model) ExplainOptions {
	if o.Metric.Name == "" {
		task := m.Task()
		if task == data.Unsupervised {
			task = data.Binary
		}
		o.Metric = Metrics(task)[0]
	}
	for p, standard := range map[*int]int{&o.Repeats: 10, &o.Rows: 500, &o.Points: 20} {
		if *p <= 0 {
			*p = standard
		}
	}
	return o
}

// Importance is what a column is worth to a model.
type Importance struct {
	Column string
	// Loss is by how much the score gets worse when the values of the column change places between
	// rows, on average over the shuffles, and SD the standard deviation over these. Below 0 it is
	// chance.
	Loss, SD float64
}

// some is the rows that an explanation looks at, drawn at random: every tenth would be of one kind
// where ten kinds take turns. Queries stay whole.
func some(d *data.Dataset, o ExplainOptions) (*data.Dataset, error) {
	var rows []int
	target, err := d.Column(d.Target)
	for i := range d.Len() {
		if d.Target == "" || err != nil || !target.IsMissing(i) {
			rows = append(rows, i)
		}
	}
	switch {
	case len(rows) > o.Rows:
	case len(rows) == d.Len():
		return d, nil
	default:
		return d.Gather(rows), nil
	}
	rng := rand.New(rand.NewPCG(o.Seed, 0x736f6d65<<32))
	groups, err := d.RowGroups(rows)
	if err != nil {
		return nil, err
	}
	var taken []int
	if parts := groupRows(groups); parts != nil {
		for _, g := range rng.Perm(len(parts)) {
			if len(taken) == 0 || len(taken)+len(parts[g]) <= o.Rows {
				taken = append(taken, data.Take(rows, parts[g])...)
			}
		}
	} else {
		taken = data.Take(rows, rng.Perm(len(rows))[:o.Rows])
	}
	slices.Sort(taken)
	return d.Gather(taken), nil
}

// Explained is the rows of d that PermutationImportance and PartialDependence look at. Given these
// alone, they look at them all: what is explained in several ways is drawn once.
func Explained(m *model.Model, d *data.Dataset, o ExplainOptions) (*data.Dataset, error) {
	return some(d, o.withDefaults(m))
}

// columnsOf is the columns of d that the model looks at.
func columnsOf(m *model.Model, d *data.Dataset) ([]string, error) {
	if d.Sparse != nil {
		return nil, errNoColumns
	}
	var names []string
	if e := m.Info().Encoder; e != nil {
		for _, c := range e.Columns {
			names = append(names, c.Name)
		}
		return names, nil
	}
	for _, c := range d.Features() {
		names = append(names, c.Name)
	}
	return names, nil
}

// with is d with one column in place of the one of its name.
func with(d *data.Dataset, c data.Column) *data.Dataset {
	out := *d
	out.Columns = slices.Clone(d.Columns)
	for j := range out.Columns {
		if out.Columns[j].Name == c.Name {
			out.Columns[j] = c
		}
	}
	return &out
}

// notesOf is, of each column whose letters are notes for the kernel of a model, that of the letters
// which they are notes of.
func notesOf(m *model.Model) map[string]string {
	out := map[string]string{}
	if e := m.Info().Encoder; e != nil {
		for text := range strings.SplitSeq(m.Kernel(), "; ") { // of a committee
			maps.Copy(out, spec.NotesIn(mixing.SchemaOf(e), text))
		}
	}
	return out
}

// shuffled is d with the values of a column in another order. Letters take their notes with them;
// notes change places between rows with as many letters.
func shuffled(d *data.Dataset, name string, letters map[string]string, rng *rand.Rand) (*data.Dataset, error) {
	c, err := d.Column(name)
	if err != nil {
		return nil, err
	}
	order := rng.Perm(d.Len())
	if _, ok := letters[name]; ok {
		order = within(order, func(i int) int { return utf8.RuneCountInString(c.String(i)) })
	}
	out := with(d, c.Gather(order))
	for notes, of := range letters {
		if of == name {
			c, err := d.Column(notes)
			if err != nil {
				return nil, err
			}
			out = with(out, c.Gather(order))
		}
	}
	return out, nil
}

// within is an order in which each row has the place of one of its own kind: of a kind, the rows as
// order has them take the places that there are.
func within(order []int, kind func(row int) int) []int {
	of := map[int][]int{}
	for _, row := range order {
		of[kind(row)] = append(of[kind(row)], row)
	}
	out := make([]int, len(order))
	for place := range out {
		k := kind(place)
		out[place], of[k] = of[k][0], of[k][1:]
	}
	return out
}

// PermutationImportance shuffles one column of d after the other and looks how much worse the model
// gets on the rows (L. Breiman, Random forests, 2001), the most important first; d.Target holds the
// answers. Of columns that say the same each looks dispensable, as the other is still there. Letters
// are shuffled with their notes, where the kernel has some, and notes among strings of one length.
func PermutationImportance(
	ctx context.Context, m *model.Model, d *data.Dataset, o ExplainOptions,
) (score float64, out []Importance, err error) {
	o = o.withDefaults(m)
	names, err := columnsOf(m, d)
	if err != nil {
		return 0, nil, err
	}
	if d, err = some(d, o); err != nil {
		return 0, nil, err
	}
	judge := func(d *data.Dataset) (float64, error) {
		p, _, err := m.Judged(ctx, d)
		if err != nil {
			return 0, err
		}
		return o.Metric.Score(p), nil
	}
	if score, err = judge(d); err != nil {
		return 0, nil, err
	}
	if math.IsNaN(score) {
		return 0, nil, fmt.Errorf("%s is not defined on these rows", o.Metric.Name)
	}
	sign := -1.0
	if o.Metric.Maximize {
		sign = 1
	}
	letters := notesOf(m)
	for j, name := range names {
		sum, square := 0.0, 0.0
		for r := range o.Repeats {
			rng := rand.New(rand.NewPCG(o.Seed, uint64(j)<<32|uint64(r)))
			other, err := shuffled(d, name, letters, rng)
			if err != nil {
				return 0, nil, err
			}
			v, err := judge(other)
			if err != nil {
				return 0, nil, err
			}
			loss := sign * (score - v)
			sum, square = sum+loss, square+loss*loss
		}
		n := float64(o.Repeats)
		mean := sum / n
		out = append(out, Importance{name, mean, math.Sqrt(math.Max(0, square/n-mean*mean))})
	}
	slices.SortStableFunc(out, func(a, b Importance) int {
		switch {
		case a.Loss > b.Loss:
			return -1
		case a.Loss < b.Loss:
			return 1
		}
		return 0
	})
	return score, out, nil
}

// Dependence is the mean prediction over rows as one of their columns takes one value after the
// other.
type Dependence struct {
	Column string
	X      []float64 // of a numeric column
	Levels []string  // of a categorical one
	// Mean has a list for each class, of its mean probability (or of the share of rows predicted
	// so, where the model has no probabilities), and one list alone for a quantity. A place for
	// each value.
	Mean [][]float64
}

// PartialDependence sets a column of all rows to one value after the other and averages what the
// model predicts (J. Friedman, Greedy function approximation, 2001): of a numeric column quantiles
// from 2.5 % to 97.5 %, of a categorical one its levels, 30 at most. Columns of other kinds have
// none, and ok is false.
func PartialDependence(
	ctx context.Context, m *model.Model, d *data.Dataset, column string, o ExplainOptions,
) (out Dependence, ok bool, err error) {
	o = o.withDefaults(m)
	out.Column = column
	c, err := d.Column(column)
	if err != nil {
		return out, false, err
	}
	if d, err = some(d, o); err != nil {
		return out, false, err
	}
	n := d.Len()
	var values []data.Column
	switch c.Kind {
	case data.Numeric:
		known := slices.DeleteFunc(slices.Clone(c.Numbers), math.IsNaN)
		slices.Sort(known)
		if len(known) == 0 {
			return out, false, nil
		}
		for i := range o.Points {
			at := 0.025 + 0.95*float64(i)/float64(max(o.Points-1, 1))
			out.X = append(out.X, known[int(math.Round(at*float64(len(known)-1)))])
		}
		out.X = slices.Compact(out.X)
		for _, x := range out.X {
			same := make([]float64, n)
			for i := range same {
				same[i] = x
			}
			values = append(values, data.NumberColumn(column, same))
		}
	case data.Categorical, data.Boolean:
		const most = 30
		for _, level := range c.Levels[:min(most, len(c.Levels))] {
			same := make([]string, n)
			for i := range same {
				same[i] = level
			}
			out.Levels = append(out.Levels, level)
			values = append(values, data.LevelColumn(column, same))
		}
	}
	if len(values) < 2 {
		return out, false, nil
	}
	out.Mean = make([][]float64, max(1, len(m.Classes())))
	for _, v := range values {
		p, err := m.Predict(ctx, with(d, v), model.Want{Proba: m.HasProba()})
		if err != nil {
			return out, false, err
		}
		sums := make([]float64, len(out.Mean))
		for i := range p.Rows {
			switch {
			case p.Values != nil:
				sums[0] += p.Values[i]
			case p.Proba != nil:
				for k := range sums {
					sums[k] += p.Proba.At(i, k)
				}
			default:
				sums[p.Codes[i]]++
			}
		}
		for k, s := range sums {
			out.Mean[k] = append(out.Mean[k], s/float64(max(1, p.Len())))
		}
	}
	return out, true, nil
}
