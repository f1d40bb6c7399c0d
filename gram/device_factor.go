package gram

import (
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// CenterFactor is the factor L of K(C, C) + ρI = LLᵀ of many centres in the memory of a device, and
// solutions with it. Row j of L is φ(cⱼ), the coordinates of a centre in an orthonormal basis of
// the functions that the centres span.
type CenterFactor struct {
	device *Device
	chip   cuda.Device
	queue  cuda.Stream
	n      int
	l      cuda.Ptr
	pivots []float64

	triangle *cuda.Triangle // made with the first solution
}

// ErrDependent says that centres depend on one another to working precision, so that a
// factorisation without pivots does not end.
var ErrDependent = errors.New("centres depend on one another to working precision")

var errNoFactor = errors.New("the device has no way to factorise this matrix")

// leastPivot is how small a squared pivot may be beside the largest, in units of the precision and
// the size: what is smaller is rounding.
const leastPivot = 4

// NewCenterFactor makes K(C, C) + ρI on the device and factorises it, if the device can: where the
// kernel has a formula, NVIDIA's libraries are installed and the matrix has room. Close gives the
// memory back.
func NewCenterFactor(
	d *Device, k kernel.Kernel[kernel.Vec], centers data.Points[kernel.Vec], ridge float64,
) (_ *CenterFactor, err error) {
	chip := d.first(centers.Len())
	if !d.factorises(chip) {
		return nil, fault.In("gram", errNoFactor)
	}
	tree, ok := newDeviceTree(k, centers)
	if !ok {
		return nil, fault.In("gram", errNoFactor)
	}
	f := &CenterFactor{device: d, chip: chip, n: centers.Len()}
	defer func() {
		if err != nil {
			f.Close()
			d.gaveUp(err, fmt.Sprintf("the factor of %d points", centers.Len()))
			err = fault.In("gram", err)
		}
	}()
	if f.queue, err = f.chip.NewStream(); err != nil {
		return nil, err
	}
	if f.l, err = f.chip.Alloc(8 * int64(f.n) * int64(f.n)); err != nil {
		return nil, err
	}
	if err := kernelMatrix(f.chip, f.queue, tree, centers, ridge, f.l); err != nil {
		return nil, err
	}
	return f, f.factorise()
}

// factorise replaces the matrix by its factor.
func (f *CenterFactor) factorise() error {
	bad, err := f.chip.Libraries().Cholesky(f.queue, f.n, f.l)
	if err != nil {
		return err
	}
	if bad > 0 {
		return ErrDependent
	}
	if f.pivots, err = f.diagonal(f.l, 0); err != nil {
		return err
	}
	if !regular(f.pivots) {
		return ErrDependent
	}
	return nil
}

// regular says whether no pivot is rounding beside the largest.
func regular(pivots []float64) bool {
	top, least := 0.0, math.Inf(1)
	for _, p := range pivots {
		top, least = math.Max(top, p), math.Min(least, p)
	}
	return least*least > leastPivot*float64(len(pivots))*0x1p-53*top*top
}

// diagonal is that of a matrix, to which a number is added.
func (f *CenterFactor) diagonal(a cuda.Ptr, add float64) ([]float64, error) {
	p, err := f.chip.Alloc(int64(8 * f.n))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.chip.Free(p) }()
	out := make([]float64, f.n)
	if err := cuda.Diagonal(f.chip, f.queue, f.n, a, add, p); err != nil {
		return nil, err
	}
	return out, f.read(out, p)
}

func (f *CenterFactor) read(dst []float64, from cuda.Ptr) error {
	if err := f.chip.ToHost(f.queue, cuda.Bytes(dst), from); err != nil {
		return err
	}
	return f.chip.Sync(f.queue)
}

// Dim is the number of centres.
func (f *CenterFactor) Dim() int { return f.n }

// Pivots is the diagonal of L.
func (f *CenterFactor) Pivots() []float64 { return f.pivots }

// LogDet is log det(K + ρI) = 2·Σ log Lᵢᵢ.
func (f *CenterFactor) LogDet() float64 {
	s := 0.0
	for _, p := range f.pivots {
		s += math.Log(p)
	}
	return 2 * s
}

// FactorTo copies L to the lower triangle of dst, of as many rows and columns as there are centres;
// what is above it is worthless.
func (f *CenterFactor) FactorTo(dst *mat.Dense) error { return f.square(dst, f.l) }

// InverseTo sets dst to (K + ρI)⁻¹, both triangles. It takes the memory of two more such matrices
// on the device while it works.
func (f *CenterFactor) InverseTo(dst *mat.Dense) error {
	err := f.inverseTo(dst)
	if err != nil {
		f.device.gaveUp(err, fmt.Sprintf("the inverse of a matrix of %d points", f.n))
	}
	return err
}

func (f *CenterFactor) inverseTo(dst *mat.Dense) error {
	bytes := 8 * int64(f.n) * int64(f.n)
	both, err := f.chip.Alloc(2 * bytes)
	if err != nil {
		return err
	}
	defer func() { _ = f.chip.Free(both) }()
	out := both + cuda.Ptr(bytes)
	if err := cuda.Inverse(f.chip, f.queue, f.n, f.l, both, out); err != nil {
		return err
	}
	if err := cuda.Mirror(f.chip, f.queue, f.n, out); err != nil {
		return err
	}
	return f.square(dst, out)
}

