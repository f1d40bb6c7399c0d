package worker

import (
	"bytes"
	"context"
	"math"
	"slices"

	trees "github.com/mercer-ml/mercer/kernel/forest"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// fitArgs is what a fit is told.
type fitArgs struct {
	Learner       string         `json:"learner"`
	Task          string         `json:"task"` // classification, regression, or none
	Params        map[string]any `json:"params"`
	Kernel        string         `json:"kernel"`
	Classes       []string       `json:"classes"`
	Proba         bool           `json:"proba"`
	NoIntercept   bool           `json:"no_intercept"`
	Tol           float64        `json:"tol"`
	MaxIterations int            `json:"max_iterations"`
	Threads       int            `json:"threads"`
	Bytes         int64          `json:"bytes"`
	Process       *processArgs   `json:"process"` // of a Gaussian process by its own options
	Forest        *forestArgs    `json:"forest"`  // of a forest by its own options
	// TargetScale is how the targets were scaled, (y - center)·factor, for the model to map back.
	TargetScale []float64    `json:"target_scale"`
	Centers     bool         `json:"centers"` // send the centres, too
	Columns     []columnHead `json:"columns"` // of x, where it is a table
}

// fitted is what is known of a model when it was fitted.
type fitted struct {
	model   *model.Model
	support []int
	saved   saved
	report  learn.Report
	told    map[string]float64 // what else the model knows of its fit
	centers *mat.Dense         // of dense rows
	machines
	bag    *trees.OutOfBag
	shares []float64
}

// fit learns from points, and answers with the file of the model and what scikit-learn calls its
// attributes.
func fit(ctx context.Context, c *call) (*answer, error) {
	var args fitArgs
	if err := c.decode(&args); err != nil {
		return nil, err
	}
	j := &fitJob{args: args, trace: c.trace}
	var err error
	if j.y, err = targets(c.arrays); err != nil {
		return nil, err
	}
	if j.weights, err = vector[float64](c.arrays, "weights"); err != nil {
		return nil, err
	}
	if j.noise, err = vector[float64](c.arrays, "noise"); err != nil {
		return nil, err
	}
	f, err := c.learn(ctx, j)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return c.fitted(f, args)
}

// learn fits to a table, or to points.
func (c *call) learn(ctx context.Context, j *fitJob) (*fitted, error) {
	if j.args.Columns == nil {
		x, err := c.arrays.points("x")
		if err != nil {
			return nil, err
		}
		return j.on(ctx, x)
	}
	d, err := c.table("x", j.args.Columns)
	if err != nil {
		return nil, err
	}
	t, err := newTabled(d)
	if err != nil {
		return nil, err
	}
	return j.onTable(ctx, t)
}

// fitted keeps a fitted model and tells of it.
func (c *call) fitted(f *fitted, args fitArgs) (*answer, error) {
	var file bytes.Buffer
	if _, err := f.model.WriteTo(&file); err != nil {
		return nil, err
	}
	a := newAnswer()
	a.result["model"] = c.models.add(file.Bytes())
	put(a, "model", file.Bytes())
	about(a, f.model)
	a.result["report"] = reportOf(f.report)
	a.result["numbers"], a.result["told"] = finite(f.saved.numbers), finite(f.told)
	for name, m := range f.saved.arrays {
		if args.Forest != nil { // nobody asks for the nodes
			break
		}
		a.putMatrix("saved."+name, m)
	}
	if f.support != nil {
		a.putInts("support", f.support)
	}
	a.putCoef(f.saved.coef)
	if f.saved.bias != nil {
		put(a, "bias", slices.Clone(f.saved.bias))
	}
	if f.steps != nil {
		a.putInts("steps", f.steps)
		a.putMatrix("sigmoids", f.sigmoids)
	}
	if f.bag != nil {
		put(a, "oob", f.bag.Values)
	}
	if f.shares != nil {
		put(a, "importances", f.shares)
	}
	if args.Centers {
		a.putMatrix("centers", f.centers)
	}
	return a, nil
}

func targets(a arrays) ([][]float64, error) {
	if !a.has("y") {
		return nil, nil
	}
	v, shape, err := view[float64](a, "y", 2)
	if err != nil {
		return nil, err
	}
	out := make([][]float64, shape[0]) // a row of the array for each target
	for t := range out {
		out[t] = v[t*shape[1] : (t+1)*shape[1]]
	}
	return out, nil
}

// reportOf is how a fit went, for a head.
func reportOf(r learn.Report) map[string]any {
	return map[string]any{
		"learner": r.Learner, "iterations": r.Iterations, "converged": r.Converged, "certified": r.Certified,
		"numbers": finite(map[string]float64{"objective": r.Objective, "certificate": r.Certificate}), "warnings": r.Warnings,
		"notes": r.Notes,
	}
}

// finite is the numbers that JSON can hold.
func finite(numbers map[string]float64) map[string]float64 {
	out := map[string]float64{}
	for name, v := range numbers {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			out[name] = v
		}
	}
	return out
}
