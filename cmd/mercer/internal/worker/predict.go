package worker

import (
	"context"
	"slices"

	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// predictArgs is what is wanted of a model.
type predictArgs struct {
	Model   uint64       `json:"model"` // 0: it came with the request
	Want    []string     `json:"want"`  // scores, proba, std, covariance
	Columns []columnHead `json:"columns"`
}

// using finds the model of a request; where the file came with it, it is kept, and the answer says
// its number.
func (c *call) using(id uint64, a *answer) (*model.Model, error) {
	if c.arrays.has("model") {
		file, _, err := view[byte](c.arrays, "model", 1)
		if err != nil {
			return nil, err
		}
		own := aligned(len(file))
		copy(own, file)
		id = c.models.add(own)
		a.result["model"] = id
	}
	return c.models.get(id)
}

// predict says what a model thinks of points.
func predict(ctx context.Context, c *call) (*answer, error) {
	var args predictArgs
	if err := c.decode(&args); err != nil {
		return nil, err
	}
	a := newAnswer()
	m, err := c.using(args.Model, a)
	if err != nil {
		return nil, err
	}
	x, err := c.encoded(m, args.Columns)
	if err != nil {
		return nil, err
	}
	asks := func(what string) bool { return slices.Contains(args.Want, what) }
	p, err := m.PredictEncoded(ctx, x, model.Want{Scores: asks("scores"), Proba: asks("proba"), Std: asks("std"),
		Covariance: asks("covariance")})
	if err != nil {
		return nil, err
	}
	if p.Codes != nil {
		a.putInts("codes", p.Codes)
	} else {
		put(a, "values", p.Values)
	}
	if len(p.More) > 0 {
		more := mat.NewDense(len(p.More), len(p.Values), nil)
		for t, q := range p.More {
			more.SetRow(t, q.Values)
		}
		a.putMatrix("more", more)
	}
	a.putMatrix("scores", p.Scores)
	a.putMatrix("proba", p.Proba)
	a.putMatrix("covariance", p.Covariance)
	if p.Std != nil {
		put(a, "std", p.Std)
		put(a, "observation_std", p.ObservationStd)
	}
	return a, nil
}
