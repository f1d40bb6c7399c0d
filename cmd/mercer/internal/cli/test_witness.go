package cli

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/project"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// witnessPlot shows the witness over one number, over a plane, or, of more
// columns, at every point over the two that differ most.
func (s *samples) witnessPlot(ctx context.Context, k kernel.Kernel[any], f *rkhs.Func[any]) (*plot.Figure, error) {
	enc := s.Pooled.Enc
	numeric := func(name string) bool {
		for _, c := range enc.Columns {
			if c.Name == name {
				return c.Kind == data.Numeric && c.Width == 1 && !c.Indicator
			}
		}
		return false
	}
	named := s.shown()
	denser := [2]string{named[0] + " denser", named[1] + " denser"}
	alt := "witness function of the two-sample test of " + s.Names[0] + " and " + s.Names[1]
	switch {
	case !s.Pooled.vectors():
		return s.objectsPlot(ctx, k, named, denser, alt)
	case enc.Dim == 1 && numeric(s.Columns[0]):
		values := [2][]float64{s.column(0, 0), s.column(1, 0)}
		xs := axisOver(slices.Concat(values[0], values[1]), 400)
		at, err := evalFunc(ctx, f, s.scaled(xs))
		if err != nil {
			return nil, err
		}
		return plot.SampleCurves(s.Columns[0], "witness", alt, named, values, plot.Series{X: xs, Y: at})
	case enc.Dim == 2 && len(s.Columns) == 2 && numeric(s.Columns[0]) && numeric(s.Columns[1]):
		x, y := [2][]float64{s.column(0, 0), s.column(1, 0)}, [2][]float64{s.column(0, 1), s.column(1, 1)}
		xs, ys := axisOver(slices.Concat(x[0], x[1]), 60), axisOver(slices.Concat(y[0], y[1]), 60)
		values, size := make([][]float64, len(ys)), 0.0
		for j, v := range ys {
			line := make([]float64, len(xs))
			for i := range line {
				line[i] = v
			}
			var err error
			if values[j], err = evalFunc(ctx, f, s.scaled(xs, line)); err != nil {
				return nil, err
			}
			for _, z := range values[j] {
				size = max(size, math.Abs(z))
			}
		}
		return plot.Field{
			XName: s.Columns[0], YName: s.Columns[1], Alt: alt, Xs: xs, Ys: ys, Values: values, Signed: true,
			Low: denser[1], High: denser[0], Levels: []float64{-size / 2, size / 2},
			Groups: []plot.Group{{Name: named[0], X: x[0], Y: y[0]}, {Name: named[1], X: x[1], Y: y[1]}},
		}.Figure()
	}
	var names []string
	for _, n := range s.byDifference(ctx) {
		if numeric(n) {
			names = append(names, n)
		}
	}
	if len(names) < 2 { // words, categories
		return s.objectsPlot(ctx, k, named, denser, alt)
	}
	names[1] = s.unlike(names)
	var groups []plot.Group
	var values [][]float64
	for i := range s.At {
		x, y := s.column(i, slices.Index(s.Columns, names[0])), s.column(i, slices.Index(s.Columns, names[1]))
		groups, values = append(groups, plot.Group{Name: named[i], X: x, Y: y}), append(values, s.witness[i])
	}
	return plot.Coloured(names[0], names[1], alt, denser[0], denser[1], groups, values)
}

// alike is the correlation from which on two columns make a picture of a line.
const alike = 0.9

// unlike is the first of the columns after the first that does not say the same: neighbours in a
// series do. Where all do, it is the second.
func (s *samples) unlike(names []string) string {
	both := func(name string) []float64 {
		j := slices.Index(s.Columns, name)
		return slices.Concat(s.column(0, j), s.column(1, j))
	}
	first := both(names[0])
	for _, name := range names[1:] {
		if math.Abs(stat.Correlation(first, both(name), nil)) < alike {
			return name
		}
	}
	return names[1]
}

