package model

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/shapley"
	"gonum.org/v1/gonum/mat"
)

// subsetPoints is how many points all subsets of the columns may make of a row.
const subsetPoints = 1 << 16

// batchRows is how many rows are shared out at a time: each has sums of its own for every piece of
// the centres.
const batchRows = 32

// share fills in Share, Error and How in the first way that there is.
func (g *game) share(ctx context.Context, out *Contributions, o ContributionOptions) error {
	rows, outputs := out.Value.Dims()
	d := len(g.columns)
	blank := func() (all []*mat.Dense) {
		for range outputs {
			all = append(all, mat.NewDense(rows, max(d, 1), nil))
		}
		return all
	}
	out.Share = blank()
	if members, ok := g.terms(); ok {
		out.How = "closed form"
		for lo := 0; lo < rows; lo += batchRows {
			if err := g.closedForm(ctx, out, members, lo, min(lo+batchRows, rows), o.Threads); err != nil {
				return err
			}
		}
		if out.settle() {
			return nil
		}
		out.Share = blank() // predictions are not what the function says
	}
	if d <= shapley.MostPlayers && g.background.Len()<<d <= subsetPoints {
		out.How = "all subsets"
		for i := range rows {
			if err := g.subsets(ctx, out, i); err != nil {
				return err
			}
		}
		return nil
	}
	out.How, out.Error = "sampled", blank()
	for i := range rows {
		if err := g.sampled(ctx, out, i, o); err != nil {
			return err
		}
	}
	return nil
}

// terms takes the kernels of all members apart; false where one cannot be, or predictions are no
// sums over centres.
func (g *game) terms() (all [][]term, ok bool) {
	if g.committee != nil && g.classes > 0 && len(g.members) > 1 {
		return nil, false // a mean of probabilities
	}
	s := newSplitter(g.columns)
	for _, b := range g.members {
		r := record{learner: b.learner(), domain: b.name, classes: b.classes(), numbers: b.p.Saved().Numbers}
		if r.byFunction("") != nil || b.name == domainSparse || b.name == domainFeatures {
			return nil, false
		}
		terms, ok := s.terms(b.p.Func().Kernel)
		if !ok {
			return nil, false
		}
		all = append(all, terms)
	}
	return all, true
}

// closedForm shares out rows lo to hi: for each term, centre c of coefficient α and row z of the
// background the game is a product of the factors at (x, c), known, and at (z, c), not known.
func (g *game) closedForm(ctx context.Context, out *Contributions, members [][]term, lo, hi, threads int) error {
	outputs, d, rows := len(out.Share), len(g.columns), hi-lo
	const piece = 32 // centres
	for m, b := range g.members {
		f := b.p.Func()
		n := f.Centers.Len()
		if f.Outputs() < outputs {
			continue // settle sees that they do not add up
		}
		pieces := (n + piece - 1) / piece
		sums := make([][]float64, pieces) // row × output × column
		par.For(threads, n, piece, func(from, to int) {
			sum := make([]float64, rows*outputs*d)
			sums[from/piece] = sum
			for _, t := range members[m] {
				if ctx.Err() != nil {
					return
				}
				g.addTerm(sum, t, b, from, to, lo, hi, outputs)
			}
		})
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, sum := range sums {
			for i := range rows {
				for j := range outputs {
					row := out.Share[j].RawRowView(lo + i)
					for c := range d {
						row[c] += g.weights[m] * sum[(i*outputs+j)*d+c]
					}
				}
			}
		}
	}
	return nil
}

// addTerm adds what one term makes of some centres.
func (g *game) addTerm(sum []float64, t term, b *fitted, from, to, lo, hi, outputs int) {
	f, d, k, size := b.p.Func(), len(g.columns), len(t.factors), g.background.Len()
	if k == 0 {
		return
	}
	products := shapley.NewProducts(k)
	known, other, share := make([]float64, k), make([]float64, k*size), make([]float64, k)
	for c := from; c < to; c++ {
		if !slices.ContainsFunc(f.Coef.RawRowView(c)[:outputs], func(v float64) bool { return v != 0 }) {
			continue
		}
		center := f.Centers.At(c)
		for z := range size {
			at := g.background.At(z)
			for a, factor := range t.factors {
				other[z*k+a] = factor.of(center, at)
			}
		}
		for i := lo; i < hi; i++ {
			x := g.rows.At(i)
			for a, factor := range t.factors {
				known[a] = factor.of(center, x)
			}
			clear(share)
			for z := range size {
				products.Add(share, known, other[z*k:(z+1)*k])
			}
			for j := range outputs {
				w := t.weight * f.Coef.At(c, j) / float64(size)
				at := sum[((i-lo)*outputs+j)*d:]
				for a, factor := range t.factors {
					at[factor.column] += w * share[a]
				}
			}
		}
	}
}

