package gram

import (
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
)

// deviceTree is a kernel on given centres as a device evaluates it: its formula, and where the points of each metric are shifted to.
type deviceTree struct {
	formula kernel.Formula
	tree    cuda.Tree
	shift   [][]float64 // of each source: the mean of the images of the centres
}

var stepOps = [...]cuda.Op{
	kernel.StepMetric: cuda.Load, kernel.StepConstant: cuda.Constant, kernel.StepAffine: cuda.Affine, kernel.StepExp: cuda.Exp, kernel.StepSqrt: cuda.Sqrt,
	kernel.StepPower: cuda.PowerI, kernel.StepRatio: cuda.Ratio, kernel.StepTanh: cuda.Tanh, kernel.StepPolyExp: cuda.Matern, kernel.StepAdd: cuda.Add, kernel.StepMultiply: cuda.Mul,
}

var deviceMetrics = [...]cuda.Metric{
	kernel.Inner: cuda.Inner, kernel.SqDist: cuda.SqDist, kernel.L1Dist: cuda.L1Dist, kernel.ChiSqDist: cuda.ChiSqDist, kernel.MinSum: cuda.MinSum,
}

// newDeviceTree is k on centres of one dimension, where a device can evaluate it.
func newDeviceTree(k kernel.Kernel[kernel.Vec], centers data.Points[kernel.Vec]) (*deviceTree, bool) {
	f, ok := kernel.FormulaOf(k)
	if !ok || centers.Len() == 0 || len(centers.At(0)) == 0 || len(f.Sources) == 0 {
		return nil, false
	}
	t := &deviceTree{formula: f}
	d := len(centers.At(0))
	for i, s := range f.Sources {
		dim := d
		if s.Dim != nil {
			dim = s.Dim(d)
		}
		if dim == 0 {
			return nil, false
		}
		t.tree.Sources = append(t.tree.Sources, cuda.Source{Metric: deviceMetrics[s.Metric], Dim: dim})
		mean, image := make([]float64, dim), make([]float64, dim)
		for j := range centers.Len() {
			for c, v := range t.image(i, image, centers.At(j)) {
				mean[c] += v / float64(centers.Len())
			}
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

// image is a point as source i sees it, in dst or the point itself.
func (t *deviceTree) image(i int, dst, x []float64) []float64 {
	if m := t.formula.Sources[i].Map; m != nil {
		m(dst, x)
		return dst
	}
	return x
}

// reach is the largest norm of a point after the shift of source 0; +Inf where a point is of another dimension.
func (t *deviceTree) reach(threads int, x data.Points[kernel.Vec], d int) float64 {
	const size = 1024
	most := make([]float64, (x.Len()+size-1)/size)
	shifted := t.tree.Sources[0].Metric != cuda.Inner
	par.For(threads, x.Len(), size, func(lo, hi int) {
		image := make([]float64, t.tree.Sources[0].Dim)
		for i := lo; i < hi; i++ {
			row := x.At(i)
			if len(row) != d {
				most[lo/size] = math.Inf(1)
				return
			}
			s := 0.0
			for c, v := range t.image(0, image, row) {
				if shifted {
					v -= t.shift[0][c]
				}
				s += v * v
			}
			most[lo/size] = math.Max(most[lo/size], s)
		}
	})
	far := 0.0
	for _, s := range most {
		far = math.Max(far, s)
	}
	return math.Sqrt(far)
}

// coordinates writes points as a device takes them: those of source 0 of all points, then those of source 1, ….
func coordinates[F float32 | float64](t *deviceTree, threads int, s *cuda.Sums, dst []F, x data.Points[kernel.Vec]) {
	n := x.Len()
	for i, src := range t.tree.Sources {
		scale, shifted := s.Scale(i)
		part := dst[:n*src.Dim]
		dst = dst[n*src.Dim:]
		par.For(threads, n, 512, func(lo, hi int) {
			image := make([]float64, src.Dim)
			for r := lo; r < hi; r++ {
				to := part[r*src.Dim : (r+1)*src.Dim]
				from := t.image(i, image, x.At(r))
				if shifted {
					for c, m := range t.shift[i] {
						to[c] = F((from[c] - m) * scale)
					}
					continue
				}
				for c := range to {
					to[c] = F(from[c] * scale)
				}
			}
		})
	}
}
