package model

import (
	"context"
	"fmt"
	"math"
	"sort"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// Center is one of the points that a model is a sum over, as a row sees it.
type Center struct {
	Index int // among the centres
	// Kernel is k(centre, row), and Distance how far the two are apart in feature space, √(k(c,c) −
	// 2k(c,x) + k(x,x)).
	Kernel, Distance float64
	Weights          []float64 // its coefficients, one for each output
	Shares           []float64 // weight times kernel: what it adds to each output
	Values           []Fact    // its columns in their own units, where they can be told from features
}

// Explained is how a prediction comes about: the sum over all centres of their shares, and the
// bias.
type Explained struct {
	Centers  []Center // the nearest first
	All      int      // how many the model has
	Outputs  []string // what each output is: the class that a large value speaks for, or the target
	Sum      []float64
	Bias     []float64
	Pairs    [][2]int // of classes, where an output tells two apart: a large value speaks for the first
	Function bool     // whether predictions come from the sum alone; of neighbours and splines they do not
}

// NearestCenters says of row i of the encoded rows which centres are nearest to it in feature
// space, with their weights: at most so many, the nearest first.
func (m *Model) NearestCenters(ctx context.Context, x *data.Encoded, i, most int) (*Explained, error) {
	if i < 0 || i >= x.Len() {
		return nil, fmt.Errorf("model: row %d of %d", i, x.Len())
	}
	if m.Role() != rolePredictor {
		return nil, m.body.(*transform).refuse()
	}
	out, err := m.body.nearest(ctx, x, i, most)
	if err != nil {
		return nil, err
	}
	r := m.body.record()
	out.Function = r.byFunction("") == nil
	out.Outputs, out.Pairs = m.outputNames(), m.outputPairs()
	if dense := r.dense; dense.Rows > 0 && r.domain == domainVectors {
		for k := range out.Centers {
			out.Centers[k].Values = decoded(m.info.Encoder, dense.Row(out.Centers[k].Index))
		}
	}
	return out, nil
}

// outputNames says what a large value of each output speaks for.
func (m *Model) outputNames() []string {
	k, n := len(m.info.Classes), m.Outputs()
	names := make([]string, n)
	for j, pair := range m.outputPairs() {
		names[j] = m.info.Classes[pair[0]] + " against " + m.info.Classes[pair[1]]
	}
	for j := range names {
		switch {
		case names[j] != "":
		case k == 2 && n == 1:
			names[j] = m.info.Classes[1]
		case k == n:
			names[j] = m.info.Classes[j]
		case len(m.Targets()) == n:
			names[j] = m.Targets()[j]
		default:
			names[j] = fmt.Sprintf("output %d", j+1)
		}
	}
	return names
}

// outputPairs is the classes that each output tells apart; nil where outputs are of one class each.
func (m *Model) outputPairs() (pairs [][2]int) {
	k := len(m.info.Classes)
	if k < 3 || m.Learner() != "svc" || m.body.record().numbers["one-vs-rest"] != 0 || m.Outputs() != k*(k-1)/2 {
		return nil
	}
	for a := range k {
		for b := a + 1; b < k; b++ {
			pairs = append(pairs, [2]int{a, b})
		}
	}
	return pairs
}

// decoded is the columns of encoded features, where they say which value they are of.
func decoded(e *data.Encoder, row []float64) []Fact {
	if e == nil {
		return nil
	}
	var out []Fact
	for _, c := range e.Columns {
		at := row[c.Offset : c.Offset+c.Width]
		switch {
		case c.Kind == data.Numeric && c.Width == 1 && len(c.Scale) == 1:
			out = append(out, Fact{c.Name, phrase.Number(roundTo(c.Scale[0].Invert(at[0]), 6))})
		case named(&c) && c.Coded && c.Width == 1 && at[0] >= 0 && int(at[0]) < len(c.Levels):
			out = append(out, Fact{c.Name, c.Levels[int(at[0])]})
		case named(&c) && !c.Coded && c.Width == len(c.Levels):
			for l, v := range at {
				if v > 0.5 {
					out = append(out, Fact{c.Name, c.Levels[l]})
				}
			}
		}
	}
	return out
}

// roundTo keeps so many digits, so that scaling there and back shows no others.
func roundTo(v float64, digits int) float64 {
	if v == 0 || !finite(v) {
		return v
	}
	scale := math.Pow(10, float64(digits)-1-math.Floor(math.Log10(math.Abs(v))))
	if r := math.Round(v*scale) / scale; finite(r) {
		return r
	}
	return v
}

func (b *fitted) nearest(ctx context.Context, x *data.Encoded, i, most int) (*Explained, error) {
	points, err := b.points(x)
	if err != nil {
		return nil, err
	}
	f := b.p.Func()
	row, n, outputs := points.At(i), f.Centers.Len(), f.Outputs()
	out := &Explained{All: n, Sum: make([]float64, outputs), Bias: make([]float64, outputs)}
	copy(out.Bias, f.Bias)
	copy(out.Sum, f.Bias)
	self := f.Kernel.Eval(row, row)
	all := make([]Center, n)
	for c := range all {
		if c%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		at := f.Centers.At(c)
		k := f.Kernel.Eval(at, row)
		all[c] = Center{Index: c, Kernel: k, Distance: math.Sqrt(math.Max(0, f.Kernel.Eval(at, at)-2*k+self))}
		for j := range outputs {
			w := f.Coef.At(c, j)
			all[c].Weights, all[c].Shares = append(all[c].Weights, w), append(all[c].Shares, w*k)
			out.Sum[j] += w * k
		}
	}
	sort.SliceStable(all, func(a, b int) bool { return all[a].Distance < all[b].Distance })
	out.Centers = all[:min(most, n)]
	return out, nil
}

func (t *transform) nearest(context.Context, *data.Encoded, int, int) (*Explained, error) {
	return nil, t.refuse()
}
