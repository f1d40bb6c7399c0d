package project

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"gonum.org/v1/gonum/mat"
)

// KappaChoice is a search over κ.
type KappaChoice struct {
	Kappas []float64
	// Scores is the held-out correlation of each: the correlation of the first
	// component's functions on objects not used to find them, averaged over
	// pairs of views and over folds.
	Scores []float64
	Best   float64 // the κ with the largest score
}

// ChooseKappa judges every κ by m-fold cross-validation: a κ too small finds
// functions whose correlation is not there on new objects, a κ too large keeps
// from finding any. Views are factored once a fold for all κ.
func (c CCA) ChooseKappa(ctx context.Context, kappas []float64, folds int, views ...View) (*KappaChoice, error) {
	if err := c.check(views); err != nil {
		return nil, err
	}
	if len(kappas) == 0 {
		return nil, fault.Errorf("project", "no κ to choose from")
	}
	for i, k := range kappas {
		if !(k > 0) || math.IsInf(k, 0) {
			return nil, fault.Errorf("project", "κ number %d is %g; want a positive number", i, k)
		}
	}
	n := views[0].Len()
	parts, err := data.KFold(n, folds, c.Seed)
	if err != nil {
		return nil, fault.In("project", err)
	}
	out := &KappaChoice{Kappas: append([]float64(nil), kappas...), Scores: make([]float64, len(kappas))}
	one := c
	one.Components = 1
	for _, f := range parts {
		train, test := make([]View, len(views)), make([]View, len(views))
		for i, v := range views {
			train[i], test[i] = v.subset(f.Train), v.subset(f.Test)
		}
		ps, err := one.prepare(ctx, train)
		if err != nil {
			return nil, err
		}
		for j, kappa := range kappas {
			one.Kappa = kappa
			m, err := one.solve(ctx, ps, len(f.Train))
			if err != nil {
				return nil, err
			}
			z, err := m.Transform(ctx, test...)
			if err != nil {
				return nil, err
			}
			out.Scores[j] += meanCorrelation(z) / float64(len(parts))
		}
	}
	best := 0
	for j, s := range out.Scores {
		if s > out.Scores[best] {
			best = j
		}
	}
	out.Best = kappas[best]
	return out, nil
}

// meanCorrelation is the correlation of first columns, averaged over pairs.
func meanCorrelation(z []*mat.Dense) float64 {
	sum, pairs := 0.0, 0
	for i := range z {
		for j := range i {
			sum += correlation(mat.Col(nil, 0, z[i]), mat.Col(nil, 0, z[j]))
			pairs++
		}
	}
	return sum / float64(pairs)
}

// correlation is Pearson's; 0 where one side is constant.
func correlation(a, b []float64) float64 {
	ma, mb := 0.0, 0.0
	for i := range a {
		ma += a[i] / float64(len(a))
		mb += b[i] / float64(len(a))
	}
	ab, aa, bb := 0.0, 0.0, 0.0
	for i := range a {
		ab += (a[i] - ma) * (b[i] - mb)
		aa += (a[i] - ma) * (a[i] - ma)
		bb += (b[i] - mb) * (b[i] - mb)
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa) / math.Sqrt(bb)
}

// CCATest is a permutation test of independence of the views.
type CCATest struct {
	Statistic float64   // the largest canonical correlation
	P         float64   // (1 + #{permuted ≥ observed})/(1 + permutations)
	Null      []float64 // the statistic of each permutation
}

// Test asks whether the largest canonical correlation is larger than chance:
// the objects of all views but the first are renumbered at random, each by
// itself, which keeps every view as it is and breaks what ties them. A
// permuted view is P·R·Pᵀ, so nothing is factored again.
func (c CCA) Test(ctx context.Context, permutations int, views ...View) (*CCATest, error) {
	if err := c.check(views); err != nil {
		return nil, err
	}
	if permutations < 1 {
		return nil, fault.Errorf("project", "%d permutations; want at least 1, and 1/(α) or more to reject at level α",
			permutations)
	}
	ps, err := c.prepare(ctx, views)
	if err != nil {
		return nil, err
	}
	ws, _, err := c.whiten(ctx, ps)
	if err != nil {
		return nil, err
	}
	n := views[0].Len()
	// One solver for the observed and the permuted, so that equal problems give
	// equal numbers.
	largest := func(perm [][]int) (float64, error) {
		e, err := linalg.TopK(ctx, blockOp{ws, perm, n, 1}, 1, linalg.TopKOptions{Tolerance: 1e-6, Seed: c.Seed, Threads: 1})
		if err != nil {
			return 0, err
		}
		return e.Values[0], nil
	}
	out := &CCATest{Null: make([]float64, permutations)}
	if out.Statistic, err = largest(nil); err != nil {
		return nil, fault.In("project", err)
	}
	errs := make([]error, permutations)
	par.For(c.Threads, permutations, 1, func(b, _ int) {
		if errs[b] = ctx.Err(); errs[b] != nil {
			return
		}
		rng := rand.New(rand.NewPCG(c.Seed, uint64(b)+0xcca))
		perm := make([][]int, len(ws))
		for i := 1; i < len(ws); i++ {
			perm[i] = rng.Perm(n)
		}
		out.Null[b], errs[b] = largest(perm)
	})
	more := 0
	for b, err := range errs {
		if err != nil {
			return nil, fault.Errorf("project", "permutation %d: %w", b, err)
		}
		if out.Null[b] >= out.Statistic*(1-1e-10) {
			more++
		}
	}
	out.P = float64(1+more) / float64(1+permutations)
	return out, nil
}