// objectsPlot shows the witness at every row over the first two kernel principal components of both
// samples together: objects have no axes of their own.
func (s *samples) objectsPlot(
	ctx context.Context, k kernel.Kernel[any], named, denser [2]string, alt string,
) (*plot.Figure, error) {
	all := slices.Concat(s.At[0], s.At[1])
	m, err := project.PCA[any]{Kernel: k, Components: min(2, len(all)-1), Seed: 1}.Fit(ctx,
		data.Gather(s.Pooled.points(), all))
	if err != nil {
		return nil, lookError(s.Pooled.Name, err)
	}
	if m.Components() < 2 {
		return nil, usage("--plot: the rows lie on a line in feature space, and make no picture")
	}
	axis := componentNames(m.ExplainedRatio())
	var groups []plot.Group
	from := 0
	for i := range s.At {
		to := from + len(s.At[i])
		groups = append(groups, plot.Group{Name: named[i], X: matColumn(m.Scores(), 0)[from:to],
			Y: matColumn(m.Scores(), 1)[from:to]})
		from = to
	}
	return plot.Coloured(axis[0], axis[1], alt, denser[0], denser[1], groups, s.witness[:])
}

// classOf is the value of a sample that is named as COLUMN=VALUE.
func classOf(name string) string {
	_, value, found := strings.Cut(name, "=")
	if !found {
		return name
	}
	return value
}

// isNumber says whether a text is a number, or nothing: no name by itself.
func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil || s == ""
}

// shown are the names of the samples in a picture: without what they share (folders, a format), and
// never so short that they are the same.
func (s *samples) shown() [2]string {
	names := [2]string{titleName(s.Names[0]), titleName(s.Names[1])}
	for i, place := range []string{"the first ", "the second "} { // of one file, or of files of one name
		if path, same := strings.CutPrefix(s.Names[i], place); same {
			names[i] = place + titleName(path)
		}
	}
	if strings.Contains(s.Names[0], "=") || names[0] == names[1] {
		names = s.Names
		if values := [2]string{classOf(names[0]), classOf(names[1])}; !isNumber(values[0]) && !isNumber(values[1]) &&
			values[0] != values[1] {
			names = values // setosa says as much as species=setosa, 1 does not
		}
	}
	short := plot.NamesApart(names[:], 24)
	return [2]string(short)
}

// column is the values of numeric column j in a sample, in its own unit.
func (s *samples) column(sample, j int) []float64 {
	return s.Pooled.unscaled(s.Columns[j], s.At[sample])
}

// scaled turns values of the first columns into points.
func (s *samples) scaled(columns ...[]float64) data.Points[any] {
	return data.EraseVectors(s.Pooled.rescaled(columns...))
}

// unscaled is the values of a numeric column at some rows of the table, in the
// column's own unit.
func (t *table) unscaled(name string, at []int) []float64 {
	for _, c := range t.Enc.Columns {
		if c.Name != name {
			continue
		}
		out := make([]float64, len(at))
		for i, row := range at {
			out[i] = t.Rows.At(row)[c.Offset]
			if len(c.Scale) > 0 {
				out[i] = c.Scale[0].Invert(out[i])
			}
		}
		return out
	}
	return nil
}

// rescaled makes points of values in their own units, a list for each column.
func (t *table) rescaled(columns ...[]float64) data.Points[kernel.Vec] {
	m := linalg.New[float64](len(columns[0]), t.Enc.Dim)
	for j, values := range columns {
		c := t.Enc.Columns[j]
		for i, v := range values {
			if len(c.Scale) > 0 {
				v = c.Scale[0].Apply(v)
			}
			m.Row(i)[c.Offset] = v
		}
	}
	return data.RowsOf(m)
}

// axisOver is count equal steps over the values and a margin on both sides.
func axisOver(values []float64, count int) []float64 {
	low, high := slices.Min(values), slices.Max(values)
	if low == high {
		low, high = low-0.5, high+0.5
	}
	margin := 0.08 * (high - low)
	low, high = low-margin, high+margin
	out := make([]float64, count)
	for i := range out {
		out[i] = low + (high-low)*float64(i)/float64(count-1)
	}
	return out
}

// evalFunc is the values of a function of one output.
func evalFunc(ctx context.Context, f *rkhs.Func[any], x data.Points[any]) ([]float64, error) {
	m := mat.NewDense(x.Len(), 1, nil)
	err := f.EvaluateTo(ctx, m, x)
	return m.RawMatrix().Data, err
}
