package gram

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
)

// laneSlots is the pieces of rows that a device works on at a time: while one is multiplied, the
// next is copied and the one before is looked at.
const laneSlots = 4

// lane is one device at work on the rows that fall to it: the centres, memory for some pieces of
// rows, and all pieces that have been kept.
type lane struct {
	chip   cuda.Device
	sums   *cuda.Sums
	tree   *deviceTree
	rows   int // of a piece
	m      int
	in     int // columns of v and of dst that there is memory for
	out    int
	work   cuda.Stream // kernels; the other queues copy beside them
	copies cuda.Stream // rows to the device
	sends  cuda.Stream // u to it
	back   cuda.Stream // K·v from it
	given  []cuda.Ptr  // memory to give back
	host   [][]byte

	centers cuda.Points
	v, dst  cuda.Ptr
	slots   [laneSlots]slot
	kept    map[int]cuda.Points // pieces that stay, by number
	keep    bool
}

// slot is memory for one piece.
type slot struct {
	raw, packed, kv, u     cuda.Ptr
	hostRaw, hostKV, hostU []byte
	copied, taken          cuda.Event // to raw; from there, where points are packed
	made, ready            cuda.Event // K·v; on the host
	brought, done          cuda.Event // u to the device; Kᵀu
	used                   bool       // copied has been recorded
	sent                   bool       // hostU has been copied from
	points                 cuda.Points
}

// has says whether a piece stays on the device already.
func (l *lane) has(b data.Block[kernel.Vec]) bool {
	_, here := l.kept[b.First/l.rows]
	return here
}

func (l *lane) alloc(bytes int64) (cuda.Ptr, error) {
	p, err := l.chip.Alloc(bytes)
	if err == nil {
		l.given = append(l.given, p)
	}
	return p, err
}

func (l *lane) pin(bytes int64) ([]byte, error) {
	b, err := l.chip.Pin(bytes)
	if err == nil {
		l.host = append(l.host, b)
	}
	return b, err
}

func (l *lane) queues() []*cuda.Stream {
	return []*cuda.Stream{&l.work, &l.copies, &l.sends, &l.back}
}

func (s *slot) events() []*cuda.Event {
	return []*cuda.Event{&s.copied, &s.taken, &s.made, &s.ready, &s.brought, &s.done}
}

// newLane takes the memory for pieces of so many rows; centres are copied.
func newLane(
	chip cuda.Device, t *deviceTree, p cuda.Precision, reach []float64, rows, in, out int, centers data.Points[kernel.Vec],
) (_ *lane, err error) {
	l := &lane{chip: chip, tree: t, rows: rows, m: centers.Len(), in: in, out: out, kept: map[int]cuda.Points{}}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	room := max(int64(8*max(rows, l.m)*max(in, out)), 64<<20) // partial sums of some parts
	if free, _, err := chip.Memory(); err == nil {
		room = max(min(room, free/8), int64(8*max(rows, l.m)*min(max(in, out), 4)))
	}
	if l.sums, err = cuda.NewSums(chip, t.tree, p, reach, room); err != nil {
		return nil, err
	}
	for _, q := range l.queues() {
		if *q, err = chip.NewStream(); err != nil {
			return nil, err
		}
	}
	if l.v, err = l.alloc(l.sums.VectorBytes(l.m, max(in, 1))); err != nil {
		return nil, err
	}
	if l.dst, err = l.alloc(int64(8 * l.m * max(out, 1))); err != nil {
		return nil, err
	}
	for i := range l.slots {
		if err := l.newSlot(&l.slots[i]); err != nil {
			return nil, err
		}
	}
	return l, l.putCenters(centers)
}

