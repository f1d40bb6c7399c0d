package project

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
	KindFourier = "fourier-features"
	KindNystrom = "nystrom-features"
)

// FeatureModel is a map φ from points to numbers with ⟨φ(x), φ(y)⟩ ≈ k(x, y), drawn once and then
// fixed: a linear method on its features is a kernel method. It is made of an approximation by
// random Fourier features or on the centres of Nyström's method.
type FeatureModel struct {
	k       kernel.Kernel[kernel.Vec]
	dim     int // of a point
	fourier *gram.FourierMap
	nystrom *gram.NystromMap[kernel.Vec]
	numbers map[string]float64 // of how far off inner products are, on points that the map was made with
}

// Features keeps the map of an approximation of K(X, X), with what is known of its error.
func Features(k kernel.Kernel[kernel.Vec], a *gram.Approximation[kernel.Vec]) (*FeatureModel, error) {
	m := &FeatureModel{k: k, numbers: map[string]float64{"rms": a.Report.RMS, "largest": a.Report.MaxAbs, "sampled": float64(a.Report.Sampled)}}
	switch f := a.Map.(type) {
	case *gram.FourierMap:
		m.fourier = f
		_, m.dim = f.Frequencies().Dims()
	case *gram.NystromMap[kernel.Vec]:
		m.nystrom, m.dim = f, len(f.Centers.At(0))
	default:
		return nil, fault.Errorf("project", "a feature map of type %T cannot be kept", a.Map)
	}
	return m, nil
}

// Kernel is what inner products of features approximate.
func (m *FeatureModel) Kernel() kernel.Kernel[kernel.Vec] { return m.k }

// Dim is the number of features.
func (m *FeatureModel) Dim() int { return m.of().Dim() }

// PointDim is the number of coordinates of a point.
func (m *FeatureModel) PointDim() int { return m.dim }

// Error is the root mean square and the largest of what inner products were off by, among so many
// points that the map was made with.
func (m *FeatureModel) Error() (rms, largest float64, sampled int) {
	return m.numbers["rms"], m.numbers["largest"], int(m.numbers["sampled"])
}

func (m *FeatureModel) of() gram.FeatureMap[kernel.Vec] {
	if m.fourier != nil {
		return m.fourier
	}
	return m.nystrom
}

// Features is φ of every point, a row each.
func (m *FeatureModel) Features(ctx context.Context, x data.Points[kernel.Vec]) (*mat.Dense, error) {
	return m.of().Features(ctx, x)
}

// FeaturesTo writes φ of point i to row i of dst, which has Dim columns.
func (m *FeatureModel) FeaturesTo(ctx context.Context, dst *mat.Dense, x data.Points[kernel.Vec]) error {
	return m.of().FeaturesTo(ctx, dst, x)
}

// Plain returns the map as plain data: frequencies and their scale beside the kernel at the origin,
// or centres with the triangle L of K(C, C) = LLᵀ as coefficients.
func (m *FeatureModel) Plain() (rkhs.Plain[kernel.Vec], error) {
	p := rkhs.Plain[kernel.Vec]{Kind: KindNystrom, Numbers: map[string]float64{}}
	for name, v := range m.numbers {
		p.Numbers[name] = v
	}
	if m.fourier == nil {
		p.Funcs = []*rkhs.Func[kernel.Vec]{{Kernel: m.k, Centers: m.nystrom.Centers, Coef: m.nystrom.Factor()}}
		return p, nil
	}
	p.Kind = KindFourier
	p.Numbers["scale"] = m.fourier.Scale()
	p.Arrays = map[string]*mat.Dense{"frequencies": m.fourier.Frequencies()}
	origin := data.Rows(mat.NewDense(1, m.dim, nil))
	p.Funcs = []*rkhs.Func[kernel.Vec]{{Kernel: m.k, Centers: origin, Coef: mat.NewDense(1, 1, []float64{1})}}
	return p, nil
}

// RestoreFeatures makes a FeatureModel of plain data.
func RestoreFeatures(p rkhs.Plain[kernel.Vec]) (*FeatureModel, error) {
	m := &FeatureModel{numbers: map[string]float64{}}
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
	m.k, m.dim = f.Kernel, len(f.Centers.At(0))
	if p.Kind == KindNystrom {
		m.nystrom, err = gram.RestoreNystromMap(f.Kernel, f.Centers, f.Coef)
		return m, err
	}
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
