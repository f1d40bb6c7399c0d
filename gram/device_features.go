package gram

import (
	"context"
	"errors"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// FeatureRows is φ(x) = L⁻¹k(Z, x) of many rows x in the memory of a device, where K(Z, Z) = LLᵀ:
// what a process that is known by few points Z says of the rows. It makes products with them,
// their second moments, and derivatives by the parameters of the kernel and by Z. All of them stay
// on the device where they have room, else they are made anew in every pass. It is for one
// goroutine.
type FeatureRows struct {
	device *Device
	chip   cuda.Device
	queue  cuda.Stream
	n, m   int
	rows   data.Source[kernel.Vec]
	z      data.Points[kernel.Vec]
	slopes kernel.FormulaSlopes
	wanted []bool
	tree   *deviceTree
	sums   *cuda.Sums

	centers cuda.Points
	factor  cuda.Ptr // L
	inverse cuda.Ptr // L⁻¹, 0 above it
	spare   cuda.Ptr // a matrix of M²
	values  cuda.Ptr // of a piece: numbers for each row and each of Z
	out     cuda.Ptr
	shared  cuda.Ptr // features of the piece at hand, where they do not stay
	column  cuda.Ptr // a number for each row
	taken   []cuda.Ptr

	pieces []featurePiece
	each   int // rows of a piece
	keep   bool
	jitter float64
	known  []float64
}

// featurePiece is some consecutive rows.
type featurePiece struct {
	first  int
	points cuda.Points
	phi    cuda.Ptr // 0 where they do not stay
}

var errRows = errors.New("gram: rows that could not be read")

// What a piece holds at the most, of rows and of the memory that is free; what features that stay
// may take of the rest.
const (
	featureRows  = 1 << 16
	featureShare = 8
	featureKeep  = 0.8
)

// NewFeatureRows makes K(Z, Z), its factor and the features of all rows on the device, if that can:
// where the kernel has a formula that knows the derivatives by all parameters that are wanted (nil:
// all), NVIDIA's libraries are installed, and there is room for the coordinates of the rows. jitter
// is the shares of the mean of the diagonal that are added to it in turn until it has a factor.
// Close gives the memory back.
func NewFeatureRows(
	ctx context.Context, d *Device, k kernel.Kernel[kernel.Vec], rows data.Source[kernel.Vec], z data.Points[kernel.Vec],
	wanted []bool, jitter []float64,
) (_ *FeatureRows, err error) {
	f := &FeatureRows{device: d, n: rows.Len(), m: z.Len(), rows: rows, z: z, wanted: wanted}
	if !d.usable() {
		return nil, fault.In("gram", errNoFactor)
	}
	var ok bool
	if f.slopes, ok = kernel.FormulaSlopesOf(k); !ok || !f.slopes.Knows(wanted) {
		return nil, fault.In("gram", errNoFactor)
	}
	f.chip = d.firstFor(passOperations * float64(f.n) * float64(f.m) * float64(f.m))
	if !d.factorises(f.chip) {
		return nil, fault.In("gram", errNoFactor)
	}
	if f.tree, ok = treeOf(f.slopes.Formula, z); !ok {
		return nil, fault.In("gram", errNoFactor)
	}
	defer func() {
		if err != nil {
			f.Close()
			f.gaveUp(err)
			err = fault.In("gram", err)
		}
	}()
	if f.queue, err = f.chip.NewStream(); err != nil {
		return nil, err
	}
	if err := f.room(); err != nil {
		return nil, err
	}
	if err := f.factorise(jitter); err != nil {
		return nil, err
	}
	if err := f.upload(ctx); err != nil {
		return nil, err
	}
	return f, f.read(f.known, f.column)
}

// passOperations is about how many operations a bound and its gradient take for each row, in units
// of M².
const passOperations = 6

// gaveUp keeps what a person ought to know of what is left to the processor.
func (f *FeatureRows) gaveUp(err error) {
	if !errors.Is(err, errRows) {
		f.device.gaveUp(err, fmt.Sprintf("a process of %d rows by %d points", f.n, f.m))
	}
}

// room takes the memory that does not depend on the rows, and decides how many of them are a piece
// and whether features stay.
func (f *FeatureRows) room() (err error) {
	if f.sums, err = cuda.NewTree(f.chip, f.tree.tree); err != nil {
		return err
	}
	free, _, err := f.chip.Memory()
	if err != nil {
		return err
	}
	row, square := 8*int64(f.m), 8*int64(f.m)*int64(f.m)
	f.each = int(max(1, min(int64(f.n), featureRows, free/featureShare/(3*row))))
	left := float64(free - 2*f.sums.HostBytes(f.n) - 64*int64(f.n) - 24*square - 4*int64(f.each)*row - int64(2*f.chip.Info().Processors)*f.sums.HostBytes(f.m))
	f.keep = float64(f.n)*float64(row) <= featureKeep*left
	f.centers.N = f.m
	for _, a := range []struct {
		p     *cuda.Ptr
		bytes int64
	}{{&f.factor, square}, {&f.inverse, square}, {&f.spare, square}, {&f.values, int64(f.each) * row},
		{&f.out, int64(f.each) * row}, {&f.column, 8 * int64(max(f.n, f.m))}, {&f.centers.At, f.sums.DeviceBytes(f.m)}} {
		if *a.p, err = f.alloc(a.bytes); err != nil {
			return err
		}
	}
	if !f.keep {
		f.shared, err = f.alloc(int64(f.each) * row)
	}
	f.known = make([]float64, f.n)
	return err
}

// alloc takes memory until Close.
func (f *FeatureRows) alloc(bytes int64) (cuda.Ptr, error) {
	p, err := f.chip.Alloc(bytes)
	if err == nil {
		f.taken = append(f.taken, p)
	}
	return p, err
}

// factorise makes L and L⁻¹.
func (f *FeatureRows) factorise(jitter []float64) error {
	host := make([]byte, f.sums.HostBytes(f.m))
	if _, even := fillCoordinates(f.tree, 0, f.sums, host, f.z, nil); !even {
		return errUneven
	}
	if err := f.chip.ToDevice(f.queue, f.centers.At, host); err != nil {
		return err
	}
	diagonal := make([]float64, f.m)
	for _, share := range jitter {
		if err := f.sums.Matrix(f.queue, f.centers, 0, f.factor); err != nil {
			return err
		}
		if err := diagonalTo(f.chip, f.queue, diagonal, f.factor, 0); err != nil {
			return err
		}
		mean := 0.0
		for _, v := range diagonal {
			mean += v / float64(f.m)
		}
		if f.jitter = share * mean; f.jitter > 0 {
			if err := diagonalTo(f.chip, f.queue, diagonal, f.factor, f.jitter); err != nil {
				return err
			}
		}
		bad, err := f.chip.Libraries().Cholesky(f.queue, f.m, f.factor)
		if err != nil {
			return err
		}
		if bad > 0 {
			continue
		}
		if err := cuda.LowerOf(f.chip, f.queue, f.m, f.factor, f.inverse); err != nil {
			return err
		}
		return cuda.InvertLower(f.chip, f.queue, f.m, f.inverse, f.spare)
	}
	return ErrDependent
}

// diagonalTo copies the diagonal of a matrix to the host, and adds a number to it.
func diagonalTo(chip cuda.Device, q cuda.Stream, dst []float64, a cuda.Ptr, add float64) error {
	p, err := chip.Alloc(int64(8 * len(dst)))
	if err != nil {
		return err
	}
	defer func() { _ = chip.Free(p) }()
	if err := cuda.Diagonal(chip, q, len(dst), a, add, p); err != nil {
		return err
	}
	if err := chip.ToHost(q, cuda.Bytes(dst), p); err != nil {
		return err
	}
	return chip.Sync(q)
}

// upload brings the coordinates of the rows to the device and makes their features with ‖φ‖². The
// next piece is filled while one is worked on.
func (f *FeatureRows) upload(ctx context.Context) error {
	var host [2][]byte
	var copied [2]cuda.Event
	defer func() {
		_ = f.chip.Sync(f.queue)
		for i := range host {
			if host[i] != nil {
				_ = f.chip.Unpin(host[i])
			}
			if copied[i] != 0 {
				_ = f.chip.FreeEvent(copied[i])
			}
		}
	}()
	for i := range host {
		var err error
		if host[i], err = f.chip.Pin(f.sums.HostBytes(f.each)); err != nil {
			return err
		}
		if copied[i], err = f.chip.NewEvent(); err != nil {
			return err
		}
	}
	return f.pass(ctx, func(b data.Block[kernel.Vec]) error {
		at := len(f.pieces) % 2
		if err := f.chip.SyncEvent(copied[at]); err != nil {
			return err
		}
		p := featurePiece{first: b.First, points: cuda.Points{N: b.Len()}}
		bytes := host[at][:f.sums.HostBytes(b.Len())]
		if _, even := fillCoordinates(f.tree, 0, f.sums, bytes, b.Points, nil); !even {
			return errUneven
		}
		var err error
		if p.points.At, err = f.alloc(int64(len(bytes))); err != nil {
			return err
		}
		if err := f.chip.ToDevice(f.queue, p.points.At, bytes); err != nil {
			return err
		}
		if err := f.chip.Record(copied[at], f.queue); err != nil {
			return err
		}
		phi := f.shared
		if f.keep {
			if p.phi, err = f.alloc(8 * int64(b.Len()) * int64(f.m)); err != nil {
				return err
			}
			phi = p.phi
		}
		f.pieces = append(f.pieces, p)
		if err := f.features(p, phi); err != nil {
			return err
		}
		return cuda.Squares(f.chip, f.queue, b.Len(), f.m, phi, f.column+8*cuda.Ptr(p.first))
	})
}

// pass is one over the rows. What keeps them from being read is no matter of the device.
func (f *FeatureRows) pass(ctx context.Context, work func(b data.Block[kernel.Vec]) error) error {
	var own error
	err := f.rows.Pass(ctx, f.each, func(b data.Block[kernel.Vec]) error {
		own = work(b)
		return own
	})
	if err != nil && own == nil {
		return fmt.Errorf("%w: %w", errRows, err)
	}
	return err
}

// features sets to to φ of a piece.
func (f *FeatureRows) features(p featurePiece, to cuda.Ptr) error {
	if err := f.sums.Rectangle(f.queue, p.points, f.centers, f.values); err != nil {
		return err
	}
	return cuda.TimesTriangle(f.chip, f.queue, p.points.N, f.m, f.values, f.inverse, true, false, to)
}

// every calls work with the features of all pieces in turn.
func (f *FeatureRows) every(work func(p featurePiece, phi cuda.Ptr) error) error {
	for _, p := range f.pieces {
		phi := p.phi
		if phi == 0 {
			phi = f.shared
			if err := f.features(p, phi); err != nil {
				return err
			}
		}
		if err := work(p, phi); err != nil {
			return err
		}
	}
	return nil
}

// Dim is the number of points in Z.
func (f *FeatureRows) Dim() int { return f.m }

// Jitter is what was added to the diagonal of K(Z, Z).
func (f *FeatureRows) Jitter() float64 { return f.jitter }

// Known is ‖φ(xᵢ)‖² of every row, what the points say of k(xᵢ, xᵢ).
func (f *FeatureRows) Known() []float64 { return f.known }

// FactorTo copies L to the lower triangle of dst; what is above it is worthless.
func (f *FeatureRows) FactorTo(dst *mat.Dense) error { return f.square(dst, f.factor) }

// square copies a matrix to the host.
func (f *FeatureRows) square(dst *mat.Dense, from cuda.Ptr) error {
	to := linalg.Of(dst)
	if to.Rows != f.m || to.Cols != f.m || to.Stride != f.m {
		panic("gram: a matrix into one of another size, or a part of one")
	}
	return f.noted(f.read(to.Data[:f.m*f.m], from))
}

func (f *FeatureRows) noted(err error) error {
	if err != nil {
		f.gaveUp(err)
	}
	return err
}

func (f *FeatureRows) read(dst []float64, from cuda.Ptr) error {
	return download(f.chip, f.queue, dst, from)
}

// put is numbers in memory of their own, which the caller gives back.
func (f *FeatureRows) put(v []float64) (cuda.Ptr, error) {
	p, err := f.chip.Alloc(int64(8 * len(v)))
	if err != nil {
		return 0, err
	}
	if err := upload(f.chip, f.queue, p, v); err != nil {
		_ = f.chip.Free(p)
		return 0, err
	}
	return p, nil
}

// TimesTo sets dst to ⟨φ(xᵢ), v⟩ of every row.
func (f *FeatureRows) TimesTo(dst, v []float64) error {
	at, err := f.put(v)
	if err != nil {
		return f.noted(err)
	}
	defer func() { _ = f.chip.Free(at) }()
	if err := f.every(func(p featurePiece, phi cuda.Ptr) error {
		return f.chip.Libraries().Times(f.queue, false, p.points.N, f.m, f.m, 1, phi, at, 0, f.column+8*cuda.Ptr(p.first))
	}); err != nil {
		return f.noted(err)
	}
	return f.noted(f.read(dst, f.column))
}

// TransposedTo sets dst to Σ uᵢφ(xᵢ).
func (f *FeatureRows) TransposedTo(dst, u []float64) error {
	to, err := f.chip.Alloc(8 * int64(f.m))
	if err != nil {
		return f.noted(err)
	}
	defer func() { _ = f.chip.Free(to) }()
	at, err := f.put(u)
	if err != nil {
		return f.noted(err)
	}
	defer func() { _ = f.chip.Free(at) }()
	if err := f.transposed(to, at); err != nil {
		return f.noted(err)
	}
	return f.noted(f.read(dst, to))
}

func (f *FeatureRows) transposed(to, u cuda.Ptr) error {
	beta := 0.0
	return f.every(func(p featurePiece, phi cuda.Ptr) error {
		err := f.chip.Libraries().Times(f.queue, true, p.points.N, f.m, f.m, 1, phi, u+8*cuda.Ptr(p.first), beta, to)
		beta = 1
		return err
	})
}

// Close gives the memory back.
func (f *FeatureRows) Close() {
	if f.sums != nil {
		f.sums.Close()
		f.sums = nil
	}
	for _, p := range f.taken {
		_ = f.chip.Free(p)
	}
	f.taken, f.pieces = nil, nil
	if f.queue != 0 {
		_ = f.chip.FreeStream(f.queue)
		f.queue = 0
	}
}
