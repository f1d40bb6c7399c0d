package stat

import (
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
)

// MedianKernel is the Gaussian whose length-scale is the median distance
// between two of the pooled points. As it does not see which sample a point is
// from, a test with it keeps its level.
func MedianKernel(x, y data.Points[kernel.Vec]) (kernel.Gaussian, error) {
	q, err := pooledQuantiles(x, y, 0.5)
	if err != nil {
		return kernel.Gaussian{}, err
	}
	return kernel.Gaussian{Lengthscale: q[0]}, nil
}

// GaussianScales are Gaussians with count length-scales in geometric
// progression from half the 5 % quantile of the pooled distances to twice the
// 95 % quantile, the collection that A. Schrab et al. (2023) aggregate over.
func GaussianScales(x, y data.Points[kernel.Vec], count int) ([]kernel.Kernel[kernel.Vec], error) {
	if count < 1 {
		return nil, fault.Errorf("stat", "%d length-scales; want at least 1", count)
	}
	q, err := pooledQuantiles(x, y, 0.05, 0.95)
	if err != nil {
		return nil, err
	}
	return geometric(q[0]/2, q[1]*2, count), nil
}

// PooledWidths are Gaussians with count length-scales in geometric progression from a quarter of
// the median pooled distance to four times that, for AggregatedMMD. Beyond four times a Gaussian
// sees differences of the mean and little else; the share of the level that the widths of
// GaussianScales out there take is lost where means are equal.
func PooledWidths(x, y data.Points[kernel.Vec], count int) ([]kernel.Kernel[kernel.Vec], error) {
	if count < 1 {
		return nil, fault.Errorf("stat", "%d length-scales; want at least 1", count)
	}
	q, err := pooledQuantiles(x, y, 0.5)
	if err != nil {
		return nil, err
	}
	return geometric(q[0]/4, q[0]*4, count), nil
}

// GaussianWidths are Gaussians on one variable with count length-scales in geometric progression
// from half the median distance to twice that: what AggregatedHSIC aggregates over. Narrower ones
// see finer shapes and cost power everywhere else.
func GaussianWidths(x data.Points[kernel.Vec], count int) ([]kernel.Kernel[kernel.Vec], error) {
	if count < 1 {
		return nil, fault.Errorf("stat", "%d length-scales; want at least 1", count)
	}
	median, err := kernel.WidthMedian(x)
	if err != nil {
		return nil, fault.Errorf("stat", "no kernel width from these points: %w", err)
	}
	return geometric(median/2, median*2, count), nil
}

// geometric are Gaussians with length-scales from low to high; one alone is in the middle.
func geometric(low, high float64, count int) []kernel.Kernel[kernel.Vec] {
	ks := make([]kernel.Kernel[kernel.Vec], count)
	for i := range ks {
		at := 0.5
		if count > 1 {
			at = float64(i) / float64(count-1)
		}
		ks[i] = kernel.Gaussian{Lengthscale: low * math.Pow(high/low, at)}
	}
	return ks
}

func pooledQuantiles(x, y data.Points[kernel.Vec], p ...float64) ([]float64, error) {
	if length(x) == 0 || length(y) == 0 {
		return nil, fault.Errorf("stat", "samples of %d and %d points have no width", length(x), length(y))
	}
	if err := kernel.CheckPair[kernel.Vec](kernel.Gaussian{}, x, y); err != nil {
		return nil, fault.In("stat", err)
	}
	q, err := kernel.WidthQuantiles(pooledVectors(x, y), p...)
	if err != nil {
		return nil, fault.Errorf("stat", "no kernel width from these samples: %w", err)
	}
	return q, nil
}
