package gram

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// MixedSystem is K(X, X) + ρI on a device for a solver that refines: products with K(X, X) in
// double precision, whose entries are evaluated in every one of them, and a factor of the whole in
// single precision as the preconditioner. That takes a third of the time and half of the memory of
// a factor in double precision. It is for one goroutine.
type MixedSystem struct {
	ctx    context.Context
	device *Device
	chip   cuda.Device
	queue  cuda.Stream
	n      int
	scale  float64  // of what was factorised, a power of two
	at     cuda.Ptr // the factor, stride numbers from row to row
	stride int
	solver *cuda.Triangle
	pair   *devicePair
	err    error
}

// rowGrain is what rows of a factor in single precision are a multiple of apart, in numbers: a line
// of the device's memory.
const rowGrain = 32

// NewMixedSystem makes K(X, X) + ρI on the device and factorises it in single precision, if the
// device can: where the kernel has a formula, NVIDIA's libraries are installed, the matrix has room
// and is positive definite in that precision (else ErrDependent). Products end with the context.
// Close gives the memory back.
func NewMixedSystem(
	ctx context.Context, d *Device, k kernel.Kernel[kernel.Vec], x data.Points[kernel.Vec], ridge float64, threads int,
) (_ *MixedSystem, err error) {
	n := x.Len()
	chip := d.first(n)
	if !d.factorises(chip) {
		return nil, fault.In("gram", errNoFactor)
	}
	pair := newDevicePair(k, data.NewInMemory(x, nil, 0, nil), x, PairOptions{Device: d, Threads: threads}, nil)
	if pair == nil {
		return nil, fault.In("gram", errNoFactor)
	}
	s := &MixedSystem{ctx: ctx, device: d, chip: chip, n: n, stride: (n + rowGrain - 1) / rowGrain * rowGrain, pair: pair}
	defer func() {
		if err != nil {
			s.Close()
			d.gaveUp(err, fmt.Sprintf("the factor of %d points", n))
			err = fault.In("gram", err)
		}
	}()
	var ok bool
	if s.scale, ok = scaleFor(k, x, ridge, threads); !ok {
		return nil, errNoFactor
	}
	if s.queue, err = chip.NewStream(); err != nil {
		return nil, err
	}
	if s.at, err = chip.Alloc(4 * int64(n) * int64(s.stride)); err != nil {
		return nil, err
	}
	if err := withPoints(chip, s.queue, pair.tree, x, func(sums *cuda.Sums, points cuda.Points) error {
		return sums.Rounded(s.queue, points, s.scale, s.scale*ridge, s.at, s.stride)
	}); err != nil {
		return nil, err
	}
	positive, err := cuda.SingleFactor(chip, s.queue, n, s.stride, s.at)
	if err == nil && !positive {
		err = ErrDependent
	}
	if err != nil {
		return nil, err
	}
	s.solver, err = cuda.NewSingleTriangle(chip, s.queue, n, s.stride, s.at)
	return s, err
}

// scaleFor is the power of two that brings the largest entry of the diagonal near 1, where the
// numbers of half precision that a factorisation takes have all of their digits; not where λ would
// be lost beside it.
func scaleFor(k kernel.Kernel[kernel.Vec], x data.Points[kernel.Vec], ridge float64, threads int) (float64, bool) {
	const size = 1024
	most := make([]float64, (x.Len()+size-1)/size)
	par.For(threads, x.Len(), size, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			most[lo/size] = math.Max(most[lo/size], k.Eval(x.At(i), x.At(i))) // NaN stays
		}
	})
	top := 0.0
	for _, m := range most {
		top = math.Max(top, m)
	}
	top += ridge
	if !(top > 0) || math.IsInf(top, 1) || ridge < 0x1p-24*top {
		return 0, false
	}
	_, e := math.Frexp(top)
	return math.Ldexp(1, -e), e > -1000
}

// Dims is the shape of K(X, X).
func (s *MixedSystem) Dims() (int, int) { return s.n, s.n }

// Err is why a product or a solution failed, after which all that follow are NaN.
func (s *MixedSystem) Err() error { return s.err }

// MulTo sets dst = K(X, X)·v in double precision.
func (s *MixedSystem) MulTo(dst, v *mat.Dense, _ bool) {
	if s.err == nil {
		s.err = s.pair.MulTo(s.ctx, nil, v, rowsInto(dst))
	}
	s.spoil(dst)
}

// ApplyTo sets dst = (K(X, X) + ρI)⁻¹r to about single precision. Columns are brought near 1 first,
// so that small ones do not vanish.
func (s *MixedSystem) ApplyTo(dst, r *mat.Dense) {
	if s.err == nil {
		if s.err = s.applyTo(linalg.Of(dst), linalg.Of(r)); s.err != nil {
			s.device.gaveUp(s.err, fmt.Sprintf("solutions with %d points", s.n))
		}
	}
	s.spoil(dst)
}

// spoil keeps what is no number of ours from looking like one.
func (s *MixedSystem) spoil(dst *mat.Dense) {
	if s.err == nil {
		return
	}
	out := linalg.Of(dst)
	for i := range out.Rows {
		for j := range out.Row(i) {
			out.Row(i)[j] = math.NaN()
		}
	}
}

func (s *MixedSystem) applyTo(dst, r linalg.Matrix[float64]) error {
	column, host := make([]float64, s.n), make([]float32, s.n)
	bytes := cuda.Ptr(4 * s.n)
	b, err := s.chip.Alloc(int64(2 * bytes))
	if err != nil {
		return err
	}
	defer func() { _ = s.chip.Free(b) }()
	for j := range r.Cols {
		for i := range column {
			column[i] = r.At(i, j)
		}
		size := sizeOf(column)
		for i, v := range column {
			host[i] = float32(v / size)
		}
		if err := s.chip.ToDevice(s.queue, b, cuda.Bytes(host)); err != nil {
			return err
		}
		if err := s.solver.Solve(s.queue, s.n, false, b, b+bytes); err != nil {
			return err
		}
		if err := s.solver.Solve(s.queue, s.n, true, b+bytes, b); err != nil {
			return err
		}
		if err := s.chip.ToHost(s.queue, cuda.Bytes(host), b); err != nil {
			return err
		}
		if err := s.chip.Sync(s.queue); err != nil {
			return err
		}
		for i, v := range host {
			dst.Set(i, j, float64(v)*size*s.scale)
		}
	}
	return nil
}

// Close gives the memory back.
func (s *MixedSystem) Close() {
	_ = s.pair.Close()
	if s.solver != nil {
		s.solver.Close()
		s.solver = nil
	}
	if s.at != 0 {
		_ = s.chip.Free(s.at)
	}
	if s.queue != 0 {
		_ = s.chip.FreeStream(s.queue)
	}
	s.at, s.queue = 0, 0
}
