package cuda

import (
	"fmt"
	"unsafe"
)

// BoxProgram is a quadratic programme with boxes as its kernels take it: minimise ½βᵀKβ - cᵀβ over
// lower ≤ β ≤ upper with the sum of β as it is in each group. Several variables may be of one
// point.
type BoxProgram struct {
	Point                       []int32
	Group                       []uint8 // below Groups
	Groups                      int     // 1 or 2
	Linear, Lower, Upper, Start []float64
}

// BoxState is where a Box stands. Its layout is that of box_state in _gen/box.cu.
type BoxState struct {
	High, Low, Shift, Next   [2]float64
	Violation, Target, Inner float64
	Steps, Most              uint64 // pair updates
	Done, Sets, Count, Kept  int32
	Barrier                  uint32
	Limit                    int32 // pair updates of a set
}

// What Done says.
const (
	BoxGoesOn  = iota
	BoxReached // the target, or the bound on steps
	BoxStuck   // no pair of the set moves
)

// The bins of scores, threads of box_select, and the most variables of a set.
const (
	boxBins    = 4096
	boxThreads = 512
	MostBoxSet = 2048
)

// BoxPoints are the points of a programme as some sums take them: Raw is what Put was given, which
// for sums that do not pack is where the points are.
type BoxPoints struct {
	Sums *Sums
	Raw  Ptr
	All  Points
}

// Box solves a BoxProgram by working sets, see _gen/box.cu. Everything is in the memory of the
// device. It is for one goroutine.
type Box struct {
	device                                Device
	q                                     Stream
	n, vars, groups                       int
	size, padded                          int // variables of a set; rows of its block and points, a multiple of 128
	given                                 []Ptr
	state, point, group                   Ptr
	linear, lower, upper, beta, f         Ptr
	up, down, mark, kept, part, bins, set Ptr
	counts, k, v                          Ptr
	square                                BoxPoints // in double precision, by a tree
	squares                               Points    // of the set
	single, double                        boxUpdate
}

// boxUpdate is how Kβ is brought up to date, in one of the precisions.
type boxUpdate struct {
	BoxPoints
	raw, at Ptr // of the set
}

// NewBox takes the memory for a programme on n points with sets of so many variables.
func NewBox(d Device, q Stream, p BoxProgram, n, size int, square, single, double BoxPoints) (_ *Box, err error) {
	b := &Box{device: d, q: q, n: n, vars: len(p.Linear), groups: p.Groups, size: size, padded: padded(size),
		square: square}
	b.single.BoxPoints, b.double.BoxPoints = single, double
	defer func() {
		if err != nil {
			b.Close()
		}
	}()
	v, s := int64(b.vars), int64(b.padded)
	blocks := int64(b.blocks())
	for _, a := range []struct {
		p     *Ptr
		bytes int64
		from  []byte
	}{{&b.state, int64(unsafe.Sizeof(BoxState{})), nil}, {&b.point, 4 * v, bytesOf(p.Point)}, {&b.group, v, p.Group},
		{&b.linear, 8 * v, bytesOf(p.Linear)}, {&b.lower, 8 * v, bytesOf(p.Lower)},
		{&b.upper, 8 * v, bytesOf(p.Upper)}, {&b.beta, 8 * v, bytesOf(p.Start)}, {&b.f, 8 * int64(n), nil},
		{&b.up, 4 * v, nil}, {&b.down, 4 * v, nil}, {&b.mark, v, nil}, {&b.kept, 4 * s, nil},
		{&b.part, 16 * 4 * blocks, nil}, {&b.bins, 8 * (boxBins + 1), nil}, {&b.counts, 16 * blocks, nil},
		{&b.set, 4 * s, nil}, {&b.k, 4 * s * s, nil}, {&b.v, 8 * s, nil}} {
		if err := b.alloc(a.p, a.bytes); err != nil {
			return nil, err
		}
		if a.from == nil {
			err = d.Zero(q, *a.p, a.bytes)
		} else {
			err = d.ToDevice(q, *a.p, a.from)
		}
		if err != nil {
			return nil, err
		}
	}
	b.squares.N = b.padded
	if err := b.alloc(&b.squares.At, square.Sums.DeviceBytes(b.padded)); err != nil {
		return nil, err
	}
	if err := square.Sums.setOrigins(q, b.squares, b.squares); err != nil { // they stay
		return nil, err
	}
	for _, u := range []*boxUpdate{&b.single, &b.double} {
		if err := b.alloc(&u.raw, max(u.Sums.HostBytes(b.padded), u.Sums.DeviceBytes(b.padded))); err != nil {
			return nil, err
		}
		if u.at = u.raw; u.Sums.Packed() {
			if err := b.alloc(&u.at, u.Sums.DeviceBytes(b.padded)); err != nil {
				return nil, err
			}
		}
	}
	return b, d.Sync(q)
}

