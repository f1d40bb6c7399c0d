package cli

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"github.com/mercer-ml/mercer/stat"
	"github.com/mercer-ml/mercer/trace"
)

// place names the row of largest difference by the columns that differ most.
func (s *samples) place(ctx context.Context, at stat.Difference) (text, denser string, fields map[string]string) {
	row := s.Pooled.Kept[s.At[at.Sample][at.Index]]
	const most = 3
	var parts []string
	fields = map[string]string{}
	for i, name := range s.byDifference(ctx) {
		c, err := s.Pooled.Data.Column(name)
		if err != nil {
			continue
		}
		value := clipName(c.String(row))
		if c.Kind == data.Numeric {
			value = fourDigits(c.Numbers[row])
		}
		if i < most {
			parts = append(parts, name+"="+value)
		}
		fields[name] = c.String(row)
	}
	denser = s.Names[0]
	if at.Value < 0 {
		denser = s.Names[1]
	}
	return strings.Join(parts, ", "), denser, fields
}

// byDifference lists the columns, first those in which the samples differ most
// by themselves: by the biased MMD of a gaussian of median width on at most
// 500 rows of each. Where some are of objects they stay in their order.
func (s *samples) byDifference(ctx context.Context) []string {
	size := map[string]float64{}
	if !s.Pooled.vectors() {
		return slices.Clone(s.Columns)
	}
	for _, c := range s.Pooled.Enc.Columns {
		part := func(at []int) data.DenseRows {
			step := max(1, len(at)/500)
			width := c.Width
			m := linalg.New[float64]((len(at)+step-1)/step, width)
			for i := range m.Rows {
				copy(m.Row(i), s.Pooled.Rows.At(at[i*step])[c.Offset:c.Offset+width])
			}
			return data.RowsOf(m)
		}
		x, y := part(s.At[0]), part(s.At[1])
		k, err := stat.MedianKernel(x, y)
		if err != nil {
			continue // a constant column
		}
		f, err := stat.Witness[kernel.Vec](ctx, k, x, y)
		if err == nil {
			size[c.Name] = f.Norm()
		}
	}
	out := slices.Clone(s.Columns)
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(size[b], size[a]) })
	return out
}

// evaluateWitness computes the witness at every row of both samples, once for all who ask, and
// tells how far it has come.
func (a *App) evaluateWitness(ctx context.Context, o *twoSampleOptions, s *samples, f *rkhs.Func[any]) error {
	const piece = 1024 // rows between two looks at the clock and at the context
	step, done := a.meter(&o.exploreOptions, "witness", s.X.Len()+s.Y.Len())
	defer done()
	told := 0
	for i, x := range []data.Points[any]{s.X, s.Y} {
		values := make([]float64, 0, x.Len())
		for from := 0; from < x.Len(); from += piece {
			at := make([]int, min(piece, x.Len()-from))
			for j := range at {
				at[j] = from + j
			}
			part, err := evalFunc(ctx, f, data.Gather(x, at))
			if err != nil {
				return err
			}
			values = append(values, part...)
			told += len(at)
			step(trace.Step{Iteration: told})
		}
		s.witness[i] = values
	}
	return nil
}

// largest is the row at which the witness is largest in absolute value; of equal ones the first.
func (s *samples) largest() (best stat.Difference) {
	for i, values := range s.witness {
		for j, v := range values {
			if i+j == 0 || math.Abs(v) > math.Abs(best.Value) {
				best = stat.Difference{Sample: i, Index: j, Value: v}
			}
		}
	}
	return best
}

func (a *App) writeWitness(o *twoSampleOptions, s *samples) error {
	values := s.witness
	var index []int
	var which []string
	var at []float64
	for i := range values {
		for j, v := range values[i] {
			index = append(index, s.Pooled.Kept[s.At[i][j]])
			which, at = append(which, s.Names[i]), append(at, v)
		}
	}
	columns := s.Pooled.Data.Gather(index).Columns
	return a.writeColumns(o.Output, append(columns, data.TextColumn("sample", which), data.NumberColumn("witness", at))...)
}
