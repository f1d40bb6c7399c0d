package cli

import (
	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/stat"
)

// figure is the witness of dependence where one number stands against another,
// and the null distribution otherwise.
func (o *independenceOptions) figure(s []*side, r *stat.TestResult) (*plot.Figure, error) {
	plain := func(t *side) bool {
		c := t.Enc.Columns
		return t.vectors() && len(c) == 1 && c[0].Kind == data.Numeric && t.Enc.Dim == 1
	}
	if len(s) == 2 && plain(s[0]) && plain(s[1]) {
		return dependenceField(s[0], s[1])
	}
	if r.Draws == nil {
		return nil, usage("--plot: with more than two columns the picture is of the permutations, and --method gamma has " +
			"none; use --method hsic")
	}
	return plot.Null(r.Measure, r.Draws, r.Statistic, r.Threshold)
}

// pictureTitle is what figure shows.
func (o *independenceOptions) pictureTitle(s []*side, name string) string {
	var columns []string
	for _, t := range s {
		columns = append(columns, namesOf(t.Columns))
	}
	return "Dependence of " + joined(columns) + " (" + titleName(name) + ")"
}

// dependenceField is the witness of HSIC over the plane: how much denser pairs
// are there, seen through the kernels, than if the columns were independent,
//
//	f(x, y) = (1/n)Σ k(xᵢ, x)l(yᵢ, y) − (1/n)Σ k(xᵢ, x) · (1/n)Σ l(yᵢ, y).
func dependenceField(x, y *side) (*plot.Figure, error) {
	all := make([]int, x.len())
	for i := range all {
		all[i] = i
	}
	px, py := x.unscaled(x.Columns[0], all), y.unscaled(y.Columns[0], all)
	xs, ys := axisOver(px, 60), axisOver(py, 60)
	kx, ky := evalPairs(x, xs), evalPairs(y, ys)
	n := float64(len(all))
	mean := func(v []float64) float64 {
		sum := 0.0
		for _, z := range v {
			sum += z
		}
		return sum / n
	}
	values, size := make([][]float64, len(ys)), 0.0
	for j := range ys {
		values[j] = make([]float64, len(xs))
		my := mean(ky[j])
		for i := range xs {
			sum := 0.0
			for t, k := range kx[i] {
				sum += k * ky[j][t]
			}
			values[j][i] = sum/n - mean(kx[i])*my
			size = max(size, values[j][i], -values[j][i])
		}
	}
	return plot.Field{
		XName: x.Columns[0], YName: y.Columns[0], Alt: "where pairs are denser and rarer than independence would have them",
		Xs: xs, Ys: ys, Values: values, Signed: true, High: "more pairs than if independent", Low: "fewer",
		Levels: []float64{-size / 2, size / 2}, Groups: []plot.Group{{X: px, Y: py}},
	}.Figure()
}

// evalPairs is k(grid value, row) for every value and every row.
func evalPairs(s *side, values []float64) [][]float64 {
	at := s.rescaled(values)
	out := make([][]float64, len(values))
	for i := range out {
		out[i] = make([]float64, s.len())
		for j := range out[i] {
			out[i][j] = s.Kernel.Eval(at.At(i), s.Rows.At(j))
		}
	}
	return out
}
