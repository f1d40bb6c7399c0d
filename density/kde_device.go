package density

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/smoothing"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Sums on a device have their digits down to these shares of the sum of the weights. In double
// precision terms underflow below 1e-308. In single they do below 1e-38, and an exponent of 70,
// which is 1e-30, is known to 1e-5.
const (
	deviceTiny   = smoothing.Tiny
	singleTiny   = 1e-30
	singleRelTol = 1e-4
)

// deviceDim is the number of columns from which the device, which leaves nothing out, is thought to
// be sooner done than the tree.
const deviceDim = 3

// logRows is how many sums a goroutine takes the log of.
const logRows = 1 << 12

// deviceKernel is the smoothing kernel, but for its constant, as a kernel between points in units
// of the bandwidth, where a device knows it.
func (m *KDEModel) deviceKernel() kernel.Kernel[kernel.Vec] {
	switch {
	case m.scales != nil || m.config.Method != Auto && m.config.Method != Brute:
	case m.config.Smoother == Gaussian:
		return kernel.Gaussian{Lengthscale: 1}
	case m.config.Smoother == Exponential && m.sum.Product():
		return kernel.LaplaceL1{Lengthscale: 1}
	case m.config.Smoother == Exponential:
		return kernel.Laplace{Lengthscale: 1}
	}
	return nil
}

// onDevice sets dst to the logs of the sums at z and says whether the device made them. Queries so
// far out that their sum has lost digits go to the tree.
func (m *KDEModel) onDevice(ctx context.Context, dst []float64, z linalg.Matrix[float64]) (bool, error) {
	k := m.deviceKernel()
	if m.config.Device == nil || k == nil || m.config.Method == Auto && z.Cols < deviceDim {
		return false, nil
	}
	precision, tiny := gram.Double, deviceTiny
	if m.config.RelTol >= singleRelTol {
		precision, tiny = gram.Single, singleTiny
	}
	points := m.x.Clone()
	m.metric.Divide(points)
	weights := m.weights
	if weights == nil {
		weights = make([]float64, points.Rows)
		for i := range weights {
			weights[i] = 1
		}
	}
	done, err := gram.DeviceProduct(ctx, m.config.Device, k, data.Points[kernel.Vec](data.RowsOf(z)), data.RowsOf(points),
		mat.NewDense(z.Rows, 1, dst), mat.NewDense(points.Rows, 1, weights), precision)
	if !done || err != nil {
		return false, err
	}
	par.For(m.config.Threads, len(dst), logRows, func(lo, hi int) {
		for i, s := range dst[lo:hi] {
			if dst[lo+i] = math.Log(s); !(s >= tiny*m.sum.Total) {
				dst[lo+i] = math.NaN()
			}
		}
	})
	var far []int
	for i, v := range dst {
		if math.IsNaN(v) {
			far = append(far, i)
		}
	}
	if len(far) == 0 {
		return true, nil
	}
	rest, logs := linalg.New[float64](len(far), z.Cols), make([]float64, len(far))
	for a, i := range far {
		copy(rest.Row(a), z.Row(i))
	}
	err = m.sum.LogSums(ctx, m.config.Threads, logs, rest, m.tol)
	for a, i := range far {
		dst[i] = logs[a]
	}
	return true, err
}
