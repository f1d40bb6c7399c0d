package kernel

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/linalg"
)

// SparseOf is a kernel on vectors, used on sparse rows; OnSparse makes one.
type SparseOf struct {
	// Dense is the kernel on vectors that this one equals.
	Dense Kernel[Vec]
	// Dim is the number of columns, which sparse rows do not tell.
	Dim int
	// lifted is the same tree over sparse leaves.
	lifted Kernel[data.SparseVec]
}

// OnSparse is k on sparse rows, without expanding them: the algebra is walked, and
// every kernel that is a function of a metric, also after ARD scaling, a selection of
// columns, normalisation to unit length or a quadratic form, reads the stored entries
// only. What is known by Eval alone (a user's own kernel, and those that treat an
// entry 0 like any other: Periodic, Sobolev, Sinc, basis functions) gets the two
// rows expanded to dim coordinates, which is slow but right.
func OnSparse(k Kernel[Vec], dim int) (Kernel[data.SparseVec], error) {
	if err := Validate(k); err != nil {
		return nil, err
	}
	if least := leastDim(k); dim < least {
		return nil, fmt.Errorf("kernel: %d columns for a kernel on at least %d coordinates", dim, least)
	}
	return SparseOf{k, dim, lift(k, dim)}, nil
}

// Eval evaluates the kernel on two sparse rows.
func (k SparseOf) Eval(x, y data.SparseVec) float64 { return k.lifted.Eval(x, y) }

func (k SparseOf) lower(b *builder, p pair[data.SparseVec]) node {
	return aliasNode{lower(b, k.lifted, p.fixed()), gradOfPair[data.SparseVec](k, p)}
}

// pairGrad expands the two rows: the derivatives of every dense kernel serve.
func (k SparseOf) pairGrad(x, y data.SparseVec, dtheta []float64) float64 {
	u, v := expandPair(k.Dim, x, y)
	return pairGrad(k.Dense, u, v, dtheta)
}

// expandPair expands two rows.
func expandPair(dim int, x, y data.SparseVec) (u, v Vec) {
	u, v = make(Vec, dim), make(Vec, dim)
	expand(u, x)
	expand(v, y)
	return u, v
}

// leastDim is the number of coordinates that the parts of k index.
func leastDim(k Kernel[Vec]) int {
	dim := 0
	eachPart(k, func(part Kernel[Vec]) {
		switch part := part.(type) {
		case ARD:
			dim = max(dim, len(part.Lengthscales))
		case Mahalanobis:
			dim = max(dim, part.Sigma.SymmetricDim())
		case QuadraticForm:
			dim = max(dim, part.A.SymmetricDim())
		case OnColumns:
			for _, c := range part.Columns {
				dim = max(dim, c+1)
			}
		case Fourier, Theta:
			dim = max(dim, 1)
		}
	})
	return dim
}

// Name is that of the kernel.
func (k SparseOf) Name() string {
	if n, ok := k.Dense.(Named); ok {
		return n.Name()
	}
	return "sparse"
}

// Params are those of the kernel.
func (k SparseOf) Params() []Param { return Params(k.Dense) }

// With sets the parameters of the kernel.
func (k SparseOf) With(theta []float64) Kernel[data.SparseVec] {
	d := withOne(k.Dense, theta)
	return SparseOf{d, k.Dim, lift(d, k.Dim)}
}

// Validate asks the kernel.
func (k SparseOf) Validate() error { return validate(k.Dense) }

// CheckPoints expands one row at a time, and asks the kernel about it.
func (k SparseOf) CheckPoints(x data.Points[data.SparseVec]) error {
	_, asks := k.Dense.(PointChecker[Vec])
	for i := range x.Len() {
		if n := lengthOf(x.At(i)); n > k.Dim {
			return fmt.Errorf("kernel: sparse row %d has column %d, the kernel was made for %d columns", i, n-1, k.Dim)
		}
		if !asks {
			continue
		}
		row := make(Vec, k.Dim)
		expand(row, x.At(i))
		if err := checkPoints(k.Dense, data.Points[Vec](data.Slice[Vec]{row})); err != nil {
			return fmt.Errorf("sparse row %d: %w", i, err)
		}
	}
	return nil
}

// lift rewrites a tree over vectors as one over sparse rows.
func lift(k Kernel[Vec], dim int) Kernel[data.SparseVec] {
	switch k := k.(type) {
	case SumOf[Vec]:
		return SumOf[data.SparseVec]{liftAll(k.Terms, dim)}
	case ProductOf[Vec]:
		return ProductOf[data.SparseVec]{liftAll(k.Factors, dim)}
	case ConstantOf[Vec]:
		return ConstantOf[data.SparseVec](k)
	case ScaleOf[Vec]:
		return ScaleOf[data.SparseVec]{k.Factor, lift(k.Kernel, dim)}
	case PowerOf[Vec]:
		return PowerOf[data.SparseVec]{lift(k.Kernel, dim), k.Exponent}
	case PolynomialOf[Vec]:
		return PolynomialOf[data.SparseVec]{lift(k.Kernel, dim), k.Coef, k.Bound, k.Error}
	case ExpOf[Vec]:
		return ExpOf[data.SparseVec]{lift(k.Kernel, dim)}
	case NormalizeOf[Vec]:
		return NormalizeOf[data.SparseVec]{lift(k.Kernel, dim)}
	case SubstituteOf[Vec]:
		return SubstituteOf[data.SparseVec]{k.Outer, lift(k.Kernel, dim)}
	case ARD:
		return sparseView{lift(k.Kernel, dim), fmt.Sprint("ard", k.Lengthscales), func(x data.SparseVec) data.SparseVec { return divide(x, k.Lengthscales) }}
	case OnColumns:
		return sparseView{lift(k.Kernel, len(k.Columns)), fmt.Sprint("on", k.Columns), func(x data.SparseVec) data.SparseVec { return selectColumns(x, k.Columns) }}
	case Cosine:
		return NormalizeOf[data.SparseVec]{sparseProfile{Linear{}}}
	case QuadraticForm:
		return sparseQuadratic{k}
	case AdditiveChiSquare:
		return sparseAdditive{}
	case Profiled:
		return sparseProfile{k}
	}
	return expanded{k, dim}
}

