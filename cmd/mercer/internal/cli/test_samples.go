package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// samples is two tables with the columns they share.
type samples struct {
	Names   [2]string
	Columns []string
	Pooled  *table
	X, Y    data.Points[any]
	At      [2][]int // row of the pooled table for each point
	witness [2][]float64
}

// samples reads the two samples and scales them by what both hold together,
// which keeps the level: the scaling does not see which row is from which.
func (a *App) samples(ctx context.Context, o *twoSampleOptions) (*samples, error) {
	s := &samples{}
	var parts [2]*data.Dataset
	d, err := a.loadData(ctx, o.A, &o.exploreOptions)
	if err != nil {
		return nil, err
	}
	switch {
	case o.By == "" && o.B == "":
		return nil, usage("give two data sets, or one and --by COLUMN whose two values make the samples")
	case o.By != "" && o.B != "":
		return nil, usage("--by splits one data set, but two are given; leave one out")
	case o.By != "":
		if parts, s.Names, err = splitBy(d, o.By); err != nil {
			return nil, err
		}
	default:
		parts[0] = d
		if parts[1], err = a.loadData(ctx, o.B, &o.exploreOptions); err != nil {
			return nil, err
		}
		s.Names = [2]string{parts[0].Name, parts[1].Name}
		if s.Names[0] == s.Names[1] {
			s.Names = [2]string{"the first " + s.Names[0], "the second " + s.Names[1]}
		}
	}
	if s.Columns, err = columnNames(parts[0], "columns", o.Columns); err != nil {
		return nil, err
	}
	if len(s.Columns) == 0 {
		s.Columns = slices.DeleteFunc(parts[0].Names(), func(n string) bool { return n == o.By })
	}
	var chunks [2]*data.Dataset
	for i, p := range parts {
		if p.Sparse != nil {
			return nil, usage("%s: a LIBSVM file has no named columns to compare; convert it with: mercer data %s "+
				"--convert FILE.csv", p.Name, p.Name)
		}
		if chunks[i], err = comparable(p, parts[0], s.Columns); err != nil {
			return nil, err
		}
	}
	pooled, err := data.Concat(chunks[:])
	if err != nil {
		return nil, inputError(err)
	}
	pooled.Name = s.Names[0] + " and " + s.Names[1]
	if len(o.Columns) == 0 {
		a.doubt(pooled, s.Columns, &o.exploreOptions) // ids that go on in the second file differ, whatever else does
	}
	if o.By == "" && parts[0].Hash == parts[1].Hash {
		a.warn(&o.exploreOptions, "both samples are the same rows: a test has nothing to say of them")
	}
	a.doubtCodes(&o.exploreOptions, pooled, parts[0].Len())
	s.Pooled = &table{Name: pooled.Name, Data: pooled}
	if err := s.Pooled.encode(s.Columns, &o.exploreOptions, "--kernel", o.Kernel); err != nil {
		return nil, err
	}
	n := parts[0].Len()
	for i, row := range s.Pooled.Kept {
		which := 0
		if row >= n {
			which = 1
		}
		s.At[which] = append(s.At[which], i)
	}
	for i, at := range s.At {
		if len(at) < 2 {
			return nil, usage("%s: %s; a sample needs at least 2", s.Names[i], plural(len(at), "row"))
		}
	}
	s.X, s.Y = data.Gather(s.Pooled.points(), s.At[0]), data.Gather(s.Pooled.points(), s.At[1])
	a.doubtGroups(&o.exploreOptions, d)
	if o.By == "" {
		a.doubtGroups(&o.exploreOptions, parts[1])
	}
	for i, points := range []data.Points[any]{s.X, s.Y} {
		points, ok := data.VectorsOf(points)
		if !ok {
			break // of objects nobody says what a rank is
		}
		a.doubtOrder(&o.exploreOptions, parts[i], s.rowsOf(i, n), []string{s.Names[i]}, []data.Points[kernel.Vec]{points}, 1,
			"take rows so far apart that they are not alike")
	}
	return s, nil
}

// doubtCodes names the categories of which the first n rows and those after them have none in
// common: the samples differ there by how they were written down, whatever they are of.
func (a *App) doubtCodes(o *exploreOptions, pooled *data.Dataset, n int) {
	for _, c := range pooled.Columns {
		if c.Kind != data.Categorical && c.Kind != data.Boolean {
			continue
		}
		count := make([][2]int, len(c.Levels))
		for i, code := range c.Codes {
			switch {
			case code < 0:
			case i < n:
				count[code][0]++
			default:
				count[code][1]++
			}
		}
		var example [2]string
		common, again := false, false
		for code, k := range count {
			common = common || k[0] > 0 && k[1] > 0
			for s := range k {
				if k[s] > 0 && example[s] == "" {
					example[s] = c.Levels[code]
				}
				again = again || k[s] > 1
			}
		}
		if !common && again && example[0] != "" && example[1] != "" {
			a.warn(o,
				fmt.Sprintf("column %q has no value that stands in both samples (%q in the first, %q in the second): where they "+
					"are written differently and mean the same, that is all a test finds", c.Name, example[0], example[1]))
		}
	}
}

// rowsOf is the rows of a sample's own table, the first of which has n, that are its points.
func (s *samples) rowsOf(sample, n int) []int {
	rows := data.Take(s.Pooled.Kept, s.At[sample])
	for i := range rows {
		rows[i] -= sample * n
	}
	return rows
}

// comparable is the columns of d that the test compares, of the kinds that the
// first sample has.
func comparable(d, first *data.Dataset, columns []string) (*data.Dataset, error) {
	out := &data.Dataset{Name: d.Name, Joins: d.Joins}
	for _, n := range columns {
		c, err := d.Column(n)
		if err != nil {
			return nil, usage("%w\n  %s has it; choose columns that both have with --columns", err, first.Name)
		}
		f, err := first.Column(n)
		if err != nil {
			return nil, inputError(err)
		}
		got := *c
		if c.Kind != f.Kind {
			if got, err = c.As(f.Kind); err != nil {
				return nil, usage("%s: column %q is %s, but %s in %s; mend the file, set --type %s=%s, or leave it out "+
					"with --columns",
					d.Name, n, c.Kind, f.Kind, first.Name, n, f.Kind)
			}
		}
		out.Columns = append(out.Columns, got)
	}
	if len(out.Columns) == 0 {
		return nil, usage("%s: no columns to compare", d.Name)
	}
	return out, nil
}

// splitBy cuts a data set by the two values of a column.
func splitBy(d *data.Dataset, by string) (parts [2]*data.Dataset, names [2]string, err error) {
	c, err := d.Column(by)
	if err != nil {
		return parts, names, usage("--by: %w", err)
	}
	rows := map[string][]int{}
	var values []string
	for i := range c.Len() {
		v := c.String(i)
		if v == "" {
			continue
		}
		if rows[v] == nil {
			values = append(values, v)
		}
		rows[v] = append(rows[v], i)
	}
	if len(values) != 2 {
		slices.Sort(values)
		shown := strings.Join(values[:min(5, len(values))], ", ")
		return parts, names, usage("--by: column %q of %s has %s (%s), not two; choose another, or cut the file in two", by,
			d.Name, plural(len(values), "value"), shown)
	}
	slices.Sort(values)
	for i, v := range values {
		parts[i], names[i] = d.Gather(rows[v]), by+"="+v
	}
	return parts, names, nil
}