func (l *lane) newSlot(s *slot) error {
	unpacked := int64(1)
	if l.sums.Packed() {
		unpacked = 0
	}
	for _, a := range []struct {
		p     *cuda.Ptr
		bytes int64
	}{{&s.raw, max(l.sums.HostBytes(l.rows), l.sums.DeviceBytes(l.rows)*unpacked)},
		{&s.packed, l.sums.DeviceBytes(l.rows)}, {&s.kv, int64(8 * l.rows * l.in)},
		{&s.u, l.sums.VectorBytes(l.rows, l.out)}} {
		if a.p == &s.packed && !l.sums.Packed() {
			continue
		}
		var err error
		if *a.p, err = l.alloc(a.bytes); err != nil {
			return err
		}
	}
	for _, a := range []struct {
		b     *[]byte
		bytes int64
	}{{&s.hostRaw, l.sums.HostBytes(l.rows)}, {&s.hostKV, int64(8 * l.rows * l.in)},
		{&s.hostU, l.sums.VectorBytes(l.rows, l.out)}} {
		var err error
		if *a.b, err = l.pin(a.bytes); err != nil {
			return err
		}
	}
	for _, e := range s.events() {
		var err error
		if *e, err = l.chip.NewEvent(); err != nil {
			return err
		}
	}
	return nil
}

// putCenters copies the centres, in pieces of the size of a slot's memory or whole where that is
// larger.
func (l *lane) putCenters(centers data.Points[kernel.Vec]) error {
	bytes := l.sums.HostBytes(l.m)
	raw, err := l.alloc(max(bytes, l.sums.DeviceBytes(l.m)))
	if err != nil {
		return err
	}
	host := make([]byte, bytes)
	if _, even := fillCoordinates(l.tree, 0, l.sums, host, centers, nil); !even {
		return errUneven
	}
	if err := l.chip.ToDevice(l.work, raw, host); err != nil {
		return err
	}
	l.centers = cuda.Points{N: l.m, At: raw}
	if l.sums.Packed() {
		if l.centers.At, err = l.alloc(l.sums.DeviceBytes(l.m)); err != nil {
			return err
		}
	}
	if err := l.sums.Put(l.work, raw, l.m, l.centers.At); err != nil {
		return err
	}
	return l.chip.Sync(l.work)
}

// close gives everything back; a device that is lost has nothing to give.
func (l *lane) close() {
	_ = l.chip.Wait()
	for _, p := range l.given {
		_ = l.chip.Free(p)
	}
	for _, p := range l.kept {
		_ = l.chip.Free(p.At)
	}
	for _, b := range l.host {
		_ = l.chip.Unpin(b)
	}
	for i := range l.slots {
		for _, e := range l.slots[i].events() {
			if *e != 0 {
				_ = l.chip.FreeEvent(*e)
			}
		}
	}
	for _, q := range l.queues() {
		if *q != 0 {
			_ = l.chip.FreeStream(*q)
		}
	}
	if l.sums != nil {
		l.sums.Close()
	}
	*l = lane{chip: l.chip}
}

// putVector copies v, a column for each of in, with 0 behind the last row.
func (l *lane) putVector(v []float64, in int, scale float64) error {
	host := make([]byte, l.sums.VectorBytes(l.m, in))
	narrowTo(l.sums, host, v, l.m, in, 1/scale)
	return l.chip.ToDevice(l.work, l.v, host)
}

// narrowTo writes the n×c matrix v, times scale, column by column as kernels take it.
func narrowTo(s *cuda.Sums, host []byte, v []float64, n, c int, scale float64) {
	if s.Precision() == cuda.Double {
		columnsTo(cuda.Of[float64](host), v, n, c, scale, s.Slot)
	} else {
		columnsTo(cuda.Of[float32](host), v, n, c, scale, s.Slot)
	}
}

func columnsTo[F float32 | float64](dst []F, v []float64, n, c int, scale float64, slot func(i int) int) {
	stride := cuda.Stride(n)
	var order [slotGroup]int
	for i := range order {
		order[i] = slot(i)
	}
	for j := range c {
		column := dst[j*stride : (j+1)*stride]
		clear(column[n/slotGroup*slotGroup:])
		par.For(0, n, 1<<14, func(lo, hi int) {
			for at := lo; at < hi; at += slotGroup {
				group := column[at:][:slotGroup]
				for i, to := range order[:min(slotGroup, hi-at)] {
					group[to] = F(v[(at+i)*c+j] * scale)
				}
			}
		})
	}
}

// slotGroup is the entries of v that change places with one another only.
const slotGroup = 32
