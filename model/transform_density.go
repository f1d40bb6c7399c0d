package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"gonum.org/v1/gonum/mat"
)

// errNoAnomalies is wrapped by the error of a model that was asked to mark rare rows and knows no
// rows to compare with.
var errNoAnomalies = errors.New("the model does not know which rows are rare")

// CheckAnomalies says why rows rarer than a share cannot be marked; nil where they can.
func (m *Model) CheckAnomalies(share float64) error {
	n := len(m.info.HeldDensity)
	switch {
	case m.Role() != roleDensity:
		return fmt.Errorf("%w: it is no density but a %s", errNoAnomalies, m.Role())
	case n == 0:
		return fmt.Errorf("%w: it was saved without the densities of rows that it did not see", errNoAnomalies)
	case share*float64(n+1) < 1:
		return fmt.Errorf("%w that finely: %d rows tell shares from %.2g up", errNoAnomalies, n, 1/float64(n+1))
	}
	return nil
}

// checkHeld refuses log-densities that are not in order.
func checkHeld(v []float64, t *transform) error {
	if len(v) > 0 && (t == nil || t.role != roleDensity) {
		return fmt.Errorf("densities of rows beside what is no density")
	}
	for i, x := range v {
		if math.IsNaN(x) || i > 0 && x < v[i-1] {
			return fmt.Errorf("log-density %d of rows held out is %g; they increase", i, x)
		}
	}
	return nil
}

// rarity is the share of rows that are as rare as one of log-density v or rarer, the row itself
// among them: (1 + #{held ≤ v})/(n + 1). Of a row drawn as those were it is at most p with
// probability at most p (conformal prediction).
func rarity(v float64, held []float64) float64 {
	at := sort.Search(len(held), func(i int) bool { return held[i] > v })
	return float64(1+at) / float64(1+len(held))
}

// estimating is what the densities have in common.
type estimating func(ctx context.Context, x data.Points[[]float64]) ([]float64, error)

func (t *transform) density(
	log estimating, size, points int, more func(ctx context.Context, x data.DenseRows) ([]data.Column, error),
) {
	t.role, t.size, t.points = roleDensity, size, points
	t.names = append([]string{"density", "log_density"}, t.names...)
	t.apply = func(ctx context.Context, in input, o TransformOptions, held []float64) ([]data.Column, error) {
		x := in.rows
		logs, err := log(ctx, x)
		if err != nil {
			return nil, err
		}
		p := make([]float64, len(logs))
		for i, v := range logs {
			p[i] = math.Exp(v)
		}
		out := []data.Column{data.NumberColumn("density", p), data.NumberColumn("log_density", logs)}
		if more != nil {
			columns, err := more(ctx, x)
			if err != nil {
				return nil, err
			}
			out = append(out, columns...)
		}
		if len(held) == 0 {
			return out, nil
		}
		rare, mark := make([]float64, len(logs)), make([]string, len(logs))
		for i, v := range logs {
			rare[i], mark[i] = rarity(v, held), "no"
			if rare[i] <= o.Anomalies {
				mark[i] = "yes"
			}
		}
		out = append(out, data.NumberColumn("rarity", rare))
		if o.Anomalies > 0 {
			out = append(out, data.TextColumn("anomaly", mark))
		}
		return out, nil
	}
}

func restoreKDE(t *transform) error {
	m := new(density.KDEModel)
	err := m.Restore(t.numbers())
	if err != nil {
		return err
	}
	h := m.BandwidthMatrix()
	widths := make([]float64, m.Dim())
	for j := range widths {
		widths[j] = math.Sqrt(h.At(j, j))
	}
	t.fact("estimate", "%s kernels, bandwidth %.4g", t.plain.Texts["smoother"], widths)
	t.density(m.LogDensity, m.Dim(), m.Len(), nil)
	return nil
}

func restoreKNN(t *transform) error {
	m := new(density.KNNModel)
	err := m.Restore(t.numbers())
	if err != nil {
		return err
	}
	n, d := t.plain.Arrays["points"].Dims()
	t.fact("estimate", "%d nearest neighbours; it does not integrate to one", m.K())
	t.density(m.LogDensity, d, n, nil)
	return nil
}

func restoreMixture(t *transform) error {
	m := new(density.MixtureModel)
	err := m.Restore(t.numbers())
	if err != nil {
		return err
	}
	t.fact("estimate", "%d Gaussians, BIC %.6g", m.Components(), m.BIC())
	t.names = []string{"component"}
	t.density(m.LogDensity, m.Dim(), m.Components(), func(ctx context.Context, x data.DenseRows) ([]data.Column, error) {
		r, err := m.Responsibilities(ctx, x)
		if err != nil {
			return nil, err
		}
		return []data.Column{codeColumn("component", mostProbable(r))}, nil
	})
	return nil
}

// mostProbable is the column of the largest entry of each row, the first of equals.
func mostProbable(r *mat.Dense) []int {
	if r.IsEmpty() {
		return nil
	}
	n, _ := r.Dims()
	out := make([]int, n)
	for i := range out {
		row := r.RawRowView(i)
		out[i] = slices.Index(row, slices.Max(row))
		out[i] = max(out[i], 0) // of NaN alone
	}
	return out
}
