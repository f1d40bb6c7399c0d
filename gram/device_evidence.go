package gram

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// EvidenceFactor is what the evidence of a Gaussian process and its derivatives ask for of the
// covariance matrix A = K(X, X) + diag s, all of it in the memory of a device: log det A, solutions
// with A, and Σᵢⱼ Wᵢⱼ ∂k(xᵢ, xⱼ)/∂θ with W = ½(Σ_t α_t α_tᵀ - T·A⁻¹). It holds L⁻¹ with A = LLᵀ,
// and takes the memory of two matrices of n². It is for one goroutine.
type EvidenceFactor struct {
	device *Device
	chip   cuda.Device
	queue  cuda.Stream
	n      int
	slopes kernel.FormulaSlopes
	wanted []bool
	x      data.Points[kernel.Vec]
	sums   *cuda.Sums
	points cuda.Ptr
	m      cuda.Ptr // L⁻¹, 0 above it
	spare  cuda.Ptr
	pivots []float64
}

// NewEvidenceFactor makes the matrix, factorises it and inverts the factor, if the device can:
// where the kernel has a formula that knows the derivatives by all parameters that are wanted (nil:
// all), NVIDIA's libraries are installed, and the matrices have room. noise is added to the
// diagonal, a number for each point. Close gives the memory back.
func NewEvidenceFactor(
	d *Device, k kernel.Kernel[kernel.Vec], x data.Points[kernel.Vec], noise []float64, wanted []bool,
) (_ *EvidenceFactor, err error) {
	n := x.Len()
	if !d.usable() {
		return nil, fault.In("gram", errNoFactor)
	}
	slopes, ok := kernel.FormulaSlopesOf(k)
	if !ok || !slopes.Knows(wanted) {
		return nil, fault.In("gram", errNoFactor)
	}
	chip := d.first(n)
	if !d.factorises(chip) {
		return nil, fault.In("gram", errNoFactor)
	}
	tree, ok := treeOf(slopes.Formula, x)
	if !ok {
		return nil, fault.In("gram", errNoFactor)
	}
	f := &EvidenceFactor{device: d, chip: chip, n: n, slopes: slopes, wanted: wanted, x: x}
	defer func() {
		if err != nil {
			f.Close()
			d.gaveUp(err, fmt.Sprintf("the evidence of %d points", n))
			err = fault.In("gram", err)
		}
	}()
	if f.queue, err = chip.NewStream(); err != nil {
		return nil, err
	}
	bytes := 8 * int64(n) * int64(n)
	if f.m, err = chip.Alloc(bytes); err != nil {
		return nil, err
	}
	if f.spare, err = chip.Alloc(bytes); err != nil {
		return nil, err
	}
	if err := f.fill(tree, noise); err != nil {
		return nil, err
	}
	return f, f.factorise()
}

// fill sets the lower triangle of m to A. The points stay on the device.
func (f *EvidenceFactor) fill(tree *deviceTree, noise []float64) (err error) {
	if f.sums, err = cuda.NewTree(f.chip, tree.tree); err != nil {
		return err
	}
	if f.points, err = f.chip.Alloc(f.sums.DeviceBytes(f.n)); err != nil {
		return err
	}
	host := make([]byte, f.sums.HostBytes(f.n))
	if _, even := fillCoordinates(tree, 0, f.sums, host, f.x, nil); !even {
		return errUneven
	}
	if err := f.chip.ToDevice(f.queue, f.points, host); err != nil {
		return err
	}
	if err := f.sums.Matrix(f.queue, cuda.Points{N: f.n, At: f.points}, 0, f.m); err != nil {
		return err
	}
	if err := f.chip.ToDevice(f.queue, f.spare, cuda.Bytes(noise)); err != nil {
		return err
	}
	if err := cuda.Raise(f.chip, f.queue, f.n, f.m, f.spare); err != nil {
		return err
	}
	return f.chip.Sync(f.queue) // host is let go
}

// factorise replaces A by L⁻¹, and keeps the diagonal of L.
func (f *EvidenceFactor) factorise() error {
	bad, err := f.chip.Libraries().Cholesky(f.queue, f.n, f.m)
	if err != nil {
		return err
	}
	if bad > 0 {
		return ErrDependent
	}
	f.pivots = make([]float64, f.n)
	if err := f.diagonal(f.pivots, f.m); err != nil {
		return err
	}
	if !regular(f.pivots) {
		return ErrDependent
	}
	return cuda.InvertLower(f.chip, f.queue, f.n, f.m, f.spare)
}

// diagonal copies that of a matrix.
func (f *EvidenceFactor) diagonal(dst []float64, a cuda.Ptr) error {
	p, err := f.chip.Alloc(int64(8 * f.n))
	if err != nil {
		return err
	}
	defer func() { _ = f.chip.Free(p) }()
	if err := cuda.Diagonal(f.chip, f.queue, f.n, a, 0, p); err != nil {
		return err
	}
	if err := f.chip.ToHost(f.queue, cuda.Bytes(dst), p); err != nil {
		return err
	}
	return f.chip.Sync(f.queue)
}

