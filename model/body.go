package model

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// body is the fitted function, whatever the type of its points.
type body interface {
	domain() string
	kernelText() string
	learner() string
	report() learn.Report
	classes() int
	centers() int
	onDevice(d *gram.Device)
	dim() int
	outputs() int
	targets() int
	of(target int) body
	hasProba() bool
	hasStd() bool
	record() record
	predict(ctx context.Context, x *data.Encoded, w Want, wide bool) (*Prediction, error)
	updatable() bool
	update(ctx context.Context, x *data.Encoded, info Info) (*Model, []float64, error)
	judge(ctx context.Context, x *data.Encoded, known learn.Problem[int], wide bool) (learn.Predictions, error)
	nearest(ctx context.Context, x *data.Encoded, i, most int) (*Explained, error)
}

// The domains a model file knows.
const (
	domainVectors     = "vectors"
	domainSparse      = "sparse"
	domainPrecomputed = "precomputed"
	domainRows        = "rows"     // of a table with columns of objects
	domainFeatures    = "features" // rows, the centres being weights of features of their kernel
)

// record is a Saved without its type: what goes into a file.
type record struct {
	learner, domain, kernel string
	classes, dim            int
	numbers                 map[string]float64
	arrays                  map[string]*mat.Dense
	coef                    *mat.Dense
	bias                    []float64
	report                  learn.Report
	dense                   linalg.Matrix[float64] // centres
	sparse                  *data.CSR              // centres, where sparse
	objects                 [][]string             // of the centres, a list for each column of objects
	names                   []string               // of the features that centres are weights of
}

// fitted is a model on points of some type, which its kernel knows and it does not.
type fitted struct {
	p      learn.Saver[any]
	name   string // domain
	text   string // kernel
	size   int    // dim
	points func(x *data.Encoded) (data.Points[any], error)
	// wider is the same model on points of more coordinates.
	wider func(dim int) (*fitted, error)
}

func (b *fitted) domain() string       { return b.name }
func (b *fitted) kernelText() string   { return b.text }
func (b *fitted) learner() string      { return b.p.Saved().Learner }
func (b *fitted) report() learn.Report { return b.p.Report() }
func (b *fitted) classes() int         { return b.p.Saved().Classes }
func (b *fitted) centers() int         { return b.p.Func().Centers.Len() }
func (b *fitted) dim() int             { return b.size }

// onDevice tells the function; what it means for a point is the same.
func (b *fitted) onDevice(d *gram.Device) { b.p.Func().OnDevice(d) }

// outputs is the columns of Scores: decision values, or what is regressed.
func (b *fitted) outputs() int {
	switch m := b.p.(type) {
	case learn.Classifier[any, int]:
		return m.Decisions()
	case several:
		return m.Func().Outputs()
	}
	return 1
}

// several is a regressor of more than one output.
type several interface {
	learn.Regressor[any]
	PredictMulti(ctx context.Context, x data.Points[any]) (*mat.Dense, error)
}

// restore makes a model of plain data that can be written down again.
func restore(s learn.Saved[any]) (learn.Saver[any], error) {
	m, err := all.Restore(s)
	if err != nil {
		return nil, err
	}
	p, ok := m.(learn.Saver[any])
	if !ok {
		return nil, fmt.Errorf("%s: a %T cannot be saved", s.Learner, m)
	}
	return p, nil
}

func (b *fitted) hasProba() bool {
	p, ok := b.p.(learn.Probabilistic[any])
	return ok && p.HasProba()
}

func (b *fitted) hasStd() bool {
	_, ok := b.uncertain()
	return ok
}

func (b *fitted) record() record {
	s := b.p.Saved()
	return record{
		learner: s.Learner, domain: b.name, kernel: b.text, classes: s.Classes, dim: b.size,
		numbers: s.Numbers, arrays: s.Arrays, coef: s.Func.Coef, bias: s.Func.Bias, report: s.Report,
	}
}

// saved is the model of a record.
func saved(r record, k kernel.Kernel[any], centers data.Points[any]) learn.Saved[any] {
	return learn.Saved[any]{
		Learner: r.learner, Classes: r.classes, Numbers: r.numbers, Arrays: r.arrays, Report: r.report,
		Func: &rkhs.Func[any]{Kernel: k, Centers: centers, Coef: r.coef, Bias: r.bias},
	}
}

