package forest

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
)

// Boosted grows trees one after the other, each by what those before it have left over: gradient
// boosting (J. Friedman, Greedy function approximation: a gradient boosting machine, 2001). With F
// the sum so far and wᵢ the weights, a tree minimises
//
//	Σ wᵢhᵢ(zᵢ - f(xᵢ))²,   zᵢ = -gᵢ/hᵢ,
//
// g and h being the first two derivatives of the loss at F(xᵢ): the residual and 1 for squares, p -
// y and p(1 - p) for the logistic loss of classes, which have a tree each in every round unless
// they are two (J. Friedman, T. Hastie & R. Tibshirani, Additive logistic regression, 2000). A leaf
// adds Rate·Σwg/(Σwh + Penalty) to F (T. Chen & C. Guestrin, XGBoost, 2016).
//
// Average of the forest is F itself: a constant, which is the mean of the targets or the logarithms
// of the shares of the classes, and the sum over all trees.
type Boosted struct {
	// Trees are rounds. 0 means 300 of them, a Depth of 4 and all Columns; Sampling AutoSampling is
	// AllRows
	Growth
	Rate    float64 // of learning; 0 means 0.1
	Penalty float64 // of a leaf, as if so much curvature more were in it; 0: none
	Weights []float64
	Threads int // 0 means GOMAXPROCS; the forest is the same to the bit
}

// Fit grows trees by numbers y.
func (b Boosted) Fit(ctx context.Context, x data.Points[kernel.Vec], y []float64) (*Forest, error) {
	if x == nil || x.Len() != len(y) {
		return nil, fault.Errorf("forest", "%d rows but %d targets", lenOf(x), len(y))
	}
	t, err := newValues(y, b.Weights)
	if err != nil {
		return nil, err
	}
	mean, total := 0.0, 0.0
	for _, i := range t.rows {
		total += t.weightOf(i)
		mean += (y[i] - mean) * (t.weightOf(i) / total)
	}
	return b.fit(ctx, x, t, []float64{mean}, func(_ int, f, gradient, hessian []float64) {
		for i, v := range y {
			gradient[i], hessian[i] = f[i]-v, 1
		}
	})
}

// FitClasses grows trees by classes, which are numbered from 0. The forest has one number for a
// point where they are two, the logarithm of the odds of the second, and else one for each class,
// whose softmax is the probabilities.
func (b Boosted) FitClasses(ctx context.Context, x data.Points[kernel.Vec], code []int, classes int) (*Forest, error) {
	if x == nil || x.Len() != len(code) {
		return nil, fault.Errorf("forest", "%d rows but %d classes", lenOf(x), len(code))
	}
	t, err := newClasses(code, classes, b.Weights)
	if err != nil {
		return nil, err
	}
	share, total := make([]float64, classes), 0.0
	for _, i := range t.rows {
		share[code[i]] += t.weightOf(i)
		total += t.weightOf(i)
	}
	if classes == 2 {
		start := math.Log(bounded(share[1]/total)) - math.Log(bounded(share[0]/total))
		return b.fit(ctx, x, t, []float64{start}, func(_ int, f, gradient, hessian []float64) {
			for i, c := range code {
				p := 1 / (1 + math.Exp(-f[i]))
				gradient[i], hessian[i] = p-float64(c), bounded(p*(1-p))
			}
		})
	}
	for c := range share {
		share[c] = math.Log(bounded(share[c] / total))
	}
	return b.fit(ctx, x, t, share, func(c int, f, gradient, hessian []float64) {
		for i, own := range code {
			p := softmaxOf(f[i*classes:(i+1)*classes], c)
			gradient[i], hessian[i] = p, bounded(p*(1-p))
			if own == c {
				gradient[i]--
			}
		}
	})
}

// leastCurvature bounds a share, or a second derivative, from below: a class without rows has odds
// all the same, and a step stays a number.
const leastCurvature = 1e-9

func bounded(p float64) float64 { return max(p, leastCurvature) }

// softmaxOf is entry c of the softmax of f.
func softmaxOf(f []float64, c int) float64 {
	sum := 0.0
	for _, v := range f {
		sum += math.Exp(v - f[c]) // +Inf where another is far ahead: then it is 0
	}
	return 1 / sum
}

