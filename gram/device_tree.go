package gram

import (
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
)

// deviceTree is a kernel on given centres as a device evaluates it: its formula, and where the
// points of each metric are shifted to.
type deviceTree struct {
	formula kernel.Formula
	dim     int // of points
	tree    cuda.Tree
	shift   [][]float64 // of each source: the mean of the images of the centres
}

var stepOps = [...]cuda.Op{
	kernel.StepMetric: cuda.Load, kernel.StepConstant: cuda.Constant, kernel.StepAffine: cuda.Affine,
	kernel.StepExp: cuda.Exp, kernel.StepSqrt: cuda.Sqrt,
	kernel.StepPower: cuda.PowerI, kernel.StepRatio: cuda.Ratio, kernel.StepTanh: cuda.Tanh,
	kernel.StepPolyExp: cuda.Matern, kernel.StepAdd: cuda.Add, kernel.StepMultiply: cuda.Mul,
}

var deviceMetrics = [...]cuda.Metric{
	kernel.Inner: cuda.Inner, kernel.SqDist: cuda.SqDist, kernel.L1Dist: cuda.L1Dist, kernel.ChiSqDist: cuda.ChiSqDist,
	kernel.MinSum: cuda.MinSum,
}

// newDeviceTree is k on centres of one dimension, where a device can evaluate it. Terms of sums
// have sources of their own.
func newDeviceTree(k kernel.Kernel[kernel.Vec], centers data.Points[kernel.Vec]) (*deviceTree, bool) {
	f, ok := kernel.FormulaOf(k)
	if !ok {
		return nil, false
	}
	t, ok := treeOf(f, centers)
	if !ok {
		return nil, false
	}
	whole, sources, shift := t.tree, t.formula.Sources, t.shift
	var from []int
	if t.tree, from = whole.Separate(); len(from) != len(sources) || !slices.IsSorted(from) {
		t.formula.Sources, t.shift = nil, nil
		for _, i := range from {
			t.formula.Sources, t.shift = append(t.formula.Sources, sources[i]), append(t.shift, shift[i])
		}
	}
	return t, true
}

// treeOf is a formula on centres of one dimension, its steps one by one.
func treeOf(f kernel.Formula, centers data.Points[kernel.Vec]) (*deviceTree, bool) {
	if centers.Len() == 0 || len(centers.At(0)) == 0 || len(f.Sources) == 0 {
		return nil, false
	}
	d := len(centers.At(0))
	t := &deviceTree{formula: f, dim: d}
	for i, s := range f.Sources {
		dim := d
		if s.Dim != nil {
			dim = s.Dim(d)
		}
		if dim == 0 {
			return nil, false
		}
		t.tree.Sources = append(t.tree.Sources, cuda.Source{Metric: deviceMetrics[s.Metric], Dim: dim})
		mean, even := t.mean(i, dim, centers)
		if !even {
			return nil, false
		}
		t.shift = append(t.shift, mean)
	}
	for _, s := range f.Steps {
		c := cuda.Instruction{Op: stepOps[s.Kind], Index: s.N, A: s.A, B: s.B}
		if s.Kind == kernel.StepPolyExp {
			c.Index, c.B = len(s.Coef), float64(len(t.tree.Table))
			t.tree.Table = append(t.tree.Table, s.Coef...)
		}
		t.tree.Code = append(t.tree.Code, c)
	}
	return t, t.tree.Fits()
}

// treeRows is how many centres a goroutine looks at.
const treeRows = 1 << 12

// mean is that of the centres as source i sees them, if they have as many coordinates as the first.
func (t *deviceTree) mean(i, dim int, centers data.Points[kernel.Vec]) (mean []float64, even bool) {
	parts := make([][]float64, (centers.Len()+treeRows-1)/treeRows)
	par.For(0, centers.Len(), treeRows, func(lo, hi int) {
		sum, image := make([]float64, dim), make([]float64, dim)
		for j := lo; j < hi; j++ {
			if len(centers.At(j)) != t.dim {
				return
			}
			for c, v := range t.image(i, image, centers.At(j)) {
				sum[c] += v
			}
		}
		parts[lo/treeRows] = sum
	})
	mean = make([]float64, dim)
	for _, sum := range parts {
		if sum == nil {
			return nil, false
		}
		for c, v := range sum {
			mean[c] += v
		}
	}
	for c := range mean {
		mean[c] /= float64(centers.Len())
	}
	return mean, true
}

// image is a point as source i sees it, in dst or the point itself.
func (t *deviceTree) image(i int, dst, x []float64) []float64 {
	if m := t.formula.Sources[i].Map; m != nil {
		m(dst, x)
		return dst
	}
	return x
}

// firstReach is the norms of points to expect before rows have been seen: for each source the
// largest of a centre after the shift, for inner products twice that, which costs nothing there.
func (t *deviceTree) firstReach(centers data.Points[kernel.Vec]) []float64 {
	out := make([]float64, len(t.tree.Sources))
	for i, src := range t.tree.Sources {
		parts := make([]float64, (centers.Len()+treeRows-1)/treeRows)
		par.For(0, centers.Len(), treeRows, func(lo, hi int) {
			image, far := make([]float64, src.Dim), 0.0
			for j := lo; j < hi; j++ {
				s := 0.0
				for c, v := range t.image(i, image, centers.At(j)) {
					if src.Metric != cuda.Inner {
						v -= t.shift[i][c]
					}
					s += v * v
				}
				far = math.Max(far, s)
			}
			parts[lo/treeRows] = far
		})
		far := slices.Max(parts)
		if src.Metric == cuda.Inner {
			far *= 4
		}
		out[i] = math.Max(math.Sqrt(far), math.SmallestNonzeroFloat64)
	}
	return out
}
