package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// ErrCommittee is wrapped by the error of a committee that was asked for what only one function
// has: centres near a row, say.
var ErrCommittee = errors.New("it is a committee of several functions")

// Committee is models of one target whose weighted mean is a model (learn.Blend).
type Committee struct {
	Members []CommitteeMember
	Report  learn.Report // how the weights came about
}

// CommitteeMember is a model and its share: more than 0, and all together 1.
type CommitteeMember struct {
	Model  *Model
	Weight float64
}

// mostMembers bounds the members of a committee.
const mostMembers = 64

// committee is the body of a weighted mean of others.
type committee struct {
	members []body
	specs   []string // what each member is, for people
	weights []float64
	said    learn.Report
}

// NewCommittee makes one model of several on the same features: of numbers the mean of their
// values, of classes the mean of their probabilities. What is known of rows that were held out is
// that of the mean, in info.
func NewCommittee(c Committee, info Info) (*Model, error) {
	out := &committee{said: c.Report}
	for _, m := range c.Members {
		if m.Model == nil {
			return nil, fmt.Errorf("model: a member of a committee is missing")
		}
		out.members, out.specs, out.weights = append(out.members, m.Model.body), append(out.specs, m.Model.info.Spec),
			append(out.weights, m.Weight)
	}
	if err := out.check(); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return assemble(out, info)
}

// check refuses what cannot decide together.
func (c *committee) check() error {
	if n := len(c.members); n == 0 || n > mostMembers || n != len(c.weights) || n != len(c.specs) {
		return fmt.Errorf("a committee of %d members, %d weights and %d names", len(c.members), len(c.weights), len(c.specs))
	}
	sum, first := 0.0, c.members[0]
	for m, b := range c.members {
		w := c.weights[m]
		sum += w
		_, nested := b.(*committee)
		_, transforms := b.(*transform)
		_, ofNodes := b.(*nodesBody)
		switch {
		case nested || transforms || ofNodes || b.targets() > 1 || b.learner() == "one-class":
			return fmt.Errorf("member %d of a committee is of %s; it takes predictors of one target", m+1, b.learner())
		case !(w > 0 && w <= 1):
			return fmt.Errorf("member %d of a committee has a weight of %g", m+1, w)
		case b.classes() != first.classes() || b.dim() != first.dim():
			return fmt.Errorf("member %d of a committee knows %d classes of points with %d features, the first %d and %d", m+1,
				b.classes(), b.dim(), first.classes(), first.dim())
		case b.classes() > 0 && !b.hasProba():
			return fmt.Errorf("member %d of a committee has no probabilities", m+1)
		}
	}
	if math.Abs(sum-1) > 1e-9 {
		return fmt.Errorf("the weights of a committee sum to %g", sum)
	}
	return nil
}

// Members is what a committee is made of, by the texts of its members; nil of every other model.
func (m *Model) Members() (specs []string, weights []float64) {
	if c, ok := m.body.(*committee); ok {
		return append(specs, c.specs...), append(weights, c.weights...)
	}
	return nil, nil
}

func (c *committee) domain() string  { return domainCommittee }
func (c *committee) learner() string { return "committee" }
func (c *committee) classes() int    { return c.members[0].classes() }
func (c *committee) dim() int        { return c.members[0].dim() }
func (c *committee) targets() int    { return 1 }
func (c *committee) of(int) body     { return c }
func (c *committee) hasProba() bool  { return c.classes() > 0 }
func (c *committee) hasStd() bool    { return false }
func (c *committee) updatable() bool { return false }

func (c *committee) kernelText() string {
	var parts []string
	for _, b := range c.members {
		parts = append(parts, b.kernelText())
	}
	return strings.Join(parts, "; ")
}

// report is that of the weights, with what the members warn of.
func (c *committee) report() learn.Report {
	out := c.said
	for m, b := range c.members {
		r := b.report()
		out.Converged = out.Converged && r.Converged
		out.Bytes = max(out.Bytes, r.Bytes)
		for _, w := range r.Warnings {
			out.Warnings = append(out.Warnings, c.specs[m]+": "+w)
		}
	}
	return out
}

func (c *committee) centers() (n int) {
	for _, b := range c.members {
		n += b.centers()
	}
	return n
}

func (c *committee) onDevice(d *gram.Device) {
	for _, b := range c.members {
		b.onDevice(d)
	}
}

// outputs is one log-odds of two classes, else a log-probability for each, or the value.
func (c *committee) outputs() int {
	switch k := c.classes(); {
	case len(c.members) == 1:
		return c.members[0].outputs()
	case k > 2:
		return k
	}
	return 1
}

func (c *committee) predict(ctx context.Context, x *data.Encoded, w Want, wide bool) (*Prediction, error) {
	if len(c.members) == 1 {
		return c.members[0].predict(ctx, x, w, wide)
	}
	return c.blend(w, func(b body, w Want) (*Prediction, error) { return b.predict(ctx, x, w, wide) })
}

// blend is the mean of what the members predict.
func (c *committee) blend(w Want, predict func(b body, w Want) (*Prediction, error)) (*Prediction, error) {
	k := c.classes()
	said := make([]learn.Predictions, len(c.members))
	for m, b := range c.members {
		p, err := predict(b, Want{Proba: k > 0})
		if err != nil {
			return nil, err
		}
		said[m] = learn.Predictions{Classes: k, Value: p.Values, Class: p.Codes}
		for i := range p.Codes {
			said[m].Prob = append(said[m].Prob, p.Proba.RawRowView(i)...)
		}
	}
	all, err := learn.Blend(c.weights, said)
	if err != nil {
		return nil, err
	}
	out := &Prediction{Values: all.Value, Codes: all.Class}
	n := max(len(all.Value), len(all.Class))
	if n == 0 {
		return out, nil
	}
	if w.Proba {
		out.Proba = mat.NewDense(n, k, all.Prob)
	}
	if w.Scores {
		out.Scores = c.scores(all, n, k)
	}
	return out, nil
}

// scores is the columns of outputs.
func (c *committee) scores(all learn.Predictions, n, k int) *mat.Dense {
	switch k {
	case 0:
		return mat.NewDense(n, 1, append([]float64(nil), all.Value...))
	case 2:
		out := mat.NewDense(n, 1, nil)
		for i := range n {
			out.Set(i, 0, all.Score[2*i+1])
		}
		return out
	}
	return mat.NewDense(n, k, all.Score)
}

func (c *committee) judge(
	ctx context.Context, x *data.Encoded, known learn.Problem[int], wide bool,
) (learn.Predictions, error) {
	said := make([]learn.Predictions, len(c.members))
	for m, b := range c.members {
		var err error
		if said[m], err = b.judge(ctx, x, known, wide); err != nil {
			return learn.Predictions{}, err
		}
	}
	return learn.Blend(c.weights, said)
}

func (c *committee) nearest(context.Context, *data.Encoded, int, int) (*Explained, error) {
	return nil, fmt.Errorf("%w: each has centres and weights of its own; fit one model to see the centres near a row",
		ErrCommittee)
}

func (c *committee) update(context.Context, *data.Encoded, Info) (*Model, []float64, error) {
	return nil, nil, fmt.Errorf("%w: %w", errNoUpdate, ErrCommittee)
}