func (b *Box) alloc(p *Ptr, bytes int64) (err error) {
	if *p, err = b.device.Alloc(bytes); err == nil {
		b.given = append(b.given, *p)
	}
	return err
}

// Close gives the memory back.
func (b *Box) Close() {
	for _, p := range b.given {
		_ = b.device.Free(p)
	}
	b.given = nil
}

// blocks is how many of box_select run together.
func (b *Box) blocks() int {
	return max(min(b.device.Info().Processors, (b.vars+4*boxThreads-1)/(4*boxThreads)), 1)
}

// State reads where the solution stands; SetState changes that. Both wait.
func (b *Box) State() (s BoxState, err error) {
	if err = b.device.ToHost(b.q, stateBytes(&s), b.state); err != nil {
		return s, err
	}
	return s, b.device.Sync(b.q)
}

// SetState puts the solution at a state.
func (b *Box) SetState(s BoxState) error {
	if err := b.device.ToDevice(b.q, b.state, stateBytes(&s)); err != nil {
		return err
	}
	return b.device.Sync(b.q)
}

func stateBytes(s *BoxState) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(s)), unsafe.Sizeof(*s))
}

// Read copies β and Kβ, as far as it has been brought up to date, to the host.
func (b *Box) Read(beta, f []float64) error {
	if err := b.device.ToHost(b.q, bytesOf(beta), b.beta); err != nil {
		return err
	}
	if err := b.device.ToHost(b.q, bytesOf(f), b.f); err != nil {
		return err
	}
	return b.device.Sync(b.q)
}

// Run queues so many working sets, each with an update of Kβ in single or double precision. Once
// the solution has reached its target nothing changes any more.
func (b *Box) Run(sets int, double bool) error {
	u := &b.single
	if double {
		u = &b.double
	}
	for range sets {
		if err := b.choose(); err != nil {
			return err
		}
		if err := b.takePoints(b.square, b.squares.At); err != nil {
			return err
		}
		if err := b.square.Sums.squareOf(b.q, b.padded, b.state+Ptr(unsafe.Offsetof(BoxState{}.Done)), b.k); err != nil {
			return err
		}
		if err := b.pairs(u); err != nil {
			return err
		}
		if err := b.takePoints(u.BoxPoints, u.raw); err != nil {
			return err
		}
		if err := u.Sums.Put(b.q, u.raw, b.padded, u.at); err != nil {
			return err
		}
		if err := u.Sums.Times(b.q, u.All, Points{b.padded, u.at}, b.v, 1, 1, true, b.f); err != nil {
			return err
		}
	}
	return nil
}

func (b *Box) choose() error {
	return b.device.Launch(b.q, "box_select", Shape{Blocks: [2]int{b.blocks()}, Threads: boxThreads, Together: true},
		b.state, uint64(b.vars), int32(b.groups), b.f, b.point, b.group, b.linear, b.lower, b.upper, b.beta, b.up, b.down,
		b.mark, b.kept, int32(b.size), b.part, b.bins, b.counts, b.set)
}

