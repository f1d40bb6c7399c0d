package cluster

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
)

// judged is a grouping seen through a kernel: the sizes, and per point the sums
// that the indices below need.
type judged struct {
	n, k   int
	sizes  []int
	labels []int
}

// newJudged refuses labels that make no grouping of the points.
func newJudged[T any](k kernel.Kernel[T], x data.Points[T], labels []int) (judged, error) {
	if k == nil || x == nil || x.Len() == 0 {
		return judged{}, fault.Errorf("cluster", "an index needs a kernel and points")
	}
	j := judged{n: x.Len(), labels: labels}
	if len(labels) != j.n {
		return j, fault.Errorf("cluster", "%d points but %d labels", j.n, len(labels))
	}
	for i, l := range labels {
		if l < 0 || l >= j.n {
			return j, fault.Errorf("cluster", "label of row %d is %d; want 0, 1, …, number of clusters − 1", i, l)
		}
		j.k = max(j.k, l+1)
	}
	j.sizes = make([]int, j.k)
	for _, l := range labels {
		j.sizes[l]++
	}
	for c, s := range j.sizes {
		if s == 0 {
			return j, fault.Errorf("cluster", "no point has label %d though some have %d", c, j.k-1)
		}
	}
	if j.k < 2 {
		return j, fault.Errorf("cluster", "all points are in one cluster; an index compares at least two")
	}
	return j, kernel.Check(k, x)
}

// sums sets out[i, c] = Σ_{j∈c} f(k(xᵢ,xᵢ), k(xᵢ,xⱼ), k(xⱼ,xⱼ)), a block of rows
// at a time.
func sums[T any](
	ctx context.Context, j judged, k kernel.Kernel[T], x data.Points[T], threads int, f func(xx, xy, yy float64) float64,
) (linalg.Matrix[float64], error) {
	diag := make([]float64, j.n)
	kernel.Diag(ctx, k, diag, x)
	t := kernel.Prepare(ctx, k, x, x)
	out := linalg.New[float64](j.n, j.k)
	par.For(threads, j.n, 64, func(lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		block := linalg.New[float64](hi-lo, j.n)
		t.Tile(blas64.General(block), lo, 0)
		for i := lo; i < hi; i++ {
			row := out.Row(i)
			for o, v := range block.Row(i - lo) {
				if o != i {
					row[j.labels[o]] += f(diag[i], v, diag[o])
				} else {
					row[j.labels[o]] += f(diag[i], diag[i], diag[i])
				}
			}
		}
	})
	return out, ctx.Err()
}

// Silhouette returns (b−a)/max(a, b) of every point, with a its mean distance in
// feature space to the others of its cluster and b that to the nearest other
// cluster (Rousseeuw 1987), and the mean of all: near 1 for tight clusters far
// apart, below 0 for points in the wrong one. A point alone in its cluster has 0.
// The linear kernel gives the ordinary silhouette.
func Silhouette[T any](
	ctx context.Context, k kernel.Kernel[T], x data.Points[T], labels []int, threads int,
) (values []float64, mean float64, err error) {
	j, err := newJudged(k, x, labels)
	if err != nil {
		return nil, 0, err
	}
	s, err := sums(ctx, j, k, x, threads, Plain.between)
	if err != nil {
		return nil, 0, err
	}
	values = make([]float64, j.n)
	for i, own := range labels {
		if j.sizes[own] == 1 {
			continue
		}
		a, b := 0.0, math.Inf(1)
		for c, v := range s.Row(i) {
			if c == own {
				a = v / float64(j.sizes[c]-1)
			} else {
				b = math.Min(b, v/float64(j.sizes[c]))
			}
		}
		if top := math.Max(a, b); top > 0 {
			values[i] = (b - a) / top
		}
		mean += values[i] / float64(j.n)
	}
	return values, mean, nil
}

// centroids are distances to and between cluster means in feature space.
type centroids struct {
	judged
	own     []float64              // ‖φ(xᵢ) − μ_{z(i)}‖² of each point
	between linalg.Matrix[float64] // ⟨μ_c, μ_d⟩
	overall float64                // ‖mean of all‖²
	toAll   []float64              // ⟨μ_c, mean of all⟩
}

func newCentroids[T any](
	ctx context.Context, k kernel.Kernel[T], x data.Points[T], labels []int, threads int,
) (centroids, error) {
	j, err := newJudged(k, x, labels)
	if err != nil {
		return centroids{}, err
	}
	s, err := sums(ctx, j, k, x, threads, func(_, xy, _ float64) float64 { return xy })
	if err != nil {
		return centroids{}, err
	}
	c := centroids{judged: j, own: make([]float64, j.n), between: linalg.New[float64](j.k, j.k),
		toAll: make([]float64, j.k)}
	for i, l := range labels {
		row := c.between.Row(l)
		for d, v := range s.Row(i) {
			row[d] += v / float64(j.sizes[l]*j.sizes[d])
		}
	}
	for a := range j.k {
		for b := range j.k {
			c.toAll[a] += c.between.At(a, b) * float64(j.sizes[b]) / float64(j.n)
		}
	}
	for a, v := range c.toAll {
		c.overall += v * float64(j.sizes[a]) / float64(j.n)
	}
	diag := make([]float64, j.n)
	kernel.Diag(ctx, k, diag, x)
	for i, l := range labels {
		c.own[i] = math.Max(diag[i]-2*s.At(i, l)/float64(j.sizes[l])+c.between.At(l, l), 0)
	}
	return c, nil
}

// DaviesBouldin returns (1/k) Σ_c max_{d≠c} (s_c + s_d)/‖μ_c − μ_d‖ with s_c the mean
// distance in feature space of a cluster's points to its mean (Davies and
// Bouldin 1979): smaller is better.
func DaviesBouldin[T any](
	ctx context.Context, k kernel.Kernel[T], x data.Points[T], labels []int, threads int,
) (float64, error) {
	c, err := newCentroids(ctx, k, x, labels, threads)
	if err != nil {
		return 0, err
	}
	spread := make([]float64, c.k)
	for i, l := range labels {
		spread[l] += math.Sqrt(c.own[i]) / float64(c.sizes[l])
	}
	sum := 0.0
	for a := range c.k {
		worst := 0.0
		for b := range c.k {
			if a != b {
				apart := c.between.At(a, a) - 2*c.between.At(a, b) + c.between.At(b, b)
				worst = math.Max(worst, (spread[a]+spread[b])/math.Sqrt(math.Max(apart, 0)))
			}
		}
		sum += worst
	}
	return sum / float64(c.k), nil
}

// CalinskiHarabasz returns the variance between cluster means over that within
// clusters in feature space, [Σ n_c‖μ_c − μ‖²/(k−1)] / [Σᵢ‖φ(xᵢ) − μ_{z(i)}‖²/(n−k)]
// (Caliński and Harabasz 1974): larger is better.
func CalinskiHarabasz[T any](
	ctx context.Context, k kernel.Kernel[T], x data.Points[T], labels []int, threads int,
) (float64, error) {
	c, err := newCentroids(ctx, k, x, labels, threads)
	if err != nil {
		return 0, err
	}
	if c.k == c.n {
		return 0, fault.Errorf("cluster", "every point is a cluster; there is no variance within any")
	}
	between, within := 0.0, 0.0
	for a, s := range c.sizes {
		between += float64(s) * math.Max(c.between.At(a, a)-2*c.toAll[a]+c.overall, 0)
	}
	for _, v := range c.own {
		within += v
	}
	return between / float64(c.k-1) / (within / float64(c.n-c.k)), nil
}
