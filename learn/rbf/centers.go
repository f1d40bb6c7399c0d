package rbf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/kmeans"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
)

// mostSweeps bounds k-means, which as a rule stops long before.
const mostSweeps = 300

// CenterChoice names where the centres of a radial basis function network come from.
type CenterChoice int

const (
	// RandomCenters takes training points, all equally likely, none twice.
	RandomCenters CenterChoice = iota
	// OrthogonalLeastSquares takes the training points that explain the targets
	// best, one after the other (Chen, Cowan and Grant 1991). It needs the n × n kernel matrix.
	OrthogonalLeastSquares
	// KMeansCenters takes the means of Lloyd's algorithm from a k-means++ start, in
	// the space of the points, which must be dense vectors.
	KMeansCenters
)

// Centers says which points the centres are.
type Centers struct {
	rows      []int
	ratio     []float64
	reached   bool // the wanted part of the energy is explained
	unsettled bool // k-means ran out of sweeps
}

// CenterRows lists the training points that are centres, in the order they were chosen;
// nil for KMeansCenters. Centre j of Func is row CenterRows()[j].
func (c Centers) CenterRows() []int { return slices.Clone(c.rows) }

// ErrorReduction is, for OrthogonalLeastSquares, the part of the targets' energy
// that each centre explained when it was chosen; else nil.
func (c Centers) ErrorReduction() []float64 { return slices.Clone(c.ratio) }

// chooseCenters returns centres in memory of their own.
func chooseCenters[T any](
	ctx context.Context, name string, o Options, k kernel.Kernel[T], x data.Points[T], targets [][]float64,
	weights []float64,
) (data.Points[T], Centers, error) {
	var c Centers
	switch o.Choice {
	case KMeansCenters:
		rows, ok := denseOf(x)
		if !ok {
			return nil, c, errors.New("k-means needs dense vectors of one length; choose RandomCenters or OrthogonalLeastSquares")
		}
		m := linalg.Matrix[float64](rows.RawMatrix())
		if err := squarable(m); err != nil {
			return nil, c, err
		}
		found, err := kmeans.Run(ctx, m, o.Centers, rand.New(rand.NewPCG(o.Seed, 0x6b6d)),
			kmeans.Options{Weights: weights, Sweeps: mostSweeps, Threads: o.Threads})
		if err != nil {
			return nil, c, err
		}
		c.unsettled = !found.Settled
		mu := data.FromVectors[T](data.RowsOf(found.Centers))
		return mu, c, kernel.Check(k, mu)
	case OrthogonalLeastSquares:
		basis, err := fitting.KernelBasis(ctx, name, k, x, o.Resources, 0, 1)
		if err != nil {
			return nil, c, err
		}
		if c, err = forwardSelection(ctx, o, basis, targets, weights); err != nil {
			return nil, c, err
		}
	default:
		var err error
		if c.rows, err = gram.UniformCenters(x.Len(), o.Centers, o.Seed); err != nil {
			return nil, c, err
		}
	}
	return data.OwnSubset(x, c.rows), c, nil
}

// checkGiven refuses given centres that the kernel cannot take beside the points.
func checkGiven[T any](o *Options, k kernel.Kernel[T], x, given data.Points[T]) error {
	if given == nil {
		return nil
	}
	if given.Len() == 0 {
		return errors.New("no centres are given; give one or more, or none at all to have them chosen")
	}
	if err := kernel.Check(k, given); err != nil {
		return fmt.Errorf("centres: %w", err)
	}
	if err := kernel.CheckPair(k, x, given); err != nil {
		return fmt.Errorf("centres: %w", err)
	}
	o.Centers = given.Len()
	return nil
}

// squarable refuses points whose squared distances k-means could not add up.
func squarable(x linalg.Matrix[float64]) error {
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			if math.Abs(v) > fitting.LargestFeature/1e10 {
				return fmt.Errorf("row %d, column %d is %g, too large to square; scale the points", i, j, v)
			}
		}
	}
	return nil
}

// denseOf is points as rows of a matrix: those of a search are vectors that know their numbers.
func denseOf[T any](x data.Points[T]) (data.DenseRows, bool) {
	if rows, ok := data.Concrete(x).(data.DenseRows); ok {
		return rows, true
	}
	vectors, ok := data.VectorsOf(x)
	if !ok {
		return data.DenseRows{}, false
	}
	m := linalg.New[float64](vectors.Len(), len(vectors.At(0)))
	for i := range m.Rows {
		row := vectors.At(i)
		if len(row) != m.Cols {
			return data.DenseRows{}, false
		}
		copy(m.Row(i), row)
	}
	return data.RowsOf(m), true
}
