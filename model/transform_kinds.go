package model

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/cluster"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/mapped"
	"github.com/mercer-ml/mercer/internal/savedkind"
	"github.com/mercer-ml/mercer/project"
	"gonum.org/v1/gonum/mat"
)

// kinds restores what a file holds, by its kind: it checks the plain data and sets what the thing
// does.
var kinds = map[string]func(t *transform) error{
	savedkind.PCA:               restorePCA,
	savedkind.SparsePCA:         restoreSparsePCA,
	savedkind.CCA:               restoreCCA,
	savedkind.GPLVM:             restoreGPLVM,
	mapped.Fourier:              restoreFeatures,
	mapped.Nystrom:              restoreFeatures,
	savedkind.KMeans:            restoreKMeans,
	savedkind.KMedoids:          restoreKMedoids,
	savedkind.Spectral:          restoreSpectral,
	savedkind.KDE:               restoreKDE,
	savedkind.KNN:               restoreKNN,
	savedkind.Mixture:           restoreMixture,
	savedkind.NadarayaWatson:    restoreNadarayaWatson,
	savedkind.LocalRegression:   restoreLocalRegression,
	savedkind.MixtureRegression: restoreMixtureRegression,
}

func (t *transform) fact(name, format string, args ...any) {
	t.facts = append(t.facts, Fact{name, fmt.Sprintf(format, args...)})
}

// numberColumns is the columns of a matrix by name; of no rows where it is empty.
func numberColumns(names []string, m *mat.Dense) []data.Column {
	out := make([]data.Column, len(names))
	for j, name := range names {
		var v []float64
		if m != nil && !m.IsEmpty() {
			v = mat.Col(nil, j, m)
		}
		out[j] = data.NumberColumn(name, v)
	}
	return out
}

// codeColumn numbers groups from 1.
func codeColumn(name string, codes []int) data.Column {
	v := make([]float64, len(codes))
	for i, c := range codes {
		v[i] = float64(c + 1)
	}
	return data.NumberColumn(name, v)
}

func restorePCA(t *transform) error {
	m := new(project.PCAModel[any])
	err := m.Restore(t.plain)
	if err != nil {
		return err
	}
	t.role, t.size, t.points = roleProjection, t.width(), t.plain.Funcs[0].Centers.Len()
	share := 0.0
	for j, v := range m.ExplainedRatio() {
		t.names = append(t.names, fmt.Sprintf("component_%d", j+1))
		share += v
	}
	t.fact("components", "%d, %.1f%% of the variance", m.Components(), 100*share)
	if _, ok := t.onValues(); ok {
		t.apply = func(ctx context.Context, x input, _ TransformOptions, _ []float64) ([]data.Column, error) {
			z, err := m.Transform(ctx, x.of(0))
			return numberColumns(t.names, z), err
		}
		return nil
	}
	t.names = append(t.names, "residual")
	t.fact("residual",
		"squared distance in feature space from the plane of the components: large for rows unlike those fitted on")
	t.apply = func(ctx context.Context, x input, _ TransformOptions, _ []float64) ([]data.Column, error) {
		z, err := m.Transform(ctx, x.of(0))
		if err != nil {
			return nil, err
		}
		off, err := m.ReconstructionErrors(ctx, x.of(0))
		if err != nil {
			return nil, err
		}
		return append(numberColumns(t.names[:m.Components()], z), data.NumberColumn("residual", off)), nil
	}
	return nil
}

func restoreSparsePCA(t *transform) error {
	m := new(project.SparsePCAModel[any])
	err := m.Restore(t.plain)
	if err != nil {
		return err
	}
	t.role, t.size, t.points = roleProjection, t.width(), t.plain.Funcs[0].Centers.Len()
	for j, cosine := range m.Alignment() {
		t.names = append(t.names, fmt.Sprintf("component_%d", j+1))
		t.fact(t.names[j], "cosine %.3g of the angle with the principal component that it stands for", cosine)
	}
	t.apply = func(ctx context.Context, x input, _ TransformOptions, _ []float64) ([]data.Column, error) {
		z, err := m.Transform(ctx, x.of(0))
		return numberColumns(t.names, z), err
	}
	return nil
}

// CCAName is what the function of component j of view i of n is called.
func CCAName(i, n, j int) string {
	if n == 2 {
		return fmt.Sprintf("%c_%d", "xy"[i], j+1)
	}
	return fmt.Sprintf("view%d_%d", i+1, j+1)
}

