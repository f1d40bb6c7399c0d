package neighbours

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Local is locally weighted regression (Cleveland and Devlin 1988) with any kernel that is not
// negative as the weight: at each point x of its own
//
//	minimise over a, b   Σᵢ wᵢ k(xᵢ, x) (yᵢ - a - bᵀφ(xᵢ - x))²,   y(x) = a,
//
// φ being the coordinates, with Degree 2 their squares and products, too. With Degree 0 there is no
// φ, and it is KernelMean. Slopes in directions in which the points near x do not differ are 0.
// There is nothing to solve before a point is asked for.
type Local struct {
	Kernel  kernel.Kernel[kernel.Vec]
	Degree  int       // 0, 1 or 2
	Weights []float64 // wᵢ; nil means 1
	learn.Resources
}

// mostTerms is how many slopes a local fit may have.
const mostTerms = 400

// flat is the part of the spread of φ below which a direction has no slope.
const flat = 1e-10

// Fit keeps the points and their values.
func (c Local) Fit(ctx context.Context, x data.Points[kernel.Vec], y []float64) (_ *LocalRegressor, err error) {
	defer fault.Name("local", &err)
	start := time.Now()
	weights, err := fitting.CheckRegression(c.Kernel, x, y, c.Weights)
	if err != nil {
		return nil, err
	}
	if c.Degree < 0 || c.Degree > 2 {
		return nil, fmt.Errorf("Degree is %d; give 0, 1 or 2", c.Degree)
	}
	if terms := termsOf(len(x.At(0)), c.Degree); terms > mostTerms {
		return nil, fmt.Errorf("a fit of degree %d in %d columns has %d slopes at every point; the most is %d: take a "+
			"lower degree or fewer columns", c.Degree, len(x.At(0)), terms, mostTerms)
	}
	coef := mat.NewDense(len(y), 2, nil)
	for i, v := range y {
		coef.SetRow(i, []float64{weights[i] * v, weights[i]})
	}
	r, err := kernelMean(ctx, "local", c.Kernel, x, coef, []float64{learn.Mean(y, weights)}, c.Resources, start)
	if err != nil {
		return nil, err
	}
	return newLocal(r.Func(), c.Degree, learn.Mean(y, weights), r.Report()), nil
}

// termsOf is the size of φ.
func termsOf(d, degree int) int { return []int{0, d, d + d*(d+1)/2}[degree] }

// LocalRegressor is a fitted Local. Its function has the kernel sums Σ wᵢyᵢk(xᵢ, ·) and Σ wᵢk(xᵢ,
// ·), not what Predict gives.
type LocalRegressor struct {
	f      *rkhs.Func[kernel.Vec]
	degree int
	far    float64 // the value where no point is near enough to count
	y, w   []float64
	report learn.Report
}

func newLocal(f *rkhs.Func[kernel.Vec], degree int, far float64, r learn.Report) *LocalRegressor {
	m := &LocalRegressor{f: f, degree: degree, far: far, report: r}
	for i := range f.Centers.Len() {
		w := f.Coef.At(i, 1)
		m.w = append(m.w, w)
		if m.y = append(m.y, 0); w > 0 {
			m.y[i] = f.Coef.At(i, 0) / w
		}
	}
	return m
}

// Func has the sums of the kernel: its value is not what Predict gives.
func (m *LocalRegressor) Func() *rkhs.Func[kernel.Vec] { return m.f }

// Report says how the fit went.
func (m *LocalRegressor) Report() learn.Report { return m.report }

// Predict returns a value for each point.
func (m *LocalRegressor) Predict(ctx context.Context, x data.Points[kernel.Vec]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.PredictTo(ctx, dst, x) })
}

// PredictTo writes the value of point i to dst[i].
func (m *LocalRegressor) PredictTo(ctx context.Context, dst []float64, x data.Points[kernel.Vec]) error {
	if err := apply.CheckLen(len(dst), lenOf(x)); err != nil {
		return err
	}
	return m.each(ctx, x, func(i int, l []float64) {
		if dst[i] = m.far; l != nil {
			dst[i] = 0
			for j, v := range l {
				dst[i] += v * m.y[j]
			}
			if math.IsNaN(dst[i]) || math.IsInf(dst[i], 0) { // beyond the range of numbers
				dst[i] = m.far
			}
		}
	})
}

func lenOf(x data.Points[kernel.Vec]) int {
	if x == nil {
		return 0
	}
	return x.Len()
}

