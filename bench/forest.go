package main

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/kernel/forest"
	learned "github.com/mercer-ml/mercer/learn/forest"
)

// forests is random forests and boosted trees beside scikit-learn's, grown on some rows and asked
// for 2,000 others: fit and predict in one. Parameters are the same; boosted ones have depth 5 and
// leaves of at least 20 rows, which are the 31 leaves of HistGradientBoosting less one.
func forests() (out []Case) {
	for _, s := range []struct{ n, d, classes int }{{300, 10, 0}, {300, 10, 2}, {4000, 20, 0}, {4000, 20, 2},
		{4000, 20, 10}, {100_000, 20, 0}, {100_000, 20, 2}, {20_000, 100, 5}} {
		out = append(out, forestCase("forest", 1.5, s.n, s.d, s.classes), forestCase("boosted", 0, s.n, s.d, s.classes))
	}
	return out
}

// forestCase is one of them: classes of 0 is numbers.
func forestCase(kind string, bar float64, n, d, classes int) Case {
	task := "numbers"
	if classes > 0 {
		task = fmt.Sprintf("%d classes", classes)
	}
	args := map[string]any{"classes": classes, "threads": runtime.GOMAXPROCS(0)}
	return Case{Work: fmt.Sprintf("%s, %s × %d, %s", kind, phrase.Thousands(n), d, task), Bar: bar, Peer: kind, Args: args,
		Prepare: func() Work {
			x, fresh := random(n, d, 51), random(2000, d, 52)
			y, truth := forestTarget(x, classes), forestTarget(fresh, classes)
			var said []float64
			return Work{
				Inputs: Inputs{"x": array(x), "y": {Rows: 1, Cols: n, Data: y}, "fresh": array(fresh)},
				Run:    func() { said = forestRun(kind, data.RowsOf(x), y, data.RowsOf(fresh), classes) },
				Check: func(t Inputs) error {
					if ours, theirs := goodness(said, truth, classes), goodness(t["result"].Data, truth,
						classes); !(ours > theirs-0.03) {
						return fmt.Errorf("score %.3f on new rows, theirs %.3f", ours, theirs)
					}
					return nil
				},
				Say: func(t Inputs) string {
					return fmt.Sprintf("score on new rows %.3f, theirs %.3f", goodness(said, truth, classes),
						goodness(t["result"].Data, truth, classes))
				},
			}
		}}
}

// forestTarget has steps, products and a column that matters only on one side of another; classes
// are cut off it by its quantiles on a normal scale.
func forestTarget(x linalg.Matrix[float64], classes int) []float64 {
	y := make([]float64, x.Rows)
	for i := range y {
		r := x.Row(i)
		y[i] = math.Copysign(1, r[0]) + r[1]*r[2] + math.Sin(3*r[3])
		if r[4] > 0 {
			y[i] += 2 * r[5]
		}
		if classes > 0 {
			share := 0.5 * math.Erfc(-y[i]/2.2/math.Sqrt2)
			y[i] = math.Min(math.Floor(share*float64(classes)), float64(classes-1))
		}
	}
	return y
}

func forestRun(kind string, x data.DenseRows, y []float64, fresh data.DenseRows, classes int) []float64 {
	ctx := context.Background()
	code := make([]int, len(y))
	for i, v := range y {
		code[i] = int(v)
	}
	growth := forest.Growth{Trees: 100}
	if kind == "boosted" {
		growth.Depth, growth.Min = 5, 20
	}
	var said []float64
	var labels []int
	var err error
	switch {
	case kind == "forest" && classes == 0:
		m, e := learned.Regression{Growth: growth}.Fit(ctx, x, y)
		if err = e; err == nil {
			said, err = m.Predict(ctx, fresh)
		}
	case kind == "forest":
		m, e := learned.Classification[int]{Growth: growth}.Fit(ctx, x, code)
		if err = e; err == nil {
			labels, err = m.Predict(ctx, fresh)
		}
	case classes == 0:
		m, e := learned.Boosting{Growth: growth}.Fit(ctx, x, y)
		if err = e; err == nil {
			said, err = m.Predict(ctx, fresh)
		}
	default:
		m, e := learned.BoostingClassification[int]{Growth: growth}.Fit(ctx, x, code)
		if err = e; err == nil {
			labels, err = m.Predict(ctx, fresh)
		}
	}
	if err != nil {
		panic(err)
	}
	for _, c := range labels {
		said = append(said, float64(c))
	}
	return said
}

// goodness is R², or the share of classes that are right.
func goodness(said, truth []float64, classes int) float64 {
	off, spread, right, mean := 0.0, 0.0, 0.0, 0.0
	for _, v := range truth {
		mean += v / float64(len(truth))
	}
	for i, v := range truth {
		off += (said[i] - v) * (said[i] - v)
		spread += (v - mean) * (v - mean)
		if said[i] == v {
			right += 1 / float64(len(truth))
		}
	}
	if classes > 0 {
		return right
	}
	return 1 - off/spread
}