// restoreCCA: the features of the views follow each other.
func restoreCCA(t *transform) error {
	m := new(project.CCAModel)
	err := m.Restore(t.plain)
	if err != nil {
		return err
	}
	t.role = roleProjection
	n := m.Views()
	var from []int
	for i, f := range t.plain.Funcs {
		from = append(from, t.size)
		t.size += t.dimOf(i)
		t.points = max(t.points, f.Centers.Len())
	}
	from = append(from, t.size)
	for j := range m.Components() {
		for i := range n {
			t.names = append(t.names, CCAName(i, n, j))
		}
	}
	t.fact("views", "%d, their functions correlated by %.4f (the first, regularised)", n, m.Correlations()[0])
	t.apply = func(ctx context.Context, x input, _ TransformOptions, _ []float64) ([]data.Column, error) {
		views := make([]project.View, n)
		all := linalg.Matrix[float64](x.rows.RawMatrix())
		for i, f := range t.plain.Funcs {
			if x.points != nil {
				views[i] = project.NewView(f.Kernel, x.of(i))
				continue
			}
			part := data.DenseRows{}
			if x.len() > 0 {
				part = data.RowsOf(all.Slice(0, all.Rows, from[i], from[i+1]))
			}
			views[i] = project.NewView(f.Kernel, data.EraseVectors(part))
		}
		scores, err := m.Transform(ctx, views...)
		if err != nil {
			return nil, err
		}
		out := make([]data.Column, len(t.names))
		for i, z := range scores {
			for j := range m.Components() {
				var v []float64
				if x.len() > 0 {
					v = mat.Col(nil, j, z)
				}
				out[j*n+i] = data.NumberColumn(CCAName(i, n, j), v)
			}
		}
		return out, nil
	}
	return nil
}

func restoreKMeans(t *transform) error {
	m := new(cluster.KMeansModel[any])
	err := m.Restore(t.plain)
	if err != nil {
		return err
	}
	t.grouping(m.Labels(), m.Func().Outputs())
	if _, ok := t.onValues(); ok {
		t.apply = t.nearestMeans(t.plain.Arrays["norm"].RawRowView(0))
		return nil
	}
	t.names = append(t.names, "distance")
	t.fact("distance", "from the mean of the group in feature space")
	t.apply = func(ctx context.Context, x input, _ TransformOptions, _ []float64) ([]data.Column, error) {
		codes, err := m.Assign(ctx, x.of(0))
		if err != nil {
			return nil, err
		}
		d, err := m.SquaredDistances(ctx, x.of(0))
		if err != nil {
			return nil, err
		}
		far := make([]float64, len(codes))
		for i, c := range codes {
			far[i] = math.Sqrt(d.At(i, c))
		}
		return []data.Column{codeColumn("cluster", codes), data.NumberColumn("distance", far)}, nil
	}
	return nil
}

// grouping sets what all groupings have.
func (t *transform) grouping(labels []int, k int) {
	f := t.plain.Funcs[0]
	t.role, t.size, t.points, t.names = roleGrouping, t.width(), f.Centers.Len(), []string{"cluster"}
	sizes := make([]int, k)
	for _, c := range labels {
		sizes[c]++
	}
	t.fact("clusters", "%d, of %v rows", k, sizes)
}

func restoreKMedoids(t *transform) error {
	m := new(cluster.KMedoidsModel[any])
	err := m.Restore(t.plain)
	if err != nil {
		return err
	}
	t.grouping(m.Labels(), m.Centers().Len())
	t.apply = func(ctx context.Context, x input, _ TransformOptions, _ []float64) ([]data.Column, error) {
		codes, err := m.Assign(ctx, x.of(0))
		return []data.Column{codeColumn("cluster", codes)}, err
	}
	return nil
}

func restoreSpectral(t *transform) error {
	m := new(cluster.SpectralModel[any])
	err := m.Restore(t.plain)
	if err != nil {
		return err
	}
	k := t.plain.Funcs[0].Outputs()
	for _, c := range m.Labels() {
		k = max(k, c+1)
	}
	t.grouping(m.Labels(), k)
	if _, ok := t.onValues(); ok {
		if t.plain.Numbers["graph"] != float64(cluster.KernelGraph) {
			return fmt.Errorf("neighbours of a precomputed kernel have no file")
		}
		t.apply = t.nearestDirections(linalg.Of(t.plain.Arrays["centers"]))
		return nil
	}
	t.apply = func(ctx context.Context, x input, _ TransformOptions, _ []float64) ([]data.Column, error) {
		codes, err := m.Assign(ctx, x.of(0))
		return []data.Column{codeColumn("cluster", codes)}, err
	}
	return nil
}
