package gram

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// NetworkMap is a network of finite width with random weights: features whose inner products have
// the arc-cosine or arcsine kernel as their mean. Of one layer of m units the mean is exact and the
// error of a pair falls as 1/√m; of several layers the mean is off by O(1/m) too, since each layer
// sees what the one before it drew.
type NetworkMap struct {
	scale, bias float64 // of the linear kernel, and of the constant beside it
	dim         int
	unit        kernel.Activation
	weights     []linalg.Matrix[float64] // of each layer, a row for each unit
}

// NewNetworkMap draws a network of m units in each layer for points of d coordinates. The kernel is
// kernel.ArcCosine or kernel.ArcSine of c·linear + b.
func NewNetworkMap(k kernel.Kernel[kernel.Vec], d, m int, seed uint64) (*NetworkMap, error) {
	n, ok := k.(kernel.NetworkOf[kernel.Vec])
	if !ok {
		return nil, fault.Errorf("gram", "%s is no kernel of networks; give arccosine or arcsine", kernel.NameOf(k))
	}
	if err := kernel.Validate(k); err != nil {
		return nil, err
	}
	if d < 1 || m < 1 {
		return nil, fault.Errorf("gram", "a network of %d units on %d coordinates; give at least 1 of both", m, d)
	}
	f := &NetworkMap{dim: d, unit: n.Activation}
	if !f.read(n.Kernel, 1) {
		return nil, fault.Errorf("gram", "the features of %s are not known, which the first layer sees; give c*linear() + b",
			kernel.NameOf(n.Kernel))
	}
	rng := rand.New(rand.NewPCG(seed, 0x6e6574776f726b))
	inputs := d + 1
	for range max(n.Depth, 1) {
		w := linalg.New[float64](m, inputs)
		for i := range m {
			for j := range w.Row(i) {
				w.Row(i)[j] = rng.NormFloat64()
			}
		}
		f.weights, inputs = append(f.weights, w), m
	}
	return f, nil
}

// read finds c·linear + b.
func (f *NetworkMap) read(k kernel.Kernel[kernel.Vec], factor float64) bool {
	switch k := k.(type) {
	case kernel.Linear:
		f.scale += factor
	case kernel.ConstantOf[kernel.Vec]:
		f.bias += factor * k.C
	case kernel.ScaleOf[kernel.Vec]:
		return f.read(k.Kernel, factor*k.Factor)
	case kernel.SumOf[kernel.Vec]:
		for _, t := range k.Terms {
			if !f.read(t, factor) {
				return false
			}
		}
	default:
		return false
	}
	return true
}

// Dim is the number of features.
func (f *NetworkMap) Dim() int { return f.weights[0].Rows }

// Features are the outputs of the last layer for each point.
func (f *NetworkMap) Features(ctx context.Context, x data.Points[kernel.Vec]) (*mat.Dense, error) {
	out := mat.NewDense(max(x.Len(), 1), f.Dim(), nil)
	for i := range x.Len() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p := x.At(i)
		if len(p) != f.dim {
			return nil, fault.Errorf("gram", "row %d has %d coordinates, the network is for %d", i, len(p), f.dim)
		}
		seen := make([]float64, f.dim+1)
		for j, v := range p {
			seen[j] = math.Sqrt(f.scale) * v
		}
		seen[f.dim] = math.Sqrt(f.bias)
		for _, w := range f.weights {
			next := make([]float64, w.Rows)
			for u := range next {
				z := 0.0
				for j, v := range w.Row(u) {
					z += v * seen[j]
				}
				next[u] = f.output(z) / math.Sqrt(float64(w.Rows))
			}
			seen = next
		}
		out.SetRow(i, seen)
	}
	return out, nil
}

// output is a unit, √2·max(0, z)ⁿ or erf z, so that the mean of products is the kernel; a step at 0
// is its half.
func (f *NetworkMap) output(z float64) float64 {
	switch {
	case f.unit == kernel.ErfUnit:
		return math.Erf(z)
	case f.unit == kernel.StepUnit && z == 0:
		return math.Sqrt2 / 2
	case z <= 0:
		return 0
	case f.unit == kernel.StepUnit:
		return math.Sqrt2
	case f.unit == kernel.RampUnit:
		return math.Sqrt2 * z
	}
	return math.Sqrt2 * z * z
}
