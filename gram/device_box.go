package gram

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/trace"
)

// BoxProgram is the quadratic programme of a support vector machine in signed coefficients,
//
//	minimise over β   ½ βᵀKβ - cᵀβ
//	subject to        lowerₜ ≤ βₜ ≤ upperₜ, and Σβₜ as it is at the start in each group.
type BoxProgram struct {
	Point  []int     // row of K of each variable; nil when variable t is point t
	Linear []float64 // c
	Lower  []float64
	Upper  []float64
	Group  []uint8 // group of each variable; nil when there is one
	Groups int     // number of groups, at most 2; 0 stands for 1
}

// BoxOptions steers BoxSystem.Solve; the zero value is a sound choice.
type BoxOptions struct {
	Tol           float64    // KKT violation to reach; 0 means 1e-3
	WorkingSet    int        // variables optimised together; 0 means 1024, the most is 2048
	MaxIterations int        // bound on pair updates; 0 means 10⁷ or 1000 for each variable, whichever is more
	Trace         trace.Func // told after some working sets
}

// BoxSolution is where BoxSystem.Solve stopped.
type BoxSolution struct {
	Beta        []float64
	F           []float64 // Kβ at every point, in double precision from all of β
	Violation   float64   // of the KKT conditions, by F
	Iterations  int       // pair updates
	WorkingSets int
	Rounds      int  // times that Kβ was made anew in double precision
	Double      bool // updates of Kβ had to be in double precision in the end
	Converged   bool
}

// BoxSystem is K(X, X) on a device for support vector machines: the points stay in its memory, and
// K is nowhere. It is for one goroutine; several systems may be at work on one device side by side.
type BoxSystem struct {
	device  *Device
	chip    cuda.Device
	queue   cuda.Stream
	n       int
	tree    *deviceTree
	threads int
	given   []cuda.Ptr
	sums    []*cuda.Sums
	square  cuda.BoxPoints // by a tree in double precision: the block of a working set
	single  cuda.BoxPoints // updates of Kβ
	double  cuda.BoxPoints // Kβ anew
}

// errNoBox is why a system is not for the device.
var errNoBox = fmt.Errorf("%w for a machine", errNoFactor)

// NewBoxSystem copies the points to the device, if it can be asked: where the kernel has a formula,
// the points have room, and the processors would not be done sooner. Close gives the memory back.
func NewBoxSystem(
	d *Device, k kernel.Kernel[kernel.Vec], x data.Points[kernel.Vec], threads int,
) (_ *BoxSystem, err error) {
	n := x.Len()
	if !d.usable() || n == 0 || n > math.MaxInt32/2 || !d.Expect(boxShare*float64(n)*float64(n), threads) {
		return nil, fault.In("gram", errNoBox)
	}
	chip := d.one()
	tree, ok := newDeviceTree(k, x)
	if chip == nil || !ok {
		return nil, fault.In("gram", errNoBox)
	}
	b := &BoxSystem{device: d, chip: chip, n: n, tree: tree, threads: threads}
	defer func() {
		if err != nil {
			b.Close()
			d.gaveUp(err, fmt.Sprintf("a machine of %d points", n))
			err = fault.In("gram", err)
		}
	}()
	if b.queue, err = chip.NewStream(); err != nil {
		return nil, err
	}
	reach := tree.firstReach(x)
	room := max(8*int64(n)*4, 32<<20) // partial sums of some parts
	if free, _, err := chip.Memory(); err == nil {
		room = max(min(room, free/16), 8*int64(n))
	}
	for _, p := range []struct {
		to  *cuda.BoxPoints
		new func() (*cuda.Sums, error)
	}{
		{&b.square, func() (*cuda.Sums, error) { return cuda.NewTree(chip, tree.tree) }},
		{&b.single, func() (*cuda.Sums, error) { return cuda.NewSums(chip, tree.tree, cuda.Single, reach, room) }},
		{&b.double, func() (*cuda.Sums, error) { return cuda.NewSums(chip, tree.tree, cuda.Double, reach, room) }},
	} {
		s, err := p.new()
		if err != nil {
			return nil, err
		}
		b.sums = append(b.sums, s)
		if *p.to, err = b.put(s, x); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// boxShare is about how many of all kernel values the processors make for a machine.
const boxShare = 0.25

// put copies all points for some sums.
func (b *BoxSystem) put(s *cuda.Sums, x data.Points[kernel.Vec]) (p cuda.BoxPoints, err error) {
	p.Sums = s
	bytes := s.HostBytes(b.n)
	if p.Raw, err = b.alloc(max(bytes, s.DeviceBytes(b.n))); err != nil {
		return p, err
	}
	p.All = cuda.Points{N: b.n, At: p.Raw}
	if s.Packed() {
		if p.All.At, err = b.alloc(s.DeviceBytes(b.n)); err != nil {
			return p, err
		}
	}
	host, err := b.chip.Pin(bytes)
	if err != nil {
		return p, err
	}
	defer func() { _ = b.chip.Unpin(host) }()
	if _, even := fillCoordinates(b.tree, b.threads, s, host, x, nil); !even {
		return p, errUneven
	}
	if err := b.chip.ToDevice(b.queue, p.Raw, host); err != nil {
		return p, err
	}
	if err := s.Put(b.queue, p.Raw, b.n, p.All.At); err != nil {
		return p, err
	}
	return p, b.chip.Sync(b.queue) // host is let go
}

func (b *BoxSystem) alloc(bytes int64) (cuda.Ptr, error) {
	p, err := b.chip.Alloc(bytes)
	if err == nil {
		b.given = append(b.given, p)
	}
	return p, err
}

// Close gives the memory back.
func (b *BoxSystem) Close() {
	_ = b.chip.Wait()
	for _, s := range b.sums {
		s.Close()
	}
	for _, p := range b.given {
		_ = b.chip.Free(p)
	}
	if b.queue != 0 {
		_ = b.chip.FreeStream(b.queue)
	}
	b.sums, b.given, b.queue = nil, nil, 0
}