// LogDet is log det A = 2·Σ log Lᵢᵢ.
func (f *EvidenceFactor) LogDet() float64 {
	s := 0.0
	for _, p := range f.pivots {
		s += math.Log(p)
	}
	return 2 * s
}

// SolveTo sets b = A⁻¹b = L⁻ᵀ(L⁻¹b).
func (f *EvidenceFactor) SolveTo(b *mat.Dense) error {
	err := f.solveTo(linalg.Of(b))
	if err != nil {
		f.device.gaveUp(err, fmt.Sprintf("solutions with %d points", f.n))
	}
	return err
}

func (f *EvidenceFactor) solveTo(b linalg.Matrix[float64]) error {
	return solveByInverse(f.chip, f.queue, f.n, f.m, b)
}

// solveByInverse sets b = MᵀMb with the inverse M of a factor.
func solveByInverse(chip cuda.Device, queue cuda.Stream, n int, m cuda.Ptr, b linalg.Matrix[float64]) error {
	flat := flatColumns(b)
	bytes := cuda.Ptr(8 * len(flat))
	at, err := chip.Alloc(int64(2 * bytes))
	if err != nil {
		return err
	}
	defer func() { _ = chip.Free(at) }()
	if err := chip.ToDevice(queue, at, cuda.Bytes(flat)); err != nil {
		return err
	}
	// columns one after the other are the rows of bᵀ: bᵀMᵀ, and that times M
	for _, step := range []struct {
		from, to   cuda.Ptr
		transposed bool
	}{{at, at + bytes, true}, {at + bytes, at, false}} {
		if b.Cols == 1 {
			err = chip.Libraries().Times(queue, !step.transposed, n, n, n, 1, m, step.from, 0, step.to)
		} else {
			err = chip.Libraries().Multiply(queue, cuda.Multiplication{Rows: b.Cols, Columns: n, Inner: n, Alpha: 1,
				A: step.from, StrideA: n, B: m, StrideB: n, TransposeB: step.transposed,
				C: step.to, StrideC: n})
		}
		if err != nil {
			return err
		}
	}
	if err := chip.ToHost(queue, cuda.Bytes(flat), at); err != nil {
		return err
	}
	if err := chip.Sync(queue); err != nil {
		return err
	}
	fromColumns(b, flat)
	return nil
}

// SlopesTo sets grad to Σᵢⱼ Wᵢⱼ ∂k(xᵢ, xⱼ)/∂θ for the parameters of the kernel that were wanted,
// the others 0, and diagonal to that of A⁻¹. alpha has a column for each target. No matrix of
// derivatives is made.
func (f *EvidenceFactor) SlopesTo(grad, diagonal []float64, alpha *mat.Dense) error {
	err := f.slopesTo(grad, diagonal, linalg.Of(alpha))
	if err != nil {
		f.device.gaveUp(err, fmt.Sprintf("the derivatives of the evidence of %d points", f.n))
	}
	return err
}

func (f *EvidenceFactor) slopesTo(grad, diagonal []float64, alpha linalg.Matrix[float64]) error {
	if err := f.chip.Libraries().Gram(f.queue, f.n, f.m, f.spare); err != nil {
		return err
	}
	flat := flatColumns(alpha)
	at, err := f.chip.Alloc(int64(8 * len(flat)))
	if err != nil {
		return err
	}
	defer func() { _ = f.chip.Free(at) }()
	if err := f.chip.ToDevice(f.queue, at, cuda.Bytes(flat)); err != nil {
		return err
	}
	wanted, moves := f.slopes.Numbers(f.wanted), make([]bool, len(f.slopes.Sources))
	for i := range moves {
		moves[i] = f.slopes.Moves(i, f.wanted)
	}
	numbers, images, err := f.sums.Slopes(f.queue, cuda.Points{N: f.n, At: f.points},
		cuda.Weights{Inverse: f.spare, Alpha: at, Targets: alpha.Cols}, wanted, moves)
	if err != nil {
		return err
	}
	f.slopes.ParamGrad(grad, f.wanted, numbers, f.x, images)
	return f.diagonal(diagonal, f.spare)
}

// Close gives the memory back.
func (f *EvidenceFactor) Close() {
	if f.sums != nil {
		f.sums.Close()
		f.sums = nil
	}
	for _, p := range []*cuda.Ptr{&f.points, &f.m, &f.spare} {
		if *p != 0 {
			_ = f.chip.Free(*p)
			*p = 0
		}
	}
	if f.queue != 0 {
		_ = f.chip.FreeStream(f.queue)
		f.queue = 0
	}
}
