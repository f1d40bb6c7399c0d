package gram

import (
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/kernel"
)

// deviceTree is a kernel on given centres as a device evaluates it: its formula, and where the points of each metric are shifted to.
type deviceTree struct {
	formula kernel.Formula
	dim     int // of points
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
		mean, image := make([]float64, dim), make([]float64, dim)
		for j := range centers.Len() {
			if len(centers.At(j)) != d {
				return nil, false
			}
			for c, v := range t.image(i, image, centers.At(j)) {
				mean[c] += v
			}
		}
		for c := range mean {
			mean[c] /= float64(centers.Len())
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
	fits := t.tree.Fits()
	whole, sources, shift := t.tree, t.formula.Sources, t.shift
	var from []int
	if t.tree, from = whole.Separate(); len(from) != len(sources) || !slices.IsSorted(from) {
		t.formula.Sources, t.shift = nil, nil
		for _, i := range from {
			t.formula.Sources, t.shift = append(t.formula.Sources, sources[i]), append(t.shift, shift[i])
		}
	}
	return t, fits
}

// image is a point as source i sees it, in dst or the point itself.
func (t *deviceTree) image(i int, dst, x []float64) []float64 {
	if m := t.formula.Sources[i].Map; m != nil {
		m(dst, x)
		return dst
	}
	return x
}

// firstReach is the norms of points to expect before rows have been seen: for each source the largest of a centre after the shift, for inner products twice that, which
// costs nothing there.
func (t *deviceTree) firstReach(centers data.Points[kernel.Vec]) []float64 {
	out := make([]float64, len(t.tree.Sources))
	for i, src := range t.tree.Sources {
		far, image := 0.0, make([]float64, src.Dim)
		for j := range centers.Len() {
			s := 0.0
			for c, v := range t.image(i, image, centers.At(j)) {
				if src.Metric != cuda.Inner {
					v -= t.shift[i][c]
				}
				s += v * v
			}
			far = math.Max(far, s)
		}
		if src.Metric == cuda.Inner {
			far *= 4
		}
		out[i] = math.Max(math.Sqrt(far), math.SmallestNonzeroFloat64)
	}
	return out
}

// fitness says whether some points are fit for the kernel; nil means that it has been seen to. It is asked while they are on their way, so that they are read from memory once.
type fitness func(x data.Points[kernel.Vec]) bool

// coordinates writes points as a device takes them: those of source 0 of all points, then those of source 1, …. It says how far they reach in each source
// (after the shift) and whether they have as many coordinates as the centres and, where somebody asks, are fit.
func coordinates[F float32 | float64](t *deviceTree, threads int, s *cuda.Sums, dst []F, x data.Points[kernel.Vec], fit fitness) (reach []float64, even bool) {
	const size = 512
	n := x.Len()
	most := make([]float64, (n+size-1)/size) // NaN where a point is of another dimension
	for i, src := range t.tree.Sources {
		scale, shifted := s.Scale(i)
		shift := t.shift[i]
		if !shifted {
			shift = make([]float64, src.Dim)
		}
		part := dst[:n*src.Dim]
		dst = dst[n*src.Dim:]
		flat := t.flat(i, x)
		var over []float64
		if flat != nil {
			over = repeated(shift, batchOf(src.Dim))
		}
		par.For(threads, n, size, func(lo, hi int) {
			far := 0.0
			if i == 0 && fit != nil && !fit(data.Span(x, lo, hi)) {
				most[lo/size] = math.NaN()
				return
			}
			if flat != nil {
				most[lo/size] = moveRows(part[lo*src.Dim:hi*src.Dim], flat[lo*src.Dim:hi*src.Dim], over, src.Dim, scale)
				return
			}
			image := make([]float64, src.Dim)
			for r := lo; r < hi; r++ {
				to, row := part[r*src.Dim:(r+1)*src.Dim], x.At(r)
				if len(row) != t.dim {
					far = math.NaN()
					break
				}
				square := moveTo(to, t.image(i, image, row), shift, scale)
				if square > far || math.IsNaN(square) { // NaN stays
					far = square
				}
			}
			most[lo/size] = far
		})
		far := 0.0
		for _, s := range most {
			if math.IsNaN(s) || math.IsInf(s, 1) {
				return nil, false
			}
			far = math.Max(far, s)
		}
		reach = append(reach, math.Sqrt(far))
	}
	return reach, true
}

// flat is the numbers of points that lie one after the other and are what source i sees; nil for others.
func (t *deviceTree) flat(i int, x data.Points[kernel.Vec]) []float64 {
	rows, ok := x.(data.DenseRows)
	if !ok || t.formula.Sources[i].Map != nil || rows.Dim() != t.dim || rows.Len() > 1 && rows.RawMatrix().Stride != t.dim {
		return nil
	}
	return rows.RawMatrix().Data[:rows.Len()*t.dim]
}

// batchOf is how many rows are moved at a time: as many as stay in the nearest cache.
func batchOf(d int) int { return max(1024/d, 1) }

func repeated(v []float64, times int) []float64 {
	out := make([]float64, 0, len(v)*times)
	for range times {
		out = append(out, v...)
	}
	return out
}

// moveRows is moveTo for many rows, by vectors: over is the shift of each row of a batch. It returns the largest of ‖x - shift‖², or NaN.
func moveRows[F float32 | float64](dst []F, x, over []float64, d int, scale float64) (far float64) {
	room := make([]float64, len(over))
	for lo := 0; lo < len(x); lo += len(room) {
		hi := min(lo+len(room), len(x))
		moved := room[:hi-lo]
		copy(moved, x[lo:hi])
		simd.Axpy64(-1, over[:hi-lo], moved)
		for r := 0; r < len(moved); r += d {
			if square := simd.Dot64(moved[r:r+d], moved[r:r+d]); square > far || math.IsNaN(square) {
				if far = square; math.IsNaN(far) {
					return far
				}
			}
		}
		simd.Scal64(scale, moved)
		switch to := any(dst[lo:hi]).(type) {
		case []float32:
			simd.Narrow(to, moved)
		case []float64:
			copy(to, moved)
		}
	}
	return far
}

// moveTo sets dst = scale·(x - shift) and returns ‖x - shift‖², in four sums so that none waits for the last.
func moveTo[F float32 | float64](dst []F, x, shift []float64, scale float64) float64 {
	var a, b, c, d float64
	x, shift = x[:len(dst)], shift[:len(dst)]
	i := 0
	for ; i+4 <= len(dst); i += 4 {
		p, q, r, s := x[i]-shift[i], x[i+1]-shift[i+1], x[i+2]-shift[i+2], x[i+3]-shift[i+3]
		a, b, c, d = a+p*p, b+q*q, c+r*r, d+s*s
		dst[i], dst[i+1], dst[i+2], dst[i+3] = F(p*scale), F(q*scale), F(r*scale), F(s*scale)
	}
	for ; i < len(dst); i++ {
		p := x[i] - shift[i]
		a += p * p
		dst[i] = F(p * scale)
	}
	return (a + b) + (c + d)
}
