package gram

import (
	"context"
	"errors"
	"math"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// devicePair is a Pair on devices, with one on processors beside it: for what devices do not do, for products that are not worth the way, and for when
// they fail. Rows are dealt to devices in pieces, by position; they stay in their memory where there is room.
type devicePair struct {
	cpu     Pair[kernel.Vec]
	device  *Device
	tree    *deviceTree
	rows    data.Source[kernel.Vec]
	centers data.Points[kernel.Vec]
	n, m    int
	ones    int
	threads int
	prec    cuda.Precision

	mu    sync.Mutex // one pass at a time
	lanes []*lane
	reach []float64 // of points in each source, as far as they have been seen; nil before any has
	piece int       // rows of one
	given bool      // devices were given up
	unfit bool      // for points that are no matter for them
	fit   fitness
	anew  bool // rows are not kept
}

const (
	pieceRows  = 1 << 18
	fewestRows = 1 << 15
	leastPiece = 1 << 12
)

// newDevicePair is a Pair on a device, or nil where it cannot serve the kernel.
func newDevicePair[T any](k kernel.Kernel[T], rows data.Source[T], centers data.Points[T], o PairOptions, cpu Pair[T]) Pair[T] {
	if !o.Device.usable() {
		return nil
	}
	kv, ok := any(k).(kernel.Kernel[kernel.Vec])
	if !ok {
		return nil
	}
	y := any(centers).(data.Points[kernel.Vec])
	tree, ok := newDeviceTree(kv, y)
	if !ok {
		return nil
	}
	own, _ := any(cpu).(Pair[kernel.Vec])
	p := &devicePair{cpu: own, device: o.Device, tree: tree, rows: any(rows).(data.Source[kernel.Vec]), centers: y,
		n: rows.Len(), m: centers.Len(), threads: o.Threads, prec: cuda.Double, piece: pieceRows, anew: o.Stream}
	if o.Precision == Single {
		p.prec = cuda.Single
	}
	if o.Ones {
		p.ones = 1
	}
	return any(p).(Pair[T])
}

// Dims is the shape of K.
func (p *devicePair) Dims() (n, m int) { return p.n, p.m + p.ones }

// Visit is that of processors: who looks at K wants it on the host.
func (p *devicePair) Visit(ctx context.Context, f func(b data.Block[kernel.Vec], k *mat.Dense) error) error {
	return p.cpu.Visit(ctx, f)
}

// Close gives the memory of the devices back; what comes after is done by processors.
func (p *devicePair) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.release()
	p.given = true
	return nil
}

func (p *devicePair) release() {
	for _, l := range p.lanes {
		l.close()
	}
	p.lanes = nil
}

// MulTo sets dst = Kᵀ·u, u made by between out of K·v. Where memory is short it tries again with smaller pieces; where a device is lost, or there is no
// memory for the smallest, processors make this product and those to come. between is then called again for rows that it has seen.
func (p *devicePair) MulTo(ctx context.Context, dst, v *mat.Dense, between Between[kernel.Vec]) error {
	in, out := 0, 0
	if v != nil {
		_, in = v.Dims()
	}
	if dst != nil {
		_, out = dst.Dims()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.given && p.device.usable() && p.device.worth(p, max(in, out)) {
		err := p.pass(ctx, dst, v, in, out, between)
		var source *sourceError
		var far farError
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &source):
			return source.err
		case errors.Is(err, cuda.ErrOutOfMemory) && p.device.dropKept(p):
			p.release()
			continue
		case errors.Is(err, cuda.ErrOutOfMemory) && p.piece > leastPiece:
			p.release()
			p.piece /= 4
			continue
		case errors.Is(err, cuda.ErrOutOfMemory):
			p.device.note("the GPU has no memory left for a product with %d centres (%v); the processor makes it", p.m, err)
		case errors.As(err, &far):
			p.release()
			for i, r := range far {
				p.reach[i] = math.Max(p.reach[i], r)
			}
			continue
		case errors.Is(err, errUneven):
			p.unfit = true
		default:
			p.device.lose(err)
		}
		p.release()
		p.given = true
	}
	return p.cpu.MulTo(ctx, dst, v, between)
}

// sourceError is an error of the rows, which no other way to multiply would mend.
type sourceError struct{ err error }

func (e *sourceError) Error() string { return e.err.Error() }

var errUneven = errors.New("gram: points of different dimensions")

// farError says that a row lies farther out than the sums are made for: how far, in each source.
type farError []float64

func (e farError) Error() string { return "gram: a point farther out than the centres" }

