package gram

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// devicePass is the state of one product.
type devicePass struct {
	ctx     context.Context
	p       *devicePair
	in, out int
	between Between[kernel.Vec]
	scale   float64   // of v
	shift   []float64 // the row of v that belongs to the ones
	sum     []float64 // of the columns of u
	u       []float64
}

// block works on the pieces of some rows. Products with K of as many as there is memory for are
// queued first; each is looked at when it is there, while others are made, and makes room for
// another. The last products with Kᵀ are still at work when the next block comes.
func (w *devicePass) block(b data.Block[kernel.Vec]) error {
	p := w.p
	rows, wide := p.lanes[0].rows, len(p.lanes)
	count := (b.Len() + rows - 1) / rows
	at := func(i int) (*lane, *slot, data.Block[kernel.Vec]) {
		l := p.lanes[i%wide]
		return l, &l.slots[i/wide%laneSlots], b.Part(i*rows, min((i+1)*rows, b.Len()))
	}
	// pieces that are not on their device yet are filled ahead, as far as there is memory
	var ahead []*moving
	number := make([]int, count) // of a piece among them, or -1
	for i := range count {
		l, s, part := at(i)
		if number[i] = -1; !l.has(part) {
			number[i] = len(ahead)
			ahead = append(ahead, newMoving(p.tree, l.sums, s.hostRaw[:l.sums.HostBytes(part.Len())], part.Points, p.fit))
		}
	}
	f, released := newFiller(p.threads, ahead), 0
	defer func() { f.close(released) }()
	release := func(i int) error { // the memory of piece i, once what was in it has been copied
		if i >= count || number[i] < 0 {
			return nil
		}
		if l, s, _ := at(i); s.used {
			if err := l.chip.SyncEvent(s.copied); err != nil {
				return err
			}
		}
		f.release(number[i])
		released++
		return nil
	}
	for i := range min(count, laneSlots*wide) {
		if err := release(i); err != nil {
			return err
		}
	}
	for i := range count + laneSlots*wide {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if before := i - laneSlots*wide; before >= 0 && before < count {
			if err := w.end(at(before)); err != nil {
				return err
			}
		}
		if i >= count {
			continue
		}
		l, s, part := at(i)
		if number[i] >= 0 {
			if err := w.bring(l, s, part, f.await(number[i])); err != nil {
				return err
			}
		}
		if err := w.start(l, s, part); err != nil {
			return err
		}
		if i >= wide { // the piece before on this device has been copied by now, or is about to be
			if err := release(i - wide + laneSlots*wide); err != nil {
				return err
			}
		}
	}
	return nil
}

// after makes what is queued in the second queue from now on wait for what has been queued in the
// first.
func after(chip cuda.Device, first cuda.Stream, e cuda.Event, second cuda.Stream) error {
	if err := chip.Record(e, first); err != nil {
		return err
	}
	return chip.Await(second, e)
}

// start queues K·v of a piece that is on its device.
func (w *devicePass) start(l *lane, s *slot, b data.Block[kernel.Vec]) error {
	if l.keep {
		s.points = l.kept[b.First/l.rows]
	}
	points := s.points
	if w.in > 0 {
		if err := l.sums.Times(l.work, points, l.centers, l.v, w.in, w.scale, false, s.kv); err != nil {
			return err
		}
		if err := after(l.chip, l.work, s.made, l.back); err != nil {
			return err
		}
		if err := l.chip.ToHost(l.back, s.hostKV[:8*b.Len()*w.in], s.kv); err != nil {
			return err
		}
		if err := l.chip.Record(s.ready, l.back); err != nil {
			return err
		}
	}
	if w.out > 0 { // the piece is needed once more
		return nil
	}
	return l.chip.Record(s.done, l.work)
}

// bring copies a piece, whose rows have been moved to the host's side of the slot, beside the work
// at hand; kept pieces get memory of their own. The device waits until the piece that was in its
// memory before is done with: packed, where points are.
func (w *devicePass) bring(l *lane, s *slot, b data.Block[kernel.Vec], m *moving) error {
	n := b.Len()
	points := cuda.Points{N: n, At: s.raw}
	if s.used {
		before := s.done
		if l.sums.Packed() {
			before = s.taken
		}
		if err := l.chip.Await(l.copies, before); err != nil {
			return err
		}
	}
	s.used = true
	reach, even := m.reach()
	if !even {
		return errUneven
	}
	for i, r := range reach {
		if r > l.sums.Limit(i) {
			return farError(reach)
		}
	}
	raw := s.raw
	if l.keep {
		at, err := l.chip.Alloc(l.sums.DeviceBytes(n))
		if err != nil {
			return err
		}
		points.At = at
		l.kept[b.First/l.rows] = points
		if !l.sums.Packed() {
			raw = at
		}
	} else if l.sums.Packed() {
		points.At = s.packed
	}
	s.points = points
	if err := l.chip.ToDevice(l.copies, raw, m.host); err != nil {
		return err
	}
	if err := after(l.chip, l.copies, s.copied, l.work); err != nil {
		return err
	}
	if err := l.sums.Put(l.work, raw, n, points.At); err != nil {
		return err
	}
	return l.chip.Record(s.taken, l.work)
}