// EquivalentWeights returns ℓ(x), with y(x) = Σ ℓᵢ(x)·yᵢ over the training points: a row for each
// point, which adds up to 1. It is 0 where no training point is near enough to count.
func (m *LocalRegressor) EquivalentWeights(ctx context.Context, x data.Points[kernel.Vec]) (*mat.Dense, error) {
	return apply.Matrix(x, len(m.y), func(dst *mat.Dense) error { return m.EquivalentWeightsTo(ctx, dst, x) })
}

// EquivalentWeightsTo writes those of point i to row i of dst.
func (m *LocalRegressor) EquivalentWeightsTo(ctx context.Context, dst *mat.Dense, x data.Points[kernel.Vec]) error {
	if err := apply.CheckDims(dst, lenOf(x), len(m.y)); err != nil {
		return err
	}
	return m.each(ctx, x, func(i int, l []float64) {
		row := dst.RawRowView(i)
		clear(row)
		copy(row, l)
	})
}

// localBlock is how many points are worked on together.
const localBlock = 64

// each gives the equivalent weights of every point; nil where no training point counts.
func (m *LocalRegressor) each(ctx context.Context, x data.Points[kernel.Vec], to func(i int, l []float64)) error {
	if err := apply.Start(ctx, x); err != nil {
		return err
	}
	if x.Len() == 0 {
		return nil
	}
	if err := apply.Check(ctx, m.f.Kernel, m.f.Centers, x); err != nil {
		return err
	}
	blocks := (x.Len() + localBlock - 1) / localBlock
	fitting.Rows(ctx, 0, blocks, 1, func(lo, hi int) {
		fit := newLocalFit(m)
		for b := lo; b < hi; b++ {
			from := b * localBlock
			to1 := min(from+localBlock, x.Len())
			rows := make([]int, to1-from)
			for i := range rows {
				rows[i] = from + i
			}
			part := data.Gather(x, rows)
			k := linalg.New[float64](len(rows), len(m.y))
			if kernel.Fill(1, blas64.General(k), m.f.Tiles(ctx, part)) != nil {
				return
			}
			for i := range rows {
				to(from+i, fit.at(part.At(i), k.Row(i)))
			}
		}
	})
	return ctx.Err()
}

// localFit is the memory of a local fit.
type localFit struct {
	m       *LocalRegressor
	phi     linalg.Matrix[float64] // φ(xᵢ - x), then less its mean
	mean, l []float64
	s       linalg.Matrix[float64]
}

func newLocalFit(m *LocalRegressor) *localFit {
	p := termsOf(len(m.f.Centers.At(0)), m.degree)
	return &localFit{m, linalg.New[float64](len(m.y), p), make([]float64, p), make([]float64, len(m.y)),
		linalg.New[float64](p, p)}
}

// at is the equivalent weights at x, with k(xᵢ, x) in k, which is overwritten. With W = Σ w̃ᵢ and
// φ̄, S the mean and the spread of φ by the weights w̃,
//
//	ℓᵢ = w̃ᵢ·(1/W - φ̄ᵀS⁻¹(φᵢ - φ̄)),
//
// the line through the weighted means, at φ(0) = 0.
func (f *localFit) at(x kernel.Vec, k []float64) []float64 {
	m, total := f.m, 0.0
	for i := range k {
		k[i] = max(k[i], 0) * m.w[i]
		total += k[i]
	}
	if !(total > 0) || math.IsInf(total, 1) {
		return nil
	}
	p := f.phi.Cols
	clear(f.mean)
	for i, w := range k {
		if w == 0 {
			continue
		}
		w /= total // first, or the sums of tiny weights vanish
		k[i] = w
		f.spell(f.phi.Row(i), m.f.Centers.At(i), x)
		for j, v := range f.phi.Row(i) {
			f.mean[j] += w * v
		}
	}
	clear(f.s.Data)
	for i, w := range k {
		if w == 0 {
			continue
		}
		row := f.phi.Row(i)
		for j := range row {
			row[j] -= f.mean[j]
		}
		for j, a := range row {
			out := f.s.Row(j)
			for c, b := range row[:j+1] {
				out[c] += w * a * b
			}
		}
	}
	slope := f.slopes(p)
	for i, w := range k {
		if f.l[i] = w; w == 0 {
			continue
		}
		for j, v := range f.phi.Row(i) {
			f.l[i] -= w * slope[j] * v
		}
	}
	return f.l
}

