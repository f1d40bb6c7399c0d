package gram

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/mat"
)

// ShiftedBlocks solves with a block of a function of a matrix on a device, for one function after
// another: with the rows f of its eigenvectors, Σⱼ wⱼuⱼuⱼᵀ for weights w of the eigenvalues. It is
// for one goroutine.
type ShiftedBlocks struct {
	device       *Device
	chip         cuda.Device
	queue        cuda.Stream
	n, m         int
	basis        cuda.Ptr // row j is eigenvector j at the rows of the block
	scaled, free cuda.Ptr
	block        cuda.Ptr
	sides        cuda.Ptr
	columns      int
	taken        []cuda.Ptr
}

// NewShiftedBlocks brings the eigenvectors at the rows of a block to the device, a row of basis each;
// nil where there is no device for so many solutions with so many right sides, or the processor is
// as soon done. Close gives its memory back.
func NewShiftedBlocks(d *Device, basis *mat.Dense, solutions, columns int) *ShiftedBlocks {
	b := linalg.Of(basis)
	if b.Stride != b.Cols {
		return nil
	}
	s := &ShiftedBlocks{device: d, n: b.Rows, m: b.Cols, columns: columns}
	s.chip = d.firstFor(float64(solutions) * float64(s.n) * float64(s.m) * float64(s.m))
	if !d.factorises(s.chip) {
		return nil
	}
	if err := s.open(b); err != nil {
		s.Close()
		s.gaveUp(err)
		return nil
	}
	return s
}

func (s *ShiftedBlocks) open(basis linalg.Matrix[float64]) (err error) {
	if s.queue, err = s.chip.NewStream(); err != nil {
		return err
	}
	rows, square := 8*int64(s.n)*int64(s.m), 8*int64(s.m)*int64(s.m)
	for _, a := range []struct {
		p     *cuda.Ptr
		bytes int64
	}{{&s.basis, rows}, {&s.scaled, rows}, {&s.block, square}, {&s.free, 8 * int64(max(s.n, s.m))},
		{&s.sides, 8 * int64(s.m) * int64(s.columns)}} {
		if *a.p, err = s.chip.Alloc(a.bytes); err != nil {
			return err
		}
		s.taken = append(s.taken, *a.p)
	}
	if err := s.chip.ToDevice(s.queue, s.basis, cuda.Bytes(basis.Data[:s.n*s.m])); err != nil {
		return err
	}
	return s.chip.Sync(s.queue)
}

func (s *ShiftedBlocks) gaveUp(err error) {
	s.device.gaveUp(err, fmt.Sprintf("blocks of %d of %d eigenvectors", s.m, s.n))
}

// SolveTo sets b = (Σⱼ wⱼuⱼuⱼᵀ + aI - vvᵀ)⁻¹b, for weights w, a number a and a vector v, which may be
// nil. It says whether the device could: not where that matrix is not positive definite.
func (s *ShiftedBlocks) SolveTo(b *mat.Dense, weights []float64, add float64, less []float64) bool {
	err := s.solveTo(linalg.Of(b), weights, add, less)
	if err != nil {
		s.gaveUp(err)
	}
	return err == nil
}

func (s *ShiftedBlocks) solveTo(b linalg.Matrix[float64], weights []float64, add float64, less []float64) error {
	libraries := s.chip.Libraries()
	if err := s.chip.ToDevice(s.queue, s.free, cuda.Bytes(weights)); err != nil {
		return err
	}
	if err := cuda.Scaled(s.chip, s.queue, s.n, s.m, s.basis, s.free, s.scaled); err != nil {
		return err
	}
	sum, err := cuda.NewMoment(s.chip, s.m)
	if err != nil {
		return err
	}
	defer sum.Close()
	if err := sum.Add(s.queue, s.n, s.basis, s.scaled); err != nil {
		return err
	}
	if err := sum.Sum(s.queue, 1, false, s.block); err != nil {
		return err
	}
	if err := cuda.Diagonal(s.chip, s.queue, s.m, s.block, add, s.free); err != nil {
		return err
	}
	if less != nil {
		if err := s.chip.ToDevice(s.queue, s.free, cuda.Bytes(less)); err != nil {
			return err
		}
		if err := libraries.AddOuter(s.queue, s.m, -1, s.free, s.block); err != nil {
			return err
		}
	}
	if bad, err := libraries.Cholesky(s.queue, s.m, s.block); err != nil {
		return err
	} else if bad > 0 {
		return ErrDependent
	}
	flat := flatColumns(b)
	if err := s.chip.ToDevice(s.queue, s.sides, cuda.Bytes(flat)); err != nil {
		return err
	}
	for _, transposed := range []bool{false, true} {
		if err := libraries.Solve(s.queue, s.m, s.m, s.block, transposed, b.Cols, s.sides); err != nil {
			return err
		}
	}
	if err := download(s.chip, s.queue, flat, s.sides); err != nil {
		return err
	}
	fromColumns(b, flat)
	return nil
}

// Close gives the memory back.
func (s *ShiftedBlocks) Close() {
	if s == nil {
		return
	}
	for _, p := range s.taken {
		_ = s.chip.Free(p)
	}
	s.taken = nil
	if s.queue != 0 {
		_ = s.chip.FreeStream(s.queue)
		s.queue = 0
	}
}