// open takes the devices' memory, unless it has it.
func (p *devicePair) open(in, out int) error {
	if len(p.lanes) > 0 && p.lanes[0].in >= in && p.lanes[0].out >= out {
		return nil
	}
	if len(p.lanes) > 0 {
		in, out = max(in, p.lanes[0].in), max(out, p.lanes[0].out)
	}
	p.release()
	chips := p.device.chips
	rows := p.pieceFor(len(chips))
	for _, chip := range chips {
		l, err := newLane(chip, p.tree, p.prec, p.reach, rows, in, out, p.centers)
		if err != nil {
			p.release()
			return err
		}
		p.lanes = append(p.lanes, l)
		free, _, err := chip.Memory()
		if err != nil {
			return err
		}
		mine := (p.n+rows-1)/rows/len(chips) + 1
		l.keep = !p.anew && float64(l.sums.DeviceBytes(rows))*float64(mine) < 0.8*float64(free)
	}
	return nil
}

// pieceFor is the rows of a piece: a sixteenth of what falls to a device, so that the first and the last, which nothing runs beside, are short; but enough to be worth a launch.
func (p *devicePair) pieceFor(chips int) int {
	share := (p.n + chips - 1) / chips
	even := ((share+15)/16 + leastPiece - 1) / leastPiece * leastPiece
	return min(p.piece, share, max(even, fewestRows))
}

// pass is one product on devices.
func (p *devicePair) pass(ctx context.Context, dst, v *mat.Dense, in, out int, between Between[kernel.Vec]) error {
	if p.reach == nil {
		p.reach = p.tree.firstReach(p.centers)
	}
	if err := p.open(in, out); err != nil {
		return err
	}
	w := devicePass{ctx: ctx, p: p, in: in, out: out, between: between, scale: 1}
	if v != nil {
		if r, _ := v.Dims(); r != p.m+p.ones {
			panic("gram: pair product with a matrix of another number of rows than centres")
		}
		all := linalg.Of(v)
		flat := make([]float64, 0, p.m*in)
		for i := range p.m {
			flat = append(flat, all.Row(i)...)
		}
		w.scale = sizeOf(flat)
		if p.ones > 0 {
			w.shift = all.Row(p.m)
		}
		for _, l := range p.lanes {
			if err := l.putVector(flat, in, w.scale); err != nil {
				return err
			}
		}
	}
	if dst != nil {
		if r, _ := dst.Dims(); r != p.m+p.ones {
			panic("gram: pair product into a matrix of another number of rows than centres")
		}
		w.sum = make([]float64, out)
		for _, l := range p.lanes {
			if err := l.chip.Zero(l.work, l.dst, int64(8*p.m*out)); err != nil {
				return err
			}
		}
	}
	var failed error
	size := p.lanes[0].rows * laneSlots * len(p.lanes)
	if _, here := p.rows.(data.InMemory[kernel.Vec]); here { // costs no memory, and pieces follow one another without a gap
		size = p.n
	}
	err := p.rows.Pass(ctx, size, func(b data.Block[kernel.Vec]) error {
		failed = w.block(b)
		return failed
	})
	if failed != nil {
		return failed
	}
	if err != nil {
		for _, l := range p.lanes {
			_ = l.chip.Sync(l.work)
		}
		return &sourceError{err}
	}
	return w.finish(dst)
}

// sizeOf is a power of two near the largest number: vectors are brought near 1 before they lose digits.
func sizeOf(v []float64) float64 {
	most := 0.0
	for _, x := range v {
		if a := math.Abs(x); a > most {
			most = a
		}
	}
	if !(most > 0) || math.IsInf(most, 0) {
		return 1
	}
	_, e := math.Frexp(most)
	return math.Ldexp(1, min(e, 1000))
}

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

// block works on the pieces of some rows. Products with K of as many as there is memory for are queued first; each is looked at when it is there, while others are made, and
// makes room for another. The last products with Kᵀ are still at work when the next block comes.
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
		if err := l.chip.ToHost(l.work, s.hostKV[:8*b.Len()*w.in], s.kv); err != nil {
			return err
		}
		if err := l.chip.Record(s.ready, l.work); err != nil {
			return err
		}
	}
	if w.out > 0 { // the piece is needed once more
		return nil
	}
	return l.chip.Record(s.done, l.work)
}

// bring copies a piece, whose rows have been moved to the host's side of the slot, beside the work at hand; kept pieces get memory of their own. The device waits until the piece that was in
// its memory before is done with: packed, where points are.
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
	if err := l.chip.Record(s.copied, l.copies); err != nil {
		return err
	}
	if err := l.chip.Await(l.work, s.copied); err != nil {
		return err
	}
	if err := l.sums.Put(l.work, raw, n, points.At); err != nil {
		return err
	}
	return l.chip.Record(s.taken, l.work)
}

// lookRows is how many rows between sees at a time.
const lookRows = 2048

// lookAlone is how many numbers of K·v alone are looked at by one goroutine: they are copied, in less time than others are woken.
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
	if err := l.chip.ToDevice(l.work, s.u, host); err != nil {
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