// settle makes the shares add up to the last digits: what rounding leaves of sums whose terms
// cancel goes to the columns in proportion to their shares. False where more is left than rounding
// leaves: the values are not those of the function.
func (c *Contributions) settle() bool {
	rows, outputs := c.Value.Dims()
	for i := range rows {
		for j := range outputs {
			row, sum, size := c.Share[j].RawRowView(i), 0.0, 0.0
			for _, v := range row {
				sum, size = sum+v, size+math.Abs(v)
			}
			left := c.Value.At(i, j) - c.Base[j] - sum
			if !(math.Abs(left) <= 1e-6*(size+math.Abs(c.Value.At(i, j))+math.Abs(c.Base[j]))) {
				return false
			}
			for a, v := range row {
				if size > 0 {
					row[a] += left * math.Abs(v) / size
				}
			}
		}
	}
	return true
}

// subsets shares out row i by the definition.
func (g *game) subsets(ctx context.Context, out *Contributions, i int) error {
	d, outputs, size := len(g.columns), len(out.Share), g.background.Len()
	value := make([][]float64, outputs)
	for j := range value {
		value[j] = make([]float64, 1<<d)
	}
	points := make([]any, 1<<d)
	for z := range size {
		for set := range points {
			points[set] = g.between(g.rows.At(i), g.background.At(z), func(c int) bool { return set>>c&1 == 1 })
		}
		p, err := g.outputs(ctx, g.points(points))
		if err != nil {
			return err
		}
		for j := range value {
			for set := range points {
				value[j][set] += p.Scores.At(set, j) / float64(size)
			}
		}
	}
	for j := range value {
		copy(out.Share[j].RawRowView(i), shapley.Subsets(d, value[j]))
	}
	return nil
}

// sampled shares out row i by drawing orders of the columns. Every row of the background has as
// many, so that the base is that of all of them; the orders are the same for each row.
func (g *game) sampled(ctx context.Context, out *Contributions, i int, o ContributionOptions) error {
	d, outputs, size := len(g.columns), len(out.Share), g.background.Len()
	draws := o.Draws
	if draws <= 0 {
		draws = 256
	}
	draws = max(2*size, (draws+size-1)/size*size)
	estimates := make([]*shapley.Estimate, outputs)
	for j := range estimates {
		estimates[j] = shapley.NewEstimate(d)
	}
	rng := rand.New(rand.NewPCG(o.Seed, 0x6f7264657273))
	points := make([]any, 0, 2*(d+1))
	there, back := make([]float64, d+1), make([]float64, d+1)
	for n := range draws {
		order := rng.Perm(d)
		place := make([]int, d)
		for k, c := range order {
			place[c] = k
		}
		points = points[:0]
		for k := range d + 1 {
			points = append(points, g.between(g.rows.At(i), g.background.At(n%size), func(c int) bool { return place[c] < k }))
		}
		for k := range d + 1 {
			points = append(points, g.between(g.rows.At(i), g.background.At(n%size),
				func(c int) bool { return place[c] >= d-k }))
		}
		p, err := g.outputs(ctx, g.points(points))
		if err != nil {
			return err
		}
		for j := range estimates {
			for k := range d + 1 {
				there[k], back[k] = p.Scores.At(k, j), p.Scores.At(d+1+k, j)
			}
			estimates[j].Add(order, there, back)
		}
	}
	for j, e := range estimates {
		copy(out.Share[j].RawRowView(i), e.Mean())
		copy(out.Error[j].RawRowView(i), e.Error())
	}
	return nil
}