// lookRows is how many rows between sees at a time.
const lookRows = 2048

// lookAlone is how many numbers of K·v alone are looked at by one goroutine: they are copied, in
// less time than others are woken.
const lookAlone = 1 << 17

// end looks at K·v of a piece and queues Kᵀu.
func (w *devicePass) end(l *lane, s *slot, b data.Block[kernel.Vec]) error {
	n := b.Len()
	if w.in > 0 {
		if err := l.chip.SyncEvent(s.ready); err != nil {
			return err
		}
	}
	if len(w.u) < n*w.out {
		w.u = make([]float64, n*w.out)
	}
	u, kv := w.u[:n*w.out], cuda.Of[float64](s.hostKV)
	parts := (n + lookRows - 1) / lookRows
	sums, most := make([]float64, parts*w.out), make([]float64, parts)
	threads := w.p.threads
	if w.out == 0 && n*w.in <= lookAlone {
		threads = 1
	}
	par.For(threads, n, lookRows, func(lo, hi int) {
		var seen, made *mat.Dense
		if w.in == 1 && w.shift == nil { // as it came
			seen = mat.NewDense(hi-lo, 1, kv[lo:hi])
		} else if w.in > 0 {
			rows := make([]float64, (hi-lo)*w.in)
			for c := range w.in {
				shift := 0.0
				if w.shift != nil {
					shift = w.shift[c]
				}
				for i := lo; i < hi; i++ {
					rows[(i-lo)*w.in+c] = kv[c*n+i] + shift
				}
			}
			seen = mat.NewDense(hi-lo, w.in, rows)
		}
		part := lo / lookRows
		if w.out > 0 {
			made = mat.NewDense(hi-lo, w.out, u[lo*w.out:hi*w.out])
		}
		w.between(b.Part(lo, hi), seen, made)
		most[part] = sizeOf(u[lo*w.out : hi*w.out])
		for i := lo; i < hi; i++ {
			for c := range w.out {
				sums[part*w.out+c] += u[i*w.out+c]
			}
		}
	})
	if w.out == 0 {
		return nil
	}
	scale := 0.0
	for i := range parts {
		scale = math.Max(scale, most[i])
		for c := range w.out {
			w.sum[c] += sums[i*w.out+c]
		}
	}
	if s.sent { // from where the next is put
		if err := l.chip.SyncEvent(s.done); err != nil {
			return err
		}
	}
	s.sent = true
	host := s.hostU[:l.sums.VectorBytes(n, w.out)]
	narrowTo(l.sums, host, u, n, w.out, 1/scale)
	if err := l.chip.ToDevice(l.sends, s.u, host); err != nil {
		return err
	}
	if err := after(l.chip, l.sends, s.brought, l.work); err != nil {
		return err
	}
	if err := l.sums.Times(l.work, l.centers, s.points, s.u, w.out, scale, true, l.dst); err != nil {
		return err
	}
	return l.chip.Record(s.done, l.work)
}

// finish waits for the devices and adds what they have in order.
func (w *devicePass) finish(dst *mat.Dense) error {
	p := w.p
	parts := make([][]byte, len(p.lanes))
	for i, l := range p.lanes {
		parts[i] = make([]byte, 8*p.m*w.out)
		if err := l.chip.ToHost(l.work, parts[i], l.dst); err != nil {
			return err
		}
		if err := l.chip.Sync(l.work); err != nil {
			return err
		}
	}
	if dst == nil {
		return nil
	}
	to := linalg.Of(dst)
	for i := range p.m {
		clear(to.Row(i))
	}
	for _, b := range parts {
		part := cuda.Of[float64](b)
		for c := range w.out {
			for i := range p.m {
				to.Row(i)[c] += part[c*p.m+i]
			}
		}
	}
	if p.ones > 0 {
		copy(to.Row(p.m), w.sum)
	}
	return nil
}
