// Package mapped keeps the features of an approximated kernel: its map, for new points and for files.
package mapped

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// The kinds of feature maps in a model file.
const (
	Fourier = "fourier-features"
	Nystrom = "nystrom-features"
)

// Model is a map φ from points to numbers with ⟨φ(x), φ(y)⟩ ≈ k(x, y), drawn once and then
// fixed: a linear method on its features is a kernel method. It is made of an approximation by
// random Fourier features or on the centres of Nyström's method.
type Model struct {
	k       kernel.Kernel[any]
	dim     int // of a point; 0: it is no vector
	fourier *gram.FourierMap
	nystrom *gram.NystromMap[any]
	numbers map[string]float64 // of how far off inner products are, on points that the map was made with
}

// Features keeps the map of an approximation of K(X, X), with what is known of its error.
func Features[T any](k kernel.Kernel[T], a *gram.Approximation[T]) (*Model, error) {
	m := &Model{k: kernel.Erase(k), numbers: map[string]float64{"rms": a.Report.RMS, "largest": a.Report.MaxAbs,
		"sampled": float64(a.Report.Sampled)}}
	switch f := any(a.Map).(type) {
	case *gram.FourierMap:
		m.fourier = f
		_, m.dim = f.Frequencies().Dims()
		return m, nil
	case *gram.NystromMap[T]:
		var err error
		m.nystrom, err = gram.RestoreNystromMap(m.k, data.Erase(f.Centers), f.Factor())
		m.dim = dimOf(m.nystrom)
		return m, err
	}
	return nil, fault.Errorf("project", "a feature map of type %T cannot be kept", a.Map)
}

// dimOf is the number of coordinates of a centre, 0 where it is no vector.
func dimOf(m *gram.NystromMap[any]) int {
	if m == nil {
		return 0
	}
	x, ok := data.VectorsOf(m.Centers)
	if !ok {
		return 0
	}
	return len(x.At(0))
}

// Kernel is what inner products of features approximate.
func (m *Model) Kernel() kernel.Kernel[any] { return m.k }

// Dim is the number of features.
func (m *Model) Dim() int {
	if m.fourier != nil {
		return m.fourier.Dim()
	}
	return m.nystrom.Dim()
}

// PointDim is the number of coordinates of a point; 0 where points are no vectors.
func (m *Model) PointDim() int { return m.dim }

// Error is the root mean square and the largest of what inner products were off by, among so many
// points that the map was made with.
func (m *Model) Error() (rms, largest float64, sampled int) {
	return m.numbers["rms"], m.numbers["largest"], int(m.numbers["sampled"])
}

// Features is φ of every vector, a row each.
func (m *Model) Features(ctx context.Context, x data.Points[kernel.Vec]) (*mat.Dense, error) {
	return m.FeaturesOf(ctx, data.EraseVectors(x))
}

// FeaturesTo writes φ of vector i to row i of dst, which has Dim columns.
func (m *Model) FeaturesTo(ctx context.Context, dst *mat.Dense, x data.Points[kernel.Vec]) error {
	if m.fourier != nil {
		return m.fourier.FeaturesTo(ctx, dst, x)
	}
	return m.nystrom.FeaturesTo(ctx, dst, data.EraseVectors(x))
}

// FeaturesOf is φ of every point, a row each, of points that have forgotten their type.
func (m *Model) FeaturesOf(ctx context.Context, x data.Points[any]) (*mat.Dense, error) {
	if m.fourier == nil {
		return m.nystrom.Features(ctx, x)
	}
	v, ok := data.VectorsOf(x)
	if !ok {
		return nil, fault.Errorf("project", "these features are cosines of vectors; the points are %T", data.Concrete(x))
	}
	return m.fourier.Features(ctx, v)
}

// Plain returns the map as plain data: frequencies and their scale beside the kernel at the origin,
// or centres with the triangle L of K(C, C) = LLᵀ as coefficients.
func (m *Model) Plain() (rkhs.Plain[any], error) {
	p := rkhs.Plain[any]{Kind: Nystrom, Numbers: map[string]float64{}}
	for name, v := range m.numbers {
		p.Numbers[name] = v
	}
	if m.fourier == nil {
		p.Funcs = []*rkhs.Func[any]{{Kernel: m.k, Centers: m.nystrom.Centers, Coef: m.nystrom.Factor()}}
		return p, nil
	}
	p.Kind = Fourier
	p.Numbers["scale"] = m.fourier.Scale()
	p.Arrays = map[string]*mat.Dense{"frequencies": m.fourier.Frequencies()}
	origin := data.Rows(mat.NewDense(1, m.dim, nil))
	p.Funcs = []*rkhs.Func[any]{{Kernel: m.k, Centers: data.EraseVectors(origin), Coef: mat.NewDense(1, 1, []float64{1})}}
	return p, nil
}

// Restore makes a Model of plain data.
func Restore(p rkhs.Plain[any]) (*Model, error) {
	m := &Model{numbers: map[string]float64{}}
	for _, name := range []string{"rms", "largest", "sampled"} {
		v, err := p.Number(name)
		if err != nil {
			return nil, err
		}
		m.numbers[name] = v
	}
	f, err := p.Function(0, 1, 0)
	if err != nil {
		return nil, err
	}
	if f.Bias != nil {
		return nil, fmt.Errorf("a feature map with a bias")
	}
	m.k = f.Kernel
	if p.Kind == Nystrom {
		m.nystrom, err = gram.RestoreNystromMap(f.Kernel, f.Centers, f.Coef)
		m.dim = dimOf(m.nystrom)
		return m, err
	}
	centers, ok := data.VectorsOf(f.Centers)
	if !ok {
		return nil, fmt.Errorf("frequencies of what are no vectors")
	}
	m.dim = len(centers.At(0))
	scale, err := p.Number("scale")
	if err != nil {
		return nil, err
	}
	w, err := p.Array("frequencies", -1, m.dim)
	if err != nil {
		return nil, err
	}
	m.fourier, err = gram.RestoreFourierMap(w, scale)
	return m, err
}
