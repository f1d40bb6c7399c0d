package gram

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"gonum.org/v1/gonum/mat"
)

// PermutedSums is two symmetric matrices K and L of the same points in the memory of a device, and
// the sums Σᵢⱼ Kᵢⱼ·L_{π(i)π(j)} under permutations π.
type PermutedSums struct {
	device *Device
	chip   cuda.Device
	queue  cuda.Stream
	n      int
	k, l   cuda.Ptr
}

// NewPermutedSums copies the matrices to a device for about so many permutations. It is nil where
// there is none, where it has no room for them, or where the processor is as soon done.
func NewPermutedSums(d *Device, k, l *mat.Dense, permutations int) *PermutedSums {
	n, _ := k.Dims()
	if !d.usable() || !d.worthPermuting(n, permutations) {
		return nil
	}
	s := &PermutedSums{device: d, chip: d.one(), n: n}
	if s.chip == nil {
		return nil
	}
	if err := s.fill(k, l); err != nil {
		s.failed(err)
		return nil
	}
	return s
}

func (s *PermutedSums) fill(k, l *mat.Dense) (err error) {
	if s.queue, err = s.chip.NewStream(); err != nil {
		return err
	}
	for _, m := range []struct {
		to   *cuda.Ptr
		from linalg.Matrix[float64]
	}{{&s.k, linalg.Of(k)}, {&s.l, linalg.Of(l)}} {
		if *m.to, err = s.chip.Alloc(8 * int64(s.n) * int64(s.n)); err != nil {
			return err
		}
		if m.from.Stride != m.from.Cols {
			m.from = m.from.Clone()
		}
		if err := s.chip.ToDevice(s.queue, *m.to, cuda.Bytes(m.from.Data[:s.n*s.n])); err != nil {
			return err
		}
	}
	return s.chip.Sync(s.queue)
}

// Sums sets v[b] to the sum under permutation b, n numbers from perms[b·n] on, and says whether the
// device could.
func (s *PermutedSums) Sums(perms []int32, v []float64) bool {
	if s == nil || s.k == 0 {
		return false
	}
	if err := s.sums(perms, v); err != nil {
		s.failed(err)
		return false
	}
	return true
}

func (s *PermutedSums) failed(err error) {
	s.Close()
	s.device.gaveUp(err, fmt.Sprintf("permutations of %d points", s.n))
}

func (s *PermutedSums) sums(perms []int32, v []float64) error {
	n, count := s.n, len(v)
	inverse := make([]int32, len(perms))
	par.For(0, count, 4, func(lo, hi int) {
		for b := lo; b < hi; b++ {
			for i, r := range perms[b*n : (b+1)*n] {
				inverse[b*n+int(r)] = int32(i)
			}
		}
	})
	list := int64(4*len(perms)+255) / 256 * 256
	at, err := s.chip.Alloc(2*list + cuda.PermutedBytes(n, count) + int64(8*count))
	if err != nil {
		return err
	}
	defer func() { _ = s.chip.Free(at) }()
	back, part := at+cuda.Ptr(list), at+cuda.Ptr(2*list)
	out := part + cuda.Ptr(cuda.PermutedBytes(n, count))
	if err := s.chip.ToDevice(s.queue, at, cuda.Bytes(perms)); err != nil {
		return err
	}
	if err := s.chip.ToDevice(s.queue, back, cuda.Bytes(inverse)); err != nil {
		return err
	}
	if err := cuda.Permuted(s.chip, s.queue, n, s.k, s.l, at, back, count, part, out); err != nil {
		return err
	}
	if err := s.chip.ToHost(s.queue, cuda.Bytes(v), out); err != nil {
		return err
	}
	return s.chip.Sync(s.queue)
}

// Close gives the memory back.
func (s *PermutedSums) Close() {
	if s == nil {
		return
	}
	for _, p := range []*cuda.Ptr{&s.k, &s.l} {
		if *p != 0 {
			_ = s.chip.Free(*p)
			*p = 0
		}
	}
	if s.queue != 0 {
		_ = s.chip.FreeStream(s.queue)
		s.queue = 0
	}
}

// worthPermuting compares the copies and the reading of half of a matrix for each permutation with
// as many gathers of the processor, which take it about as long as an evaluation.
func (d *Device) worthPermuting(n, permutations int) bool {
	return d.sooner(func(r rates) (device, own float64) {
		square, each := float64(n)*float64(n), float64(permutations)
		return r.start + pageableShare*16*square/r.copy + each*square/(2*r.pairs),
			each * square / 2 / (r.own * float64(threadsOf(0)))
	})
}

// pageableShare is how much longer a copy takes from memory that is not pinned (H200: 8 and 55
// GB/s).
const pageableShare = 7
