package gram

import (
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/mat"
)

// FeatureMoment is a positive definite matrix A = I + Σ wφφᵀ on the device, or one that was given,
// with the inverse of its factor. It is closed before the rows are.
type FeatureMoment struct {
	rows    *FeatureRows
	a, root cuda.Ptr // in the lower triangle, and R⁻¹ with A = RRᵀ
	pivots  []float64
	weights []float64
	spread  []cuda.Ptr // R⁻¹φ of each piece, where SpreadTo was asked and they have room
}

// Moment makes I + Σ wφφᵀ, weights being w ≥ 0 of every row.
func (f *FeatureRows) Moment(weights []float64) (*FeatureMoment, error) {
	return f.moment(weights, func(a cuda.Ptr) error {
		if err := f.momentTo(a, weights, false); err != nil {
			return err
		}
		return cuda.Diagonal(f.chip, f.queue, f.m, a, 1, f.spare)
	})
}

// MomentTo copies I + Σ wφφᵀ to the lower triangle of dst, without a factor; what is above it is
// worthless.
func (f *FeatureRows) MomentTo(dst *mat.Dense, weights []float64) error {
	if err := f.momentTo(f.spare, weights, false); err != nil {
		return f.noted(err)
	}
	if err := cuda.Diagonal(f.chip, f.queue, f.m, f.spare, 1, f.column); err != nil {
		return f.noted(err)
	}
	return f.square(dst, f.spare)
}

// Precision takes a matrix of which the lower triangle is there.
func (f *FeatureRows) Precision(a *mat.Dense) (*FeatureMoment, error) {
	from := linalg.Of(a)
	if from.Rows != f.m || from.Cols != f.m || from.Stride != f.m {
		panic("gram: a matrix of another size, or a part of one")
	}
	return f.moment(nil, func(to cuda.Ptr) error { return f.chip.ToDevice(f.queue, to, cuda.Bytes(from.Data[:f.m*f.m])) })
}

func (f *FeatureRows) moment(weights []float64, fill func(a cuda.Ptr) error) (_ *FeatureMoment, err error) {
	m := &FeatureMoment{rows: f, weights: weights}
	defer func() {
		if err != nil {
			m.Close()
			f.gaveUp(err)
		}
	}()
	bytes := 8 * int64(f.m) * int64(f.m)
	if m.a, err = f.chip.Alloc(bytes); err != nil {
		return nil, err
	}
	if m.root, err = f.chip.Alloc(bytes); err != nil {
		return nil, err
	}
	if err := fill(m.a); err != nil {
		return nil, err
	}
	if err := cuda.LowerOf(f.chip, f.queue, f.m, m.a, m.root); err != nil {
		return nil, err
	}
	bad, err := f.chip.Libraries().Cholesky(f.queue, f.m, m.root)
	if err != nil {
		return nil, err
	}
	if bad > 0 {
		return nil, ErrDependent
	}
	m.pivots = make([]float64, f.m)
	if err := diagonalTo(f.chip, f.queue, m.pivots, m.root, 0); err != nil {
		return nil, err
	}
	return m, cuda.InvertLower(f.chip, f.queue, f.m, m.root, f.spare)
}

// momentTo sets the lower triangle of a to Σ wφφᵀ, or adds that to it.
func (f *FeatureRows) momentTo(a cuda.Ptr, weights []float64, add bool) error {
	sum, err := cuda.NewMoment(f.chip, f.m)
	if err != nil {
		return err
	}
	defer sum.Close()
	scale := weights[0]
	if !slices.ContainsFunc(weights, func(w float64) bool { return w != scale }) {
		if err := f.every(func(p featurePiece, phi cuda.Ptr) error {
			return sum.Add(f.queue, p.points.N, phi,
				phi)
		}); err != nil {
			return err
		}
		return sum.Sum(f.queue, scale, add, a)
	}
	by, err := f.put(weights)
	if err != nil {
		return err
	}
	defer func() { _ = f.chip.Free(by) }()
	if err := f.every(func(p featurePiece, phi cuda.Ptr) error {
		if err := cuda.Scaled(f.chip, f.queue, p.points.N, f.m, phi, by+8*cuda.Ptr(p.first), f.values); err != nil {
			return err
		}
		return sum.Add(f.queue, p.points.N, phi, f.values)
	}); err != nil {
		return err
	}
	return sum.Sum(f.queue, 1, add, a)
}

// LogDet is log det A.
func (m *FeatureMoment) LogDet() float64 {
	s := 0.0
	for _, p := range m.pivots {
		s += math.Log(p)
	}
	return 2 * s
}

// SolveTo sets v = A⁻¹v.
func (m *FeatureMoment) SolveTo(v []float64) error {
	f := m.rows
	return f.noted(solveByInverse(f.chip, f.queue, f.m, m.root, linalg.Of(mat.NewDense(f.m, 1, v))))
}

// InverseTrace is tr A⁻¹ = ‖R⁻¹‖².
func (m *FeatureMoment) InverseTrace() (float64, error) {
	f := m.rows
	squares := make([]float64, f.m)
	if err := cuda.Squares(f.chip, f.queue, f.m, f.m, m.root, f.spare); err != nil {
		return 0, f.noted(err)
	}
	if err := f.read(squares, f.spare); err != nil {
		return 0, f.noted(err)
	}
	s := 0.0
	for _, v := range squares {
		s += v
	}
	return s, nil
}

// SpreadTo sets dst to φ(xᵢ)ᵀA⁻¹φ(xᵢ) = ‖R⁻¹φ(xᵢ)‖² of every row.
func (m *FeatureMoment) SpreadTo(dst []float64) error {
	f := m.rows
	m.keepSpread()
	at := 0
	if err := f.every(func(p featurePiece, phi cuda.Ptr) error {
		to := f.out
		if m.spread != nil {
			to = m.spread[at]
			at++
		}
		if err := cuda.TimesTriangle(f.chip, f.queue, p.points.N, f.m, phi, m.root, true, false, to); err != nil {
			return err
		}
		return cuda.Squares(f.chip, f.queue, p.points.N, f.m, to, f.column+8*cuda.Ptr(p.first))
	}); err != nil {
		return f.noted(err)
	}
	return f.noted(f.read(dst, f.column))
}

// keepSpread takes memory for R⁻¹φ of all rows, where the features themselves stay and there is as
// much room again: derivatives of rows with a noise of their own then take triangles alone. A matrix
// that was given is not asked for those.
func (m *FeatureMoment) keepSpread() {
	f := m.rows
	if m.spread != nil || m.weights == nil || !f.keep {
		return
	}
	free, _, err := f.chip.Memory()
	if err != nil || 8*float64(f.n)*float64(f.m) > featureKeep*float64(free) {
		return
	}
	for _, p := range f.pieces {
		at, err := f.chip.Alloc(8 * int64(p.points.N) * int64(f.m))
		if err != nil {
			m.dropSpread()
			return
		}
		m.spread = append(m.spread, at)
	}
}

func (m *FeatureMoment) dropSpread() {
	for _, p := range m.spread {
		_ = m.rows.chip.Free(p)
	}
	m.spread = nil
}

// MatrixTo copies A to the lower triangle of dst; what is above it is worthless.
func (m *FeatureMoment) MatrixTo(dst *mat.Dense) error { return m.rows.square(dst, m.a) }

// Close gives the memory back.
func (m *FeatureMoment) Close() {
	m.dropSpread()
	for _, p := range []*cuda.Ptr{&m.a, &m.root} {
		if *p != 0 {
			_ = m.rows.chip.Free(*p)
			*p = 0
		}
	}
}
