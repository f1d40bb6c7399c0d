package gp

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
)

// weighty leaves out the rows of weight 0, whose noise would be infinite, and drops weights that
// are all 1. The targets are a column each.
func (g *regression) weighty(x data.Points[any], columns ...[]float64) (data.Points[any], [][]float64, error) {
	rows, err := heavyRows(x, g.Weights)
	if err != nil || g.Weights == nil {
		return x, columns, err
	}
	for t, y := range columns {
		if len(y) != len(g.Weights) {
			return x, columns, fmt.Errorf("%d targets but %d sample weights", len(y), len(g.Weights))
		}
		columns[t] = data.Take(y, rows)
	}
	if g.PointNoise != nil && len(g.PointNoise) == len(g.Weights) {
		g.PointNoise = data.Take(g.PointNoise, rows)
	}
	if len(rows) < len(g.Weights) {
		x = data.Gather(x, rows)
	}
	if g.Weights = data.Take(g.Weights, rows); even(g.Weights) {
		g.Weights = nil
	}
	return x, columns, nil
}

// heavyRows is the rows that count.
func heavyRows(x data.Points[any], weights []float64) ([]int, error) {
	if weights == nil || x == nil {
		return nil, nil
	}
	if _, err := fitting.Prices(1, x.Len(), weights); err != nil {
		return nil, err
	}
	var rows []int
	for i, w := range weights {
		if w > 0 {
			rows = append(rows, i)
		}
	}
	return rows, nil
}

func even(weights []float64) bool {
	for _, w := range weights {
		if w != 1 {
			return false
		}
	}
	return true
}

// relative is the weights of rows to which a process is fitted whose noise is found: their mean is
// 1. Rows that stand there thousands of times agree with themselves, and their evidence is for a
// process without noise; that of weights of mean 1 is, up to a constant, that of one row each, of
// noise σ²/w. Where the noise is given or Student's, or the target is counts or classes, a weight is
// how many rows a row counts as.
func relative(s learn.Settings, p learn.Problem[any]) []float64 {
	w := p.FitWeights()
	if w == nil || p.Task != data.Regression || s.Params["noise"] > 0 || s.Params["likelihood"] > 0 {
		return w
	}
	sum, rows := 0.0, 0
	for _, v := range w {
		if v > 0 {
			sum, rows = sum+v, rows+1
		}
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return w // refused where they are read
	}
	out := make([]float64, len(w))
	for i, v := range w {
		out[i] = v / sum * float64(rows)
	}
	return out
}

// repeated is what the log marginal likelihood of a row that counts as w rows has beside that of
// one row of noise s/w, and its derivative by s: w rows with one value have
//
//	log N(y·1; f·1, s·I) = log N(y; f, s/w) - ½((w-1)·log 2πs + log w).
//
// Without noise they are one row.
func repeated(w, s float64) (value, slope float64) {
	if s == 0 {
		return 0, 0
	}
	return -0.5 * ((w-1)*math.Log(2*math.Pi*s) + math.Log(w)), -0.5 * (w - 1) / s
}

// repeats adds repeated up over the rows.
func (p *gpProblem) repeats(noise float64) (value, slope float64) {
	for i, w := range p.weights {
		v, d := repeated(w, p.ownNoise(i)+noise)
		value, slope = value+v, slope+d
	}
	return value, slope
}

func (p *gpProblem) ownNoise(i int) float64 {
	if p.own == nil {
		return 0
	}
	return p.own[i]
}

// noiseAt is the variance of the noise of row i.
func (p *gpProblem) noiseAt(i int, noise float64) float64 {
	v := noise + p.ownNoise(i)
	if p.weights != nil {
		v /= p.weights[i]
	}
	return v
}

// rows is how many rows there are, each as often as its weight says.
func (p *gpProblem) rows() float64 {
	if p.weights == nil {
		return float64(len(p.y))
	}
	return fitting.Sum(p.weights)
}