// vectorBodyOf is a body on rows of a matrix.
type vectorBodyOf struct{ *fitted }

func (b vectorBodyOf) record() record {
	r := b.fitted.record()
	r.dense = linalg.Matrix[float64](data.Concrete(b.p.Func().Centers).(data.DenseRows).RawMatrix())
	return r
}

// denseRows collects vectors of one length into a matrix.
func denseRows(x data.Points[kernel.Vec]) (data.DenseRows, error) {
	if rows, ok := x.(data.DenseRows); ok {
		return rows, nil
	}
	if x.Len() == 0 {
		return data.DenseRows{}, fmt.Errorf("no centres")
	}
	m := linalg.New[float64](x.Len(), len(x.At(0)))
	for i := range m.Rows {
		if len(x.At(i)) != m.Cols {
			return data.DenseRows{}, fmt.Errorf("centre %d has %d coordinates, centre 0 has %d", i, len(x.At(i)), m.Cols)
		}
		copy(m.Row(i), x.At(i))
	}
	return data.RowsOf(m), nil
}

func vectorBody(s learn.Saved[any], of kernel.Kernel[kernel.Vec], points data.Points[kernel.Vec]) (body, error) {
	centers, err := denseRows(points)
	if err != nil {
		return nil, err
	}
	text, err := spec.FormatKernel(of)
	if err != nil {
		return nil, err
	}
	// What is used is what a file would give back.
	k, err := spec.ParseKernel(text)
	if err != nil {
		return nil, fmt.Errorf("kernel %q: %w", text, err)
	}
	p, err := restore(onto(s, kernel.OnVectors(k), data.EraseVectors(centers)))
	if err != nil {
		return nil, err
	}
	return vectorBodyOf{&fitted{
		p: p, name: domainVectors, text: text, size: centers.Dim(),
		points: func(x *data.Encoded) (data.Points[any], error) {
			rows := x.AsDense()
			if rows.Dim() != centers.Dim() {
				return nil, &DimensionError{Have: rows.Dim(), Want: centers.Dim()}
			}
			return data.EraseVectors(rows), nil
		},
	}}, nil
}

// onto is a saved model with another kernel and other centres.
func onto(s learn.Saved[any], k kernel.Kernel[any], centers data.Points[any]) learn.Saved[any] {
	s.Func = &rkhs.Func[any]{Kernel: k, Centers: centers, Coef: s.Func.Coef, Bias: s.Func.Bias}
	return s
}

// sparseBodyOf is a body on sparse rows.
type sparseBodyOf struct{ *fitted }

func (b sparseBodyOf) record() record {
	r := b.fitted.record()
	r.sparse = data.Concrete(b.p.Func().Centers).(data.SparseRows).CSR()
	return r
}

func sparseBody(s learn.Saved[any], points data.Points[data.SparseVec]) (body, error) {
	k, ok := kernel.Concrete(s.Func.Kernel).(kernel.SparseOf)
	if !ok {
		return nil, fmt.Errorf("a kernel of type %T on sparse rows has no text; make it with kernel.OnSparse",
			kernel.Concrete(s.Func.Kernel))
	}
	text, err := spec.FormatKernel(k.Dense)
	if err != nil {
		return nil, err
	}
	dense, err := spec.ParseKernel(text)
	if err != nil {
		return nil, fmt.Errorf("kernel %q: %w", text, err)
	}
	centers, ok := points.(data.SparseRows)
	if !ok || centers.Dim() != k.Dim {
		rows := make([]data.SparseVec, points.Len())
		for i := range rows {
			rows[i] = points.At(i)
		}
		centers = data.SparseOf(rows, k.Dim)
	}
	if err := centers.CSR().Check(); err != nil {
		return nil, err
	}
	b, err := sparseOn(s, dense, text, centers)
	if err != nil {
		return nil, err
	}
	b.wider = func(dim int) (*fitted, error) {
		wide := *centers.CSR()
		wide.Cols = dim
		return sparseOn(s, dense, text, data.Sparse(&wide))
	}
	return sparseBodyOf{b}, nil
}