// square copies a matrix to the host, where its rows follow one another.
func (f *CenterFactor) square(dst *mat.Dense, from cuda.Ptr) error {
	to := linalg.Of(dst)
	if to.Rows != f.n || to.Cols != f.n || to.Stride != f.n {
		panic("gram: a factor into a matrix of another size, or a part of one")
	}
	return f.read(to.Data[:f.n*f.n], from)
}

// Close gives the memory back.
func (f *CenterFactor) Close() {
	if f.triangle != nil {
		f.triangle.Close()
		f.triangle = nil
	}
	if f.l != 0 {
		_ = f.chip.Free(f.l)
	}
	if f.queue != 0 {
		_ = f.chip.FreeStream(f.queue)
	}
	f.l, f.queue = 0, 0
}

// SolveTo sets b = L⁻¹b or, transposed, b = L⁻ᵀb, with as many first rows and columns of L as b has
// rows.
func (f *CenterFactor) SolveTo(b *mat.Dense, transposed bool) error {
	err := f.solveTo(b, transposed)
	if err != nil {
		f.device.gaveUp(err, fmt.Sprintf("solutions with %d points", f.n))
	}
	return err
}

func (f *CenterFactor) solveTo(b *mat.Dense, transposed bool) error {
	m := linalg.Of(b)
	flat := flatColumns(m)
	p, err := f.put(flat)
	if err != nil {
		return err
	}
	defer func() { _ = f.chip.Free(p) }()
	if m.Cols > fewSides {
		err = f.chip.Libraries().Solve(f.queue, m.Rows, f.n, f.l, transposed, m.Cols, p)
	} else {
		err = f.solveFew(m.Rows, m.Cols, transposed, &p)
	}
	if err != nil {
		return err
	}
	if err := f.read(flat, p); err != nil {
		return err
	}
	fromColumns(m, flat)
	return nil
}

// fewSides is the number of right sides up to which each is solved for by itself.
const fewSides = 4

// solveFew solves for columns one by one and puts the solutions in place of p.
func (f *CenterFactor) solveFew(rows, columns int, transposed bool, p *cuda.Ptr) (err error) {
	if f.triangle == nil {
		f.triangle, err = cuda.NewTriangle(f.chip, f.queue, f.n, f.l)
		if errors.Is(err, cuda.ErrOutOfMemory) { // the slower way needs none
			return f.chip.Libraries().Solve(f.queue, rows, f.n, f.l, transposed, columns, *p)
		}
		if err != nil {
			return err
		}
	}
	x, err := f.chip.Alloc(int64(8 * rows * columns))
	if err != nil {
		return err
	}
	for c := range columns {
		at := cuda.Ptr(8 * c * rows)
		if err := f.triangle.Solve(f.queue, rows, transposed, *p+at, x+at); err != nil {
			_ = f.chip.Free(x)
			return err
		}
	}
	*p, x = x, *p
	return f.chip.Free(x)
}

func (f *CenterFactor) put(v []float64) (cuda.Ptr, error) {
	p, err := f.chip.Alloc(int64(8 * len(v)))
	if err != nil {
		return 0, err
	}
	return p, f.chip.ToDevice(f.queue, p, cuda.Bytes(v))
}

// Mean is Σ sφ(c)/Σs over the centres.
func (f *CenterFactor) Mean(share []float64) ([]float64, error) {
	p, err := f.put(share)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.chip.Free(p) }()
	if err := f.chip.Libraries().TimesTransposed(f.queue, f.n, f.l, p); err != nil {
		return nil, err
	}
	out, total := make([]float64, f.n), 0.0
	for _, s := range share {
		total += s
	}
	if err := f.read(out, p); err != nil {
		return nil, err
	}
	for i := range out {
		out[i] /= total
	}
	return out, nil
}

// MomentFactor factorises Σ sφφᵀ + λI over the centres with their shares s, about mean where that
// is not nil: what the centres know of the second moment of the rows.
func (f *CenterFactor) MomentFactor(share, mean []float64, lambda float64) (_ *CenterFactor, err error) {
	g := &CenterFactor{device: f.device, chip: f.chip, n: f.n}
	defer func() {
		if err != nil {
			g.Close()
		}
	}()
	if g.queue, err = f.chip.NewStream(); err != nil {
		return nil, err
	}
	roots, total := make([]float64, f.n), 0.0
	for i, s := range share {
		roots[i] = math.Sqrt(s)
		total += s
	}
	scale, err := g.put(roots)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.chip.Free(scale) }()
	scaled, err := f.chip.Alloc(8 * int64(f.n) * int64(f.n))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.chip.Free(scaled) }()
	if g.l, err = f.chip.Alloc(8 * int64(f.n) * int64(f.n)); err != nil {
		return nil, err
	}
	dense := f.chip.Libraries()
	if err := cuda.Lower(f.chip, g.queue, f.n, f.l, scale, scaled); err != nil {
		return nil, err
	}
	if err := dense.Gram(g.queue, f.n, scaled, g.l); err != nil {
		return nil, err
	}
	if mean != nil {
		at, err := g.put(mean)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.chip.Free(at) }()
		if err := dense.AddOuter(g.queue, f.n, -total, at, g.l); err != nil {
			return nil, err
		}
	}
	if _, err := g.diagonal(g.l, lambda); err != nil {
		return nil, err
	}
	return g, g.factorise()
}