// fit grows Trees rounds of a tree for each number of start, which F begins with. loss writes the
// derivatives of output c at F, whose rows lie one after the other.
func (b Boosted) fit(
	ctx context.Context, x data.Points[kernel.Vec], t *target, start []float64,
	loss func(c int, f, gradient, hessian []float64),
) (*Forest, error) {
	n, d, k := x.Len(), len(x.At(0)), len(start)
	if !(b.Rate >= 0 && b.Rate <= 1) || !(b.Penalty >= 0) || math.IsInf(b.Penalty, 0) {
		return nil, fault.Errorf("forest",
			"a rate of %g and a penalty of %g; give a rate up to 1 and a finite penalty, 0 or more", b.Rate, b.Penalty)
	}
	if b.Rate == 0 {
		b.Rate = 0.1
	}
	s := b.Growth
	if s.Sampling == AutoSampling {
		s.Sampling = AllRows
	}
	if err := firstError(whole("Trees", &s.Trees, 300), whole("Depth", &s.Depth, 4)); err != nil {
		return nil, err
	}
	s, err := s.withDefaults(d, false)
	if err != nil {
		return nil, err
	}
	if err := checkRows(x, d, s.Missing); err != nil {
		return nil, err
	}
	columns := binColumns(ctx, b.Threads, x, s.Categories)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f := ungrown(s, columns, k)
	at := make([]float64, n*k)
	for i := range n {
		copy(at[i*k:], start)
	}
	trees := make([]tree, s.Trees*k)
	crew := make([]*booster, k)
	numbers := *t
	numbers.classes, numbers.level = 0, make([]float64, n)
	for c := range crew {
		crew[c] = newBooster(&b, &s, columns, &numbers, x)
		crew[c].g.threads = par.Workers(b.Threads) / k // that the outputs of a round leave idle
	}
	errs := make([]error, k)
	for round := range s.Trees {
		par.For(b.Threads, k, 1, func(c, _ int) { // outputs of a round know of the rounds before only
			w := crew[c]
			loss(c, at, w.gradient, w.hessian)
			trees[round*k+c], errs[c] = w.grow(ctx, round*k+c, f.categories)
		})
		if err := firstError(errs...); err != nil {
			return nil, err
		}
		for c, w := range crew {
			grown := &trees[round*k+c]
			for i, leaf := range w.leaves {
				at[i*k+c] += grown.values[leaf]
			}
			grown.widen(k, c, float64(s.Trees*k), start)
		}
	}
	f.weighTerms(trees)
	return f, f.join(trees)
}

// widen gives a leaf a number for each of k outputs, of which its own is the constant and trees
// times what it adds, and the others are the constants: the mean over all trees is then F.
func (t *tree) widen(k, own int, trees float64, start []float64) {
	out := make([]float64, 0, len(t.values)*k)
	for _, v := range t.values {
		at := len(out)
		out = append(out, start...)
		out[at+own] += v * trees
	}
	t.values = out
}

// booster grows the trees of one output.
type booster struct {
	g                 *grower
	x                 data.Points[kernel.Vec]
	rate, penalty     float64
	weight            []float64 // of rows
	gradient, hessian []float64
	z, curvature      []float64 // what a tree is grown by: -g/h, and w·h for weights
	leaves            []int32   // of rows
	part              Forest    // the tree alone
}

func newBooster(b *Boosted, s *Growth, columns []column, t *target, x data.Points[kernel.Vec]) *booster {
	n := x.Len()
	w := &booster{g: newGrower(s, columns, t), x: x, rate: b.Rate, penalty: b.Penalty, weight: make([]float64, n)}
	for _, i := range t.rows {
		w.weight[i] = t.weightOf(i)
	}
	if first := t.rows[0]; b.Weights != nil {
		w.penalty *= t.weightOf(first) / b.Weights[first] // the target has weights in another unit
	}
	w.gradient, w.hessian, w.z, w.curvature = make([]float64, n), make([]float64, n), make([]float64, n),
		make([]float64, n)
	w.leaves = make([]int32, n)
	w.g.leaves = w.leaves
	return w
}

// grow grows a tree by the derivatives; its leaves hold what they add to F.
func (w *booster) grow(ctx context.Context, number int, categories [][]float64) (tree, error) {
	for i, h := range w.hessian {
		w.z[i], w.curvature[i] = -w.gradient[i]/h, w.weight[i]*h
		w.leaves[i] = -1
	}
	y, err := newValues(w.z, w.curvature)
	if err != nil {
		return tree{}, err
	}
	w.g.y, w.g.inBag = y, newBitmap(len(w.z))
	out := w.g.grow(ctx, number)
	if ctx.Err() != nil {
		return tree{}, ctx.Err()
	}
	w.part = Forest{nodes: out.nodes, sets: out.sets, roots: []int{0, len(out.nodes)}, categories: categories}
	g, h := make([]float64, len(out.values)), make([]float64, len(out.values))
	for i, leaf := range w.leaves {
		if leaf < 0 { // the tree was grown without this row
			leaf = w.part.leaf(0, w.x.At(i))
			w.leaves[i] = leaf
		}
		g[leaf] += w.weight[i] * w.gradient[i]
		h[leaf] += w.curvature[i]
	}
	for leaf := range out.values {
		if out.values[leaf] = 0; h[leaf] > 0 {
			out.values[leaf] = -w.rate * g[leaf] / (h[leaf] + w.penalty)
		}
	}
	return out, nil
}