func (b *Box) pairs(u *boxUpdate) error {
	each := 4
	if b.padded > 1024 {
		each = 8
	}
	wide, slots := int32(0), int32(0)
	if u.Sums.double {
		wide = 1
	}
	if u.Sums.Packed() {
		slots = 1
	}
	return b.device.Launch(b.q, fmt.Sprintf("box_pairs_%d", each),
		Shape{Blocks: [2]int{1}, Threads: b.padded / each, Shared: 28 * b.padded},
		b.state, b.k, int32(b.size), int32(b.padded), b.set, int32(b.groups), b.f, b.point, b.group, b.linear, b.lower,
		b.upper, b.beta, b.mark, b.kept, b.bins, b.v, wide, slots)
}

// takePoints copies the coordinates of the points of the set, source by source.
func (b *Box) takePoints(p BoxPoints, to Ptr) error {
	return takeRows(b.device, b.q, p.Sums, b.state, b.set, b.point, p.Raw, b.n, b.padded, to)
}

func takeRows(d Device, q Stream, s *Sums, state, set, point, from Ptr, n, size int, to Ptr) error {
	for _, src := range s.tree.Sources {
		words := src.Dim * int(s.number()) / 4
		if err := d.Launch(q, "box_points", Shape{Blocks: [2]int{(size*words + 255) / 256}, Threads: 256}, state, set, point,
			from, to, int32(size), int32(words)); err != nil {
			return err
		}
		from, to = from+Ptr(4*words)*Ptr(n), to+Ptr(4*words)*Ptr(size)
	}
	return nil
}

// Renew sets Kβ = Σ coefᵢ·k(·, xᵢ) over the points with a coefficient, in double precision, some of
// them at a time.
func (b *Box) Renew(points []int32, coef []float64, most int) error {
	u := &b.double
	if err := b.device.Zero(b.q, b.f, 8*int64(b.n)); err != nil {
		return err
	}
	most = min(most, len(points))
	var index, same, v, raw, at, state Ptr
	defer func() {
		for _, p := range []Ptr{index, same, v, raw, at, state} {
			if p != 0 {
				_ = b.device.Free(p)
			}
		}
	}()
	if most == 0 {
		return b.device.Sync(b.q)
	}
	for _, a := range []struct {
		p     *Ptr
		bytes int64
	}{{&index, 4 * int64(most)}, {&same, 4 * int64(most)}, {&v, u.Sums.VectorBytes(most, 1)},
		{&raw, max(u.Sums.HostBytes(most), u.Sums.DeviceBytes(most))}, {&state, int64(unsafe.Sizeof(BoxState{}))}} {
		var err error
		if *a.p, err = b.device.Alloc(a.bytes); err != nil {
			return err
		}
	}
	numbered := make([]int32, most)
	for i := range numbered {
		numbered[i] = int32(i)
	}
	if err := b.device.ToDevice(b.q, same, bytesOf(numbered)); err != nil {
		return err
	}
	for lo := 0; lo < len(points); lo += most {
		some := points[lo:min(lo+most, len(points))]
		padded := make([]float64, Stride(len(some)))
		copy(padded, coef[lo:lo+len(some)])
		whole := BoxState{Count: int32(len(some))}
		for _, c := range []struct {
			to   Ptr
			from []byte
		}{{index, bytesOf(some)}, {v, bytesOf(padded)}, {state, stateBytes(&whole)}} {
			if err := b.device.ToDevice(b.q, c.to, c.from); err != nil {
				return err
			}
		}
		if err := takeRows(b.device, b.q, u.Sums, state, same, index, u.Raw, b.n, len(some), raw); err != nil {
			return err
		}
		if err := u.Sums.Put(b.q, raw, len(some), raw); err != nil {
			return err
		}
		if err := u.Sums.Times(b.q, u.All, Points{len(some), raw}, v, 1, 1, true, b.f); err != nil {
			return err
		}
		if err := b.device.Sync(b.q); err != nil { // what was copied is let go
			return err
		}
	}
	return nil
}

// squareOf sets the size×size matrix out to the kernel between the first of the points that
// setOrigins was told last, as many as the state says.
func (s *Sums) squareOf(q Stream, size int, of, out Ptr) error {
	side := (size + directSide - 1) / directSide
	return s.device.Launch(q, "square32", Shape{Blocks: [2]int{side, side}, Threads: 128}, s.origins, s.code,
		int32(len(s.tree.Code)), s.table, uint64(size), uint64(size), of, out)
}