func liftAll(ks []Kernel[Vec], dim int) []Kernel[data.SparseVec] {
	out := make([]Kernel[data.SparseVec], len(ks))
	for i, k := range ks {
		out[i] = lift(k, dim)
	}
	return out
}

// sparseProfile is κ of a metric between sparse rows.
type sparseProfile struct {
	k Profiled
}

func (s sparseProfile) Eval(x, y data.SparseVec) float64 {
	m := [1]float64{sparseBetween(s.k.Metric(), x, y)}
	s.k.Profile(m[:])
	return m[0]
}

func (s sparseProfile) lower(b *builder, p pair[data.SparseVec]) node {
	src := b.source(p.key, s.k.Metric(), func() *source {
		x := csrOf(p.x)
		y := x
		if !p.same {
			y = csrOf(p.y)
		}
		if worthExpanding(x, y) {
			dx := expandRows(x, max(x.Cols, y.Cols))
			dy := dx
			if !p.same {
				dy = expandRows(y, dx.Cols)
			}
			return &source{metric: s.k.Metric(), x: dx, y: dy}
		}
		return &source{metric: s.k.Metric(), sparse: newSparsePairs(s.k.Metric(), x, y)}
	})
	return newProfileNode(src, s.k, p.theta, nil)
}

// csrOf collects sparse rows into one matrix, unless they are the rows of one.
func csrOf(p data.Points[data.SparseVec]) *linalg.CSR {
	if r, ok := p.(interface{ CSR() *linalg.CSR }); ok {
		return r.CSR()
	}
	rows := make([]data.SparseVec, p.Len())
	for i := range rows {
		rows[i] = p.At(i)
	}
	return data.SparseOf(rows, sparseDim(p)).CSR()
}

// sparseDim is the dimension the rows are in, at least.
func sparseDim(p data.Points[data.SparseVec]) int {
	if r, ok := p.(interface{ Dim() int }); ok {
		return r.Dim()
	}
	dim := 0
	for i := range p.Len() {
		dim = max(dim, lengthOf(p.At(i)))
	}
	return dim
}

func lengthOf(x data.SparseVec) int {
	if n := len(x.Index); n > 0 {
		return int(x.Index[n-1]) + 1
	}
	return 0
}

// sparseView is a kernel after a map of each sparse row.
type sparseView struct {
	k   Kernel[data.SparseVec]
	key string
	f   func(data.SparseVec) data.SparseVec
}

func (s sparseView) Eval(x, y data.SparseVec) float64 { return s.k.Eval(s.f(x), s.f(y)) }

func (s sparseView) lower(b *builder, p pair[data.SparseVec]) node {
	v := pair[data.SparseVec]{x: mapPoints(s.f, p.x), same: p.same, key: p.key + "|" + s.key, theta: p.theta}
	v.y = v.x
	if !p.same {
		v.y = mapPoints(s.f, p.y)
	}
	return lower(b, s.k, v)
}

func divide(x data.SparseVec, l []float64) data.SparseVec {
	v := make([]float64, len(x.Value))
	for i, c := range x.Index {
		v[i] = x.Value[i] / l[c]
	}
	return data.SparseVec{Index: x.Index, Value: v}
}

// selectColumns is column columns[i] of x at place i.
func selectColumns(x data.SparseVec, columns []int) data.SparseVec {
	var out data.SparseVec
	for i, c := range columns {
		for k, idx := range x.Index {
			if int(idx) == c {
				out.Index = append(out.Index, int32(i))
				out.Value = append(out.Value, x.Value[k])
			}
		}
	}
	return out
}

type sparseQuadratic struct{ k QuadraticForm }

func (s sparseQuadratic) Eval(x, y data.SparseVec) float64 {
	sum := 0.0
	for i, c := range x.Index {
		for j, d := range y.Index {
			sum += x.Value[i] * s.k.A.At(int(c), int(d)) * y.Value[j]
		}
	}
	return sum
}

type sparseAdditive struct{}

func (sparseAdditive) Eval(x, y data.SparseVec) float64 {
	s := 0.0
	eachColumn(x, y, func(_ int32, v, w float64) {
		if v*w != 0 && v+w != 0 {
			s += 2 * v * w / (v + w)
		}
	})
	return s
}

// expanded is a kernel known by Eval alone.
type expanded struct {
	k   Kernel[Vec]
	dim int
}

func (e expanded) Eval(x, y data.SparseVec) float64 {
	u, v := expandPair(e.dim, x, y)
	return e.k.Eval(u, v)
}

// lower expands each row once: a kernel that needs whole rows has nothing to
// gain from sparsity.
func (e expanded) lower(b *builder, p pair[data.SparseVec]) node {
	f := func(x data.SparseVec) Vec {
		row := make(Vec, e.dim)
		expand(row, x)
		return row
	}
	return PullbackOf[data.SparseVec, Vec]{e.k, f}.lower(b, p)
}

func expand(dst Vec, x data.SparseVec) {
	clear(dst)
	for i, c := range x.Index {
		dst[c] = x.Value[i]
	}
}