func sparseOn(
	s learn.Saved[any], dense kernel.Kernel[kernel.Vec], text string, centers data.SparseRows,
) (*fitted, error) {
	on, err := kernel.OnSparse(dense, centers.Dim())
	if err != nil {
		return nil, err
	}
	p, err := restore(onto(s, kernel.OnSparseVectors(on), data.EraseSparse(centers)))
	if err != nil {
		return nil, err
	}
	return &fitted{
		p: p, name: domainSparse, text: text, size: centers.Dim(),
		points: func(x *data.Encoded) (data.Points[any], error) {
			rows := asSparse(x)
			if rows.Dim() > centers.Dim() {
				return nil, &DimensionError{Have: rows.Dim(), Want: centers.Dim()}
			}
			return data.EraseSparse(rows), nil
		},
	}, nil
}

// asSparse is the features as sparse rows, whatever form they have.
func asSparse(x *data.Encoded) data.SparseRows {
	if x.Sparse != nil {
		return *x.Sparse
	}
	m := linalg.Matrix[float64](x.Dense.RawMatrix())
	out := &data.CSR{Rows: m.Rows, Cols: m.Cols, Ptr: make([]int, 1, m.Rows+1)}
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			if v != 0 {
				out.Index, out.Value = append(out.Index, int32(j)), append(out.Value, v)
			}
		}
		out.Ptr = append(out.Ptr, len(out.Value))
	}
	return data.Sparse(out)
}

// kernelValues is the kernel of a model fitted to a precomputed matrix: a
// point is its row of kernel values with the training objects, a centre the
// number of one of them.
type kernelValues struct{ objects int }

// Eval is the kernel value of point x with the training object centre; that of
// two points is not known.
func (k kernelValues) Eval(x, centre kernel.Vec) float64 {
	if len(centre) != 1 {
		return math.NaN()
	}
	if j := int(centre[0]); j < len(x) {
		return x[j]
	}
	return math.NaN()
}

// CheckPair refuses rows of fewer values than there are training objects, and values that are not
// finite.
func (k kernelValues) CheckPair(_, rows data.Points[kernel.Vec]) error {
	for i := range rows.Len() {
		row := rows.At(i)
		if len(row) < k.objects {
			return fmt.Errorf("row %d has %d kernel values for a model of %d training objects", i, len(row), k.objects)
		}
		for j, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("kernel value %d of row %d is %g", j, i, v)
			}
		}
	}
	return nil
}

func precomputedBody(s learn.Saved[any], k kernel.Precomputed) (body, error) {
	_, n := k.K.Dims()
	index := linalg.New[float64](s.Func.Centers.Len(), 1)
	for i := range index.Rows {
		index.Set(i, 0, float64(s.Func.Centers.At(i).(int)))
	}
	r := record{
		learner: s.Learner, classes: s.Classes, numbers: s.Numbers, arrays: s.Arrays,
		coef: s.Func.Coef, bias: s.Func.Bias, report: s.Report, dim: n,
	}
	return precomputedOn(r, index)
}

func precomputedOn(r record, index linalg.Matrix[float64]) (body, error) {
	if index.Cols != 1 {
		return nil, fmt.Errorf("centres of %d columns in a model of a precomputed kernel", index.Cols)
	}
	for i := range index.Rows {
		if v := index.At(i, 0); v != math.Trunc(v) || !(v >= 0 && v < float64(r.dim)) {
			return nil, fmt.Errorf("centre %d is training object %g of %d", i, v, r.dim)
		}
	}
	p, err := restore(saved(r, kernel.OnVectors(kernelValues{r.dim}), data.EraseVectors(data.RowsOf(index))))
	if err != nil {
		return nil, err
	}
	return vectorBodyOf{&fitted{
		p: p, name: domainPrecomputed, text: "precomputed()", size: r.dim,
		points: func(x *data.Encoded) (data.Points[any], error) {
			rows := x.AsDense()
			if rows.Dim() < r.dim {
				return nil, &DimensionError{Have: rows.Dim(), Want: r.dim, Objects: true}
			}
			return data.EraseVectors(rows), nil
		},
	}}, nil
}
