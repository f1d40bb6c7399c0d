package cuda

import (
	"math"
)

// hopperBlocks are the numbers of blocks for which there is a kernel of sm_90a.
var hopperBlocks = []int{1, 2, 3, 4, 6, 8}

func (s *Sums) hopper() bool { i := s.device.Info(); return i.Major == 9 && i.Minor == 0 }

// stored is how many blocks a row is stored in: those of the next kernel.
func (s *Sums) stored(blocks int) int {
	for _, b := range hopperBlocks {
		if s.hopper() && b >= blocks {
			return b
		}
	}
	return blocks
}

func (s *Sums) wide() bool { return s.hopper() && s.blocks <= hopperBlocks[len(hopperBlocks)-1] }

// Scale is what coordinates of source i are multiplied by on the host, and whether they may be
// shifted first.
func (s *Sums) Scale(i int) (scale float64, shifted bool) {
	if s.terms != nil {
		return s.terms[i].Scale(0)
	}
	m := s.tree.Sources[i].Metric
	switch {
	// κ of the square itself, not of half of it
	case s.way == byFew && (s.profile.kind == gaussKind || s.profile.kind == rationalKind):
		return s.profile.scale * math.Sqrt2 / 2, true
	case s.way != byTree:
		return s.profile.scale, m == SqDist
	}
	return 1, m == SqDist || m == L1Dist
}

// number is the bytes of a coordinate, and of an entry of v.
func (s *Sums) number() int64 {
	if s.double {
		return 8
	}
	return 4
}

// HostBytes is what the coordinates of n points take as they come from the host; DeviceBytes is
// what they take in the end.
func (s *Sums) HostBytes(n int) int64 {
	dims := 0
	for _, src := range s.tree.Sources {
		dims += src.Dim
	}
	return int64(n) * int64(dims) * s.number()
}

// DeviceBytes is the memory that n points take.
func (s *Sums) DeviceBytes(n int) int64 {
	if s.terms != nil {
		bytes := int64(0)
		for _, t := range s.terms {
			bytes += t.DeviceBytes(n)
		}
		return bytes
	}
	switch s.way {
	case byPacked:
		return int64(padded(n)) * int64(s.blocks) * 32
	case byDeep:
		return int64(padded(n)) * int64(64*s.blocks+4)
	case byProduct: // with the norms
		return s.HostBytes(n) + int64(8*n)
	}
	return s.HostBytes(n)
}

func padded(n int) int { return (n + packedRows - 1) / packedRows * packedRows }

// Stride is the distance between the columns of v for n points, in numbers of the precision of v:
// they are padded by zeros.
func Stride(n int) int { return padded(n) }

// Slot is where entry i of a column of v is put: in packed kernels the eight entries of 32 that a
// thread multiplies by are next to one another.
func (s *Sums) Slot(i int) int {
	if !s.Packed() {
		return i
	}
	return packedSlot(i)
}

func packedSlot(i int) int { return i&^31 | i>>1&3<<3 | i>>3&3<<1 | i&1 }

// VectorBytes is the memory of v of some columns for n points.
func (s *Sums) VectorBytes(n, columns int) int64 {
	return int64(Stride(n)) * int64(columns) * s.number()
}

// Points are points in the memory of the device: the coordinates of each source after those of the
// one before, or packed.
type Points struct {
	N  int
	At Ptr
}

// Put makes points of the coordinates at raw (those of source 0 of all points, then of source 1,
// …), which are in the memory of the device already. Where they are not packed, raw is what they
// are kept in, DeviceBytes long.
func (s *Sums) Put(q Stream, raw Ptr, n int, to Ptr) error {
	if s.terms != nil {
		return s.each(n, raw, to, func(t *Sums, raw, to Ptr) error { return t.Put(q, raw, n, to) })
	}
	d := s.tree.Sources[0].Dim
	if s.way == byProduct && s.profile.norms {
		return s.device.Launch(q, "norms", Shape{Blocks: [2]int{(n + 255) / 256}, Threads: 256}, raw, uint64(n), int32(d))
	}
	if !s.Packed() {
		return nil
	}
	npad := uint64(padded(n))
	if s.way == byDeep {
		shape := func(threads uint64) Shape { return Shape{Blocks: [2]int{int((threads + 255) / 256)}, Threads: 256} }
		if err := s.device.Launch(q, "deep_pack", shape(npad*uint64(2*s.blocks)), raw, uint64(n), npad, int32(d),
			int32(s.blocks), to); err != nil {
			return err
		}
		return s.device.Launch(q, "deep_norms", shape(32*npad), raw, uint64(n), npad, int32(d), int32(s.blocks),
			s.profile.normed(), to)
	}
	threads := npad * uint64(2*s.blocks)
	return s.device.Launch(q, "pack", Shape{Blocks: [2]int{int((threads + 255) / 256)}, Threads: 256},
		raw, uint64(n), npad, int32(d), int32(s.blocks), s.profile.normed(), to)
}

// Packed says whether Put fills memory of its own.
func (s *Sums) Packed() bool { return s.way == byPacked || s.way == byDeep || s.terms != nil }
