package model

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// ErrNoContributions is wrapped by the error of a model whose predictions have no columns to be
// shared among: rows of a kernel matrix, features of a LIBSVM file.
var ErrNoContributions = errors.New("the model has no columns that a prediction could be shared among")

// ContributionOptions says how predictions are taken apart. The zero value is good.
type ContributionOptions struct {
	// Background is the rows that a value is drawn from where a column is not known; nil: those
	// that the model file keeps. Many cost in proportion.
	Background *data.Encoded
	// Draws is how many orders of the columns are drawn where the values are sampled, rounded up to
	// a multiple of the rows of the background; 0 means 256.
	Draws   int
	Seed    uint64
	Threads int // 0 means all; the answer does not depend on it
}

// Contributions is what each column adds to predictions: Base + Σ Share = Value, for each row and
// output.
//
// They are the Shapley values of the game in which a set S of columns is known: its value is
//
//	v(S) = 1/B Σ_b f(x_S, z_b without S),
//
// the mean of the model's outputs over a background of B rows whose columns of S are those of the
// row (the interventional, or marginal, game: D. Janzing, L. Minorics, P. Blöbaum, Feature
// relevance quantification in explainable AI, 2020). The players are columns of the user's table,
// however many features one became.
type Contributions struct {
	Columns []string
	Outputs []string     // what each output is, as Explained has it
	Unit    string       // what is shared: the target, "log-odds", "decision value" …
	Base    []float64    // of each output: its mean over the background
	Value   *mat.Dense   // a row for each row, a column for each output
	Share   []*mat.Dense // for each output: a row for each row, a column for each of Columns
	Error   []*mat.Dense // standard errors of Share; nil where it is exact
	// of each row the output that is told where one is: of the class that is predicted, the closest
	// call
	Told []int
	How  string // "closed form", "all subsets" or "sampled"
	Rows int    // of the background
	From string // what the background is
}

// Exact says that nothing was sampled.
func (c *Contributions) Exact() bool { return c.Error == nil }

// Slice is the contributions of rows lo to hi, which share their storage.
func (c *Contributions) Slice(lo, hi int) *Contributions {
	out := *c
	if lo == hi {
		out.Value, out.Share, out.Error, out.Told = nil, nil, nil, nil
		return &out
	}
	_, outputs := c.Value.Dims()
	out.Value, out.Told = c.Value.Slice(lo, hi, 0, outputs).(*mat.Dense), c.Told[lo:hi:hi]
	cut := func(all []*mat.Dense) (some []*mat.Dense) {
		for _, m := range all {
			_, d := m.Dims()
			some = append(some, m.Slice(lo, hi, 0, d).(*mat.Dense))
		}
		return some
	}
	out.Share, out.Error = cut(c.Share), cut(c.Error)
	return &out
}

// HasContributions says whether Contributions has columns to share predictions among, and something
// to compare with where no background is given: weights of features keep no rows.
func (m *Model) HasContributions() bool {
	bodies := []body{m.body}
	if c, ok := m.body.(*committee); ok {
		bodies = c.members
	}
	for _, b := range bodies {
		if f := fittedOf(b); f == nil || f.name == domainPrecomputed || f.name == domainFeatures {
			return false
		}
	}
	return m.info.Encoder != nil && m.info.Encoder.SparseDim == 0
}

// Contributions shares the predictions of encoded rows among the columns: in closed form where the
// kernel is a sum of products of kernels on one column each and predictions are sums over centres;
// of few columns by all subsets, whatever the model; else from draws of orders of the columns, with
// standard errors.
func (m *Model) Contributions(ctx context.Context, x *data.Encoded, o ContributionOptions) (*Contributions, error) {
	if m.Role() != rolePredictor {
		return nil, m.body.(*transform).refuse()
	}
	if err := m.single(); err != nil {
		return nil, err
	}
	g, err := m.game(ctx, x, o)
	if err != nil {
		return nil, err
	}
	out := &Contributions{Columns: g.names(), Outputs: m.outputNames(), Unit: m.outputUnit(), Rows: g.background.Len(),
		From: g.from}
	if x.Len() == 0 {
		out.How = "closed form"
		return out, nil
	}
	if out.Base, out.Value, err = g.ends(ctx); err != nil {
		return nil, err
	}
	out.Told = m.told(g.codes, out.Value)
	if err := g.share(ctx, out, o); err != nil {
		return nil, err
	}
	m.contributionUnits(out)
	for i := range x.Len() {
		for j := range out.Outputs {
			if v := out.Value.At(i, j); !finite(v) {
				return nil, x.Fault(i, data.Error{Kind: data.ErrValue,
					Reason: fmt.Sprintf("the model says %v of the row, which cannot be shared", v)})
			}
		}
	}
	return out, nil
}

// outputUnit is what outputs are numbers of.
func (m *Model) outputUnit() string {
	r := m.body.record()
	_, committee := m.body.(*committee)
	k := len(m.info.Classes)
	switch {
	case k == 0 && m.info.TargetMap != nil:
		return mapName(m.info.TargetMap) + " of " + m.Target()
	case r.learner == "gp-poisson":
		return "logarithm of the rate of " + m.Target()
	case k == 0 && m.Target() != "":
		return m.Target()
	case k == 0:
		return "prediction"
	case committee && k == 2 || r.logOdds():
		return "log-odds"
	case committee:
		return "log-probability"
	}
	return "decision value"
}

// contributionUnits makes numbers of the target's unit of those that the model was fitted in. A map
// of the target that is no line is left alone: what adds up are its images.
func (m *Model) contributionUnits(c *Contributions) {
	a := m.info.TargetScale
	if a == nil {
		return
	}
	for j := range c.Base {
		c.Base[j] = a.Invert(c.Base[j])
		c.Share[j].Scale(1/a.Factor, c.Share[j])
		if c.Error != nil {
			c.Error[j].Scale(1/math.Abs(a.Factor), c.Error[j])
		}
	}
	c.Value.Apply(func(_, _ int, v float64) float64 { return a.Invert(v) }, c.Value)
}

// told is the output that speaks for the class that each row is taken for: of those that tell pairs
// apart the closest call.
func (m *Model) told(codes []int, value *mat.Dense) []int {
	n, outputs := value.Dims()
	out := make([]int, n)
	if codes == nil || outputs < 2 {
		return out
	}
	pairs := m.outputPairs()
	for i := range out {
		if pairs == nil {
			out[i] = min(codes[i], outputs-1)
			continue
		}
		closest := math.Inf(1)
		for j, pair := range pairs {
			if v := math.Abs(value.At(i, j)); (pair[0] == codes[i] || pair[1] == codes[i]) && v < closest {
				out[i], closest = j, v
			}
		}
	}
	return out
}