// slopes is S⁻¹φ̄, in directions of some spread.
func (f *localFit) slopes(p int) []float64 {
	out := slices.Clone(f.mean)
	largest := 0.0
	for j := range p {
		largest = max(largest, f.s.At(j, j))
	}
	if !(largest > 0) {
		clear(out)
		return out
	}
	// In units of the spread of each term, so that a ridge is the same for all; terms without
	// spread have no slope.
	scale := make([]float64, p)
	for j := range scale {
		if d := f.s.At(j, j); d > flat*flat*largest {
			scale[j] = 1 / math.Sqrt(d)
		}
	}
	for j := range p {
		row := f.s.Row(j)
		for c := range row[:j+1] {
			row[c] *= scale[j] * scale[c]
		}
		if row[j] += flat; scale[j] == 0 {
			row[j] = 1
		}
		out[j] *= scale[j]
	}
	chol, err := linalg.NewCholesky(1, f.s)
	if err != nil { // rounding alone: the level, without a slope
		clear(out)
		return out
	}
	chol.Solve(1, fitting.Column(out))
	for j := range out {
		out[j] *= scale[j]
	}
	return out
}

// spell writes φ(c - x).
func (f *localFit) spell(phi []float64, c, x kernel.Vec) {
	if len(phi) == 0 {
		return
	}
	d := len(x)
	for j := range d {
		phi[j] = c[j] - x[j]
	}
	at := d
	for j := 0; j < d && at < len(phi); j++ {
		for l := range j + 1 {
			phi[at] = phi[j] * phi[l]
			at++
		}
	}
}

// Saved returns the model as plain data.
func (m *LocalRegressor) Saved() learn.Saved[kernel.Vec] {
	return learn.Saved[kernel.Vec]{Learner: "local", Func: m.f, Report: m.report,
		Numbers: map[string]float64{"degree": float64(m.degree), "far": m.far}}
}

func restoreLocal(s learn.Saved[any]) (learn.Model[any], error) {
	v, ok := fitting.SavedOnVectors(s)
	if !ok {
		return nil, fmt.Errorf("a local regression has vectors, not %T", data.Concrete(s.Func.Centers))
	}
	if err := s.CheckValues(); err != nil {
		return nil, err
	}
	if err := s.CheckOutputs(2); err != nil {
		return nil, err
	}
	degree, err := s.Number("degree")
	if err != nil {
		return nil, err
	}
	far, err := s.Number("far")
	if err != nil {
		return nil, err
	}
	if degree != 0 && degree != 1 && degree != 2 || s.Func.Bias != nil ||
		termsOf(len(v.Func.Centers.At(0)), int(degree)) > mostTerms {
		return nil, fmt.Errorf("a local regression of degree %g in %d columns", degree, len(v.Func.Centers.At(0)))
	}
	for i := range s.Func.Centers.Len() {
		if !(s.Func.Coef.At(i, 1) >= 0) {
			return nil, fmt.Errorf("weight %g of point %d", s.Func.Coef.At(i, 1), i)
		}
	}
	return learn.OnVectors(newLocal(v.Func, int(degree), far, s.Report)), nil
}

func fitLocal(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
	x, ok := data.VectorsOf(p.Points)
	k, also := kernel.Concrete(s.Kernel).(kernel.Kernel[kernel.Vec])
	if known, ok := s.Kernel.(knownKernel); ok {
		if _, also = kernel.Concrete(known.Unwrap()).(kernel.Kernel[kernel.Vec]); also {
			k = vectorsKnown{known}
		}
	}
	if !ok || !also {
		return nil, fmt.Errorf("a local regression has slopes by coordinates, of vectors and not of %T",
			data.Concrete(p.Points))
	}
	degree := []int{1, 0, 2}[int(s.Params["degree"])]
	m, err := Local{Kernel: k, Degree: degree, Weights: p.FitWeights(), Resources: s.Resources}.Fit(ctx, x, p.Y)
	if err != nil {
		return nil, err
	}
	return learn.OnVectors(m), nil
}

// knownKernel is a kernel on erased points, some of whose values a search knows.
type knownKernel interface {
	kernel.Kernel[any]
	kernel.Blocker[any]
	Unwrap() kernel.Kernel[any]
}

// vectorsKnown is such a kernel as one on vectors.
type vectorsKnown struct{ of knownKernel }

// Eval is k(x, y).
func (k vectorsKnown) Eval(x, y kernel.Vec) float64 { return k.of.Eval(x, y) }

// Block looks the values up.
func (k vectorsKnown) Block(dst *mat.Dense, x, y data.Points[kernel.Vec]) {
	k.of.Block(dst, data.EraseVectors(x), data.EraseVectors(y))
}
